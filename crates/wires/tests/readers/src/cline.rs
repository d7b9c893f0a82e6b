//! Cline, as its repository describes its extension (4.1), and as its command line (3.0.65) was seen to act.
//!
//! `cancel` ends the whole run, and not only the call, whatever the exit code. The command line marks its payloads with
//! `agent_id`: it waits for no hook at a start and at a prompt, takes `overrideInput` before a tool, and loses a text beside
//! a `cancel`. The extension ignores `overrideInput`.

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

/// What counts on an event of the command line.
static KIT: &[Row] = &[
    row(
        "PreToolUse",
        &[
            "cancel",
            "contextModification",
            "errorMessage",
            "overrideInput",
        ],
    ),
    row("PostToolUse", ALL),
];

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

static SILENT: Row = row("", &[]);

impl Reader for Cline {
    fn id(&self) -> &'static str {
        "cline"
    }

    fn reads(&self, answer: &Answer<'_>) -> Behaviour {
        let mut done = Behaviour::default();
        let Some(mut row) = ROWS.iter().find(|row| row.event == answer.event) else {
            done.errors
                .push(format!("unknown event `{}`", answer.event));
            return done;
        };
        let is_kit = answer.payload.get("agent_id").is_some();
        if is_kit {
            let own = KIT.iter().find(|own| own.event == answer.event);
            row = own.unwrap_or(&SILENT);
        }
        let stdout = text(answer.stdout);
        match serde_json::from_str::<Map<String, Value>>(&stdout) {
            Ok(object) => {
                if let Err(why) = object_does(row, is_kit, &object, &mut done) {
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

fn object_does(
    row: &Row,
    is_kit: bool,
    object: &Map<String, Value>,
    done: &mut Behaviour,
) -> Result<(), String> {
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
    let context = context.filter(|text| !text.is_empty());
    if cancel {
        done.gate = Gate::Stops;
        done.stops_agent = Some(error.clone().unwrap_or_default());
        done.person_sees.extend(error);
        match context {
            Some(_) if is_kit => done.ignored.push("contextModification".to_owned()),
            context => done.model_sees.extend(context),
        }
        return Ok(());
    }
    done.input = object
        .get("overrideInput")
        .filter(|_| row.fields.contains(&"overrideInput"))
        .cloned();
    match error.filter(|text| !text.is_empty()) {
        Some(error) if is_kit && context.is_none() => done.model_sees.push(error),
        Some(_) => done.ignored.push("errorMessage".to_owned()),
        None => {}
    }
    done.model_sees.extend(context);
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn does(event: &str, exit: i32, stdout: &str) -> Behaviour {
        reads(&json!({}), event, exit, stdout)
    }

    fn kit_does(event: &str, answer: &Value) -> Behaviour {
        reads(
            &json!({"agent_id": "agent_1"}),
            event,
            0,
            &answer.to_string(),
        )
    }

    fn reads(payload: &Value, event: &str, exit: i32, stdout: &str) -> Behaviour {
        Cline.reads(&Answer {
            event,
            payload,
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
    fn the_command_line_takes_new_arguments_before_a_tool_and_no_text_beside_a_cancel() {
        let input = json!({"commands": ["ls"]});
        let done = kit_does(
            "PreToolUse",
            &json!({"overrideInput": input, "contextModification": "main"}),
        );
        let expected = Behaviour {
            input: Some(input.clone()),
            model_sees: vec!["main".to_owned()],
            ..Behaviour::default()
        };
        assert_eq!(done, expected);
        let after = kit_does("PostToolUse", &json!({ "overrideInput": input }));
        assert_eq!(
            (after.input, after.ignored),
            (None, vec!["overrideInput".to_owned()])
        );
        let both = json!({"cancel": true, "errorMessage": "frozen", "contextModification": "main"});
        let done = kit_does("PreToolUse", &both);
        assert_eq!((done.gate, done.model_sees.len()), (Gate::Stops, 0));
    }

    #[test]
    fn the_command_line_waits_for_nothing_at_a_start_and_at_a_prompt() {
        let both = json!({"cancel": true, "contextModification": "main"});
        for event in ["TaskStart", "UserPromptSubmit", "TaskComplete"] {
            let ignored = vec!["cancel".to_owned(), "contextModification".to_owned()];
            let expected = Behaviour {
                ignored,
                ..Behaviour::default()
            };
            assert_eq!(kit_does(event, &both), expected, "{event}");
        }
    }

    #[test]
    fn context_reaches_the_model_and_new_arguments_are_lost() {
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
