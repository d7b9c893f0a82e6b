//! Acting on what hooks said: texts for the model, texts for the person, questions.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use anyhook_core::effects::{Injection, Level, Lifetime, Notice, Placing};
use anyhook_core::event::Event;
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::hook::HookInfo;
use anyhook_core::report::Audited;
use anyhook_core::result::{HookId, HookResult, Kind, Verdict};
use anyhook_core::taxonomy::Class;

use super::ports::{Appended, Message, PortError, Shown};
use super::{Failed, Processed, Session};
use crate::files;
use crate::limits::clean;

/// Whose result it is, and about what.
#[derive(Clone, Copy)]
pub(super) struct Said<'a> {
    pub(super) event: &'a Event,
    /// The hooks by their ids.
    pub(super) roster: &'a [Arc<HookInfo>],
    /// The event as it was emitted, where it was kept.
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
    audits: Vec<Audited>,
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
        for told in audits {
            self.tell(told, &mut done).await;
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
    /// Where nothing can be stopped no person is asked: the person reads the question.
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
        injection.name = injection.name.map(|name| clean(&name).into());
        let settings = self.session.settings();
        let limits = self.session.limits(&settings);
        let mut held = limits.hold(&hook, &self.said.event.name, injection);
        self.audits.append(&mut held.audit);
        self.done.remarks.append(&mut held.remarks);
        if let Some(why) = held.refused {
            self.done.faults.push(Failed {
                hook: hook.into(),
                fault: Fault::new(FaultKind::OverLimit, why),
            });
            return None;
        }
        let text = &held.injection;
        if text.text.is_empty() {
            return None;
        }
        let stored = text.lifetime != Lifetime::Ephemeral && self.store(&hook, text);
        self.audits.push(held.delivered(stored));
        (!stored).then_some(held.injection)
    }

    /// Stores a text, and tells whether it is stored: what cannot be is left for the caller.
    fn store(&mut self, hook: &str, injection: &Injection) -> bool {
        let Some(context) = &self.session.inner.context else {
            return false;
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
        if let Err(why) = &stored {
            let text = format!("the text of `{hook}` could not be stored: {why}");
            self.done.remarks.push(text.into());
        }
        stored.is_ok()
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

/// Calls a port. Its error and its panic become words.
pub(super) fn caught<T>(call: impl FnOnce() -> Result<T, PortError>) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(error)) => Err(files::with_causes(&error)),
        Err(panic) => Err(Fault::of_panic(&*panic).to_string()),
    }
}
