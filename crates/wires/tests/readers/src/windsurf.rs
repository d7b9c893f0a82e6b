//! Windsurf, as its hooks page describes it: the exit code says everything, and standard output is not read.

use crate::output::text;
use crate::{Answer, Behaviour, Gate, Reader};

/// The reader of Windsurf.
#[derive(Debug)]
pub(crate) struct Windsurf;

/// The events before something happens: these can be refused.
const BEFORE: &[&str] = &[
    "pre_read_code",
    "pre_write_code",
    "pre_run_command",
    "pre_mcp_tool_use",
    "pre_user_prompt",
];

/// The events that only tell.
const AFTER: &[&str] = &[
    "post_read_code",
    "post_write_code",
    "post_run_command",
    "post_mcp_tool_use",
    "post_cascade_response",
    "post_cascade_response_with_transcript",
    "post_setup_worktree",
];

impl Reader for Windsurf {
    fn id(&self) -> &'static str {
        "windsurf"
    }

    fn reads(&self, answer: &Answer<'_>) -> Behaviour {
        let mut done = Behaviour::default();
        let is_gate = BEFORE.contains(&answer.event);
        if !is_gate && !AFTER.contains(&answer.event) {
            done.errors
                .push(format!("unknown event `{}`", answer.event));
            return done;
        }
        if !text(answer.stdout).is_empty() {
            done.ignored.push("stdout".to_owned());
        }
        let stderr = text(answer.stderr);
        match answer.exit {
            2 if is_gate => {
                done.gate = Gate::Refused { erased: false };
                done.model_sees
                    .extend(Some(stderr).filter(|text| !text.is_empty()));
                return done;
            }
            0 => {}
            2 => done.ignored.push("exit code 2".to_owned()),
            code => done.errors.push(format!("exit code {code}")),
        }
        if !stderr.is_empty() {
            done.ignored.push("stderr".to_owned());
        }
        done
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn does(event: &str, exit: i32, stdout: &str, stderr: &str) -> Behaviour {
        Windsurf.reads(&Answer {
            event,
            payload: &json!({}),
            stdout: stdout.as_bytes(),
            stderr: stderr.as_bytes(),
            exit,
        })
    }

    #[test]
    fn exit_2_refuses_before_something_happens_and_tells_the_model_why() {
        for event in BEFORE {
            assert_eq!(
                does(event, 2, "", "frozen\n"),
                Behaviour {
                    gate: Gate::Refused { erased: false },
                    model_sees: vec!["frozen".to_owned()],
                    ..Behaviour::default()
                }
            );
        }
        for event in AFTER {
            assert_eq!(
                does(event, 2, "", "late"),
                Behaviour {
                    ignored: vec!["exit code 2".to_owned(), "stderr".to_owned()],
                    ..Behaviour::default()
                }
            );
        }
    }

    #[test]
    fn what_is_printed_decides_nothing_and_any_other_code_is_an_error() {
        let deny = r#"{"decision": "deny"}"#;
        assert_eq!(
            does("pre_run_command", 0, deny, ""),
            Behaviour {
                ignored: vec!["stdout".to_owned()],
                ..Behaviour::default()
            }
        );
        assert_eq!(
            does("pre_run_command", 1, "", ""),
            Behaviour {
                errors: vec!["exit code 1".to_owned()],
                ..Behaviour::default()
            }
        );
    }
}
