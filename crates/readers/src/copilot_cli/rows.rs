//! The table: one row for each event of the protocol page, in its order.

use super::{Decision, Exit2, Row};
use crate::output::Kind;

/// Finds the row of a native event, in either casing; names are case-sensitive.
pub(super) fn row(event: &str) -> Option<&'static Row> {
    ROWS.iter()
        .find(|row| row.event == event || row.pascal == Some(event))
}

/// A row that honours nothing, to be filled with what its event honours.
const fn silent(event: &'static str, pascal: Option<&'static str>) -> Row {
    Row {
        event,
        pascal,
        in_a_job: true,
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
    // Documents and release notes contradict each other about `additionalContext`; the documents say it is dropped.
    silent("userPromptSubmitted", Some("UserPromptSubmit")),
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
        in_a_job: false,
        native: &[("metaToUse", Kind::Object)],
        ..silent("preMcpToolCall", None)
    },
    Row {
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
        in_a_job: false,
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
        in_a_job: false,
        context: true,
        ..silent("notification", None)
    },
];
