//! How much hooks may say to the model: one function, for a [`Session`](crate::Session) and for the
//! [host](mod@crate::event).
//!
//! A text is cleaned, held to the size limit, and its tokens are spent from the budget of the turn, which is counted where
//! the session is remembered: every process of one session spends the same budget. Nothing here delivers anything.
//!
//! What a person configured is in [`Config`](crate::config::Config); a manifest can lower it and never raise it.
//!
//! ```
//! use anyhook_engine::core::manifest::Manifest;
//! use anyhook_engine::limits::{Settings, SettingsError};
//! use serde_json::json;
//!
//! let settings = Settings { injection_size_limit: Some(4096), injection_budget_per_turn: None, strict: false };
//!
//! // A project's file asks for less, and gets it; more than the person gives it does not get.
//! let parsed = Manifest::parse(
//!     r#"{"version": 1, "hooks": {}, "session": {"injection_size_limit": 8192, "injection_budget_per_turn": 500}}"#,
//! )?;
//! let lowered = settings.lowered(&parsed.manifest.session);
//! assert_eq!((lowered.injection_size_limit, lowered.injection_budget_per_turn), (Some(4096), Some(500)));
//!
//! // What cannot be understood is an error.
//! let wrong: SettingsError = Settings::read(&json!({"session": 1})).unwrap_err();
//! assert_eq!(wrong.to_string(), "`session` cannot be understood");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::path::Path;

use anyhook_core::effects::{Injection, Lifetime, Role};
use anyhook_core::event::EventName;
use anyhook_core::events;
use anyhook_core::report::Audited;
use serde_json::{Value, json};

use crate::files;
use crate::state::{Loaded, SessionKey, State};

mod budget;
mod clean;
mod settings;
mod size;
mod tokens;
mod words;

pub use settings::{Settings, SettingsError};
pub use tokens::tokens;

pub(crate) use clean::clean;
pub(crate) use words::tame;

pub(crate) use size::not_kept;
use size::sized;

/// What texts are held to.
pub(crate) struct Limits<'a> {
    pub(crate) settings: &'a Settings,
    /// Where the turn is counted; without it each text is counted alone.
    pub(crate) kept: Option<(&'a SessionKey, &'a dyn State)>,
    /// The folder for texts that are too long; without one they are refused.
    pub(crate) files: Option<&'a Path>,
}

/// Whose text it is, and about what.
#[derive(Clone, Copy)]
pub(crate) struct Words<'a> {
    pub(crate) hook: &'a str,
    pub(crate) event: &'a EventName,
    pub(crate) text: &'a str,
}

/// What became of a text.
#[derive(Debug, Default)]
pub(crate) struct Held {
    /// What may be said; an empty text says nothing.
    pub(crate) text: String,
    /// How long it was before it was cut.
    pub(crate) whole: usize,
    /// How many tokens it is.
    pub(crate) tokens: u64,
    /// Why it may not be said at all.
    pub(crate) refused: Option<String>,
    /// Whether it is over the budget of the turn.
    pub(crate) over: bool,
    /// What there is to tell, in order.
    pub(crate) audit: Vec<Audited>,
    /// What else a reader should know.
    pub(crate) remarks: Vec<Box<str>>,
}

impl Held {
    /// Whether its length is not what it was.
    pub(crate) fn is_cut(&self) -> bool {
        self.refused.is_none() && self.text.len() != self.whole
    }
}

impl Limits<'_> {
    /// Cleans a text, holds it to the size limit, and spends its tokens.
    pub(crate) fn hold(&self, words: Words<'_>) -> Held {
        let text = clean(words.text).into_owned();
        let mut held = Held {
            whole: text.len(),
            text,
            ..Held::default()
        };
        if held.whole != words.text.len() {
            let hook = words.hook;
            let text = format!("invisible characters were removed from the text of `{hook}`");
            held.remarks.push(text.into());
        }
        if held.text.is_empty() {
            return held;
        }
        self.fit(words, &mut held);
        if held.refused.is_none() {
            held.tokens = tokens(&held.text);
            self.afford(words, &mut held);
        }
        held
    }

    fn fit(&self, words: Words<'_>, held: &mut Held) {
        let limit = self.settings.injection_size_limit;
        let file = match sized(&held.text, limit, self.files) {
            Ok(None) => return,
            Ok(Some((text, file))) => {
                held.text = text;
                Some(file)
            }
            Err(why) => {
                held.refused = Some(why);
                None
            }
        };
        let details =
            json!({"hook_name": words.hook, "size": held.whole, "limit": limit, "file": file});
        held.violates(words, "session.injection_size_limit", &details);
    }

    /// Spends the tokens of a text.
    fn afford(&self, words: Words<'_>, held: &mut Held) {
        let Some(budget) = self.settings.injection_budget_per_turn else {
            return;
        };
        let (hook, tokens, strict) = (words.hook, held.tokens, self.settings.strict);
        match self.spend(tokens, budget) {
            Ok((spent, loaded)) => {
                held.remarks.extend(forgotten(&loaded));
                let Some(spent) = spent else { return };
                held.over = true;
                let details = json!({"hook_name": hook, "tokens": tokens, "spent": spent,
                    "budget": budget, "refused": strict});
                held.violates(words, "session.injection_budget_per_turn", &details);
            }
            Err(error) => {
                let why = files::with_causes(&error);
                let text = format!("the tokens of `{hook}` could not be counted: {why}");
                held.remarks.push(text.into());
            }
        }
        let why = format!("its text is {tokens} tokens more than the {budget} of this turn allow");
        if strict {
            held.refused = Some(why);
        } else if held.over {
            let text = format!("`{hook}` is over the budget: {why}");
            held.remarks.push(text.into());
        }
    }
}

impl Held {
    fn violates(&mut self, words: Words<'_>, policy: &'static str, details: &Value) {
        let data =
            json!({"policy": policy, "hook_event": words.event.as_str(), "details": details});
        self.audit
            .push(Audited::new(events::POLICY_VIOLATION, data));
    }
}

/// A text for the model that is delivered, to be told of.
pub(crate) struct Delivered<'a> {
    hook: &'a str,
    event: &'a EventName,
    role: &'static str,
    size: usize,
    whole: usize,
    tokens: u64,
    ephemeral: bool,
    /// Whether the conversation has it.
    pub(crate) stored: bool,
}

impl<'a> Delivered<'a> {
    pub(crate) fn of(
        hook: &'a str,
        event: &'a EventName,
        injection: &Injection,
        held: &Held,
    ) -> Self {
        Self {
            hook,
            event,
            role: match injection.role {
                Role::System => "system",
                Role::User => "user",
                Role::Assistant => "assistant",
            },
            size: injection.text.len(),
            whole: held.whole,
            tokens: held.tokens,
            ephemeral: injection.lifetime == Lifetime::Ephemeral,
            stored: false,
        }
    }

    pub(crate) fn audited(&self) -> Audited {
        let data = json!({
            "hook_name": self.hook, "hook_event": self.event.as_str(),
            "injection_size": self.size, "injection_role": self.role, "full_size": self.whole,
            "tokens": self.tokens, "ephemeral": self.ephemeral, "stored": self.stored,
        });
        Audited::new(events::HOOK_CONTEXT_INJECTION, data)
    }
}

/// Tells where what the session remembered is lost, and with it what was spent.
pub(crate) fn forgotten(loaded: &Loaded) -> Option<Box<str>> {
    match loaded {
        Loaded::Fresh | Loaded::Found => None,
        Loaded::WasUnreadable(why) => Some(
            format!("what this session remembered could not be read and is forgotten: {why}")
                .into(),
        ),
    }
}
