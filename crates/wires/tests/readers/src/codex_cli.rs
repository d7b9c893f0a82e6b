//! Codex CLI, as its protocol page describes it, and as 0.169.0 was seen to act.
//!
//! What sets this host apart is that it is strict and open at once: an answer with one word too many counts as a failed
//! hook, and after a failed hook the action goes ahead. A reader that overlooked a strange key would call a gate shut
//! that stands open.

use serde_json::Value;

use crate::output::{Kind, Object, field, text, text_field, word};
use crate::{Answer, Behaviour, Gate, Reader};

mod decision;
mod rows;

use decision::{dialog, permission};
use rows::{Effect, Row, Specific, Stop, Text, is_event, row};

/// The reader of Codex CLI.
#[derive(Debug)]
pub(crate) struct CodexCli;

/// Texts for the model above this many tokens go to a file, and the model sees both ends of them.
const CONTEXT_LIMIT: usize = 2500;
/// How many bytes the host takes for a token.
const TOKEN: usize = 4;

impl Reader for CodexCli {
    fn id(&self) -> &'static str {
        "codex-cli"
    }

    fn reads(&self, answer: &Answer<'_>) -> Behaviour {
        let Some(row) = row(answer.event) else {
            return failed(format!("unknown event `{}`", answer.event));
        };
        let (stdout, stderr) = (text(answer.stdout), text(answer.stderr));
        match answer.exit {
            0 if stdout.starts_with(['{', '[']) => json(row, answer.payload, &stdout),
            0 => plain(row, &stdout),
            2 => exit_2(row, &stdout, &stderr),
            code => {
                let mut done = failed(format!("exit {code}"));
                drops(&mut done, "stdout", &stdout);
                drops(&mut done, "stderr", &stderr);
                done
            }
        }
    }
}

/// A hook run that failed: the host says so and goes on.
fn failed(why: String) -> Behaviour {
    Behaviour {
        errors: vec![why],
        ..Behaviour::default()
    }
}

fn drops(done: &mut Behaviour, name: &str, text: &str) {
    if !text.is_empty() {
        done.ignored.push(name.to_owned());
    }
}

/// Exit code 2 refuses where the event can be refused, and only with a reason.
fn exit_2(row: &Row, stdout: &str, stderr: &str) -> Behaviour {
    let mut done = match row.exit_2 {
        Some(effect) if !stderr.is_empty() => {
            let mut done = Behaviour::default();
            refuse(&mut done, effect, stderr);
            done
        }
        Some(_) => failed("exit 2 without a word on stderr".to_owned()),
        None => {
            let mut done = failed("exit 2 refuses nothing here".to_owned());
            drops(&mut done, "stderr", stderr);
            done
        }
    };
    drops(&mut done, "stdout", stdout);
    done
}

fn plain(row: &Row, stdout: &str) -> Behaviour {
    let mut done = Behaviour::default();
    match row.text {
        _ if stdout.is_empty() => {}
        Text::Context => tell_model(&mut done, stdout),
        Text::Ignored => drops(&mut done, "stdout", stdout),
        Text::Fails => return failed("stdout must be JSON or empty".to_owned()),
    }
    done
}

fn json(row: &Row, payload: &Value, stdout: &str) -> Behaviour {
    let read = serde_json::from_str::<Object>(stdout)
        .map_err(|why| format!("stdout does not fit the schema: {why}"))
        .and_then(|object| interpret(row, payload, &object));
    read.unwrap_or_else(|why| Behaviour {
        ignored: vec!["stdout".to_owned()],
        ..failed(why)
    })
}

/// Tells the model a text; of one over the limit it sees the two ends.
fn tell_model(done: &mut Behaviour, said: &str) {
    if said.len() <= CONTEXT_LIMIT * TOKEN {
        done.model_sees.push(said.to_owned());
        return;
    }
    let half = CONTEXT_LIMIT * TOKEN / 2;
    let head: String = said.chars().take(half).collect();
    let tail: Vec<char> = said.chars().rev().take(half).collect();
    let tail: String = tail.into_iter().rev().collect();
    done.model_sees.push(format!("{head}…{tail}"));
    done.ignored
        .push("the middle of a text over the limit".to_owned());
}

fn refuse(done: &mut Behaviour, effect: Effect, reason: &str) {
    match effect {
        Effect::Prompt | Effect::Call => done.gate = Gate::Refused { erased: false },
        Effect::Result => done.result = Some(reason.into()),
        Effect::Stop => done.gate = Gate::KeepsWorking,
    }
    let heard_by = match effect {
        Effect::Prompt => &mut done.person_sees,
        Effect::Call | Effect::Result | Effect::Stop => &mut done.model_sees,
    };
    heard_by.extend(Some(reason.to_owned()).filter(|text| !text.is_empty()));
}

/// Reads an answer by its event's closed schema. Whatever does not fit fails the run as a whole.
fn interpret(row: &Row, payload: &Value, object: &Object) -> Result<Behaviour, String> {
    closed(object, &row.keys())?;
    let mut done = Behaviour::default();
    let goes_on = field(object, "continue", Kind::Flag)? != Some(&Value::Bool(false));
    let stop_reason = text_field(object, "stopReason")?;
    let hides = field(object, "suppressOutput", Kind::Flag)? == Some(&Value::Bool(true));
    if hides && row.rejects_hiding {
        return Err("`suppressOutput` is not supported here".to_owned());
    }
    let message = text_field(object, "systemMessage")?;
    let reason = decision(row, object)?;
    let mut is_own = true;
    if let Some(specific) = field(object, "hookSpecificOutput", Kind::Object)? {
        let specific = specific.as_object().ok_or("not an object")?;
        is_own = named(row, specific)?;
        match row.specific {
            Specific::None => return Err("`hookSpecificOutput` is unknown here".to_owned()),
            Specific::Context => context(&mut done, specific)?,
            Specific::Result => {
                closed(
                    specific,
                    &["hookEventName", "additionalContext", "updatedMCPToolOutput"],
                )?;
                if field(specific, "updatedMCPToolOutput", Kind::Any)?.is_some() {
                    return Err("`updatedMCPToolOutput` is not supported".to_owned());
                }
                tell(&mut done, specific)?;
            }
            Specific::Permission => permission(&mut done, payload, specific)?,
            Specific::Dialog => dialog(&mut done, specific)?,
        }
    }
    if !is_own && !matches!(done.gate, Gate::Refused { .. }) {
        return Err(format!("`hookEventName` must be `{}`", row.event));
    }
    // A stop of the agent beside a refusal of it leaves the reason unheard.
    let is_unheard = !goes_on && matches!(row.stop, Stop::Agent);
    match reason {
        Some((Effect::Stop, _)) if is_unheard => done.ignored.push("reason".to_owned()),
        Some((effect, reason)) => refuse(&mut done, effect, &reason),
        None => {}
    }
    stop(row, &mut done, goes_on, stop_reason)?;
    done.person_sees.extend(message);
    Ok(done)
}

/// Reads the word `decision`: `block` with a reason, or none of the two.
fn decision(row: &Row, object: &Object) -> Result<Option<(Effect, String)>, String> {
    let Some(effect) = row.decision else {
        return Ok(None);
    };
    let said = word(object, "decision", &["block"])?;
    let reason = text_field(object, "reason")?;
    let is_given = reason
        .as_deref()
        .is_some_and(|text| !text.trim().is_empty());
    match (said, reason) {
        (None, None) => Ok(None),
        (None, Some(_)) => Err("`reason` without `decision`".to_owned()),
        (Some(_), Some(reason)) if is_given => Ok(Some((effect, reason))),
        (Some(_), _) => Err("`decision: block` without `reason`".to_owned()),
    }
}

/// Reads `continue: false`.
fn stop(
    row: &Row,
    done: &mut Behaviour,
    goes_on: bool,
    reason: Option<String>,
) -> Result<(), String> {
    if matches!(row.stop, Stop::Rejected) && (!goes_on || reason.is_some()) {
        return Err("`continue: false` and `stopReason` are not supported here".to_owned());
    }
    if goes_on {
        done.ignored.extend(reason.map(|_| "stopReason".to_owned()));
        return Ok(());
    }
    match row.stop {
        Stop::Agent => {
            done.gate = Gate::Stops;
            done.stops_agent = Some(reason.clone().unwrap_or_default());
        }
        Stop::Action => done.gate = Gate::Refused { erased: false },
        Stop::Result => {
            if let Some(reason) = reason.filter(|text| !text.is_empty()) {
                refuse(done, Effect::Result, &reason);
            }
            return Ok(());
        }
        Stop::Ignored | Stop::Rejected => {
            done.ignored.push("continue".to_owned());
            return Ok(());
        }
    }
    done.person_sees.extend(reason);
    Ok(())
}

fn closed(object: &Object, keys: &[&str]) -> Result<(), String> {
    match object.keys().find(|key| !keys.contains(&key.as_str())) {
        Some(key) => Err(format!("unknown field `{key}`")),
        None => Ok(()),
    }
}

/// An answer must name an event, and tells whether it is its own: under the name of another one a refusal was seen to hold,
/// and nothing else.
fn named(row: &Row, specific: &Object) -> Result<bool, String> {
    match text_field(specific, "hookEventName")? {
        Some(name) if is_event(&name) => Ok(name == row.event),
        other => Err(format!("`hookEventName` must be an event: {other:?}")),
    }
}

fn context(done: &mut Behaviour, specific: &Object) -> Result<(), String> {
    closed(specific, &["hookEventName", "additionalContext"])?;
    tell(done, specific)
}

fn tell(done: &mut Behaviour, specific: &Object) -> Result<(), String> {
    let text = text_field(specific, "additionalContext")?.unwrap_or_default();
    if !text.is_empty() {
        tell_model(done, &text);
    }
    Ok(())
}
