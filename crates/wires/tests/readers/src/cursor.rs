//! Cursor, as its hooks reference describes it.
//!
//! Two things are not settled there, and this reader takes each for the worse. An answer on a gate that is no JSON, or
//! that does not fit, lets the action through by the documents, and blocks it by what people have measured: here it runs,
//! and is an error. And whether `permission: allow` skips the host's own question is said nowhere: here it does.
//!
//! How often a follow-up counts is a setting of the entry (`loop_limit`); this reader knows its default only.

use serde_json::Value;

use crate::output::{Kind, Object, field, text, text_field, word};
use crate::{Answer, Asked, Behaviour, Gate, Reader};

mod rows;

#[cfg(test)]
mod tests;

use rows::{FollowUp, Power, Row, row};

/// The reader of Cursor.
#[derive(Debug)]
pub(crate) struct Cursor;

impl Reader for Cursor {
    fn id(&self) -> &'static str {
        "cursor"
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
            0 => reading.success(&text(answer.stdout)),
            2 if row.power.is_gate() => reading.done.gate = REFUSED,
            2 => reading.done.ignored.push("exit code 2".to_owned()),
            code => reading.done.errors.push(format!("exit code {code}")),
        }
        if answer.exit != 0 {
            reading.drops("stdout", answer.stdout);
        }
        reading.drops("stderr", answer.stderr);
        reading.done
    }

    /// Under `failClosed` a gate is refused by whatever failed.
    fn reads_closed(&self, answer: &Answer<'_>) -> Behaviour {
        let mut done = self.reads(answer);
        let is_gate = row(answer.event).is_some_and(|row| row.power.is_gate());
        if is_gate && !done.errors.is_empty() {
            done.gate = REFUSED;
        }
        done
    }
}

const REFUSED: Gate = Gate::Refused { erased: false };

/// The follow-ups after which the host sends no more, where an entry says nothing else.
const LOOP_LIMIT: u64 = 5;

struct Reading<'a> {
    row: &'static Row,
    payload: &'a Value,
    done: Behaviour,
}

/// The words of a valid answer.
struct Said {
    permission: Option<String>,
    goes_on: bool,
    user: Option<String>,
    agent: Option<String>,
    context: Option<String>,
    follow_up: Option<String>,
}

impl Reading<'_> {
    fn drops(&mut self, name: &str, bytes: &[u8]) {
        if !text(bytes).is_empty() {
            self.done.ignored.push(name.to_owned());
        }
    }

    fn success(&mut self, stdout: &str) {
        if stdout.is_empty() && !self.row.power.is_gate() {
            return;
        }
        match serde_json::from_str::<Value>(stdout) {
            Ok(Value::Object(object)) => match self.said(&object) {
                Ok(said) => self.does(&object, said),
                Err(why) => self.done.errors.push(why),
            },
            Ok(_) => self.done.errors.push("stdout is no object".to_owned()),
            Err(why) => {
                let error = format!("stdout is no JSON: {why}");
                self.done.errors.push(error);
            }
        }
    }

    /// Checks the whole answer before anything of it counts.
    fn said(&self, object: &Object) -> Result<Said, String> {
        let words = match self.row.power {
            Power::Permission(words) => word(object, "permission", words)?,
            Power::Continue | Power::FollowUp(_) | Power::Nothing => None,
        };
        if matches!(self.row.power, Power::Permission(_)) && words.is_none() {
            return Err("a gate without a `permission`".to_owned());
        }
        let goes_on = field(object, "continue", Kind::Flag)?;
        Ok(Said {
            permission: words.map(str::to_owned),
            goes_on: goes_on != Some(&Value::Bool(false)),
            user: text_field(object, "user_message")?,
            agent: text_field(object, "agent_message")?,
            context: text_field(object, "additional_context")?,
            follow_up: text_field(object, "followup_message")?,
        })
    }

    fn does(&mut self, object: &Object, said: Said) {
        for name in object.keys() {
            if !self.row.fields.contains(&&**name) {
                self.done.ignored.push(name.clone());
            }
        }
        self.gate(&said);
        let has = |name: &str| self.row.fields.contains(&name);
        let refused = self.done.gate == REFUSED;
        if let Some(user) = said.user.filter(|_| has("user_message")) {
            let is_shown = refused || self.row.power != Power::Continue;
            self.tell(is_shown, "user_message", user, Whom::Person);
        }
        if let Some(agent) = said.agent.filter(|_| has("agent_message")) {
            let is_read = !matches!(self.done.gate, Gate::Runs | Gate::RunsWithoutPrompt);
            self.tell(is_read, "agent_message", agent, Whom::Model);
        }
        if let Some(context) = said.context.filter(|_| has("additional_context")) {
            let is_read = !self.row.drops_context || !is_before_3_13(self.payload);
            self.tell(is_read, "additional_context", context, Whom::Model);
        }
        if let (Power::FollowUp(when), Some(text)) = (self.row.power, said.follow_up) {
            let counts = !text.is_empty() && self.follows(when);
            if counts {
                self.done.gate = Gate::KeepsWorking;
            }
            self.tell(counts, "followup_message", text, Whom::Model);
        }
        self.values(object);
    }

    fn gate(&mut self, said: &Said) {
        self.done.gate = match (self.row.power, said.permission.as_deref()) {
            (Power::Permission(_), Some("deny")) => REFUSED,
            (Power::Permission(_), Some("ask")) => match self.row.ask {
                Gate::Runs => {
                    self.done.ignored.push("permission".to_owned());
                    Gate::Runs
                }
                gate => gate,
            },
            (Power::Permission(_), _) => Gate::RunsWithoutPrompt,
            (Power::Continue, _) if !said.goes_on => REFUSED,
            _ => Gate::Runs,
        };
    }

    fn follows(&self, when: FollowUp) -> bool {
        let loops = self.payload.get("loop_count").and_then(Value::as_u64);
        let status = self.payload.get("status").and_then(Value::as_str);
        let is_complete = when == FollowUp::Always || status == Some("completed");
        loops.unwrap_or(0) < LOOP_LIMIT && is_complete
    }

    fn tell(&mut self, counts: bool, name: &str, text: String, whom: Whom) {
        match whom {
            _ if !counts => self.done.ignored.push(name.to_owned()),
            Whom::Person => self.done.person_sees.push(text),
            Whom::Model => self.done.model_sees.push(text),
        }
    }

    /// The fields that are no texts.
    fn values(&mut self, object: &Object) {
        let given = |name: &str, kind: Kind| {
            let is_known = self.row.fields.contains(&name);
            let value = field(object, name, kind);
            is_known.then_some(value)
        };
        let input = given("updated_input", Kind::Object);
        let output = given("updated_mcp_tool_output", Kind::Object);
        let natives = [
            ("env", given("env", Kind::Object)),
            ("pluginPaths", given("pluginPaths", Kind::List)),
        ];
        let runs = matches!(self.done.gate, Gate::Runs | Gate::RunsWithoutPrompt);
        match input {
            Some(Ok(Some(input))) if runs => self.done.input = Some(input.clone()),
            Some(Ok(Some(_))) => self.done.ignored.push("updated_input".to_owned()),
            Some(Err(why)) => self.invalid(why),
            Some(Ok(None)) | None => {}
        }
        let tool = self.payload.get("tool_name").and_then(Value::as_str);
        match output {
            Some(Ok(Some(output))) if tool.is_some_and(|tool| tool.starts_with("MCP:")) => {
                self.done.result = Some(output.clone());
            }
            Some(Ok(Some(_))) => {
                let name = "updated_mcp_tool_output".to_owned();
                self.done.ignored.push(name);
            }
            Some(Err(why)) => self.invalid(why),
            Some(Ok(None)) | None => {}
        }
        for (name, value) in natives {
            match value {
                Some(Ok(Some(value))) => self.done.native.push((name.to_owned(), value.clone())),
                Some(Err(why)) => self.invalid(why),
                Some(Ok(None)) | None => {}
            }
        }
    }

    /// Of an answer that does not fit nothing counts.
    fn invalid(&mut self, why: String) {
        self.done = Behaviour {
            errors: vec![why],
            ..Behaviour::default()
        };
    }
}

#[derive(Clone, Copy)]
enum Whom {
    Person,
    Model,
}

/// Tells whether the payload comes from a desktop version that was seen to drop what a session begins with. The versions
/// of the command line are dates, which are greater.
fn is_before_3_13(payload: &Value) -> bool {
    let version = payload.get("cursor_version").and_then(Value::as_str);
    let mut parts = version
        .unwrap_or_default()
        .split(['.', '-'])
        .map(str::parse::<u64>);
    let (Some(Ok(major)), Some(Ok(minor))) = (parts.next(), parts.next()) else {
        return false;
    };
    (major, minor) < (3, 13)
}

/// Who is asked on the two events that can ask.
const PERSON: Gate = Gate::AskedOf(Asked::Person);
