//! From a flat result to a composite one.

use std::time::Duration;

use anyhook_core::effects::{Injection, Lifetime, Notice, Placement};
use anyhook_core::event::{Event, Map};
use anyhook_core::question::Question;
use anyhook_core::result::{HookResult, Reason, Verdict};
use serde_json::{Value, json};

use super::ID;
use super::flat::{ContextInjection, Flat, FlatAction};
use crate::answer::NO_REASON;

/// What Amplifier asks where a hook gave no question.
const NO_QUESTION: &str = "Allow this operation?";

/// The key under which a refusal keeps its own data, beside whatever else belongs to its reason.
pub(super) const DATA: &str = "data";

/// Who says it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Speaker {
    /// A hook: `data` is the changed event only in a `modify`, and otherwise a reply to a caller that collects.
    Hook,
    /// A registry: `data` is what became of the event's data, whatever the action.
    Registry,
}

impl Flat {
    /// Reads the result as what one hook answered about this event.
    ///
    /// The `data` of a `modify` is the whole event: fields that differ were changed or added, fields that are not there
    /// go away. The `data` of a refusal stays with its reason, and of any other answer it is a reply.
    pub fn answer(self, event: &Event) -> HookResult {
        self.composite(event, Speaker::Hook)
    }

    /// Reads the result as what a registry made of all answers to this event: its `data` is the chained data.
    pub fn emitted(self, event: &Event) -> HookResult {
        self.composite(event, Speaker::Registry)
    }

    fn composite(mut self, event: &Event, speaker: Speaker) -> HookResult {
        let mut said = HookResult::from(self.verdict());
        for injection in self.injections() {
            said = said.injecting(injection);
        }
        if let Some(text) = self.user_message.take() {
            said = said.notifying(Notice::new(text).at(self.user_message_level));
        }
        if self.suppress_output {
            said.effects.edit().suppress_output = true;
        }
        if let Some(data) = self.data.take() {
            if speaker == Speaker::Registry || self.action == FlatAction::Modify {
                said = rewritten(said, &event.data.json(), &data);
            } else {
                said.effects.edit().reply = Some(Value::Object(data).into());
            }
        }
        let rest = self.rest();
        if rest.is_empty() {
            return said;
        }
        said.native(ID, rest)
    }

    /// Takes the verdict, with what belongs to it.
    fn verdict(&mut self) -> Verdict {
        match self.action {
            FlatAction::Continue | FlatAction::Modify | FlatAction::InjectContext => {
                Verdict::Continue
            }
            FlatAction::Allowed => Verdict::Allow {
                reasons: [Reason::new(self.reason.take().unwrap_or_default())].into(),
            },
            FlatAction::Deny => Verdict::Deny {
                reasons: [self.refusal()].into(),
            },
            FlatAction::Halted => Verdict::Halt {
                reasons: [self.refusal()].into(),
            },
            FlatAction::AskUser => Verdict::Ask {
                questions: [self.question()].into(),
            },
        }
    }

    fn refusal(&mut self) -> Reason {
        let text = self.reason.take().filter(|text| !text.is_empty());
        let mut reason = Reason::new(text.unwrap_or_else(|| NO_REASON.to_owned()));
        reason.detail = self.data.take().map(|data| json!({ DATA: data }));
        reason
    }

    fn question(&mut self) -> Question {
        let prompt = self.approval_prompt.take();
        let mut question = Question::new(prompt.unwrap_or_else(|| NO_QUESTION.to_owned()));
        question.options = self.approval_options.take().unwrap_or_default();
        if let Ok(timeout) = Duration::try_from_secs_f64(self.approval_timeout) {
            question.timeout = timeout;
        }
        question.default = self.approval_default;
        question
    }

    fn injections(&mut self) -> Vec<Injection> {
        let text = self.context_injection.take();
        if !self.context_injections.is_empty() {
            let all = std::mem::take(&mut self.context_injections);
            return all.into_iter().map(injection).collect();
        }
        let text = text.filter(|_| self.action == FlatAction::InjectContext);
        let one = text.map(|content| {
            injection(ContextInjection {
                content,
                role: self.context_injection_role,
                ephemeral: self.ephemeral,
                append_to_last_tool_result: self.append_to_last_tool_result && self.ephemeral,
                hook_name: String::new(),
                event: String::new(),
                name: None,
            })
        });
        one.into_iter().collect()
    }

    /// What a composite has no place for, so that it comes back as it was.
    fn rest(&mut self) -> Map {
        let mut rest = std::mem::take(&mut self.extensions);
        let texts = [
            ("reason", self.reason.take()),
            ("user_message_source", self.user_message_source.take()),
        ];
        for (name, text) in texts {
            if let Some(text) = text {
                rest.insert(name.to_owned(), text.into());
            }
        }
        rest
    }
}

/// Reads a whole data object as the fields that changed, were added, or went away.
fn rewritten(mut said: HookResult, before: &Map, after: &Map) -> HookResult {
    for (field, value) in after {
        if before.get(field) != Some(value) {
            said = said.modify(field.clone(), value.clone());
        }
    }
    for field in before.keys().filter(|field| !after.contains_key(*field)) {
        said = said.remove(field.clone());
    }
    said
}

fn injection(one: ContextInjection) -> Injection {
    let mut injection = Injection::new(one.content);
    injection.role = one.role;
    if one.ephemeral {
        injection.lifetime = Lifetime::Ephemeral;
    }
    if one.append_to_last_tool_result {
        injection.place = Placement::LastToolResult;
    }
    injection.name = one.name.map(Into::into);
    injection
}
