//! Writing a result as Claude Code reads it: exit 0 and one JSON document, or nothing at all.

mod natives;
mod results;

use anyhook_core::can::{Can, Coupling, Shown};
use anyhook_core::event::Event;
use anyhook_core::question::Who;
use anyhook_core::result::{HookResult, Kind, Verdict};
use serde_json::Value;

use super::find;
use super::row::{Form, Row, Speech};
use crate::answer::{Written, context, notices, trimmed};
use crate::fitted::{NO_OBJECT, no_object};
use crate::{NativeEvent, Overlooked, Reply};

/// Writes a fitted result.
pub(super) fn reply(row: &Row, can: &Can, event: Option<&Event>, result: &HookResult) -> Reply {
    let mut answer = Writing {
        row,
        can,
        result,
        says: Written::default(),
        exit_2: None,
    };
    answer.verdict();
    answer.input(event);
    answer.texts();
    answer.natives();
    answer.finish()
}

/// Finds arguments, or a result, that the host would not take.
pub(super) fn overlooks(row: &Row, event: &Event, result: &HookResult) -> Option<Overlooked> {
    let takes = matches!(row.form, Form::Permission | Form::Behavior);
    if !takes {
        return results::overlooked(event, result);
    }
    no_object(result, |input| input).or_else(|| no_command(event, result))
}

/// Finds arguments of a shell without a command: the call fails with them, and no message would say why.
fn no_command(event: &Event, result: &HookResult) -> Option<Overlooked> {
    let value = result.effects.rewrite("tool_input")?.value.as_ref()?.json();
    let is_shell = event.text("tool_name").as_deref() == Some("Bash");
    let is_odd = is_shell && !value.get("command").is_some_and(Value::is_string);
    (is_odd && result.verdict.kind() < Kind::Deny).then(|| Overlooked {
        field: "tool_input".to_owned(),
        why: "a hook took the command of the shell away".to_owned(),
    })
}

/// Refuses an event that could not be read. Where nothing can be refused, nothing is said.
pub(super) fn refusal(native: &NativeEvent, reason: &str) -> Reply {
    let is_refusable = |row: &&Row| row.native.is_gate() && native.can.says(Kind::Deny);
    find(native.name)
        .filter(is_refusable)
        .map_or_else(Reply::default, |row| {
            reply(row, &native.can, None, &HookResult::deny(reason))
        })
}

struct Writing<'a> {
    row: &'a Row,
    can: &'a Can,
    result: &'a HookResult,
    says: Written,
    /// The reason of a refusal by exit code.
    exit_2: Option<String>,
}

impl Writing<'_> {
    fn verdict(&mut self) {
        let verdict = &self.result.verdict;
        let text = verdict.text();
        match verdict {
            Verdict::Continue => {}
            Verdict::Allow { .. } => self.allow(&text),
            Verdict::Ask { questions } if self.row.form == Form::Permission => {
                // The host puts off a call that only the host may decide about; it asks about every other, and about
                // one with new arguments, which it would forget while it waits.
                let only_host = questions.iter().all(|question| question.who == Who::Host);
                let is_put_off = only_host && self.result.effects.patch().is_empty();
                self.says
                    .permission(if is_put_off { "defer" } else { "ask" }, &text);
            }
            Verdict::Ask { .. } if self.row.form == Form::Switch => self.switch("ask", &text),
            Verdict::Ask { .. } | Verdict::Deny { .. } => self.refuse(&text),
            Verdict::Halt { .. } => self.halt(&text),
        }
    }

    fn switch(&mut self, decision: &str, reason: &str) {
        self.says.permission(decision, "");
        if !reason.is_empty() {
            self.says.say("reason", reason);
        }
    }

    fn allow(&mut self, reason: &str) {
        match self.row.form {
            Form::Permission => self.says.permission("allow", reason),
            // An approval has no message here.
            Form::Behavior => self.says.behavior("allow", ""),
            Form::Switch => self.switch("allow", reason),
            Form::Block | Form::Exit2 | Form::Path | Form::None => {}
        }
    }

    fn refuse(&mut self, reason: &str) {
        match self.row.form {
            Form::Permission => self.says.permission("deny", reason),
            Form::Behavior => self.says.behavior("deny", reason),
            Form::Switch => self.switch("deny", reason),
            Form::Block => self.says.block(reason),
            Form::Exit2 | Form::Path => self.exit_2 = Some(reason.to_owned()),
            Form::None => {}
        }
    }

    /// The agent stops; and what it was about to do is refused as well, so that nothing hangs on one word.
    fn halt(&mut self, reason: &str) {
        let halts = self.can.says(Kind::Halt);
        if halts {
            self.says.say("continue", false);
            if !reason.is_empty() {
                self.says.say("stopReason", reason);
            }
        }
        if self.row.native.is_gate() || !halts {
            self.refuse(reason);
        }
    }

    /// Writes new arguments, or a new result. What was not fitted away, and would be overlooked or has no permission, is a
    /// refusal.
    fn input(&mut self, event: Option<&Event>) {
        let kind = self.result.verdict.kind();
        for field in self.can.rewrite {
            let rewrite = self.result.effects.rewrite(field);
            let Some(value) = rewrite.and_then(|rewrite| rewrite.value.as_ref()) else {
                continue;
            };
            match (self.row.form, value.json()) {
                (Form::Switch | Form::Block | Form::Exit2 | Form::Path | Form::None, value) => {
                    let output = results::shaped(event, value);
                    self.says.within("updatedToolOutput", output);
                }
                (Form::Permission | Form::Behavior, _) if kind >= Kind::Deny => {}
                (Form::Permission | Form::Behavior, Value::Object(input)) => {
                    self.updated(kind, Value::Object(input));
                }
                (Form::Permission | Form::Behavior, _) => {
                    self.refuse(NO_OBJECT);
                }
            }
        }
    }

    fn updated(&mut self, kind: Kind, input: Value) {
        if kind == Kind::Continue && self.can.coupling != Coupling::Free {
            self.refuse("a hook changed the arguments, and no person has approved the new ones");
            return;
        }
        self.says.updated_input(input);
    }

    fn texts(&mut self) {
        if let Some(text) = context(self.can, self.result) {
            match self.row.speech {
                Speech::Context | Speech::SendsOn => self.says.within("additionalContext", text),
                Speech::Message(..) => self.says.say("systemMessage", text),
            }
        }
        if let Some(text) = notices(self.can, self.result) {
            self.says.say("systemMessage", text);
        }
        let effects = &self.result.effects;
        let is_universal = self.can.notify == Shown::Yes && self.can.says(Kind::Halt);
        if is_universal && effects.get().is_some_and(|given| given.suppress_output) {
            self.says.say("suppressOutput", true);
        }
    }

    /// The path of the worktree that a hook made. A path that is no single line would make the host take another one.
    fn path(&mut self) -> Option<String> {
        let path = self.says.specific.shift_remove("worktreePath")?;
        let Some(path) = path.as_str().filter(|path| is_line(path)) else {
            self.refuse("a hook gave a path of a worktree that is no single line");
            return None;
        };
        Some(format!("{path}\n"))
    }

    fn finish(mut self) -> Reply {
        if self.row.form == Form::Path
            && self.exit_2.is_none()
            && let Some(stdout) = self.path()
        {
            return Reply {
                stdout,
                ..Reply::default()
            };
        }
        if let Some(reason) = self.exit_2 {
            // Without an object on the standard output, a reason with `not found` in it would pass for a missing script.
            return Reply {
                stdout: "{}\n".to_owned(),
                ..Reply::exit_2(&reason)
            };
        }
        self.says.reply(self.row.native.name)
    }
}

/// Tells whether a text is one line with something in it, and nothing that the host would trim.
fn is_line(text: &str) -> bool {
    !text.is_empty() && trimmed(text) == text && !text.contains(char::is_control)
}
