//! Acting on what hooks said: texts for the model, texts for the person, questions.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use anyhook_core::effects::{Injection, Level, Lifetime, Notice, Placing, Role};
use anyhook_core::event::Event;
use anyhook_core::events;
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::hook::HookInfo;
use anyhook_core::result::{HookId, HookResult, Kind, Verdict};
use anyhook_core::taxonomy::Class;
use serde_json::{Value, json};

use super::budget::Spent;
use super::clean::clean;
use super::ports::{Appended, FourBytes, Message, PortError, Shown, TokenEstimator};
use super::size::{Sized, sized};
use super::{Failed, Processed, Session};
use crate::files;
use crate::state::Loaded;

/// Whose result it is, and about what.
#[derive(Clone, Copy)]
pub(super) struct Said<'a> {
    pub(super) event: &'a Event,
    /// The hooks by their ids.
    pub(super) roster: &'a [Arc<HookInfo>],
    /// The event as it was emitted, where somebody kept it.
    pub(super) original: Option<&'a Event>,
}

impl Said<'_> {
    pub(super) fn hook(&self, by: Option<HookId>) -> &str {
        let info = by.and_then(|by| self.roster.get(by.index()));
        info.map_or("unknown", |info| &info.name)
    }
}

/// What is done with one result.
struct Acting<'a> {
    session: &'a Session,
    said: Said<'a>,
    done: Processed,
    /// What there is to tell, in order.
    audits: Vec<(&'static str, Value)>,
}

impl Session {
    /// Acts on a result, in the documented order.
    pub(super) async fn act(&self, result: HookResult, said: Said<'_>) -> Processed {
        let mut acting = Acting {
            session: self,
            said,
            done: Processed {
                result,
                ..Processed::default()
            },
            audits: Vec::new(),
        };
        acting.tell_what_cannot_be_asked();
        acting.inject();
        acting.show();
        let Acting {
            mut done, audits, ..
        } = acting;
        for (event, data) in audits {
            self.audit(event, data, &mut done).await;
        }
        for failed in done.faults.clone() {
            self.tell_fault(&failed, said.event.name.as_str(), &mut done)
                .await;
        }
        if done.result.verdict.kind() == Kind::Ask {
            self.ask(said, &mut done).await;
        }
        done
    }
}

impl Acting<'_> {
    fn fault(&mut self, hook: &str, kind: FaultKind, text: impl Into<String>) {
        self.done.faults.push(Failed {
            hook: hook.into(),
            fault: Fault::new(kind, text),
        });
    }

    /// Where nobody can be stopped nobody is asked: the person reads the question (D8).
    fn tell_what_cannot_be_asked(&mut self) {
        match self.said.event.name.class() {
            Class::Gate | Class::Continuation => return,
            Class::After | Class::Notice => {}
        }
        if !matches!(self.done.result.verdict, Verdict::Ask { .. }) {
            return;
        }
        let verdict = std::mem::take(&mut self.done.result.verdict);
        for question in verdict.questions() {
            let text = format!("it is too late to ask: {}", question.prompt);
            let notice = Notice {
                by: question.by,
                ..Notice::new(text).at(Level::Warning)
            };
            self.done.result.effects.edit().notify.push(notice);
        }
    }

    /// Delivers the texts for the model. Those that the caller has to deliver stay in the result.
    fn inject(&mut self) {
        if self.done.result.effects.inject().is_empty() {
            return;
        }
        let texts = std::mem::take(&mut self.done.result.effects.edit().inject);
        let mut left = Vec::new();
        for text in texts {
            left.extend(self.one(text));
        }
        self.done.result.effects.edit().inject = left;
    }

    fn one(&mut self, mut injection: Injection) -> Option<Injection> {
        let hook = self.said.hook(injection.by).to_owned();
        injection.text = clean(&injection.text).into();
        injection.name = injection.name.map(|name| clean(&name).into());
        if injection.text.is_empty() {
            return None;
        }
        let whole = injection.text.len();
        self.fit(&hook, &mut injection)?;
        let tokens = self.count(&hook, &injection.text);
        self.afford(&hook, tokens)?;
        let role = match injection.role {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
        };
        let size = injection.text.len();
        let is_ephemeral = injection.lifetime == Lifetime::Ephemeral;
        let left = if is_ephemeral {
            Some(injection)
        } else {
            self.store(&hook, injection)
        };
        let data = json!({
            "hook_name": hook, "hook_event": self.said.event.name.as_str(),
            "injection_size": size, "injection_role": role, "full_size": whole, "tokens": tokens,
            "ephemeral": is_ephemeral, "stored": left.is_none(),
        });
        self.audits.push((events::HOOK_CONTEXT_INJECTION, data));
        left
    }

    /// Fits a text to the size limit; nothing where it is refused.
    fn fit(&mut self, hook: &str, injection: &mut Injection) -> Option<()> {
        let inner = &self.session.inner;
        let limit = inner.settings.injection_size_limit;
        let size = injection.text.len();
        let (file, why) = match sized(&injection.text, limit, inner.files.as_deref()) {
            Ok(Sized::Whole) => return Some(()),
            Ok(Sized::Cut { text, file }) => {
                injection.text = text.into();
                (Some(file), None)
            }
            Err(why) => (None, Some(why)),
        };
        self.violation(
            "session.injection_size_limit",
            &json!({"hook_name": hook, "size": size, "limit": limit, "file": file}),
        );
        if let Some(why) = why {
            self.fault(hook, FaultKind::OverLimit, why);
            return None;
        }
        Some(())
    }

    fn violation(&mut self, policy: &'static str, details: &Value) {
        let data = json!({
            "policy": policy, "hook_event": self.said.event.name.as_str(), "details": details,
        });
        self.audits.push((events::POLICY_VIOLATION, data));
    }

    /// Counts tokens. An estimator that panics is replaced by four bytes a token.
    fn count(&mut self, hook: &str, text: &str) -> u64 {
        let tokens = Arc::clone(&self.session.inner.tokens);
        let counted = catch_unwind(AssertUnwindSafe(|| tokens.tokens(text)));
        counted.unwrap_or_else(|panic| {
            let fault = Fault::of_panic(&*panic);
            self.done.remarks.push(
                format!("the text of `{hook}` was counted as four bytes a token: {fault}").into(),
            );
            FourBytes.tokens(text)
        })
    }

    /// Spends the tokens of a text; nothing where the text is refused.
    fn afford(&mut self, hook: &str, tokens: u64) -> Option<()> {
        let settings = self.session.inner.settings.clone();
        let Some(budget) = settings.injection_budget_per_turn else {
            return Some(());
        };
        let spent = match self.session.spend(tokens) {
            Ok((spent, loaded)) => {
                self.done.remarks.extend(forgotten(&loaded));
                match spent {
                    Spent::Within => return Some(()),
                    Spent::Over(spent) => Some(spent),
                }
            }
            Err(error) => {
                let why = files::with_causes(&error);
                let text = format!("the tokens of `{hook}` could not be counted: {why}");
                self.done.remarks.push(text.into());
                None
            }
        };
        if let Some(spent) = spent {
            self.violation(
                "session.injection_budget_per_turn",
                &json!({"hook_name": hook, "tokens": tokens, "spent": spent, "budget": budget,
                    "refused": settings.strict}),
            );
        }
        let why = format!("its text is {tokens} tokens more than the {budget} of this turn allow");
        if settings.strict {
            self.fault(hook, FaultKind::OverLimit, why);
            return None;
        }
        if spent.is_some() {
            let text = format!("`{hook}` is over the budget: {why}");
            self.done.remarks.push(text.into());
        }
        Some(())
    }

    /// Stores a text; what cannot be stored is left for the caller.
    fn store(&mut self, hook: &str, injection: Injection) -> Option<Injection> {
        let Some(context) = self.session.inner.context.clone() else {
            return Some(injection);
        };
        let message = Message {
            role: injection.role,
            text: injection.text.clone(),
            name: injection.name.clone(),
            hook: hook.into(),
            event: self.said.event.name.clone(),
            at: self.session.inner.clock.now(),
            lifetime: injection.lifetime,
            place: injection.place,
        };
        let stored = caught(|| {
            if message.place == Placing::LastToolResult
                && context.append_to_last_tool_result(&message)? == Appended::Yes
            {
                return Ok(());
            }
            context.add_message(&message)
        });
        match stored {
            Ok(()) => None,
            Err(why) => {
                let text = format!("the text of `{hook}` could not be stored: {why}");
                self.done.remarks.push(text.into());
                Some(injection)
            }
        }
    }

    /// Shows the texts for the person. What cannot be shown stays in the result.
    fn show(&mut self) {
        let Some(display) = self.session.inner.display.clone() else {
            return;
        };
        if self.done.result.effects.notify().is_empty() {
            return;
        }
        let texts = std::mem::take(&mut self.done.result.effects.edit().notify);
        let mut left = Vec::new();
        for notice in texts {
            let hook = self.said.hook(notice.by).to_owned();
            let shown = caught(|| {
                display.show(&Shown {
                    text: &clean(&notice.text),
                    level: notice.level,
                    source: &hook,
                })
            });
            if let Err(why) = shown {
                let text = format!("the message of `{hook}` could not be shown: {why}");
                self.done.remarks.push(text.into());
                left.push(notice);
            }
        }
        self.done.result.effects.edit().notify = left;
    }
}

/// Tells where what the session remembered is lost, and with it what was spent.
pub(super) fn forgotten(loaded: &Loaded) -> Option<Box<str>> {
    match loaded {
        Loaded::Fresh | Loaded::Found => None,
        Loaded::WasUnreadable(why) => Some(
            format!("what this session remembered could not be read and is forgotten: {why}")
                .into(),
        ),
    }
}

/// Calls a port. Its error and its panic become words.
pub(super) fn caught<T>(call: impl FnOnce() -> Result<T, PortError>) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(error)) => Err(files::with_causes(&error)),
        Err(panic) => Err(Fault::of_panic(&*panic).to_string()),
    }
}
