//! The table: one row for each event of the protocol page, in its order.

use super::{Decision, Exit2, Row, Surface};
use crate::output::Kind;

/// Finds the row of a native event, in either casing; names are case-sensitive.
pub(super) fn row(event: &str, surface: Surface) -> Option<&'static Row> {
    ROWS.iter()
        .filter(|row| row.only.is_none_or(|only| only == surface))
        .find(|row| row.event == event || row.pascal == Some(event))
}

const TERMINAL: Option<Surface> = Some(Surface::Terminal);

/// A row that honours nothing, to be filled with what its event honours.
const fn silent(event: &'static str, pascal: Option<&'static str>) -> Row {
    Row {
        event,
        pascal,
        only: None,
        decision: Decision::None,
        context: false,
        exit_2: Exit2::Warns,
        fails_closed: false,
        native: &[],
    }
}

static ROWS: &[Row] = &[
    Row {
        context: true,
        ..silent("sessionStart", Some("SessionStart"))
    },
    silent("sessionEnd", Some("SessionEnd")),
    // The documents say that a prompt cannot be refused and that `additionalContext` is dropped; 1.0.102 hears both.
    Row {
        only: TERMINAL,
        decision: Decision::Prompt,
        context: true,
        native: &[
            ("modifiedPrompt", Kind::Text),
            ("modifiedTransformedPrompt", Kind::Text),
        ],
        ..silent("userPromptSubmitted", Some("UserPromptSubmit"))
    },
    Row {
        only: Some(Surface::Job),
        ..silent("userPromptSubmitted", Some("UserPromptSubmit"))
    },
    Row {
        native: &[("modifiedTransformedPrompt", Kind::Text)],
        ..silent("userPromptTransformed", None)
    },
    Row {
        decision: Decision::Permission,
        context: true,
        exit_2: Exit2::Refuses,
        fails_closed: true,
        ..silent("preToolUse", Some("PreToolUse"))
    },
    Row {
        only: TERMINAL,
        native: &[("metaToUse", Kind::Object)],
        ..silent("preMcpToolCall", None)
    },
    Row {
        only: TERMINAL,
        decision: Decision::ResultOrBlock,
        context: true,
        ..silent("postToolUse", Some("PostToolUse"))
    },
    Row {
        only: Some(Surface::Job),
        decision: Decision::Result,
        context: true,
        ..silent("postToolUse", Some("PostToolUse"))
    },
    Row {
        context: true,
        exit_2: Exit2::Tells,
        ..silent("postToolUseFailure", Some("PostToolUseFailure"))
    },
    Row {
        only: TERMINAL,
        decision: Decision::Behavior,
        exit_2: Exit2::Refuses,
        native: &[("interrupt", Kind::Flag)],
        ..silent("permissionRequest", Some("PermissionRequest"))
    },
    Row {
        decision: Decision::Block,
        ..silent("agentStop", Some("Stop"))
    },
    Row {
        context: true,
        ..silent("subagentStart", None)
    },
    Row {
        decision: Decision::Block,
        native: &[("modifiedResponse", Kind::Text)],
        ..silent("subagentStop", Some("SubagentStop"))
    },
    silent("errorOccurred", Some("ErrorOccurred")),
    silent("preCompact", Some("PreCompact")),
    Row {
        only: TERMINAL,
        context: true,
        ..silent("notification", None)
    },
];
