//! Goose, as the source of its hooks describes it: a decision to block, or exit code 2, before a tool and at the end.

use serde_json::Value;

use crate::output::text;
use crate::{Answer, Behaviour, Gate, Reader};

/// The reader of Goose.
#[derive(Debug)]
pub(crate) struct Goose;

/// The events, and what a block does; a block does nothing elsewhere.
static ROWS: &[(&str, Option<Gate>)] = &[
    ("PreToolUse", Some(Gate::Refused { erased: false })),
    ("PreToolUseResult", None),
    ("PostToolUse", None),
    ("PostToolUseFailure", None),
    ("SessionStart", None),
    ("SessionEnd", None),
    ("UserPromptSubmit", None),
    ("Stop", Some(Gate::KeepsWorking)),
];

/// The one event whose hook may show something to the person.
const GREETS: &str = "SessionStart";

impl Reader for Goose {
    fn id(&self) -> &'static str {
        "goose"
    }

    fn reads(&self, answer: &Answer<'_>) -> Behaviour {
        let mut done = Behaviour::default();
        let Some((event, gate)) = ROWS.iter().find(|row| row.0 == answer.event) else {
            done.errors
                .push(format!("unknown event `{}`", answer.event));
            return done;
        };
        let (stdout, stderr) = (text(answer.stdout), text(answer.stderr));
        let said: Value = serde_json::from_str(&stdout).unwrap_or_default();
        let word = |field: &str| said.get(field).and_then(Value::as_str);
        let decision = word("decision");
        let reason = word("reason").unwrap_or_default();
        match (gate, decision, answer.exit) {
            (Some(gate), Some("block"), _) => blocks(&mut done, *gate, reason),
            (Some(gate), _, 2) => blocks(&mut done, *gate, &stderr),
            (None, _, 2) => drops("stderr", &stderr, &mut done),
            (_, None, 0) if stdout.is_empty() => {}
            (_, Some("allow"), 0) => {}
            (_, _, 0) if *event == GREETS && word("banner").is_some() => {
                let banner = word("banner").map(str::to_owned);
                done.person_sees.extend(banner);
            }
            (Some(_), _, code) => done.errors.push(format!("hook failed: exit {code}")),
            (None, _, _) => drops("stdout", &stdout, &mut done),
        }
        done
    }
}

fn blocks(done: &mut Behaviour, gate: Gate, reason: &str) {
    done.gate = gate;
    if !reason.is_empty() {
        done.model_sees.push(reason.to_owned());
    }
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
        Goose.reads(&Answer {
            event,
            payload: &Value::Null,
            stdout: stdout.as_bytes(),
            stderr: stderr.as_bytes(),
            exit,
        })
    }

    #[test]
    fn a_decision_blocks_at_every_exit_code_and_two_blocks_without_one() {
        let refused = Behaviour {
            gate: Gate::Refused { erased: false },
            model_sees: vec!["no".to_owned()],
            ..Behaviour::default()
        };
        let block = r#"{"decision": "block", "reason": "no"}"#;
        for code in [0, 1, 2, 3] {
            assert_eq!(does("PreToolUse", code, block, ""), refused);
        }
        assert_eq!(does("PreToolUse", 2, "", "no"), refused);
        assert_eq!(does("Stop", 0, block, "").gate, Gate::KeepsWorking);
    }

    #[test]
    fn other_codes_and_other_words_are_failures_that_let_the_tool_run() {
        for (code, stdout) in [(1, ""), (0, "hello"), (0, r#"{"decision": "ask"}"#)] {
            let failed = does("PreToolUse", code, stdout, "");
            assert_eq!(failed.gate, Gate::Runs);
            assert_eq!(failed.errors, [format!("hook failed: exit {code}")]);
        }
    }

    #[test]
    fn an_approval_is_no_more_than_silence() {
        let allow = r#"{"decision": "allow"}"#;
        assert_eq!(does("PreToolUse", 0, allow, ""), Behaviour::default());
        assert_eq!(does("PreToolUse", 0, "", ""), Behaviour::default());
    }

    #[test]
    fn only_a_tool_and_the_end_can_be_blocked() {
        for (event, gate) in ROWS.iter().filter(|row| row.1.is_none()) {
            assert_eq!(*gate, None);
            let done = does(event, 2, "", "no");
            assert_eq!(done.gate, Gate::Runs, "{event}");
            assert_eq!(done.ignored, ["stderr"], "{event}");
        }
        let banner = does("SessionStart", 0, r#"{"banner": "hello"}"#, "");
        assert_eq!(banner.person_sees, ["hello"]);
    }
}
