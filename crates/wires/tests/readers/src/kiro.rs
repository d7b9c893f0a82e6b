//! Kiro, as its hooks page describes it: an exit code and a text, and one JSON answer when the agent wants to stop.
//!
//! Where the pages of its two faces disagree, this reader is the one that refuses less: only exit code 2 blocks.

use serde_json::Value;

use crate::output::text;
use crate::{Answer, Behaviour, Gate, Reader};

/// The reader of Kiro.
#[derive(Debug)]
pub(crate) struct Kiro;

/// What one event honours.
struct Row {
    event: &'static str,
    /// Whether standard output is context for the model.
    tells: bool,
    block: Block,
}

/// What can be blocked, and how.
#[derive(Clone, Copy)]
enum Block {
    Nothing,
    /// By exit code 2; standard error goes to the agent.
    Exit2,
    /// By `{"decision": "block"}`; the reason goes to the agent.
    Decision,
}

const fn row(event: &'static str, tells: bool, block: Block) -> Row {
    Row {
        event,
        tells,
        block,
    }
}

static ROWS: &[Row] = &[
    row("SessionStart", true, Block::Nothing),
    row("SessionEnd", false, Block::Nothing),
    row("UserPromptSubmit", true, Block::Exit2),
    row("PreToolUse", true, Block::Exit2),
    row("PostToolUse", true, Block::Nothing),
    row("PreTaskExec", false, Block::Exit2),
    row("PostTaskExec", false, Block::Nothing),
    row("Stop", false, Block::Decision),
];

impl Reader for Kiro {
    fn id(&self) -> &'static str {
        "kiro"
    }

    fn reads(&self, answer: &Answer<'_>) -> Behaviour {
        let mut done = Behaviour::default();
        let Some(row) = ROWS.iter().find(|row| row.event == answer.event) else {
            done.errors
                .push(format!("unknown event `{}`", answer.event));
            return done;
        };
        let (stdout, stderr) = (printed(answer.stdout), text(answer.stderr));
        match (answer.exit, row.block) {
            (0, _) => {
                success(row, stdout, &mut done);
                drops("stderr", &stderr, &mut done);
            }
            (2, Block::Exit2) => {
                done.gate = Gate::Refused { erased: false };
                done.model_sees.extend(some(stderr));
                drops("stdout", &stdout, &mut done);
            }
            (2, Block::Nothing | Block::Decision) => {
                drops("stdout", &stdout, &mut done);
                drops("stderr", &stderr, &mut done);
            }
            (code, _) => {
                drops("stdout", &stdout, &mut done);
                done.errors.push(format!("exit {code}: {stderr}"));
            }
        }
        done
    }
}

fn success(row: &Row, stdout: String, done: &mut Behaviour) {
    if row.tells {
        done.model_sees.extend(some(stdout));
        return;
    }
    let answer: Value = serde_json::from_str(&stdout).unwrap_or_default();
    let word = |field: &str| answer.get(field).and_then(Value::as_str);
    match (row.block, word("decision")) {
        (Block::Decision, Some("block")) => {
            done.gate = Gate::KeepsWorking;
            let reason = word("reason").unwrap_or_default();
            done.model_sees.extend(some(reason.to_owned()));
        }
        _ => drops("stdout", &stdout, done),
    }
}

/// What was printed, as it is: the page says of no text that it is trimmed.
fn printed(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.strip_suffix('\n').unwrap_or(&text).to_owned()
}

fn some(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

fn drops(stream: &str, text: &str, done: &mut Behaviour) {
    if !text.is_empty() {
        done.ignored.push(stream.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn does(event: &str, exit: i32, stdout: &str, stderr: &str) -> Behaviour {
        Kiro.reads(&Answer {
            event,
            payload: &Value::Null,
            stdout: stdout.as_bytes(),
            stderr: stderr.as_bytes(),
            exit,
        })
    }

    #[test]
    fn exit_code_two_blocks_before_things_happen_and_only_then() {
        for event in ["PreToolUse", "UserPromptSubmit", "PreTaskExec"] {
            assert_eq!(
                does(event, 2, "", "no"),
                Behaviour {
                    gate: Gate::Refused { erased: false },
                    model_sees: vec!["no".to_owned()],
                    ..Behaviour::default()
                }
            );
        }
        for event in [
            "SessionStart",
            "SessionEnd",
            "PostToolUse",
            "PostTaskExec",
            "Stop",
        ] {
            assert_eq!(
                does(event, 2, "", "no"),
                Behaviour {
                    ignored: vec!["stderr".to_owned()],
                    ..Behaviour::default()
                }
            );
        }
    }

    #[test]
    fn any_other_code_is_a_warning() {
        let failed = does("PreToolUse", 1, "", "no");
        assert_eq!(failed.gate, Gate::Runs);
        assert_eq!(failed.errors, ["exit 1: no"]);
    }

    #[test]
    fn what_is_printed_is_context_where_there_is_a_conversation() {
        assert_eq!(
            does("PreToolUse", 0, "branch: main\n", "").model_sees,
            ["branch: main"]
        );
        assert_eq!(does("Stop", 0, "done", "").ignored, ["stdout"]);
    }

    #[test]
    fn a_stop_is_refused_by_a_decision() {
        let kept = does(
            "Stop",
            0,
            r#"{"decision": "block", "reason": "test first"}"#,
            "",
        );
        assert_eq!(kept.gate, Gate::KeepsWorking);
        assert_eq!(kept.model_sees, ["test first"]);
    }
}
