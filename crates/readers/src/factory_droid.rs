//! Factory Droid, as its protocol page describes it.

use crate::relative::{Effect, Exit2, Heard, Input, Relative, Row, Specific, silent};
use crate::{Answer, Behaviour, Reader};

/// The reader of Factory Droid.
#[derive(Debug)]
pub(crate) struct FactoryDroid;

impl Reader for FactoryDroid {
    fn id(&self) -> &'static str {
        "factory-droid"
    }

    fn reads(&self, answer: &Answer<'_>) -> Behaviour {
        DROID.reads(answer)
    }
}

static DROID: Relative = Relative {
    rows: ROWS,
    input: Input::Merges,
};

/// An event with the output that all but one have, and exit code 2 for the person.
const fn shown(event: &'static str) -> Row {
    Row {
        exit_2: Exit2::Shows,
        stop: Heard::Yes,
        message: Heard::Yes,
        ..silent(event)
    }
}

const fn blocked(event: &'static str, effect: Effect) -> Row {
    Row {
        decision: Some(effect),
        exit_2: Exit2::Refuses(effect),
        ..shown(event)
    }
}

static ROWS: &[Row] = &[
    Row {
        decision: None,
        specific: Specific::Permission,
        ..blocked("PreToolUse", Effect::Action)
    },
    Row {
        context: Heard::Yes,
        ..blocked("PostToolUse", Effect::Feedback)
    },
    shown("Notification"),
    Row {
        context: Heard::Yes,
        text: Heard::Yes,
        ..blocked("UserPromptSubmit", Effect::Prompt)
    },
    blocked("Stop", Effect::Stop),
    blocked("SubagentStop", Effect::Stop),
    shown("PreCompact"),
    Row {
        context: Heard::Yes,
        text: Heard::Yes,
        ..shown("SessionStart")
    },
    Row {
        exit_2: Exit2::Shows,
        ..silent("SessionEnd")
    },
];
