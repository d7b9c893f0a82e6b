//! Writing a result as Copilot reads it: exit 0 and one JSON document or nothing at all, and a warning by exit code 2.

use anyhook_core::can::Can;
use anyhook_core::event::{Event, EventName, Map};
use anyhook_core::result::{HookResult, Kind, Verdict};
use anyhook_core::taxonomy::Class;
use serde_json::Value;

use super::form::Surface;
use super::results::answered;
use super::row::{Exit2, Form, Row};
use super::tools::TOOLS;
use crate::answer::{context, given, notices};
use crate::fitted::{NO_OBJECT, no_object};
use crate::{NativeEvent, Overlooked, Reply, payload};

/// Writes a fitted result.
pub(in crate::hosts) fn reply(surface: &Surface, event: &Event, result: &HookResult) -> Reply {
    let Some(row) = surface.row_of(event) else {
        return Reply::default();
    };
    let mut answer = Writing::new(surface, row, result);
    answer.verdict();
    answer.rewrites(event);
    answer.texts();
    answer.natives();
    answer.finish()
}

/// Finds arguments that the host would not take.
pub(in crate::hosts) fn overlooks(
    surface: &Surface,
    event: &Event,
    result: &HookResult,
) -> Option<Overlooked> {
    let row = surface.row_of(event)?;
    if row.form == Form::Permission {
        return no_object(result, |input| {
            payload::native_input(event, surface.id, &TOOLS, input)
        });
    }
    let prompt = result.effects.rewrite("prompt")?.value.as_ref()?;
    let is_odd = result.verdict.kind() < Kind::Deny && !prompt.json().is_string();
    is_odd.then(|| Overlooked {
        field: "prompt".to_owned(),
        why: NO_TEXT.to_owned(),
    })
}

const NO_TEXT: &str = "a hook changed the prompt to something that is no text";

/// Refuses an event that could not be read. Where nothing can be refused, nothing is said; where the event itself is
/// unknown, every word that refuses a gate is.
pub(in crate::hosts) fn refusal(
    surface: &Surface,
    native: Option<&'static NativeEvent>,
    reason: &str,
) -> Reply {
    let result = HookResult::deny(reason);
    let Some(native) = native else {
        let gates = surface
            .rows
            .iter()
            .filter(|row| row.exit_2 == Exit2::Refuses);
        let mut top = Map::new();
        for row in gates {
            let mut answer = Writing::new(surface, row, &result);
            answer.verdict();
            top.append(&mut answer.top);
        }
        return Reply {
            stdout: Reply::object(top).stdout,
            ..Reply::exit_2(reason)
        };
    };
    let row = surface.find(native.name).filter(|row| is_refusable(row));
    row.map_or_else(Reply::default, |row| {
        let mut answer = Writing::new(surface, row, &result);
        answer.verdict();
        answer.finish()
    })
}

fn is_refusable(row: &Row) -> bool {
    let class = EventName::new(row.native.event).class();
    class == Class::Gate && row.native.can.says(Kind::Deny)
}

struct Writing<'a> {
    surface: &'a Surface,
    row: &'a Row,
    can: Can,
    result: &'a HookResult,
    top: Map,
    warning: Option<String>,
}

impl<'a> Writing<'a> {
    fn new(surface: &'a Surface, row: &'a Row, result: &'a HookResult) -> Self {
        Self {
            surface,
            row,
            can: row.native.can,
            result,
            top: Map::new(),
            warning: None,
        }
    }

    fn say(&mut self, field: &str, value: impl Into<Value>) {
        self.top.insert(field.to_owned(), value.into());
    }

    fn verdict(&mut self) {
        let verdict = &self.result.verdict;
        let text = verdict.text();
        match (verdict, self.row.form) {
            (Verdict::Continue, _) | (_, Form::None) | (Verdict::Allow { .. }, Form::Block) => {}
            (Verdict::Allow { .. }, Form::Permission) => {
                self.say("permissionDecision", "allow");
                if !text.is_empty() {
                    self.say("permissionDecisionReason", &*text);
                }
            }
            (Verdict::Allow { .. }, Form::Behavior) => self.say("behavior", "allow"),
            (Verdict::Ask { .. }, Form::Permission) if self.can.says(Kind::Ask) => {
                self.say("permissionDecision", "ask");
                self.say("permissionDecisionReason", given(&text));
            }
            (Verdict::Ask { .. } | Verdict::Deny { .. } | Verdict::Halt { .. }, form) => {
                self.refuse(&text);
                if form == Form::Behavior && verdict.kind() == Kind::Halt {
                    self.say("interrupt", true);
                }
            }
        }
    }

    fn refuse(&mut self, reason: &str) {
        let reason = given(reason);
        match self.row.form {
            Form::Permission => {
                self.say("permissionDecision", "deny");
                self.say("permissionDecisionReason", reason);
            }
            Form::Behavior => {
                self.say("behavior", "deny");
                self.say("message", reason);
            }
            Form::Block => {
                self.say("decision", "block");
                self.say("reason", reason);
            }
            Form::None => {}
        }
    }

    /// Writes new arguments, a new prompt, or a new result. Arguments that are no object are a refusal, and so is a prompt
    /// that is no text.
    fn rewrites(&mut self, event: &Event) {
        let kind = self.result.verdict.kind();
        for field in self.can.rewrite {
            let rewrite = self.result.effects.rewrite(field);
            let Some(value) = rewrite.and_then(|rewrite| rewrite.value.as_ref()) else {
                continue;
            };
            match (*field, value.json()) {
                ("tool_result", value) => self.say("modifiedResult", answered(value)),
                _ if kind >= Kind::Deny => {}
                ("prompt", Value::String(prompt)) => self.say("modifiedPrompt", prompt),
                ("prompt", _) => self.refuse(NO_TEXT),
                (_, input) => match payload::native_input(event, self.surface.id, &TOOLS, input) {
                    Value::Object(input) => self.say("modifiedArgs", input),
                    _ => self.refuse(NO_OBJECT),
                },
            }
        }
    }

    fn texts(&mut self) {
        if let Some(text) = context(&self.can, self.result) {
            self.say("additionalContext", text);
        }
        self.warning = notices(&self.can, self.result);
    }

    /// Says the answers that only this event of this host has. An interruption comes with a refusal, and makes none.
    fn natives(&mut self) {
        let refuses = self.top.get("behavior").and_then(Value::as_str) == Some("deny");
        let has_no_request = self.top.contains_key("decision") && self.can.rewrite == ["prompt"];
        if has_no_request {
            return;
        }
        for native in self.result.effects.native() {
            if !self.can.native.contains(&&*native.wire) {
                continue;
            }
            for (key, value) in &native.fields {
                let is_apt = key != "interrupt" || refuses;
                if self.row.only.contains(&&**key) && is_apt {
                    self.say(key, value.clone());
                }
            }
        }
    }

    fn finish(self) -> Reply {
        let said = if self.top.is_empty() {
            Reply::default()
        } else {
            Reply::object(self.top)
        };
        match self.warning {
            None => said,
            Some(warning) => Reply {
                stderr: format!("{warning}\n"),
                exit: 2,
                ..said
            },
        }
    }
}
