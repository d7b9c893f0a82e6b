//! The fields of an answer, in the words of Claude Code, which its relatives read too.

use anyhook_core::event::Map;
use serde_json::Value;

use super::AnswerEncoder;
use crate::answer::given;

impl AnswerEncoder<'_> {
    /// Says something in a field for any event.
    pub(in crate::hosts) fn say(&mut self, field: &str, value: impl Into<Value>) {
        self.top.insert(field.to_owned(), value.into());
    }

    /// Says something in a field, behind the text that stands there.
    pub(super) fn add(&mut self, field: &str, text: String) {
        let text = match self.top.get(field).and_then(Value::as_str) {
            Some(first) => format!("{first}\n{text}"),
            None => text,
        };
        self.say(field, text);
    }

    /// Says something in a field of this event.
    pub(in crate::hosts) fn within(&mut self, field: &str, value: impl Into<Value>) {
        self.specific.insert(field.to_owned(), value.into());
    }

    /// Decides about a tool call that is to come.
    pub(super) fn permission(&mut self, decision: &str, reason: &str) {
        self.within("permissionDecision", decision);
        if !reason.is_empty() {
            self.within("permissionDecisionReason", reason);
        }
    }

    /// Answers the question whether a tool may run.
    pub(super) fn behavior(&mut self, behavior: &str, message: &str) {
        let mut decision = Map::new();
        decision.insert("behavior".to_owned(), behavior.into());
        if !message.is_empty() {
            decision.insert("message".to_owned(), message.into());
        }
        self.within("decision", decision);
    }

    /// Refuses by a `decision`, which always has a reason.
    pub(super) fn decide(&mut self, word: &str, reason: &str) {
        self.say("decision", word);
        self.say("reason", given(reason));
    }

    /// Decides with the reason beside the fields of this event.
    pub(super) fn switch(&mut self, decision: &str, reason: &str) {
        self.permission(decision, "");
        if !reason.is_empty() {
            self.say("reason", reason);
        }
    }

    /// Gives a field its new value, in the decision where there is one.
    pub(super) fn rewritten(&mut self, name: &str, value: Value) {
        let holder = match self.specific.get_mut("decision") {
            Some(Value::Object(decision)) => decision,
            _ => &mut self.specific,
        };
        holder.insert(name.to_owned(), value);
    }
}
