//! GitHub Copilot CLI, as its hooks reference and its release notes describe it.
//!
//! One table says what each event honours. The name of an event may be in either casing: the casing chooses the form of
//! the payload, and the answer is the same.
//!
//! Out of reach of one answer: the host ends a turn after eight refusals of a stop in a row, it lets the later of two
//! hooks decide about a permission request, and outside of an interactive session it denies what a hook wants asked.

use serde_json::{Map, Value};

use crate::output::{Kind, field, text, text_field, word};
use crate::{Answer, Asked, Behaviour, Gate, Reader};

mod rows;

#[cfg(test)]
mod tests;

use rows::row;

/// The reader of Copilot CLI.
#[derive(Debug)]
pub(crate) struct CopilotCli;

/// Where Copilot runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Surface {
    /// In a person's terminal.
    Terminal,
    /// In a job of its own, which nobody watches.
    Job,
}

/// What one event honours.
struct Row {
    event: &'static str,
    /// Its name in the other casing, where it has one.
    pascal: Option<&'static str>,
    /// Whether it fires where nobody watches.
    in_a_job: bool,
    decision: Decision,
    /// The text for the model that an answer may hold.
    context: bool,
    exit_2: Exit2,
    /// Whether any other exit code refuses.
    fails_closed: bool,
    /// The answers that take effect on this event alone.
    native: &'static [(&'static str, Kind)],
}

/// Where the decision stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Decision {
    None,
    /// `permissionDecision`.
    Permission,
    /// `behavior`.
    Behavior,
    /// `decision`, about the end of work.
    Block,
    /// `modifiedResult`: it decides about nothing, and replaces.
    Result,
}

/// What exit code 2 does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Exit2 {
    /// The person reads the standard error.
    Warns,
    /// The action is refused; what stands on the standard output counts as well.
    Refuses,
    /// What stands on the standard output is a text for the model.
    Tells,
}

impl Reader for CopilotCli {
    fn id(&self) -> &'static str {
        "copilot-cli"
    }

    fn reads(&self, answer: &Answer<'_>) -> Behaviour {
        read(answer, Surface::Terminal)
    }
}

/// Reads an answer to an event of either surface.
pub(crate) fn read(answer: &Answer<'_>, surface: Surface) -> Behaviour {
    let known = row(answer.event).filter(|row| row.in_a_job || surface == Surface::Terminal);
    let Some(row) = known else {
        return Behaviour {
            errors: vec![format!("unknown event `{}`", answer.event)],
            ..Behaviour::default()
        };
    };
    let mut reading = Reading {
        row,
        surface,
        done: Behaviour::default(),
        reason: None,
        input: None,
    };
    let stderr = lines(answer.stderr);
    match answer.exit {
        0 => {
            reading.document(answer.stdout);
            reading.unheard("stderr", &stderr);
        }
        2 => reading.exit_2(answer.stdout, &stderr),
        code => reading.failed(code, answer.stdout, &stderr),
    }
    reading.settle()
}

struct Reading {
    row: &'static Row,
    surface: Surface,
    done: Behaviour,
    reason: Option<String>,
    input: Option<Value>,
}

impl Reading {
    /// Reads the standard output: lines of progress are taken away, and what is left must be one document.
    fn document(&mut self, stdout: &[u8]) {
        let whole = text(stdout);
        let rest: Vec<&str> = whole.lines().filter(|line| !is_progress(line)).collect();
        let rest = rest.join("\n");
        match serde_json::from_str::<Value>(&rest) {
            Ok(Value::Object(object)) => {
                if let Err(why) = self.take(&object) {
                    self.done.errors.push(why);
                }
            }
            _ => self.unheard("stdout", rest.trim()),
        }
    }

    fn take(&mut self, object: &Map<String, Value>) -> Result<(), String> {
        let mut heard: Vec<&str> = Vec::new();
        match self.row.decision {
            Decision::None => {}
            Decision::Permission => self.permission(object, &mut heard)?,
            Decision::Behavior => self.behavior(object, &mut heard)?,
            Decision::Block => self.block(object, &mut heard)?,
            Decision::Result => self.result(object, &mut heard)?,
        }
        if self.row.context {
            heard.push("additionalContext");
            let said = text_field(object, "additionalContext")?;
            self.done
                .model_sees
                .extend(said.filter(|it| !it.is_empty()));
        }
        for (name, kind) in self.row.native {
            if *name == "interrupt" && !matches!(self.done.gate, Gate::Refused { .. }) {
                continue;
            }
            heard.push(name);
            if let Some(value) = field(object, name, *kind)? {
                self.done.native.push(((*name).to_owned(), value.clone()));
            }
        }
        let rest = object.keys().filter(|key| !heard.contains(&key.as_str()));
        self.done.ignored.extend(rest.cloned());
        Ok(())
    }

    fn permission(
        &mut self,
        object: &Map<String, Value>,
        heard: &mut Vec<&str>,
    ) -> Result<(), String> {
        heard.extend([
            "permissionDecision",
            "permissionDecisionReason",
            "modifiedArgs",
            "updatedInput",
        ]);
        let why = text_field(object, "permissionDecisionReason")?;
        match word(object, "permissionDecision", &["allow", "deny", "ask"])? {
            Some("allow") => self.done.gate = Gate::RunsWithoutPrompt,
            Some("ask") if self.surface == Surface::Terminal => {
                self.done.gate = Gate::AskedOf(Asked::Person);
                self.done.person_sees.extend(why);
            }
            Some(_) => self.refused("permissionDecisionReason", why),
            None => {}
        }
        let input = ["modifiedArgs", "updatedInput"]
            .iter()
            .find_map(|name| object.get(*name));
        self.input = input.filter(|value| !value.is_null()).cloned();
        Ok(())
    }

    fn behavior(
        &mut self,
        object: &Map<String, Value>,
        heard: &mut Vec<&str>,
    ) -> Result<(), String> {
        heard.extend(["behavior", "message"]);
        let why = text_field(object, "message")?;
        match word(object, "behavior", &["allow", "deny"])? {
            Some("allow") => self.done.gate = Gate::RunsWithoutPrompt,
            Some(_) => self.refused("message", why),
            None => {}
        }
        Ok(())
    }

    fn block(&mut self, object: &Map<String, Value>, heard: &mut Vec<&str>) -> Result<(), String> {
        heard.extend(["decision", "reason"]);
        let why = text_field(object, "reason")?;
        if word(object, "decision", &["block", "allow"])? == Some("block") {
            self.because("reason", why);
            self.done.gate = Gate::KeepsWorking;
        }
        Ok(())
    }

    fn result(&mut self, object: &Map<String, Value>, heard: &mut Vec<&str>) -> Result<(), String> {
        heard.push("modifiedResult");
        let Some(Value::Object(result)) = field(object, "modifiedResult", Kind::Object)? else {
            return Ok(());
        };
        let is_success = result.get("resultType").and_then(Value::as_str) == Some("success");
        if !is_success || text_field(result, "textResultForLlm")?.is_none() {
            return Err("`modifiedResult` has not the form of a result".to_owned());
        }
        self.done.result = Some(Value::Object(result.clone()));
        Ok(())
    }

    fn refused(&mut self, name: &str, why: Option<String>) {
        self.because(name, why);
        self.done.gate = Gate::Refused { erased: false };
    }

    /// A refusal must give a reason.
    fn because(&mut self, name: &str, why: Option<String>) {
        if why.as_deref().is_none_or(str::is_empty) {
            self.done.errors.push(format!("a refusal without `{name}`"));
        }
        self.reason = why;
    }

    fn exit_2(&mut self, stdout: &[u8], stderr: &str) {
        match self.row.exit_2 {
            Exit2::Warns => {
                self.unheard("stdout", &text(stdout));
                self.warned(stderr);
            }
            Exit2::Tells => {
                self.done
                    .model_sees
                    .extend(Some(text(stdout)).filter(|it| !it.is_empty()));
                self.unheard("stderr", stderr);
            }
            Exit2::Refuses => {
                self.document(stdout);
                self.done.gate = Gate::Refused { erased: false };
                let is_tool = self.row.decision == Decision::Permission;
                if is_tool && self.reason.is_none() {
                    self.reason = Some(stderr.to_owned()).filter(|it| !it.is_empty());
                } else {
                    self.unheard("stderr", stderr);
                }
            }
        }
    }

    fn warned(&mut self, stderr: &str) {
        match self.surface {
            Surface::Terminal if !stderr.is_empty() => {
                self.done.person_sees.push(stderr.to_owned())
            }
            Surface::Terminal | Surface::Job => self.unheard("stderr", stderr),
        }
    }

    /// Another exit code is a failure of the hook.
    fn failed(&mut self, code: i32, stdout: &[u8], stderr: &str) {
        self.unheard("stdout", &text(stdout));
        self.unheard("stderr", stderr);
        self.done.errors.push(format!("the hook left with {code}"));
        if self.row.fails_closed {
            self.done.gate = Gate::Refused { erased: false };
            self.reason = Some("the hook errored".to_owned());
        }
    }

    fn unheard(&mut self, name: &str, said: &str) {
        if !said.is_empty() && said != "{}" {
            self.done.ignored.push(name.to_owned());
        }
    }

    /// Tells the reason of the decision that stands, and replaces the arguments of a call that is not refused.
    fn settle(mut self) -> Behaviour {
        if let Some(reason) = self.reason {
            self.done.model_sees.insert(0, reason);
        }
        match self.done.gate {
            Gate::Refused { .. } if self.input.is_some() => {
                self.done.ignored.push("modifiedArgs".to_owned());
            }
            _ => self.done.input = self.input,
        }
        self.done
    }
}

/// The text of the standard error, without the line break behind it.
fn lines(stderr: &[u8]) -> String {
    let decoded = String::from_utf8_lossy(stderr);
    decoded.trim_end_matches(['\r', '\n']).to_owned()
}

fn is_progress(line: &str) -> bool {
    serde_json::from_str::<Value>(line).is_ok_and(|line| line["type"] == "progress")
}
