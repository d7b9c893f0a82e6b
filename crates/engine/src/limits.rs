//! How much hooks may say to the model: one function, for a [`Session`](crate::Session) and for the
//! [host](mod@crate::event).
//!
//! A text is cleaned, held to the size limit, and its tokens are spent from the budget of the turn, which is counted where
//! the session is remembered: every process of one session spends the same budget. Nothing here delivers anything.
//!
//! What a person configured is in [`Config`](crate::config::Config).
//!
//! ```
//! use anyhook_engine::limits::{InjectionLimits, InjectionLimitsError};
//! use serde_json::json;
//!
//! let settings = InjectionLimits::read(&json!({"session": {"injection_size_limit": 4096}}))?;
//! assert_eq!((settings.injection_size_limit, settings.injection_budget_per_turn), (Some(4096), Some(10_000)));
//!
//! // What cannot be understood is an error.
//! let wrong: InjectionLimitsError = InjectionLimits::read(&json!({"session": 1})).unwrap_err();
//! assert_eq!(wrong.to_string(), "`session` cannot be understood");
//! # Ok::<(), InjectionLimitsError>(())
//! ```

use std::path::Path;

use anyhook_core::effects::{Injection, Lifetime};
use anyhook_core::event::EventName;
use anyhook_core::events;
use anyhook_core::fault::Fault;
use anyhook_core::report::AuditEvent;
use serde_json::{Value, json};

use crate::files;
use crate::state::{INJECTED, PriorState, SessionKey, State, StateError};

mod clean;
mod settings;
mod size;
mod words;

pub use settings::{InjectionLimits, InjectionLimitsError};

pub(crate) use clean::clean;
pub(crate) use words::tame;

pub(crate) use size::not_kept;
use size::sized;

/// Counts four bytes a token, and never nothing for something.
///
/// ```
/// use anyhook_engine::limits::tokens;
/// assert_eq!((tokens("1234"), tokens("12345")), (1, 2));
/// ```
pub fn tokens(text: &str) -> u64 {
    u64::try_from(text.len().div_ceil(4)).unwrap_or(u64::MAX)
}

/// What texts are held to.
pub(crate) struct TextLimits<'a> {
    pub(crate) settings: &'a InjectionLimits,
    /// Where the turn is counted; without it each text is counted alone.
    pub(crate) kept: Option<(&'a SessionKey, &'a dyn State)>,
    /// The folder for texts that are too long; without one they are refused.
    pub(crate) files: Option<&'a Path>,
}

/// What became of a text.
pub(crate) struct LimitedText<'a> {
    hook: &'a str,
    event: &'a EventName,
    /// What may be said, as it was where it is refused; an empty text says nothing.
    pub(crate) injection: Injection,
    /// How long it was before it was cut.
    pub(crate) whole: usize,
    /// Why it may not be said at all.
    pub(crate) refused: Option<String>,
    /// Whether it is over the budget of the turn.
    pub(crate) over: bool,
    /// What there is to tell, in order.
    pub(crate) audit: Vec<AuditEvent>,
    /// What else a reader should know.
    pub(crate) remarks: Vec<Box<str>>,
}

impl TextLimits<'_> {
    /// Cleans a text of a hook about an event, holds it to the size limit, and spends its tokens.
    pub(crate) fn hold<'t>(
        &self,
        hook: &'t str,
        event: &'t EventName,
        injection: Injection,
    ) -> LimitedText<'t> {
        let text = clean(&injection.text).into_owned();
        let mut held = LimitedText {
            hook,
            event,
            whole: text.len(),
            injection,
            refused: None,
            over: false,
            audit: Vec::new(),
            remarks: Vec::new(),
        };
        if held.whole != held.injection.text.len() {
            held.remark(format!(
                "invisible characters were removed from the text of `{hook}`"
            ));
        }
        let text = self.fit(text, &mut held);
        if held.refused.is_none() && !text.is_empty() {
            self.afford(tokens(&text), &mut held);
        }
        if held.refused.is_none() {
            held.injection.text = text.into();
        }
        held
    }

    fn fit(&self, text: String, held: &mut LimitedText<'_>) -> String {
        let limit = self.settings.injection_size_limit;
        let (text, file) = match sized(&text, limit, self.files) {
            Ok(None) => return text,
            Ok(Some((text, file))) => (text, Some(file)),
            Err(why) => {
                held.refused = Some(why);
                (text, None)
            }
        };
        let details =
            json!({"hook_name": held.hook, "size": held.whole, "limit": limit, "file": file});
        held.violates("session.injection_size_limit", &details);
        text
    }

    /// Spends the tokens of a text.
    fn afford(&self, tokens: u64, held: &mut LimitedText<'_>) {
        let Some(budget) = self.settings.injection_budget_per_turn else {
            return;
        };
        let (hook, strict) = (held.hook, self.settings.strict);
        match self.spend(tokens, budget) {
            Ok((spent, loaded)) => {
                held.remarks.extend(forgotten(&loaded));
                let Some(spent) = spent else { return };
                held.over = true;
                let details = json!({"hook_name": hook, "tokens": tokens, "spent": spent,
                    "budget": budget, "refused": strict});
                held.violates("session.injection_budget_per_turn", &details);
            }
            Err(error) => {
                let why = files::with_causes(&error);
                held.remark(format!(
                    "the tokens of `{hook}` could not be counted: {why}"
                ));
            }
        }
        let why = format!("its text is {tokens} tokens more than the {budget} of this turn allow");
        if strict {
            held.refused = Some(why);
        } else if held.over {
            held.remark(format!("`{hook}` is over the budget: {why}"));
        }
    }

    /// Spends tokens, and tells how many that makes where it is over the budget, in one step that no other thread and no
    /// other process sees half done. What is refused for being over the budget is not spent.
    fn spend(&self, tokens: u64, budget: u64) -> Result<(Option<u64>, PriorState), StateError> {
        let over = |all: u64| Some(all).filter(|all| *all > budget);
        let Some((key, state)) = self.kept else {
            return Ok((over(tokens), PriorState::Fresh));
        };
        let mut came = None;
        let loaded = state.update(key, &mut |state| {
            let before = state.counters.get(INJECTED).copied().unwrap_or_default();
            let after = before.saturating_add(tokens);
            came = over(after);
            if came.is_none() || !self.settings.strict {
                state.counters.insert(INJECTED.to_owned(), after);
            }
        })?;
        Ok((came, loaded))
    }
}

impl LimitedText<'_> {
    /// Whether its length is not what it was.
    pub(crate) fn is_cut(&self) -> bool {
        self.refused.is_none() && self.injection.text.len() != self.whole
    }

    fn remark(&mut self, text: String) {
        self.remarks.push(text.into());
    }

    fn violates(&mut self, policy: &'static str, details: &Value) {
        let data = json!({"policy": policy, "hook_event": self.event.as_str(), "details": details});
        self.audit
            .push(AuditEvent::new(events::POLICY_VIOLATION, data));
    }

    /// Tells that it is delivered, and whether the conversation has it.
    pub(crate) fn delivered(&self, stored: bool) -> AuditEvent {
        let said = &self.injection;
        let data = json!({
            "hook_name": self.hook, "hook_event": self.event.as_str(),
            "injection_size": said.text.len(), "injection_role": said.role, "full_size": self.whole,
            "tokens": tokens(&said.text), "ephemeral": said.lifetime == Lifetime::Ephemeral,
            "stored": stored,
        });
        AuditEvent::new(events::HOOK_CONTEXT_INJECTION, data)
    }
}

/// Tells that a hook failed about an event.
pub(crate) fn hook_error(hook: &str, event: &str, fault: &Fault) -> AuditEvent {
    let data = json!({
        "hook_name": hook, "hook_event": event,
        "kind": fault.kind.as_str(), "error": fault.text,
    });
    AuditEvent::new(events::HOOK_ERROR, data)
}

/// Tells where what the session remembered is lost, and with it what was spent.
pub(crate) fn forgotten(loaded: &PriorState) -> Option<Box<str>> {
    match loaded {
        PriorState::Fresh | PriorState::Found => None,
        PriorState::WasUnreadable(why) => Some(
            format!("what this session remembered could not be read and is forgotten: {why}")
                .into(),
        ),
    }
}
