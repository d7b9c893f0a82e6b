//! Qwen Code, as its protocol page describes it.

use crate::relative::{Effect, Exit2, Heard, Input, Relative, Row, Specific, silent};
use crate::{Answer, Behaviour, Reader};

/// The reader of Qwen Code.
#[derive(Debug)]
pub(crate) struct QwenCode;

impl Reader for QwenCode {
    fn id(&self) -> &'static str {
        "qwen-code"
    }

    fn reads(&self, answer: &Answer<'_>) -> Behaviour {
        QWEN.reads(answer)
    }
}

static QWEN: Relative = Relative {
    rows: ROWS,
    input: Input::Replaces,
};

/// Of an event that can be refused the page tells exit code 2, and of some of them the JSON.
const fn refusable(event: &'static str, effect: Effect) -> Row {
    Row {
        exit_2: Exit2::Refuses(effect),
        ..silent(event)
    }
}

const fn blocked(event: &'static str, effect: Effect) -> Row {
    Row {
        decision: Some(effect),
        ..refusable(event, effect)
    }
}

static ROWS: &[Row] = &[
    Row {
        specific: Specific::Permission,
        context: Heard::Yes,
        stop: Heard::Yes,
        message: Heard::Yes,
        ..refusable("PreToolUse", Effect::Action)
    },
    Row {
        context: Heard::Yes,
        ..blocked("PostToolUse", Effect::Feedback)
    },
    Row {
        context: Heard::Yes,
        ..refusable("PostToolUseFailure", Effect::Feedback)
    },
    silent("PostToolBatch"),
    Row {
        context: Heard::Yes,
        ..blocked("UserPromptSubmit", Effect::Prompt)
    },
    silent("UserPromptExpansion"),
    Row {
        context: Heard::Yes,
        ..silent("SessionStart")
    },
    silent("SessionEnd"),
    silent("SessionDelete"),
    silent("MessageDisplay"),
    blocked("Stop", Effect::Stop),
    silent("StopFailure"),
    silent("SubagentStart"),
    blocked("SubagentStop", Effect::Stop),
    silent("PreCompact"),
    silent("PostCompact"),
    silent("Notification"),
    Row {
        specific: Specific::Dialog,
        ..refusable("PermissionRequest", Effect::Action)
    },
    silent("PermissionDenied"),
    silent("InstructionsLoaded"),
    refusable("TodoCreated", Effect::Action),
    refusable("TodoCompleted", Effect::Stop),
];
