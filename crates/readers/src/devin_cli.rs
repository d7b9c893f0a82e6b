//! Devin CLI, as its protocol page describes it.
//!
//! The page vouches for little more than exit code 2 and the block of a tool. An approval of a permission request is
//! heard here, so that nobody writes one by mistake.

use serde_json::Value;

use crate::relative::{Effect, Exit2, Input, Relative, Row, silent};
use crate::{Answer, Behaviour, Gate, Reader};

/// The reader of Devin CLI.
#[derive(Debug)]
pub(crate) struct DevinCli;

impl Reader for DevinCli {
    fn id(&self) -> &'static str {
        "devin-cli"
    }

    fn reads(&self, answer: &Answer<'_>) -> Behaviour {
        let mut done = DEVIN.reads(answer);
        let said: Value = serde_json::from_slice(answer.stdout).unwrap_or_default();
        let approves = said.get("decision") == Some(&"approve".into());
        if answer.event == "PermissionRequest" && answer.exit == 0 && approves {
            done.gate = Gate::RunsWithoutPrompt;
        }
        done
    }
}

static DEVIN: Relative = Relative {
    rows: ROWS,
    input: Input::Replaces,
};

const fn blocked(event: &'static str, effect: Effect) -> Row {
    Row {
        decision: Some(effect),
        exit_2: Exit2::Refuses(effect),
        ..silent(event)
    }
}

static ROWS: &[Row] = &[
    blocked("PreToolUse", Effect::Action),
    silent("PostToolUse"),
    blocked("PermissionRequest", Effect::Action),
    Row {
        decision: None,
        ..blocked("UserPromptSubmit", Effect::Prompt)
    },
    blocked("Stop", Effect::Stop),
    silent("SessionStart"),
    silent("SessionEnd"),
    silent("PostCompaction"),
];
