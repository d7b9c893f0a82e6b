//! Writing a result as VS Code reads it: exit 0 and one JSON document, nothing at all, or exit code 2.

use anyhook_core::can::Can;
use anyhook_core::event::Event;
use anyhook_core::result::{HookResult, Kind, Verdict};
use serde_json::Value;

use super::call;
use super::rows::{Form, Row};
use crate::answer::{Written, context, given, notices};
use crate::{Overlooked, Reply};

/// Finds arguments that do not fit the tool: the host would drop them, and run the old ones.
pub(super) fn overlooks(row: &Row, event: &Event, result: &HookResult) -> Option<Overlooked> {
    let value = result.effects.rewrite("tool_input")?.value.as_ref()?;
    if row.form != Form::Permission || result.verdict.kind() >= Kind::Deny {
        return None;
    }
    let input = call::native(event, value.json());
    (!call::fits(event, &input)).then(|| Overlooked {
        field: "tool_input".to_owned(),
        why: corrected(&input),
    })
}

/// The arguments that would have to be given, as the reason of a refusal.
fn corrected(input: &Value) -> String {
    let said = "A hook corrected the arguments, and VS Code would overlook the correction.";
    let value = input.to_string();
    if value.len() > INLINE_VALUE {
        return said.to_owned();
    }
    format!("{said} Try again with: {value}")
}

/// The longest value that a reason may hold.
const INLINE_VALUE: usize = 2 * 1024;

/// Writes a fitted result. Without an event, the row alone tells what can be said.
pub(super) fn reply(row: &Row, event: Option<&Event>, result: &HookResult) -> Reply {
    let mut answer = Writing {
        row,
        can: row.native.can,
        result,
        says: Written::default(),
        exit_2: None,
    };
    answer.verdict();
    if let Some(event) = event {
        answer.input(event);
    }
    answer.texts();
    answer.finish()
}

struct Writing<'a> {
    row: &'a Row,
    can: Can,
    result: &'a HookResult,
    says: Written,
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
            (Verdict::Allow { .. }, Form::Permission) => self.says.permission("allow", &text),
            (Verdict::Ask { .. }, Form::Permission) => self.says.permission("ask", given(&text)),
            (Verdict::Halt { .. }, _) => self.halt(&text),
            (Verdict::Ask { .. } | Verdict::Deny { .. }, _) => self.refuse(&text),
        }
    }

    fn refuse(&mut self, reason: &str) {
        let reason = given(reason);
        match self.row.form {
            Form::Permission => self.says.permission("deny", reason),
            Form::Block => self.says.block(reason),
            Form::Twice => {
                self.says.block(reason);
                self.says.within("decision", "block");
                self.says.within("reason", reason);
            }
            Form::Exit2 => self.exit_2 = Some(reason.to_owned()),
            Form::None => {}
        }
    }

    /// The agent stops; and a tool that it was about to run is refused as well, so that nothing hangs on one word.
    fn halt(&mut self, reason: &str) {
        self.says.say("continue", false);
        self.says.say("stopReason", given(reason));
        let is_gate = self.row.native.is_gate();
        match self.row.form {
            Form::Permission => self.says.permission("deny", given(reason)),
            // Only the sources know it here, and what does not know it overlooks it.
            Form::Exit2 if is_gate => self.says.block(given(reason)),
            Form::Block | Form::Twice | Form::Exit2 | Form::None => {}
        }
    }

    /// Writes new arguments. What was not fitted away, and would be overlooked or has no permission, is a refusal.
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
            self.refuse("a hook changed the arguments, and no person has approved the new ones");
        } else if call::fits(event, &input) {
            self.says.within("updatedInput", input);
        } else {
            self.refuse(&corrected(&input));
        }
    }

    fn texts(&mut self) {
        if let Some(text) = context(&self.can, self.result) {
            self.says.within("additionalContext", text);
        }
        if let Some(text) = notices(&self.can, self.result) {
            match &mut self.exit_2 {
                // What stands on the standard output is not read beside an exit code.
                Some(reason) => {
                    reason.push('\n');
                    reason.push_str(&text);
                }
                None => self.says.say("systemMessage", text),
            }
        }
    }

    fn finish(self) -> Reply {
        if let Some(reason) = self.exit_2 {
            return Reply::exit_2(&reason);
        }
        self.says.reply(self.row.native.name)
    }
}
