//! Writing an answer: the parts that several hosts read in the same words.

use anyhook_core::can::{Can, Shown};
use anyhook_core::event::Map;
use anyhook_core::result::HookResult;
use serde_json::Value;

use super::{NO_REASON, SPECIFIC};
use crate::Reply;

/// Returns a reason that is not empty: without one, some hosts overlook the refusal.
pub(crate) fn given(reason: &str) -> &str {
    match reason.trim() {
        "" => NO_REASON,
        _ => reason,
    }
}

/// Returns what the person is told, as one text, where the event has a place for it.
pub(crate) fn notices(can: &Can, result: &HookResult) -> Option<String> {
    let said = result.effects.notify();
    let is_said = can.notify == Shown::Yes && !said.is_empty();
    let texts = || said.iter().map(|said| &*said.text).collect::<Vec<_>>();
    is_said.then(|| texts().join("\n"))
}

impl Reply {
    /// Says one object on a line of the standard output.
    pub(crate) fn object(object: Map) -> Self {
        Self {
            stdout: format!("{}\n", Value::Object(object)),
            ..Self::default()
        }
    }

    /// Refuses by exit code 2, with the reason on the standard error.
    pub(crate) fn exit_2(reason: &str) -> Self {
        Self {
            stderr: format!("{}\n", given(reason)),
            exit: 2,
            ..Self::default()
        }
    }
}

/// An answer in the words of Claude Code, which its relatives read too: fields for any event, and in
/// `hookSpecificOutput` those of one.
#[derive(Debug, Default)]
pub(crate) struct Written {
    /// What may be said about any event.
    pub(crate) top: Map,
    /// What belongs to this event.
    pub(crate) specific: Map,
}

impl Written {
    /// Says something in a field for any event.
    pub(crate) fn say(&mut self, field: &str, value: impl Into<Value>) {
        self.top.insert(field.to_owned(), value.into());
    }

    /// Says something in a field, behind the text that stands there.
    pub(crate) fn add(&mut self, field: &str, text: String) {
        let text = match self.top.get(field).and_then(Value::as_str) {
            Some(first) => format!("{first}\n{text}"),
            None => text,
        };
        self.say(field, text);
    }

    /// Says something in a field of this event.
    pub(crate) fn within(&mut self, field: &str, value: impl Into<Value>) {
        self.specific.insert(field.to_owned(), value.into());
    }

    /// Decides about a tool call that is to come.
    pub(crate) fn permission(&mut self, decision: &str, reason: &str) {
        self.within("permissionDecision", decision);
        if !reason.is_empty() {
            self.within("permissionDecisionReason", reason);
        }
    }

    /// Answers the question whether a tool may run.
    pub(crate) fn behavior(&mut self, behavior: &str, message: &str) {
        let mut decision = Map::new();
        decision.insert("behavior".to_owned(), behavior.into());
        if !message.is_empty() {
            decision.insert("message".to_owned(), message.into());
        }
        self.within("decision", decision);
    }

    /// Refuses by a `decision`, which always has a reason.
    pub(crate) fn decide(&mut self, word: &str, reason: &str) {
        self.say("decision", word);
        self.say("reason", given(reason));
    }

    /// Decides with the reason beside the fields of this event.
    pub(crate) fn switch(&mut self, decision: &str, reason: &str) {
        self.permission(decision, "");
        if !reason.is_empty() {
            self.say("reason", reason);
        }
    }

    /// Gives a field its new value, in the decision where there is one.
    pub(crate) fn rewritten(&mut self, name: &str, value: Value) {
        let holder = match self.specific.get_mut("decision") {
            Some(Value::Object(decision)) => decision,
            _ => &mut self.specific,
        };
        holder.insert(name.to_owned(), value);
    }

    /// Tells whether nothing was said.
    pub(crate) fn is_empty(&self) -> bool {
        self.top.is_empty() && self.specific.is_empty()
    }

    /// Writes it as one object that names the event where it has fields of its own, or nothing where nothing was said.
    pub(crate) fn reply(mut self, event: &str) -> Reply {
        if !self.specific.is_empty() {
            let mut specific = Map::new();
            specific.insert("hookEventName".to_owned(), event.into());
            specific.append(&mut self.specific);
            self.say(SPECIFIC, specific);
        }
        self.flat()
    }

    /// Writes it as one object that has the fields of the event beside the others.
    pub(crate) fn flat(mut self) -> Reply {
        self.top.append(&mut self.specific);
        if self.top.is_empty() {
            return Reply::default();
        }
        Reply::object(self.top)
    }
}
