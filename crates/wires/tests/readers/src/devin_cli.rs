//! Devin CLI, as its protocol page describes it.
//!
//! The page vouches for little more than exit code 2 and the block of a tool. An approval of a permission request is
//! heard here, so that no author writes one by mistake. Whatever else an answer says may be dropped, and so it is.

use serde_json::{Map, Value};

use crate::output::{Kind, field, text, text_field, word};
use crate::{Answer, Behaviour, Gate, Reader};

#[cfg(test)]
mod tests;

/// The reader of Devin CLI.
#[derive(Debug)]
pub(crate) struct DevinCli;

impl Reader for DevinCli {
    fn id(&self) -> &'static str {
        "devin-cli"
    }

    fn reads(&self, answer: &Answer<'_>) -> Behaviour {
        let Some((_, effect, has_block)) = ROWS.iter().find(|(event, ..)| *event == answer.event)
        else {
            return failed(format!("unknown event `{}`", answer.event));
        };
        let (stdout, stderr) = (text(answer.stdout), text(answer.stderr));
        let mut done = Behaviour::default();
        match (answer.exit, effect) {
            (0, _) if stdout.starts_with('{') => {
                let block = effect.filter(|_| *has_block);
                let read = serde_json::from_str::<Map<String, Value>>(&stdout)
                    .map_err(|why| format!("stdout is not valid JSON: {why}"))
                    .and_then(|object| interpret(block, answer.event, &object));
                return read.unwrap_or_else(|why| Behaviour {
                    ignored: vec!["stdout".to_owned()],
                    ..failed(why)
                });
            }
            (0, _) if stdout.is_empty() => {}
            (0, _) => done.ignored.push("stdout".to_owned()),
            (2, Some(effect)) => refuse(
                &mut done,
                *effect,
                Some(stderr).filter(|text| !text.is_empty()),
            ),
            (2, None) => return failed("exit 2 does nothing here".to_owned()),
            (code, _) => return failed(format!("exit {code}")),
        }
        done
    }
}

/// What a refusal does.
#[derive(Clone, Copy)]
enum Effect {
    /// The prompt is not taken; the person hears why.
    Prompt,
    /// The action does not happen; the model hears why.
    Action,
    /// The agent goes on, and hears why.
    Stop,
}

/// Each event, what a refusal of it does, and whether `decision: block` is one.
static ROWS: &[(&str, Option<Effect>, bool)] = &[
    ("PreToolUse", Some(Effect::Action), true),
    ("PostToolUse", None, false),
    ("PermissionRequest", Some(Effect::Action), true),
    ("UserPromptSubmit", Some(Effect::Prompt), false),
    ("Stop", Some(Effect::Stop), true),
    ("SessionStart", None, false),
    ("SessionEnd", None, false),
    ("PostCompaction", None, false),
];

fn failed(why: String) -> Behaviour {
    Behaviour {
        errors: vec![why],
        ..Behaviour::default()
    }
}

fn interpret(
    block: Option<Effect>,
    event: &str,
    object: &Map<String, Value>,
) -> Result<Behaviour, String> {
    let mut done = Behaviour::default();
    if let Some(effect) = block {
        let words = ["block", "deny", "allow", "ask", "approve"];
        match word(object, "decision", &words)? {
            Some("block" | "deny") => refuse(&mut done, effect, text_field(object, "reason")?),
            Some("approve") if event == "PermissionRequest" => done.gate = Gate::RunsWithoutPrompt,
            _ => {}
        }
    }
    for (name, kind) in [
        ("hookSpecificOutput", Kind::Object),
        ("systemMessage", Kind::Text),
    ] {
        if field(object, name, kind)?.is_some() {
            done.ignored.push(name.to_owned());
        }
    }
    if field(object, "continue", Kind::Flag)? == Some(&Value::Bool(false)) {
        done.ignored.push("continue".to_owned());
    }
    Ok(done)
}

fn refuse(done: &mut Behaviour, effect: Effect, reason: Option<String>) {
    done.gate = match effect {
        Effect::Prompt | Effect::Action => Gate::Refused { erased: false },
        Effect::Stop => Gate::KeepsWorking,
    };
    match effect {
        Effect::Prompt => done.person_sees.extend(reason),
        Effect::Action | Effect::Stop => done.model_sees.extend(reason),
    }
}
