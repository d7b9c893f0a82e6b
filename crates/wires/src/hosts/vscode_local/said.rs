//! Writing a result as VS Code reads it: exit 0 and one JSON document, nothing at all, or exit code 2.

use anyhook_core::can::{Can, Shown};
use anyhook_core::event::{Event, EventName, Map};
use anyhook_core::result::{HookResult, Kind, Verdict};
use anyhook_core::taxonomy::Class;
use serde_json::Value;

use super::call;
use super::rows::{Form, Row};
use crate::Reply;
use crate::answer::{NO_REASON, SPECIFIC};

/// The longest value that a reason may hold.
const INLINE_VALUE: usize = 2 * 1024;

/// Writes a fitted result. Without an event, the row alone tells what can be said.
pub(super) fn reply(row: &Row, event: Option<&Event>, result: &HookResult) -> Reply {
    let mut answer = Writing {
        row,
        can: row.native.can,
        result,
        top: Map::new(),
        specific: Map::new(),
        exit_2: None,
    };
    answer.verdict();
    if let Some(event) = event {
        answer.input(event);
    }
    answer.texts();
    answer.finish()
}

/// Refuses by exit code 2.
pub(super) fn by_exit(reason: &str) -> Reply {
    Reply {
        stdout: String::new(),
        stderr: format!("{}\n", given(reason)),
        exit: 2,
    }
}

/// A reason that is not empty: the model is to know that it was refused.
fn given(reason: &str) -> &str {
    match reason.trim() {
        "" => NO_REASON,
        _ => reason,
    }
}

struct Writing<'a> {
    row: &'a Row,
    can: Can,
    result: &'a HookResult,
    top: Map,
    specific: Map,
    /// The reason of a refusal by exit code.
    exit_2: Option<String>,
}

impl Writing<'_> {
    fn verdict(&mut self) {
        let verdict = &self.result.verdict;
        let text = verdict.text();
        match (verdict, self.row.form) {
            (Verdict::Continue, _)
            | (Verdict::Allow { .. }, Form::Block | Form::Twice | Form::Exit2 | Form::None) => {}
            (Verdict::Allow { .. }, Form::Permission) => self.permission("allow", &text),
            (Verdict::Ask { .. }, Form::Permission) => self.permission("ask", given(&text)),
            (Verdict::Halt { .. }, _) => self.halt(&text),
            (Verdict::Ask { .. } | Verdict::Deny { .. }, _) => self.refuse(&text),
        }
    }

    fn permission(&mut self, decision: &str, reason: &str) {
        self.within("permissionDecision", decision);
        if !reason.is_empty() {
            self.within("permissionDecisionReason", reason);
        }
    }

    fn say(&mut self, field: &str, value: impl Into<Value>) {
        self.top.insert(field.to_owned(), value.into());
    }

    fn within(&mut self, field: &str, value: impl Into<Value>) {
        self.specific.insert(field.to_owned(), value.into());
    }

    fn refuse(&mut self, reason: &str) {
        let reason = given(reason);
        match self.row.form {
            Form::Permission => self.permission("deny", reason),
            Form::Block => self.block(reason),
            Form::Twice => {
                self.block(reason);
                self.within("decision", "block");
                self.within("reason", reason);
            }
            Form::Exit2 => self.exit_2 = Some(reason.to_owned()),
            Form::None => {}
        }
    }

    fn block(&mut self, reason: &str) {
        self.say("decision", "block");
        self.say("reason", reason);
    }

    /// The agent stops; and a tool that it was about to run is refused as well, so that nothing hangs on one word.
    fn halt(&mut self, reason: &str) {
        self.say("continue", false);
        self.say("stopReason", given(reason));
        let is_gate = EventName::new(self.row.native.event).class() == Class::Gate;
        match self.row.form {
            Form::Permission => self.permission("deny", given(reason)),
            // Only the sources know it here, and what does not know it overlooks it.
            Form::Exit2 if is_gate => self.block(given(reason)),
            Form::Block | Form::Twice | Form::Exit2 | Form::None => {}
        }
    }

    /// Writes new arguments. The host drops those that do not fit, and runs the old ones: they are a refusal.
    fn input(&mut self, event: &Event) {
        let kind = self.result.verdict.kind();
        let rewrite = self.result.effects.rewrite("tool_input");
        let Some(value) = rewrite.and_then(|rewrite| rewrite.value.as_ref()) else {
            return;
        };
        if self.row.form != Form::Permission || kind >= Kind::Deny {
            return;
        }
        let input = call::native(event, value.json());
        if kind == Kind::Continue {
            self.refuse("a hook changed the arguments, which nobody has approved");
        } else if call::fits(event, &input) {
            self.within("updatedInput", input);
        } else {
            self.corrected(&input);
        }
    }

    /// Refuses with the arguments that would have to be given, as a question or an approval would have let them run.
    fn corrected(&mut self, input: &Value) {
        let mut reason = match self.result.verdict.kind() {
            Kind::Ask => format!("{}\n", self.result.verdict.text()),
            _ => String::new(),
        };
        reason
            .push_str("A hook corrected the arguments, and VS Code would overlook the correction.");
        let value = input.to_string();
        if value.len() <= INLINE_VALUE {
            reason.push_str(" Try again with: ");
            reason.push_str(&value);
        }
        self.refuse(&reason);
    }

    fn texts(&mut self) {
        let effects = &self.result.effects;
        if self.can.inject.is_some() && !effects.inject().is_empty() {
            let texts: Vec<&str> = effects.inject().iter().map(|said| &*said.text).collect();
            self.within("additionalContext", texts.join("\n\n"));
        }
        if self.can.notify == Shown::Yes && !effects.notify().is_empty() {
            let texts: Vec<&str> = effects.notify().iter().map(|said| &*said.text).collect();
            let text = texts.join("\n");
            match &mut self.exit_2 {
                // What stands on the standard output is not read beside an exit code.
                Some(reason) => {
                    reason.push('\n');
                    reason.push_str(&text);
                }
                None => self.say("systemMessage", text),
            }
        }
    }

    fn finish(mut self) -> Reply {
        if let Some(reason) = self.exit_2 {
            return by_exit(&reason);
        }
        if !self.specific.is_empty() {
            let mut specific = Map::new();
            specific.insert("hookEventName".to_owned(), self.row.native.name.into());
            specific.append(&mut self.specific);
            self.top
                .insert(SPECIFIC.to_owned(), Value::Object(specific));
        }
        if self.top.is_empty() {
            return Reply::default();
        }
        Reply {
            stdout: format!("{}\n", Value::Object(self.top)),
            ..Reply::default()
        }
    }
}
