//! Encoding a result as Cursor reads it: exit 0 and one JSON document with fields that the event has, and no others.

use anyhook_core::can::{Can, Shown};
use anyhook_core::event::{Datum, Event, Map};
use anyhook_core::result::{HookResult, Kind, Verdict};
use serde_json::{Value, json};

use super::row::{CursorRow, Form, Messages};
use super::table::TOOLS;
use super::{ID, paths};
use crate::answer::{context, given};
use crate::fitted::{NO_OBJECT, no_object};
use crate::{Overlooked, Reply, payload};

/// Writes a fitted result.
pub(super) fn reply(row: &CursorRow, event: &Event, result: &HookResult) -> Reply {
    let mut answer = Encoding {
        row,
        can: row.can(event),
        event,
        result,
        top: Map::new(),
    };
    answer.decision();
    answer.texts();
    answer.result();
    answer.natives();
    Reply::object(answer.top)
}

/// Says nothing. An object is never taken for an invalid answer.
pub(super) fn nothing() -> Reply {
    Reply::object(Map::new())
}

/// Refuses an event that could not be read. Where nothing can be refused, nothing is said.
pub(super) fn refusal(row: &CursorRow, reason: &str) -> Reply {
    if !row.is_gate() {
        return nothing();
    }
    let event = Event::new(row.native.event, Map::new());
    reply(row, &event, &HookResult::deny(reason))
}

/// Finds arguments that the host would not take.
pub(super) fn overlooks(row: &CursorRow, event: &Event, result: &HookResult) -> Option<Overlooked> {
    let takes = row.can(event).rewrite.contains(&"tool_input");
    no_object(result, |input| {
        payload::native_input(event, ID, &TOOLS, input)
    })
    .filter(|_| takes)
}

struct Encoding<'a> {
    row: &'a CursorRow,
    can: Can,
    event: &'a Event,
    result: &'a HookResult,
    top: Map,
}

/// What a gate says.
enum Decision {
    Permit,
    Ask(String),
    Refuse(String),
}

impl Encoding<'_> {
    fn decision(&mut self) {
        match self.row.form {
            Form::None => self.messages(&Decision::Permit),
            Form::FollowUp => self.follow_up(),
            Form::Permission | Form::Continue => self.gate(),
        }
    }

    fn gate(&mut self) {
        let (decision, input) = match self.verdict() {
            Decision::Permit => self.input(),
            other => (other, None),
        };
        let is_permit = matches!(decision, Decision::Permit);
        let (name, word) = match (self.row.form, &decision) {
            (Form::Permission, Decision::Permit) => ("permission", json!("allow")),
            (Form::Permission, Decision::Ask(_)) => ("permission", json!("ask")),
            (Form::Permission, Decision::Refuse(_)) => ("permission", json!("deny")),
            (Form::Continue | Form::FollowUp | Form::None, _) => ("continue", json!(is_permit)),
        };
        self.top.insert(name.to_owned(), word);
        if let Some(input) = input {
            self.top.insert("updated_input".to_owned(), input);
        }
        self.messages(&decision);
    }

    fn verdict(&self) -> Decision {
        let text = self.result.verdict.text();
        let text = given(&text).to_owned();
        match &self.result.verdict {
            Verdict::Continue | Verdict::Allow { .. } => Decision::Permit,
            Verdict::Ask { .. } if self.can.says(Kind::Ask) => Decision::Ask(text),
            Verdict::Ask { .. } | Verdict::Deny { .. } | Verdict::Halt { .. } => {
                Decision::Refuse(text)
            }
        }
    }

    /// Makes new arguments. The host takes an object only, and would drop the whole answer otherwise.
    fn input(&self) -> (Decision, Option<Value>) {
        let Some(value) = self.rewritten("tool_input") else {
            return (Decision::Permit, None);
        };
        let mut input = payload::native_input(self.event, ID, &TOOLS, value);
        if !input.is_object() {
            return (Decision::Refuse(NO_OBJECT.to_owned()), None);
        }
        let own = self.event.origin.as_deref().filter(|own| own.host == ID);
        let raw = own.and_then(|own| crate::json::object(own.raw.as_deref()?).ok());
        if let (Some(raw), Value::Object(input)) = (raw, &mut input) {
            paths::native(input, &raw);
        }
        (Decision::Permit, Some(input))
    }

    fn rewritten(&self, field: &str) -> Option<Value> {
        let rewrite = self.result.effects.rewrite(field)?;
        let value = rewrite.value.as_ref().map(Datum::json)?;
        self.can.rewrite.contains(&field).then_some(value)
    }

    /// The person reads the reason and the notices, the model the reason.
    fn messages(&mut self, decision: &Decision) {
        let reason = match decision {
            Decision::Permit => None,
            Decision::Ask(text) | Decision::Refuse(text) => Some(&**text),
        };
        let notices = self.result.effects.notify().iter();
        let told = notices
            .filter(|_| self.can.notify == Shown::Yes)
            .map(|notice| &*notice.text);
        let person: Vec<&str> = reason.into_iter().chain(told).collect();
        let (for_person, for_model) = match self.row.messages {
            Messages::Both => (true, true),
            Messages::Person => (true, false),
            Messages::PersonIfRefused => (reason.is_some(), false),
            Messages::None => (false, false),
        };
        if for_person && !person.is_empty() {
            let text = person.join("\n").into();
            self.top.insert("user_message".to_owned(), text);
        }
        if let (true, Some(reason)) = (for_model, reason) {
            self.top.insert("agent_message".to_owned(), reason.into());
        }
    }

    /// An end is refused by what the agent is to do next.
    fn follow_up(&mut self) {
        let Verdict::Deny { .. } = &self.result.verdict else {
            return;
        };
        if !self.can.says(Kind::Deny) {
            return;
        }
        let text = self.result.verdict.text();
        let text = given(&text).into();
        self.top.insert("followup_message".to_owned(), text);
    }

    fn texts(&mut self) {
        if let Some(text) = context(&self.can, self.result) {
            self.top
                .insert("additional_context".to_owned(), text.into());
        }
    }

    /// Writes a new result. The host takes an object: a text goes into one as servers write it.
    fn result(&mut self) {
        let Some(value) = self.rewritten("tool_result") else {
            return;
        };
        let output = match value {
            Value::Object(fields) => Value::Object(fields),
            Value::String(text) => json!({"content": [{"type": "text", "text": text}]}),
            other => json!({"content": [{"type": "text", "text": other.to_string()}]}),
        };
        self.top
            .insert("updated_mcp_tool_output".to_owned(), output);
    }

    fn natives(&mut self) {
        let natives = self.result.effects.native().iter();
        for native in natives.filter(|native| native.wire == ID) {
            for (name, fits) in self.row.natives {
                if let Some(value) = native.fields.get(*name).filter(|value| fits(value)) {
                    self.top.insert((*name).to_owned(), value.clone());
                }
            }
        }
    }
}
