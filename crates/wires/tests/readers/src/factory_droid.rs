//! Factory Droid, as 0.215.0 was seen to act.
//!
//! Its documents promise more than it does: a question is only written to its log, in every permission mode; a prompt, a
//! result and a compaction are refused by the exit code alone; the end of a sub-agent and the start of a session by nothing.
//! JSON counts at every exit code, and the event that it names does not matter.

use serde_json::{Map, Value};

use crate::output::text;
use crate::{Answer, Behaviour, Gate, Reader};

/// The reader of Factory Droid.
#[derive(Debug)]
pub(crate) struct FactoryDroid;

impl Reader for FactoryDroid {
    fn id(&self) -> &'static str {
        "factory-droid"
    }

    fn reads(&self, answer: &Answer<'_>) -> Behaviour {
        let said = Said::new(answer);
        let mut done = match answer.event {
            "PreToolUse" => said.call(answer.payload),
            "PostToolUse" => said.result(),
            "UserPromptSubmit" => said.prompt(),
            "Stop" => said.stop(),
            "PreCompact" => said.compaction(),
            "SessionStart" => said.start(),
            "Notification" | "SubagentStop" | "SessionEnd" => Behaviour::default(),
            event => return failed(format!("unknown event `{event}`")),
        };
        said.drops(&mut done);
        done
    }
}

fn failed(why: String) -> Behaviour {
    Behaviour {
        errors: vec![why],
        ..Behaviour::default()
    }
}

const REFUSED: Gate = Gate::Refused { erased: false };

/// What a hook left behind.
struct Said {
    exit: i32,
    stdout: String,
    stderr: String,
    /// The object on the standard output.
    top: Option<Map<String, Value>>,
}

impl Said {
    fn new(answer: &Answer<'_>) -> Self {
        let stdout = text(answer.stdout);
        let top = stdout
            .starts_with('{')
            .then(|| serde_json::from_str(&stdout).ok());
        Self {
            exit: answer.exit,
            stderr: text(answer.stderr),
            top: top.flatten(),
            stdout,
        }
    }

    fn top(&self, name: &str) -> Option<&Value> {
        self.top.as_ref()?.get(name)
    }

    fn within(&self, name: &str) -> Option<&Value> {
        self.top("hookSpecificOutput")?.get(name)
    }

    fn text(&self, name: &str) -> Option<String> {
        given(self.top(name))
    }

    fn stops(&self) -> bool {
        self.top("continue") == Some(&Value::Bool(false))
    }

    /// The standard error, where there is a word on it.
    fn words(&self) -> Option<String> {
        Some(self.stderr.clone()).filter(|text| !text.is_empty())
    }

    fn call(&self, payload: &Value) -> Behaviour {
        if self.stops() {
            return halts(self.text("stopReason"));
        }
        if self.exit == 3 {
            return halts(self.words());
        }
        let refused = |why: Option<String>| Behaviour {
            gate: REFUSED,
            model_sees: why.into_iter().collect(),
            ..Behaviour::default()
        };
        let decision = self.within("permissionDecision").and_then(Value::as_str);
        if decision == Some("deny") {
            return refused(given(self.within("permissionDecisionReason")));
        }
        if self.exit == 2 {
            return refused(self.words());
        }
        Behaviour {
            gate: match decision {
                Some("allow") => Gate::RunsWithoutPrompt,
                _ => Gate::Runs,
            },
            input: self.input(payload),
            // It is put before the result of the tool.
            model_sees: self
                .words()
                .filter(|_| self.exit == 1)
                .into_iter()
                .collect(),
            ..Behaviour::default()
        }
    }

    /// New arguments are laid over the old ones, whatever was decided. It keeps its own rules for them.
    fn input(&self, payload: &Value) -> Option<Value> {
        let new = self.within("updatedInput")?.as_object()?;
        let old = payload.get("tool_input").and_then(Value::as_object);
        let mut input = old.cloned().unwrap_or_default();
        input.extend(new.clone());
        Some(Value::Object(input))
    }

    fn result(&self) -> Behaviour {
        if self.stops() {
            return halts(self.text("stopReason"));
        }
        let mut done = Behaviour {
            model_sees: given(self.within("additionalContext"))
                .into_iter()
                .collect(),
            person_sees: self.text("systemMessage").into_iter().collect(),
            ..Behaviour::default()
        };
        match self.exit {
            1 => done.person_sees.extend(self.words()),
            2 => done.model_sees.extend(self.words()),
            3 => {
                done.gate = Gate::Stops;
                done.stops_agent = Some(self.stderr.clone());
            }
            _ => {}
        }
        done
    }

    fn prompt(&self) -> Behaviour {
        if matches!(self.exit, 2 | 3) || self.stops() {
            let why = self.words().or_else(|| self.text("stopReason"));
            return Behaviour {
                gate: REFUSED,
                person_sees: why
                    .or_else(|| self.text("systemMessage"))
                    .into_iter()
                    .collect(),
                ..Behaviour::default()
            };
        }
        self.start()
    }

    /// A block without a reason ends nothing, and one with a reason sends the agent on, also beside `continue: false`.
    fn stop(&self) -> Behaviour {
        let mut done = Behaviour::default();
        if self.stops() {
            done = halts(self.text("stopReason"));
        }
        done.person_sees.extend(self.text("systemMessage"));
        let blocks = self.top("decision").is_some_and(|word| word == "block");
        let reason = if blocks {
            self.text("reason")
        } else {
            self.words().filter(|_| self.exit == 2)
        };
        let is_sent_on = (self.exit == 2 && !blocks) || reason.is_some();
        if is_sent_on {
            done.gate = Gate::KeepsWorking;
            done.model_sees.extend(reason);
        } else if self.exit == 1 {
            done.person_sees.extend(self.words());
        }
        done
    }

    fn compaction(&self) -> Behaviour {
        let gate = match self.exit {
            2 | 3 => REFUSED,
            _ => Gate::Runs,
        };
        Behaviour {
            gate,
            ..Behaviour::default()
        }
    }

    fn start(&self) -> Behaviour {
        let plain = Some(self.stdout.clone()).filter(|text| self.top.is_none() && !text.is_empty());
        let told = given(self.within("additionalContext")).or(plain);
        Behaviour {
            model_sees: told.filter(|_| self.exit == 0).into_iter().collect(),
            ..Behaviour::default()
        }
    }

    /// Names what came to nothing: each text without a reader, and each word that did nothing.
    fn drops(&self, done: &mut Behaviour) {
        let is_seen = |text: &str| {
            let mut all = done.model_sees.iter().chain(&done.person_sees);
            all.any(|seen| seen == text)
        };
        let dropped = |value: Option<&Value>| given(value).is_some_and(|text| !is_seen(&text));
        let specific = ["permissionDecisionReason", "additionalContext"];
        let top = ["stopReason", "systemMessage", "reason"];
        let mut ignored: Vec<&str> = Vec::new();
        ignored.extend(
            specific
                .into_iter()
                .filter(|name| dropped(self.within(name))),
        );
        ignored.extend(top.into_iter().filter(|name| dropped(self.top(name))));
        if done.input.is_none() && self.within("updatedInput").is_some() {
            ignored.push("updatedInput");
        }
        if self.stops() && matches!(done.gate, Gate::Runs | Gate::KeepsWorking) {
            ignored.push("continue");
        }
        if self
            .within("permissionDecision")
            .is_some_and(|word| word == "ask")
            && done.gate == Gate::Runs
        {
            ignored.push("permissionDecision");
        }
        if self.top.is_none() && !self.stdout.is_empty() && !is_seen(&self.stdout) {
            ignored.push("stdout");
        }
        if self.words().is_some_and(|words| !is_seen(&words)) {
            ignored.push("stderr");
        }
        done.ignored = ignored.into_iter().map(str::to_owned).collect();
        if self.stdout.starts_with('{') && self.top.is_none() {
            done.errors.push("stdout is no JSON".to_owned());
        }
        if !matches!(self.exit, 0 | 2 | 3) && self.top.is_none() {
            done.errors.push(format!("exit {}", self.exit));
        }
    }
}

fn halts(why: Option<String>) -> Behaviour {
    Behaviour {
        gate: Gate::Stops,
        stops_agent: Some(why.clone().unwrap_or_default()),
        person_sees: why.into_iter().collect(),
        ..Behaviour::default()
    }
}

/// A text with something in it.
fn given(value: Option<&Value>) -> Option<String> {
    let text = value?.as_str()?;
    Some(text.to_owned()).filter(|text| !text.is_empty())
}
