//! VS Code's own agent, as its hooks page and its sources describe it.
//!
//! One table says what each event honours; the code below it reads the table and knows no event by name.
//!
//! The host checks new arguments against the schema of the tool and drops them where they do not fit. A reader has no
//! schemas: it takes what the call had for one, so that arguments fit which have the same fields of the same kinds.
//!
//! `matcher` is not read at all, which is a matter of settings, not of answers.

use serde_json::{Map, Value};

use crate::output::{Kind, field, text, text_field, word};
use crate::{Answer, Asked, Behaviour, Gate, Reader};

mod rows;

#[cfg(test)]
mod tests;

use rows::row;

/// The reader of VS Code's own agent.
#[derive(Debug)]
pub(crate) struct VscodeLocal;

/// The fields that may stand beside what belongs to one event.
const HEARD: &[&str] = &[
    "systemMessage",
    "decision",
    "reason",
    "hookSpecificOutput",
    "stopReason",
    "continue",
];

/// What one event honours.
struct Row {
    event: &'static str,
    /// Whether `permissionDecision` and what belongs to it count.
    permission: bool,
    /// What `decision: block` does.
    block: Block,
    /// Whether `additionalContext` counts.
    context: bool,
    exit_2: Block,
}

/// What a refusal does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    /// Nothing.
    Unheard,
    /// The action does not happen, and the model reads why.
    Refuses,
    /// The action does not happen, and the person reads why.
    Tells,
    /// The agent goes on working.
    Continues,
    /// The reason stands behind the tool's result.
    Feedback,
}

impl Reader for VscodeLocal {
    fn id(&self) -> &'static str {
        "vscode-local"
    }

    fn reads(&self, answer: &Answer<'_>) -> Behaviour {
        let Some(row) = row(answer.event) else {
            return Behaviour {
                errors: vec![format!("unknown event `{}`", answer.event)],
                ..Behaviour::default()
            };
        };
        let mut reading = Reading {
            row,
            payload: answer.payload,
            done: Behaviour::default(),
        };
        match answer.exit {
            0 => reading.success(answer),
            2 => reading.exit_2(answer),
            code => {
                let why = text(answer.stderr);
                reading
                    .done
                    .errors
                    .push(format!("the hook left with {code}: {why}"));
            }
        }
        reading.done
    }
}

struct Reading<'a> {
    row: &'static Row,
    payload: &'a Value,
    done: Behaviour,
}

impl Reading<'_> {
    fn success(&mut self, answer: &Answer<'_>) {
        if !text(answer.stderr).is_empty() {
            self.done.ignored.push("stderr".to_owned());
        }
        let stdout = text(answer.stdout);
        if stdout.is_empty() {
            return;
        }
        match serde_json::from_str::<Value>(&stdout) {
            // An object with nothing in it has made the host fail.
            Ok(Value::Object(object)) if object.is_empty() => {
                self.done.errors.push("an empty object".to_owned());
            }
            Ok(Value::Object(object)) => {
                if let Err(why) = self.take(&object) {
                    self.done.errors.push(why);
                }
            }
            _ => self.done.ignored.push("stdout".to_owned()),
        }
    }

    fn exit_2(&mut self, answer: &Answer<'_>) {
        if !text(answer.stdout).is_empty() {
            self.done.ignored.push("stdout".to_owned());
        }
        let why = String::from_utf8_lossy(answer.stderr);
        let why = why.trim_end_matches(['\r', '\n']).to_owned();
        self.blocked(self.row.exit_2, why, "stderr");
    }

    fn take(&mut self, object: &Map<String, Value>) -> Result<(), String> {
        let message = text_field(object, "systemMessage")?;
        self.done
            .person_sees
            .extend(message.filter(|it| !it.is_empty()));
        self.top_decision(object)?;
        if let Some(Value::Object(specific)) = field(object, "hookSpecificOutput", Kind::Object)? {
            self.specific(specific)?;
        }
        let why = text_field(object, "stopReason")?;
        if field(object, "continue", Kind::Flag)? == Some(&Value::Bool(false)) {
            let why = why.unwrap_or_default();
            self.done
                .person_sees
                .extend(Some(why.clone()).filter(|it| !it.is_empty()));
            self.done.stops_agent = Some(why);
            self.done.gate = Gate::Stops;
            self.done.input = None;
        }
        let rest = object.keys().filter(|key| !HEARD.contains(&key.as_str()));
        self.done.ignored.extend(rest.cloned());
        Ok(())
    }

    fn top_decision(&mut self, object: &Map<String, Value>) -> Result<(), String> {
        let why = text_field(object, "reason")?.unwrap_or_default();
        if word(object, "decision", &["block"])?.is_some() {
            self.blocked(self.row.block, why, "decision");
        }
        Ok(())
    }

    fn blocked(&mut self, block: Block, why: String, name: &str) {
        let already = self.done.gate == Gate::KeepsWorking || self.done.model_sees.contains(&why);
        match block {
            Block::Unheard => {
                self.done.ignored.push(name.to_owned());
                return;
            }
            Block::Refuses | Block::Tells => self.done.gate = Gate::Refused { erased: false },
            Block::Continues => self.done.gate = Gate::KeepsWorking,
            Block::Feedback => {}
        }
        if why.is_empty() {
            self.done.errors.push(format!("`{name}` without a reason"));
        } else if block == Block::Tells {
            self.done.person_sees.push(why);
        } else if !already {
            self.done.model_sees.push(why);
        }
    }

    /// Reads what belongs to one event; under another event's name it is dropped.
    fn specific(&mut self, specific: &Map<String, Value>) -> Result<(), String> {
        if specific.get("hookEventName") != Some(&Value::from(self.row.event)) {
            self.done.ignored.push("hookSpecificOutput".to_owned());
            return Ok(());
        }
        if self.row.block == Block::Continues && word(specific, "decision", &["block"])?.is_some() {
            let why = text_field(specific, "reason")?.unwrap_or_default();
            self.blocked(self.row.block, why, "hookSpecificOutput.decision");
        }
        if self.row.permission {
            self.permission(specific)?;
        }
        if self.row.context {
            let said = text_field(specific, "additionalContext")?;
            self.done
                .model_sees
                .extend(said.filter(|it| !it.is_empty()));
        } else if specific.contains_key("additionalContext") {
            self.done
                .ignored
                .push("hookSpecificOutput.additionalContext".to_owned());
        }
        Ok(())
    }

    fn permission(&mut self, specific: &Map<String, Value>) -> Result<(), String> {
        let why = text_field(specific, "permissionDecisionReason")?.unwrap_or_default();
        let said = word(specific, "permissionDecision", &["allow", "deny", "ask"])?;
        match said {
            Some("allow") => self.done.gate = Gate::RunsWithoutPrompt,
            Some("ask") => {
                self.done.gate = Gate::AskedOf(Asked::Person);
                self.done
                    .person_sees
                    .extend(Some(why).filter(|it| !it.is_empty()));
            }
            Some(_) => self.blocked(Block::Refuses, why, "permissionDecision"),
            None => {}
        }
        let Some(input) = field(specific, "updatedInput", Kind::Object)? else {
            return Ok(());
        };
        let runs = matches!(said, Some("allow" | "ask"));
        if runs && self.fits(input) {
            self.done.input = Some(input.clone());
        } else {
            self.done
                .ignored
                .push("hookSpecificOutput.updatedInput".to_owned());
        }
        Ok(())
    }

    /// Tells whether new arguments have the fields and the kinds of those of the call, which early payloads spell otherwise.
    fn fits(&self, input: &Value) -> bool {
        let was = ["tool_input", "toolInput"]
            .iter()
            .find_map(|name| self.payload.get(*name));
        let (Some(Value::Object(was)), Value::Object(now)) = (was, input) else {
            return false;
        };
        let kind = |value: &Value| std::mem::discriminant(value);
        was.len() == now.len()
            && was
                .iter()
                .all(|(name, value)| now.get(name).is_some_and(|it| kind(it) == kind(value)))
    }
}
