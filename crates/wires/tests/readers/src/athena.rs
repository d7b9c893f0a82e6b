//! An Elixir program whose hook table holds the function of `docs/athena.md`, as its loop is measured to act.
//!
//! The function makes one of six returns of what is printed, and shows the notices. Anything else makes it raise, which the
//! loop takes for a halt. What a return does is the row of the event: the loop drops many of them, a refusal at every event
//! but one.

use serde_json::{Map, Value};

use crate::output::{looks_like_an_object, text};
use crate::{Answer, Behaviour, Gate, Reader};

/// The reader of `ex_athena`.
#[derive(Debug)]
pub(crate) struct Athena;

/// What the loop does with the returns of one event.
struct Row {
    event: &'static str,
    hears: &'static [&'static str],
}

const fn row(event: &'static str, hears: &'static [&'static str]) -> Row {
    Row { event, hears }
}

static ROWS: &[Row] = &[
    row("UserPromptSubmit", &["transform", "inject", "halt"]),
    row("PreIteration", &["inject", "halt"]),
    row("ChatParams", &["inject", "halt"]),
    row("PreToolUse", &["deny", "halt"]),
    row("PostToolUse", &["augment", "halt"]),
    // Neither is fired by the loop: the program dispatches them, and its dispatcher returns a halt and nothing else.
    row("PermissionRequest", &["halt"]),
    row("Notification", &["halt"]),
    row("SessionStart", &[]),
    row("SessionEnd", &[]),
    row("Stop", &[]),
    row("StopFailure", &[]),
    row("PostToolUseFailure", &[]),
    row("PermissionDenied", &[]),
    row("ToolDenied", &[]),
    row("SubagentStart", &[]),
    row("SubagentStop", &[]),
    row("PreCompact", &[]),
    row("PreCompactStage", &[]),
    row("PostCompact", &[]),
];

impl Reader for Athena {
    fn id(&self) -> &'static str {
        "athena"
    }

    fn reads(&self, answer: &Answer<'_>) -> Behaviour {
        let mut done = Behaviour::default();
        let Some(row) = ROWS.iter().find(|row| row.event == answer.event) else {
            done.errors
                .push(format!("unknown event `{}`", answer.event));
            return done;
        };
        // Standard error is the program's own: nothing of it is read.
        if !text(answer.stderr).is_empty() {
            done.ignored.push("stderr".to_owned());
        }
        match returned(answer) {
            Ok(said) => act(row, &said, &mut done),
            Err(why) => crash(row, why, &mut done),
        }
        done
    }
}

/// What the function returns, or why it raises.
fn returned(answer: &Answer<'_>) -> Result<Map<String, Value>, String> {
    let stdout = text(answer.stdout);
    if answer.exit != 0 {
        return Err(format!("exit {}", answer.exit));
    }
    if stdout.is_empty() {
        return Ok(Map::from_iter([("return".to_owned(), "ok".into())]));
    }
    if !looks_like_an_object(&stdout) {
        return Err(format!("no answer: {stdout}"));
    }
    serde_json::from_str(&stdout).map_err(|why| why.to_string())
}

fn act(row: &Row, said: &Map<String, Value>, done: &mut Behaviour) {
    let notices = said.get("notices").and_then(Value::as_array);
    let shown = notices.into_iter().flatten().filter_map(Value::as_str);
    done.person_sees.extend(shown.map(str::to_owned));
    let text = |field: &str| said.get(field).and_then(Value::as_str).map(str::to_owned);
    let word = text("return").unwrap_or_default();
    let messages = said.get("messages").and_then(Value::as_array);
    let carried = match &*word {
        "ok" => Some(Vec::new()),
        "halt" | "deny" => text("reason").map(|one| vec![one]),
        "transform" => text("prompt").map(|one| vec![one]),
        "augment" => text("text").map(|one| vec![one]),
        "inject" => messages.and_then(|all| all.iter().map(message).collect()),
        _ => None,
    };
    let Some(mut texts) = carried else {
        return crash(row, format!("no clause matches `{word}`"), done);
    };
    match &*word {
        "ok" => {}
        word if !row.hears.contains(&word) => done.ignored.push(word.to_owned()),
        "halt" => stop(texts.pop().unwrap_or_default(), done),
        "deny" => {
            done.gate = Gate::Refused { erased: false };
            done.model_sees = texts;
        }
        "transform" => {
            let prompt = texts.pop().unwrap_or_default();
            done.native.push(("prompt".to_owned(), prompt.into()));
        }
        _ => done.model_sees = texts,
    }
}

/// A message that the program can make: a role that it knows, and a text.
fn message(said: &Value) -> Option<String> {
    let role = said.get("role")?.as_str()?;
    let known = ["system", "user", "assistant"].contains(&role);
    let content = said.get("content")?.as_str()?;
    known.then(|| content.to_owned())
}

fn crash(row: &Row, why: String, done: &mut Behaviour) {
    if row.hears.contains(&"halt") {
        stop(format!("hook_crashed: {why}"), done);
    }
    done.errors.push(why);
}

fn stop(why: String, done: &mut Behaviour) {
    done.gate = Gate::Stops;
    done.stops_agent = Some(why);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn does(event: &str, exit: i32, stdout: &str) -> Behaviour {
        Athena.reads(&Answer {
            event,
            payload: &Value::Null,
            stdout: stdout.as_bytes(),
            stderr: b"",
            exit,
        })
    }

    #[test]
    fn a_refusal_is_heard_before_a_tool_and_nowhere_else() {
        let deny = r#"{"return": "deny", "reason": "frozen"}"#;
        for row in ROWS {
            let done = does(row.event, 0, deny);
            let expected = if row.event == "PreToolUse" {
                Behaviour {
                    gate: Gate::Refused { erased: false },
                    model_sees: vec!["frozen".to_owned()],
                    ..Behaviour::default()
                }
            } else {
                Behaviour {
                    ignored: vec!["deny".to_owned()],
                    ..Behaviour::default()
                }
            };
            assert_eq!(done, expected, "{}", row.event);
        }
    }

    #[test]
    fn a_halt_is_heard_at_seven_events() {
        let halt = r#"{"return": "halt", "reason": "spent"}"#;
        let heard = ROWS
            .iter()
            .filter(|row| does(row.event, 0, halt).gate == Gate::Stops);
        let heard: Vec<&str> = heard.map(|row| row.event).collect();
        assert_eq!(
            heard,
            [
                "UserPromptSubmit",
                "PreIteration",
                "ChatParams",
                "PreToolUse",
                "PostToolUse",
                "PermissionRequest",
                "Notification"
            ]
        );
    }

    #[test]
    fn what_is_no_answer_crashes_the_function_and_halts_where_a_halt_is_heard() {
        for (exit, stdout) in [
            (1, ""),
            (0, "hello"),
            (0, r#"{"return": "allow"}"#),
            (0, r#"{"return": "deny"}"#),
            (
                0,
                r#"{"return": "inject", "messages": [{"role": "tool", "content": "x"}]}"#,
            ),
            (0, r#"{"return": "ok""#),
            (0, "{}"),
        ] {
            let done = does("PreToolUse", exit, stdout);
            assert_eq!(done.gate, Gate::Stops, "{exit} {stdout}");
            assert_eq!(done.errors.len(), 1, "{exit} {stdout}");
            assert_eq!(does("Stop", exit, stdout).gate, Gate::Runs);
        }
    }

    #[test]
    fn silence_and_ok_let_it_run_and_notices_are_shown() {
        assert_eq!(does("PreToolUse", 0, ""), Behaviour::default());
        assert_eq!(
            does(
                "Stop",
                0,
                r#"{"return": "ok", "notices": ["two hooks failed"]}"#
            ),
            Behaviour {
                person_sees: vec!["two hooks failed".to_owned()],
                ..Behaviour::default()
            }
        );
    }

    #[test]
    fn texts_reach_the_model_where_they_are_heard() {
        let inject = r#"{"return": "inject", "messages": [
            {"role": "system", "content": "ENG-1234", "name": "ticket"}, {"role": "user", "content": "go on"}]}"#;
        assert_eq!(
            does("ChatParams", 0, inject).model_sees,
            ["ENG-1234", "go on"]
        );
        assert_eq!(does("Stop", 0, inject).ignored, ["inject"]);
        let augment = r#"{"return": "augment", "text": "one warning"}"#;
        assert_eq!(does("PostToolUse", 0, augment).model_sees, ["one warning"]);
        let transform = r#"{"return": "transform", "prompt": "Deploy."}"#;
        assert_eq!(
            does("UserPromptSubmit", 0, transform).native,
            [("prompt".to_owned(), Value::from("Deploy."))]
        );
    }
}
