//! Hosts that took over Claude Code's form without a strict schema, as their protocol pages describe them.
// no row: what several readers share; each of them has a file and a row of its own.
//!
//! A page that leaves something open is read so that a mistake shows: a text that may be dropped is dropped, a rewrite that
//! may be dropped is dropped, and an answer for another event is no answer.

use serde_json::{Map, Value};

use crate::output::{Kind, field, text, text_field, word};
use crate::{Answer, Asked, Behaviour, Gate};

mod row;

#[cfg(test)]
mod tests;

pub(crate) use row::{Effect, Exit2, Heard, Input, Relative, Row, Specific, silent};

impl Relative {
    /// Tells what this host does with an answer.
    pub(crate) fn reads(&self, answer: &Answer<'_>) -> Behaviour {
        let Some(row) = self.rows.iter().find(|row| row.event == answer.event) else {
            return failed(format!("unknown event `{}`", answer.event));
        };
        let (stdout, stderr) = (text(answer.stdout), text(answer.stderr));
        match answer.exit {
            0 if stdout.starts_with('{') => self.json(row, answer.payload, &stdout),
            0 => plain(row, stdout),
            2 => exit_2(row, &stderr),
            code => failed(format!("exit {code}")),
        }
    }

    fn json(&self, row: &Row, payload: &Value, stdout: &str) -> Behaviour {
        let read = serde_json::from_str::<Map<String, Value>>(stdout)
            .map_err(|why| format!("stdout is not valid JSON: {why}"))
            .and_then(|object| self.interpret(row, payload, &object));
        read.unwrap_or_else(|why| Behaviour {
            ignored: vec!["stdout".to_owned()],
            ..failed(why)
        })
    }

    fn interpret(
        &self,
        row: &Row,
        payload: &Value,
        object: &Map<String, Value>,
    ) -> Result<Behaviour, String> {
        let mut done = Behaviour::default();
        if let Some(effect) = row.decision
            && word(
                object,
                "decision",
                &["block", "deny", "allow", "ask", "approve"],
            )?
            .is_some_and(|said| said == "block" || said == "deny")
        {
            refuse(&mut done, effect, text_field(object, "reason")?);
        }
        if let Some(specific) = field(object, "hookSpecificOutput", Kind::Object)?
            && let Some(specific) = specific.as_object()
        {
            self.specific(row, payload, specific, &mut done)?;
        }
        if let Some(text) = text_field(object, "systemMessage")? {
            let is_shown = row.message == Heard::Yes;
            told(
                &mut done.person_sees,
                &mut done.ignored,
                is_shown,
                "systemMessage",
                text,
            );
        }
        stop(row, &mut done, object)?;
        Ok(done)
    }

    fn specific(
        &self,
        row: &Row,
        payload: &Value,
        specific: &Map<String, Value>,
        done: &mut Behaviour,
    ) -> Result<(), String> {
        if specific.get("hookEventName") != Some(&row.event.into()) {
            done.ignored.push("hookSpecificOutput".to_owned());
            return Ok(());
        }
        match row.specific {
            Specific::Nothing => {}
            Specific::Permission => self.permission(done, payload, specific)?,
            Specific::Dialog => self.dialog(done, payload, specific)?,
        }
        // Nobody tells whether a text beside a refusal is kept.
        let is_kept = row.context == Heard::Yes && !matches!(done.gate, Gate::Refused { .. });
        if let Some(text) = text_field(specific, "additionalContext")? {
            let (seen, ignored) = (&mut done.model_sees, &mut done.ignored);
            told(seen, ignored, is_kept, "additionalContext", text);
        }
        Ok(())
    }

    fn permission(
        &self,
        done: &mut Behaviour,
        payload: &Value,
        specific: &Map<String, Value>,
    ) -> Result<(), String> {
        let reason = text_field(specific, "permissionDecisionReason")?;
        match word(specific, "permissionDecision", &["allow", "deny", "ask"])? {
            Some("allow") => done.gate = Gate::RunsWithoutPrompt,
            Some("ask") => {
                done.gate = Gate::AskedOf(Asked::Person);
                done.person_sees.extend(reason);
            }
            Some(_) => refuse(done, Effect::Action, reason),
            None => {}
        }
        self.updated(done, payload, specific)
    }

    fn dialog(
        &self,
        done: &mut Behaviour,
        payload: &Value,
        specific: &Map<String, Value>,
    ) -> Result<(), String> {
        let decision = field(specific, "decision", Kind::Object)?;
        let Some(decision) = decision.and_then(Value::as_object) else {
            return Ok(());
        };
        match word(decision, "behavior", &["allow", "deny"])? {
            Some("allow") => done.gate = Gate::RunsWithoutPrompt,
            Some(_) => refuse(done, Effect::Action, text_field(decision, "message")?),
            None => {}
        }
        self.updated(done, payload, decision)
    }

    /// New arguments count with an approval; with anything else they may be dropped.
    fn updated(
        &self,
        done: &mut Behaviour,
        payload: &Value,
        object: &Map<String, Value>,
    ) -> Result<(), String> {
        let Some(new) = field(object, "updatedInput", Kind::Object)?.and_then(Value::as_object)
        else {
            return Ok(());
        };
        if object.get("permissionDecision").or(object.get("behavior")) != Some(&"allow".into()) {
            done.ignored.push("updatedInput".to_owned());
            return Ok(());
        }
        let old = payload.get("tool_input").and_then(Value::as_object);
        let mut input = match self.input {
            Input::Replaces => Map::new(),
            Input::Merges => old.cloned().unwrap_or_default(),
        };
        input.extend(new.clone());
        done.input = Some(Value::Object(input));
        Ok(())
    }
}

fn failed(why: String) -> Behaviour {
    Behaviour {
        errors: vec![why],
        ..Behaviour::default()
    }
}

fn told(
    seen: &mut Vec<String>,
    ignored: &mut Vec<String>,
    is_heard: bool,
    name: &str,
    text: String,
) {
    if is_heard {
        seen.push(text);
    } else {
        ignored.push(name.to_owned());
    }
}

fn plain(row: &Row, stdout: String) -> Behaviour {
    let mut done = Behaviour::default();
    if !stdout.is_empty() {
        let is_heard = row.text == Heard::Yes;
        told(
            &mut done.model_sees,
            &mut done.ignored,
            is_heard,
            "stdout",
            stdout,
        );
    }
    done
}

fn exit_2(row: &Row, stderr: &str) -> Behaviour {
    let mut done = Behaviour::default();
    match row.exit_2 {
        Exit2::Refuses(effect) => {
            let reason = Some(stderr.to_owned()).filter(|text| !text.is_empty());
            refuse(&mut done, effect, reason);
        }
        Exit2::Shows => done.person_sees.push(stderr.to_owned()),
        Exit2::Ignored => return failed("exit 2 does nothing here".to_owned()),
    }
    done
}

fn refuse(done: &mut Behaviour, effect: Effect, reason: Option<String>) {
    match effect {
        Effect::Prompt | Effect::Action => done.gate = Gate::Refused { erased: false },
        Effect::Stop => done.gate = Gate::KeepsWorking,
        Effect::Feedback => {}
    }
    match effect {
        Effect::Prompt => done.person_sees.extend(reason),
        Effect::Action | Effect::Feedback | Effect::Stop => done.model_sees.extend(reason),
    }
}

fn stop(row: &Row, done: &mut Behaviour, object: &Map<String, Value>) -> Result<(), String> {
    let stops = field(object, "continue", Kind::Flag)? == Some(&Value::Bool(false));
    let reason = text_field(object, "stopReason")?;
    if !stops {
        return Ok(());
    }
    if row.stop == Heard::No {
        done.ignored.push("continue".to_owned());
        return Ok(());
    }
    done.gate = Gate::Stops;
    done.stops_agent = Some(reason.clone().unwrap_or_default());
    done.person_sees.extend(reason);
    Ok(())
}
