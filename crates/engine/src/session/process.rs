//! Acting on what hooks said: texts for the model, texts for the person, questions, and events about what was done.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use anyhook_core::effects::{Injection, Level, Lifetime, Notice, Placement};
use anyhook_core::event::Event;
use anyhook_core::events;
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::hook::HookInfo;
use anyhook_core::report::AuditEvent;
use anyhook_core::result::{HookId, HookResult, Kind};
use anyhook_core::taxonomy::Class;
use serde_json::Value;

use super::ports::{AppendOutcome, DisplayMessage, InjectedMessage, PortError};
use super::{HookFailure, ProcessedResult, Session};
use crate::files;
use crate::limits::{clean, hook_error};

/// Whose result it is, and about what.
#[derive(Clone, Copy)]
pub(super) struct ResultSource<'a> {
    pub(super) event: &'a Event,
    /// The hooks by their ids.
    pub(super) roster: &'a [Arc<HookInfo>],
    /// The event as it was emitted, where it was kept.
    pub(super) original: Option<&'a Event>,
}

impl ResultSource<'_> {
    pub(super) fn hook(&self, by: Option<HookId>) -> &str {
        let info = by.and_then(|by| self.roster.get(by.index()));
        info.map_or("unknown", |info| &info.name)
    }

    /// Where nothing can be stopped no person is asked: the person reads the question.
    fn tell_what_cannot_be_asked(&self, result: &mut HookResult) {
        let is_late = matches!(self.event.name.class(), Class::After | Class::Notice);
        if !is_late || result.verdict.kind() != Kind::Ask {
            return;
        }
        let verdict = std::mem::take(&mut result.verdict);
        for question in verdict.questions() {
            let text = format!("it is too late to ask: {}", question.prompt);
            let notice = Notice {
                by: question.by,
                ..Notice::new(text).at(Level::Warning)
            };
            result.effects.edit().notify.push(notice);
        }
    }
}

impl Session {
    /// Acts on a result, in the documented order.
    pub(super) async fn act(&self, result: HookResult, said: ResultSource<'_>) -> ProcessedResult {
        let mut done = ProcessedResult {
            result,
            ..ProcessedResult::default()
        };
        said.tell_what_cannot_be_asked(&mut done.result);
        let audits = self.inject(said, &mut done);
        self.show(said, &mut done);
        for told in audits {
            self.tell(told, &mut done).await;
        }
        for failed in done.faults.clone() {
            let told = hook_error(&failed.hook, said.event.name.as_str(), &failed.fault);
            self.tell(told, &mut done).await;
        }
        if done.result.verdict.kind() == Kind::Ask {
            self.ask(said, &mut done).await;
        }
        done
    }

    /// Delivers the texts for the model, and returns what there is to tell. Those that the caller has to deliver stay in the
    /// result.
    fn inject(&self, said: ResultSource<'_>, done: &mut ProcessedResult) -> Vec<AuditEvent> {
        let mut audits = Vec::new();
        if done.result.effects.inject().is_empty() {
            return audits;
        }
        let limits = self.limits();
        for mut text in std::mem::take(&mut done.result.effects.edit().inject) {
            text.name = text.name.map(|name| clean(&name).into());
            let hook = said.hook(text.by);
            let mut held = limits.hold(hook, &said.event.name, text);
            audits.append(&mut held.audit);
            done.remarks.append(&mut held.remarks);
            if let Some(why) = held.refused {
                done.faults.push(HookFailure {
                    hook: hook.into(),
                    fault: Fault::new(FaultKind::OverLimit, why),
                });
                continue;
            }
            let text = &held.injection;
            if text.text.is_empty() {
                continue;
            }
            let stored = text.lifetime != Lifetime::Ephemeral && self.store(said, text, done);
            audits.push(held.delivered(stored));
            if !stored {
                done.result.effects.edit().inject.push(held.injection);
            }
        }
        audits
    }

    /// Stores a text, and tells whether it is stored: what cannot be is left for the caller.
    fn store(&self, said: ResultSource<'_>, text: &Injection, done: &mut ProcessedResult) -> bool {
        let Some(context) = &self.inner.setup.context else {
            return false;
        };
        let hook = said.hook(text.by);
        let message = InjectedMessage {
            role: text.role,
            text: text.text.clone(),
            name: text.name.clone(),
            hook: hook.into(),
            event: said.event.name.clone(),
            at: self.inner.setup.clock.now(),
            lifetime: text.lifetime,
            place: text.place,
        };
        let stored = caught(|| {
            if message.place == Placement::LastToolResult
                && context.append_to_last_tool_result(&message)? == AppendOutcome::Yes
            {
                return Ok(());
            }
            context.add_message(&message)
        });
        if let Err(why) = &stored {
            let text = format!("the text of `{hook}` could not be stored: {why}");
            done.remarks.push(text.into());
        }
        stored.is_ok()
    }

    /// Shows the texts for the person. What cannot be shown stays in the result.
    fn show(&self, said: ResultSource<'_>, done: &mut ProcessedResult) {
        let Some(display) = &self.inner.setup.display else {
            return;
        };
        if done.result.effects.notify().is_empty() {
            return;
        }
        for notice in std::mem::take(&mut done.result.effects.edit().notify) {
            let hook = said.hook(notice.by);
            let shown = caught(|| {
                display.show(&DisplayMessage {
                    text: &clean(&notice.text),
                    level: notice.level,
                    source: hook,
                })
            });
            if let Err(why) = shown {
                let text = format!("the message of `{hook}` could not be shown: {why}");
                done.remarks.push(text.into());
                done.result.effects.edit().notify.push(notice);
            }
        }
    }

    /// Emits an event about what the session did. What is said about it changes nothing, except where it is a gate.
    pub(super) async fn audit(
        &self,
        event: &str,
        data: Value,
        done: &mut ProcessedResult,
    ) -> HookResult {
        let mut told = Event::new(event, data);
        let report = self.inner.hooks.dispatch(&mut told).await;
        for (id, fault) in report.faults() {
            let hook = report.hook(id).map_or("a hook", |hook| &*hook.name);
            let text = format!("`{hook}` failed about `{event}`: {fault}");
            done.remarks.push(text.into());
        }
        let said = report.result;
        let refuses = said.verdict.kind() >= Kind::Deny;
        let is_heard = refuses && event == events::APPROVAL_REQUIRED && said.effects.is_empty();
        if !said.is_identity() && !is_heard {
            let text = format!("what hooks said about `{event}` is not acted on");
            if !done.remarks.iter().any(|remark| **remark == *text) {
                done.remarks.push(text.into());
            }
        }
        said
    }

    /// Emits an event about what became of a text, and keeps it for the report: there is nothing of a payload in it.
    pub(super) async fn tell(&self, told: AuditEvent, done: &mut ProcessedResult) {
        self.audit(told.event.as_str(), told.data.clone(), done)
            .await;
        done.audit.push(told);
    }

    /// Tells of what failed outside of a result.
    #[doc(hidden)]
    pub async fn tell_faults(&self, faults: &[HookFailure], event: &str) {
        for failed in faults {
            let told = hook_error(&failed.hook, event, &failed.fault);
            self.inner.hooks.emit(told.event.as_str(), told.data).await;
        }
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
