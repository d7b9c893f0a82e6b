//! Gemini CLI, as its hooks reference and its source describe it, and as 0.61.0 did it where they leave it open.
//!
//! What counts is the first stream that has a text: standard output, else standard error, at any exit code. A JSON object
//! decides by itself; a plain text decides by the exit code, and every code from 2 on refuses, not only 2.
//!
//! `decision: ask` stands in the source and in no document. Before a tool it asks the person; where there is none the tool
//! does not run, and the run ends with 0 without a word, so that no text of it is claimed to reach anybody.

use serde_json::Value;

use crate::output::{Object, text};
use crate::{Answer, Asked, Behaviour, Gate, Reader};

/// The reader of Gemini CLI.
#[derive(Debug)]
pub(crate) struct GeminiCli;

/// What one event honours.
struct Row {
    event: &'static str,
    /// What `decision: deny` does; `None` where it is not read.
    deny: Option<Denied>,
    /// Whether `continue: false` stops the agent.
    stops: bool,
    /// Whether `systemMessage` is shown.
    shows: bool,
    /// The fields that count inside `hookSpecificOutput`.
    specific: &'static [(&'static str, Field)],
}

/// What a refusal does, and who reads its reason.
#[derive(Clone, Copy)]
enum Denied {
    /// The call fails with the reason.
    Tool,
    /// The prompt is thrown away, and the person is told why.
    Prompt,
    /// The turn is aborted, and the person is told why.
    Turn,
    /// The reason is the next prompt.
    End,
    /// The reason takes the place of the tool's result.
    Result,
    /// The model's answer is dropped.
    Response,
}

/// What a field inside `hookSpecificOutput` does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    /// A text for the model.
    Context,
    /// New arguments of a tool.
    Input,
    /// An answer of this host alone.
    Native,
    /// The same, but only beside a refusal.
    NativeIfDenied,
}

const fn row(event: &'static str, specific: &'static [(&'static str, Field)]) -> Row {
    Row {
        event,
        deny: None,
        stops: false,
        shows: true,
        specific,
    }
}

const fn gate(
    event: &'static str,
    deny: Denied,
    specific: &'static [(&'static str, Field)],
) -> Row {
    Row {
        deny: Some(deny),
        stops: true,
        ..row(event, specific)
    }
}

static ROWS: &[Row] = &[
    row("SessionStart", &[("additionalContext", Field::Context)]),
    row("SessionEnd", &[]),
    gate(
        "BeforeAgent",
        Denied::Prompt,
        &[("additionalContext", Field::Context)],
    ),
    gate(
        "AfterAgent",
        Denied::End,
        &[("clearContext", Field::Native)],
    ),
    gate("BeforeTool", Denied::Tool, &[("tool_input", Field::Input)]),
    gate(
        "AfterTool",
        Denied::Result,
        &[
            ("additionalContext", Field::Context),
            ("tailToolCallRequest", Field::Native),
        ],
    ),
    gate(
        "BeforeModel",
        Denied::Turn,
        &[
            ("llm_request", Field::Native),
            ("llm_response", Field::NativeIfDenied),
        ],
    ),
    gate(
        "AfterModel",
        Denied::Response,
        &[("llm_response", Field::Native)],
    ),
    Row {
        shows: false,
        ..row("BeforeToolSelection", &[("toolConfig", Field::Native)])
    },
    row("PreCompress", &[]),
    row("Notification", &[]),
];

impl Reader for GeminiCli {
    fn id(&self) -> &'static str {
        "gemini-cli"
    }

    fn reads(&self, answer: &Answer<'_>) -> Behaviour {
        let Some(row) = ROWS.iter().find(|row| row.event == answer.event) else {
            return Behaviour {
                errors: vec![format!("unknown event `{}`", answer.event)],
                ..Behaviour::default()
            };
        };
        let (stdout, stderr) = (text(answer.stdout), text(answer.stderr));
        let mut reading = Reading {
            row,
            payload: answer.payload,
            done: Behaviour::default(),
        };
        let said = if stdout.is_empty() { stderr } else { stdout };
        match parsed(&said) {
            Some(Value::Object(object)) => reading.object(&object),
            Some(_) => reading.done.ignored.push("stdout".to_owned()),
            None => reading.plain(said, answer.exit),
        }
        reading.done
    }
}

/// The host parses the whole text; where that gives a text, once more.
fn parsed(text: &str) -> Option<Value> {
    let value: Value = serde_json::from_str(text).ok()?;
    match value {
        Value::String(inner) => serde_json::from_str(&inner).ok(),
        other => Some(other),
    }
}

struct Reading<'a> {
    row: &'static Row,
    payload: &'a Value,
    done: Behaviour,
}

impl Reading<'_> {
    /// A text that is no JSON: the exit code says what it is. Death by a signal counts as success.
    fn plain(&mut self, said: String, exit: i32) {
        if said.is_empty() {
            return;
        }
        match exit {
            1 => self.show(format!("Warning: {said}")),
            code if code >= 2 => self.deny(said),
            _ => self.show(said),
        }
    }

    fn object(&mut self, object: &Object) {
        if let Some(message) = words(object, "systemMessage") {
            self.show(message);
        }
        let reason = words(object, "stopReason")
            .or_else(|| words(object, "reason"))
            .unwrap_or_else(|| "No reason provided".to_owned());
        let decision = object.get("decision").and_then(Value::as_str);
        let denies = matches!(decision, Some("deny" | "block"));
        let asks = decision == Some("ask") && matches!(self.row.deny, Some(Denied::Tool));
        if asks {
            self.done.gate = Gate::AskedOf(Asked::Person);
            // Without a person the run ends here, and says nothing.
            self.done.stops_agent = Some(String::new());
        } else if decision.is_some() && !denies {
            self.done.ignored.push("decision".to_owned());
        }
        if denies {
            self.deny(reason.clone());
        }
        if object.get("continue") == Some(&Value::Bool(false)) {
            self.stop(reason);
        }
        if let Some(Value::Object(specific)) = object.get("hookSpecificOutput") {
            self.specific(specific, denies);
        }
    }

    fn show(&mut self, message: String) {
        if self.row.shows {
            self.done.person_sees.push(message);
        } else {
            self.done.ignored.push("systemMessage".to_owned());
        }
    }

    fn deny(&mut self, reason: String) {
        let Some(denied) = self.row.deny else {
            self.done.ignored.push("decision".to_owned());
            return;
        };
        let (gate, model, person) = match denied {
            Denied::Tool => (Gate::Refused { erased: false }, true, false),
            Denied::Prompt => (Gate::Refused { erased: true }, false, true),
            Denied::Turn => (Gate::Refused { erased: false }, false, true),
            Denied::End => (Gate::KeepsWorking, true, false),
            Denied::Result => (Gate::Runs, true, false),
            Denied::Response => (Gate::Refused { erased: true }, true, true),
        };
        self.done.gate = gate;
        if matches!(denied, Denied::Result) {
            self.done.result = Some(Value::from(reason.as_str()));
        }
        if model {
            self.done.model_sees.push(reason.clone());
        }
        if person {
            self.done.person_sees.push(reason);
        }
    }

    fn stop(&mut self, reason: String) {
        if !self.row.stops {
            self.done.ignored.push("continue".to_owned());
            return;
        }
        if self.done.gate == Gate::KeepsWorking {
            // It is no prompt any more.
            self.done.model_sees.retain(|text| *text != reason);
        }
        self.done.gate = Gate::Stops;
        self.done.stops_agent = Some(reason);
    }

    fn specific(&mut self, specific: &Object, denies: bool) {
        for (name, value) in specific {
            if name == "hookEventName" {
                continue;
            }
            let known = self.row.specific.iter().find(|(field, _)| field == name);
            let Some((_, field)) = known else {
                self.ignore(name);
                continue;
            };
            match (field, value) {
                // A prompt that was thrown away takes what was beside it with it.
                (Field::Context, Value::String(context)) if !self.is_gone() => {
                    let escaped = context.replace('<', "&lt;").replace('>', "&gt;");
                    self.done.model_sees.push(escaped);
                }
                (Field::Input, Value::Object(input)) if !self.is_gone() => self.input(input),
                (Field::Native, value) => self.native(name, value),
                (Field::NativeIfDenied, value) if denies => self.native(name, value),
                _ => self.ignore(name),
            }
        }
    }

    fn is_gone(&self) -> bool {
        let denied = self.row.deny;
        let is_before = matches!(denied, Some(Denied::Prompt | Denied::Tool));
        is_before && !matches!(self.done.gate, Gate::Runs | Gate::AskedOf(_))
    }

    /// The document says that the given arguments are merged into those that are there. (The source takes the given
    /// object alone. A writer that sends all of them is safe either way.)
    fn input(&mut self, input: &Object) {
        let own = self.payload.get("tool_input").and_then(Value::as_object);
        let mut merged = own.cloned().unwrap_or_default();
        merged.extend(input.clone());
        self.done.input = Some(Value::Object(merged));
    }

    fn native(&mut self, name: &str, value: &Value) {
        self.done.native.push((name.to_owned(), value.clone()));
    }

    fn ignore(&mut self, name: &str) {
        self.done.ignored.push(format!("hookSpecificOutput.{name}"));
    }
}

/// A text of the answer; an empty one counts as none.
fn words(object: &Object, name: &str) -> Option<String> {
    let text = object.get(name)?.as_str()?;
    (!text.is_empty()).then(|| text.to_owned())
}
