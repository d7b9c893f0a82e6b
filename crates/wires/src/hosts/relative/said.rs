//! Writing a result as a relative of Claude Code reads it: exit 0 and one JSON document, nothing at all, or exit 2.
//!
//! A host with a closed schema drops an answer with one word too many and lets the action run, so nothing is written that
//! the row does not have, and no reason is ever empty.

use anyhook_core::can::{Can, Coupling};
use anyhook_core::event::{Event, Map};
use anyhook_core::result::{HookResult, Kind, Verdict};
use serde_json::Value;

use super::row::{Form, Halt, Row};
use super::{Relative, Schema, Updates};
use crate::answer::{Written, given, notices};
use crate::fitted::NO_OBJECT;
use crate::{Host, Overlooked, Reply, payload};

/// Writes a fitted result. Without an event, the row alone tells what can be said.
pub(super) fn reply(
    host: &Relative,
    row: &Row,
    event: Option<&Event>,
    result: &HookResult,
) -> Reply {
    let mut answer = Writing {
        host,
        row,
        event,
        can: event.map_or(row.native.can, |event| host.can(event)),
        result,
        says: Written::default(),
        exit_2: None,
        instead: None,
    };
    answer.verdict();
    answer.input();
    answer.output();
    answer.texts();
    answer.finish()
}

/// Finds arguments that the host would drop, and then run the tool as it was.
pub(super) fn overlooks(
    host: &Relative,
    row: &Row,
    event: &Event,
    result: &HookResult,
) -> Option<Overlooked> {
    let value = result.effects.rewrite("tool_input")?.value.as_ref()?;
    let takes = matches!(row.form, Form::Permission | Form::Behavior);
    if !takes || result.verdict.kind() >= Kind::Deny {
        return None;
    }
    let why = match runnable(host, event, value.json()) {
        Ok(_) if result.verdict.kind() == Kind::Ask => UNAPPROVED.to_owned(),
        Ok(_) => return None,
        Err(why) => why,
    };
    Some(Overlooked {
        field: "tool_input".to_owned(),
        why,
    })
}

const UNAPPROVED: &str = "a hook changed the arguments, and no person has approved the new ones";

/// Returns the arguments by their names here, if the host would run the tool with exactly these.
pub(super) fn runnable(host: &Relative, event: &Event, input: Value) -> Result<Value, String> {
    let input = payload::native_input(event, host.id, host.facts.tools, input);
    let Value::Object(fields) = &input else {
        return Err(NO_OBJECT.to_owned());
    };
    let call = payload::fields(event, host.id, host.facts.tools);
    let tool = call.get("tool_name").and_then(Value::as_str);
    let missing = match host.updates {
        Updates::Replace(needs) => needs
            .iter()
            .find(|(name, field)| {
                Some(*name) == tool && !fields.get(*field).is_some_and(Value::is_string)
            })
            .map(|(_, field)| (*field).to_owned()),
        Updates::Merge => {
            let old = call.get("tool_input").and_then(Value::as_object);
            let mut old = old.into_iter().flat_map(Map::keys);
            old.find(|key| !fields.contains_key(*key)).cloned()
        }
    };
    match missing {
        None => Ok(input),
        Some(field) => Err(format!(
            "a hook took the argument `{field}` away, which cannot be said here"
        )),
    }
}

struct Writing<'a> {
    host: &'a Relative,
    row: &'a Row,
    event: Option<&'a Event>,
    can: Can,
    result: &'a HookResult,
    says: Written,
    /// The reason of a refusal by exit code.
    exit_2: Option<String>,
    /// The text that the model sees in the place of a result.
    instead: Option<String>,
}

impl Writing<'_> {
    fn verdict(&mut self) {
        let verdict = &self.result.verdict;
        let text = verdict.text();
        match verdict {
            Verdict::Continue => {}
            Verdict::Allow { .. } => self.allow(&text),
            Verdict::Ask { .. }
                if self.row.form == Form::Permission && self.can.says(Kind::Ask) =>
            {
                self.says.permission("ask", given(&text));
            }
            Verdict::Ask { .. } | Verdict::Deny { .. } => self.refuse(&text),
            Verdict::Halt { .. } => self.halt(&text),
        }
    }

    /// An approval alone is said only where the row has one; one that carries new arguments is said with them.
    fn allow(&mut self, reason: &str) {
        if !self.can.says(Kind::Allow) {
            return;
        }
        let reason = match self.host.schema {
            Schema::Open => reason,
            Schema::Closed(_) => "",
        };
        match self.row.form {
            Form::Permission => self.says.permission("allow", reason),
            Form::Behavior => self.says.behavior("allow", ""),
            Form::Block | Form::Result | Form::Stop | Form::Exit2 | Form::None => {}
        }
    }

    fn refuse(&mut self, reason: &str) {
        match self.row.form {
            Form::Permission => self.says.permission("deny", given(reason)),
            Form::Behavior => self.says.behavior("deny", given(reason)),
            Form::Block | Form::Result => self.says.block(reason),
            Form::Stop => self.stop(reason),
            Form::Exit2 => self.exit_2 = Some(reason.to_owned()),
            Form::None => {}
        }
    }

    fn stop(&mut self, reason: &str) {
        self.says.say("continue", false);
        self.says.say("stopReason", given(reason));
    }

    /// The agent stops; and what it was about to do is refused as well, so that nothing hangs on one word.
    fn halt(&mut self, reason: &str) {
        let halts = self.can.says(Kind::Halt) && self.row.halt == Halt::Agent;
        if halts {
            self.stop(reason);
        }
        let is_gate = self.row.native.is_gate();
        if (is_gate || !halts) && self.can.says(Kind::Deny) {
            self.refuse(reason);
        }
    }

    fn rewrite(&self, field: &str) -> Option<Value> {
        let is_heard = self.can.rewrite.contains(&field);
        let rewrite = self.result.effects.rewrite(field).filter(|_| is_heard)?;
        Some(rewrite.value.as_ref()?.json())
    }

    /// Writes new arguments. What was not fitted away, and would be overlooked or has no permission, is a refusal.
    fn input(&mut self) {
        let kind = self.result.verdict.kind();
        let (Some(value), Some(event)) = (self.rewrite("tool_input"), self.event) else {
            return;
        };
        if kind >= Kind::Deny {
            return;
        }
        let is_carried = kind == Kind::Allow || self.can.coupling == Coupling::Free;
        if kind == Kind::Ask || !is_carried {
            self.refuse(UNAPPROVED);
            return;
        }
        let input = match runnable(self.host, event, value) {
            Ok(input) => input,
            Err(why) => return self.refuse(&why),
        };
        match self.row.form {
            Form::Behavior => self.says.behavior("allow", ""),
            // The host takes them without a decision, and asks its own questions about them.
            _ if kind != Kind::Allow && self.row.native.can.coupling == Coupling::Free => {}
            _ => self.says.permission("allow", ""),
        }
        self.says.updated_input(input);
    }

    /// Writes a text in the place of a tool's result; other values as their JSON. One without a word in it would leave the
    /// old result standing.
    fn output(&mut self) {
        let Some(value) = self.rewrite("tool_result") else {
            return;
        };
        if self.row.form == Form::Result {
            let text = match value {
                Value::String(text) => text,
                other => other.to_string(),
            };
            let text = match text.trim() {
                "" => "a hook took the result away".to_owned(),
                _ => text,
            };
            self.says.block(&text);
            self.instead = Some(text);
        }
    }

    fn texts(&mut self) {
        let effects = &self.result.effects;
        // What already stands in the place of the result need not be told beside it.
        let instead = self.instead.as_deref();
        let is_new = |text: &&str| Some(*text) != instead;
        let texts = effects.inject().iter().map(|said| &*said.text);
        let texts: Vec<&str> = texts.filter(is_new).collect();
        if self.can.inject.is_some() && !texts.is_empty() {
            self.says.within("additionalContext", texts.join("\n\n"));
        }
        if let Some(text) = notices(&self.can, self.result) {
            self.says.say("systemMessage", text);
        }
    }

    fn finish(self) -> Reply {
        if let Some(reason) = self.exit_2 {
            return Reply::exit_2(&reason);
        }
        self.says.reply(self.row.native.name)
    }
}
