//! Qwen Code, as 0.24.4 was seen to act; what was not seen is as its protocol page has it.
//!
//! JSON counts at every exit code but 2, also from the standard error where there is nothing on the standard output, and
//! the event that it names does not matter. Exit code 2 is what stands on the standard error: without a word there it is
//! nothing, and what it was about happens. Before a tool there is no approval, since its permission was asked for already.

use serde_json::{Map, Value};

use crate::output::text;
use crate::{Answer, Asked, Behaviour, Gate, Reader};

/// The reader of Qwen Code.
#[derive(Debug)]
pub(crate) struct QwenCode;

impl Reader for QwenCode {
    fn id(&self) -> &'static str {
        "qwen-code"
    }

    fn reads(&self, answer: &Answer<'_>) -> Behaviour {
        let said = Said::new(answer);
        let mut done = match answer.event {
            "PreToolUse" => said.call(),
            "PermissionRequest" => said.dialog(),
            "UserPromptSubmit" if said.refuses() || said.stops() => said.refused(),
            "PostToolUse" => said.after(),
            "UserPromptSubmit" | "PostToolUseFailure" | "SessionStart" => said.told(),
            "Stop" | "SubagentStop" => said.stop(),
            "TodoCreated" | "TodoCompleted" if said.refuses() => Behaviour {
                gate: REFUSED,
                model_sees: said.why().into_iter().collect(),
                ..Behaviour::default()
            },
            event if SILENT.contains(&event) => Behaviour::default(),
            event => return failed(format!("unknown event `{event}`")),
        };
        said.drops(answer, &mut done);
        done
    }
}

/// Events of which nothing that a hook says is known to count.
const SILENT: &[&str] = &[
    "TodoCreated",
    "TodoCompleted",
    "PostToolBatch",
    "UserPromptExpansion",
    "SessionEnd",
    "SessionDelete",
    "MessageDisplay",
    "StopFailure",
    "SubagentStart",
    "PreCompact",
    "PostCompact",
    "Notification",
    "PermissionDenied",
    "InstructionsLoaded",
];

/// Events whose plain text on the standard output is told to the model.
const PLAIN: &[&str] = &["SessionStart", "UserPromptSubmit"];

const REFUSED: Gate = Gate::Refused { erased: false };

fn failed(why: String) -> Behaviour {
    Behaviour {
        errors: vec![why],
        ..Behaviour::default()
    }
}

/// What a hook left behind.
#[derive(Default)]
struct Said {
    top: Map<String, Value>,
    /// A plain text for the model.
    plain: Option<String>,
    /// Why its JSON is none.
    broken: bool,
}

impl Said {
    fn new(answer: &Answer<'_>) -> Self {
        let (stdout, stderr) = (text(answer.stdout), text(answer.stderr));
        let is_blocking = answer.exit == 2;
        let from_stdout = !is_blocking && !stdout.is_empty();
        let whole = if from_stdout { stdout } else { stderr };
        let mut read = serde_json::from_str::<Value>(&whole);
        if let Ok(Value::String(inner)) = &read {
            read = serde_json::from_str(inner);
        }
        if let Ok(Value::Object(top)) = read {
            return Self {
                top,
                ..Self::default()
            };
        }
        let mut said = Self::default();
        if whole.is_empty() {
            return said;
        }
        if is_blocking {
            said.top.insert("decision".to_owned(), "deny".into());
            said.top.insert("reason".to_owned(), whole.into());
        } else if read.is_err() && whole.starts_with('{') {
            said.broken = true;
        } else if answer.exit == 0 && from_stdout && PLAIN.contains(&answer.event) {
            said.plain = Some(whole);
        }
        said
    }

    fn within(&self, name: &str) -> Option<&Value> {
        self.top.get("hookSpecificOutput")?.get(name)
    }

    fn word(&self) -> &str {
        let word = self.top.get("decision").and_then(Value::as_str);
        word.unwrap_or_default()
    }

    fn refuses(&self) -> bool {
        matches!(self.word(), "block" | "deny")
    }

    fn stops(&self) -> bool {
        self.top.get("continue") == Some(&Value::Bool(false))
    }

    /// Why something is refused or stopped; without it the host has a sentence of its own.
    fn why(&self) -> Option<String> {
        let texts = ["stopReason", "reason"].into_iter();
        let mut texts = texts.filter_map(|name| given(self.top.get(name)));
        texts.next()
    }

    fn call(&self) -> Behaviour {
        let own = self.within("permissionDecision").and_then(Value::as_str);
        let own = own.filter(|word| ["allow", "deny", "ask"].contains(word));
        let reason = given(self.within("permissionDecisionReason"));
        let reason = reason.or_else(|| given(self.top.get("reason")));
        match own.unwrap_or(self.word()) {
            "deny" | "block" => Behaviour {
                gate: REFUSED,
                model_sees: reason.or_else(|| self.why()).into_iter().collect(),
                ..Behaviour::default()
            },
            // The person reads it in the dialog; without a person the tool is refused, and the model reads it.
            "ask" => Behaviour {
                gate: Gate::AskedOf(Asked::Person),
                model_sees: reason.clone().into_iter().collect(),
                person_sees: reason.into_iter().collect(),
                ..Behaviour::default()
            },
            _ if self.stops() => Behaviour {
                gate: REFUSED,
                model_sees: self.why().into_iter().collect(),
                ..Behaviour::default()
            },
            _ => Behaviour::default(),
        }
    }

    /// A dialog is answered by its own object; exit code 2 leaves it to the person.
    fn dialog(&self) -> Behaviour {
        let Some(decision) = self.within("decision").filter(|value| value.is_object()) else {
            return Behaviour::default();
        };
        match decision.get("behavior").and_then(Value::as_str) {
            Some("allow") => Behaviour {
                gate: Gate::RunsWithoutPrompt,
                input: decision
                    .get("updatedInput")
                    .filter(|input| input.is_object())
                    .cloned(),
                ..Behaviour::default()
            },
            Some("deny") => Behaviour {
                gate: REFUSED,
                model_sees: given(decision.get("message")).into_iter().collect(),
                ..Behaviour::default()
            },
            _ => failed("`behavior` must be `allow` or `deny`".to_owned()),
        }
    }

    /// After a tool, at a start and at a prompt only a text for the model counts.
    fn told(&self) -> Behaviour {
        let told = given(self.within("additionalContext")).or_else(|| self.plain.clone());
        Behaviour {
            model_sees: told.into_iter().collect(),
            ..Behaviour::default()
        }
    }

    /// After a tool a stop ends nothing: its reason takes the place of the result.
    fn after(&self) -> Behaviour {
        let why = self.why().filter(|_| self.stops());
        Behaviour {
            result: why.map(Value::from),
            ..self.told()
        }
    }

    fn refused(&self) -> Behaviour {
        Behaviour {
            gate: REFUSED,
            person_sees: self.why().into_iter().collect(),
            ..Behaviour::default()
        }
    }

    /// Whatever wants a stop to end otherwise sends the agent on.
    fn stop(&self) -> Behaviour {
        if !self.refuses() && !self.stops() {
            return Behaviour::default();
        }
        Behaviour {
            gate: Gate::KeepsWorking,
            model_sees: self.why().into_iter().collect(),
            ..Behaviour::default()
        }
    }

    /// Names what came to nothing.
    fn drops(&self, answer: &Answer<'_>, done: &mut Behaviour) {
        let is_seen = |text: &str| {
            let mut all = done.model_sees.iter().chain(&done.person_sees);
            all.any(|seen| seen == text)
        };
        let dropped = |value: Option<&Value>| given(value).is_some_and(|text| !is_seen(&text));
        let mut ignored: Vec<&str> = Vec::new();
        let specific = ["permissionDecisionReason", "additionalContext"];
        ignored.extend(
            specific
                .into_iter()
                .filter(|name| dropped(self.within(name))),
        );
        let top = ["stopReason", "systemMessage", "reason"];
        ignored.extend(top.into_iter().filter(|name| dropped(self.top.get(*name))));
        if self.within("updatedInput").is_some() {
            ignored.push("updatedInput");
        }
        if self.stops() && done.gate == Gate::Runs {
            ignored.push("continue");
        }
        let stdout = text(answer.stdout);
        let is_plain = self.top.is_empty() && !stdout.is_empty() && stdout != "{}";
        if (is_plain && !is_seen(&stdout)) || (answer.exit == 2 && !stdout.is_empty()) {
            ignored.push("stdout");
        }
        if answer.exit == 2 && done.gate == Gate::Runs {
            done.errors.push("exit 2 does nothing here".to_owned());
        }
        done.ignored = ignored.into_iter().map(str::to_owned).collect();
        if self.broken {
            done.errors.push("the output is no JSON".to_owned());
        } else if !matches!(answer.exit, 0 | 2) && self.top.is_empty() {
            done.errors.push(format!("exit {}", answer.exit));
        }
    }
}

/// A text with something in it.
fn given(value: Option<&Value>) -> Option<String> {
    let text = value?.as_str()?;
    Some(text.to_owned()).filter(|text| !text.is_empty())
}
