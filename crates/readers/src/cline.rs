//! Cline, as its repository describes it: one JSON answer, whatever the exit code.
//!
//! `cancel` ends the whole run, and not only the call. The kit for other programs does not wait for what a hook says
//! about a prompt; this reader is the extension. `overrideInput` is the kit's alone, and ignored here.

use serde_json::{Map, Value};

use crate::output::{Kind, field, text, text_field};
use crate::{Answer, Behaviour, Gate, Reader};

/// The reader of Cline.
#[derive(Debug)]
pub(crate) struct Cline;

/// What counts on an event.
struct Row {
    event: &'static str,
    fields: &'static [&'static str],
}

const ALL: &[&str] = &["cancel", "contextModification", "errorMessage"];

const fn row(event: &'static str, fields: &'static [&'static str]) -> Row {
    Row { event, fields }
}

static ROWS: &[Row] = &[
    row("TaskStart", ALL),
    row("TaskResume", ALL),
    row("TaskCancel", &[]),
    row("TaskComplete", &[]),
    row("UserPromptSubmit", ALL),
    row("PreToolUse", ALL),
    row("PostToolUse", ALL),
    row("PreCompact", &[]),
    row("Notification", &[]),
];

impl Reader for Cline {
    fn id(&self) -> &'static str {
        "cline"
    }

    fn reads(&self, answer: &Answer<'_>) -> Behaviour {
        let mut done = Behaviour::default();
        let Some(row) = ROWS.iter().find(|row| row.event == answer.event) else {
            done.errors
                .push(format!("unknown event `{}`", answer.event));
            return done;
        };
        let stdout = text(answer.stdout);
        match serde_json::from_str::<Map<String, Value>>(&stdout) {
            Ok(object) => {
                if let Err(why) = object_does(row, &object, &mut done) {
                    done = Behaviour {
                        errors: vec![why],
                        ..Behaviour::default()
                    };
                }
            }
            Err(_) if answer.exit != 0 => {
                done.errors.push(format!("exit code {}", answer.exit));
            }
            Err(_) if stdout.is_empty() => {}
            Err(_) => done.ignored.push("stdout".to_owned()),
        }
        if !text(answer.stderr).is_empty() {
            done.ignored.push("stderr".to_owned());
        }
        done
    }
}

fn object_does(row: &Row, object: &Map<String, Value>, done: &mut Behaviour) -> Result<(), String> {
    let cancel = field(object, "cancel", Kind::Flag)? == Some(&Value::Bool(true));
    let context = text_field(object, "contextModification")?;
    let error = text_field(object, "errorMessage")?;
    for name in object.keys().filter(|name| !row.fields.contains(&&***name)) {
        let says_nothing = name == "cancel" && !cancel;
        if !says_nothing {
            done.ignored.push(name.clone());
        }
    }
    if row.fields.is_empty() {
        return Ok(());
    }
    if cancel {
        done.gate = Gate::Stops;
        done.stops_agent = Some(error.clone().unwrap_or_default());
        done.person_sees.extend(error);
    } else if error.is_some() {
        done.ignored.push("errorMessage".to_owned());
    }
    done.model_sees
        .extend(context.filter(|text| !text.is_empty()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn does(event: &str, exit: i32, stdout: &str) -> Behaviour {
        Cline.reads(&Answer {
            event,
            payload: &json!({}),
            stdout: stdout.as_bytes(),
            stderr: b"",
            exit,
        })
    }

    #[test]
    fn a_cancel_ends_the_run_whatever_the_exit_code() {
        let answer = r#"{"cancel": true, "errorMessage": "frozen", "contextModification": "x"}"#;
        for exit in [0, 1, 2] {
            assert_eq!(
                does("PreToolUse", exit, answer),
                Behaviour {
                    gate: Gate::Stops,
                    stops_agent: Some("frozen".to_owned()),
                    person_sees: vec!["frozen".to_owned()],
                    model_sees: vec!["x".to_owned()],
                    ..Behaviour::default()
                }
            );
        }
        assert_eq!(
            does("TaskComplete", 0, r#"{"cancel": true}"#),
            Behaviour {
                ignored: vec!["cancel".to_owned()],
                ..Behaviour::default()
            }
        );
    }

    #[test]
    fn an_exit_code_alone_refuses_nothing() {
        assert_eq!(does("PreToolUse", 2, "").errors, ["exit code 2"]);
        assert_eq!(does("PreToolUse", 0, ""), Behaviour::default());
        assert_eq!(does("PreToolUse", 0, "ok").ignored, ["stdout"]);
        let wrong = does("PreToolUse", 0, r#"{"cancel": "true"}"#);
        assert_eq!((wrong.gate, wrong.errors.len()), (Gate::Runs, 1));
    }

    #[test]
    fn context_reaches_the_model_and_new_arguments_nobody() {
        let answer = r#"{"cancel": false, "contextModification": "main", "overrideInput": {}}"#;
        assert_eq!(
            does("PreToolUse", 0, answer),
            Behaviour {
                model_sees: vec!["main".to_owned()],
                ignored: vec!["overrideInput".to_owned()],
                ..Behaviour::default()
            }
        );
    }
}
