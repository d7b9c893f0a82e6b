//! The table: one row for each event of the protocol page, in its order.

use super::{Block, Row};

/// Finds the row of a native event; names are case-sensitive.
pub(super) fn row(event: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.event == event)
}

const fn row_of(event: &'static str, block: Block, exit_2: Block) -> Row {
    Row {
        event,
        permission: false,
        block,
        context: false,
        exit_2,
    }
}

static ROWS: &[Row] = &[
    Row {
        context: true,
        ..row_of("SessionStart", Block::Unheard, Block::Unheard)
    },
    // The page knows only exit code 2 here; what the sources know beyond it is not counted on.
    row_of("UserPromptSubmit", Block::Unheard, Block::Tells),
    Row {
        permission: true,
        context: true,
        ..row_of("PreToolUse", Block::Unheard, Block::Refuses)
    },
    Row {
        context: true,
        ..row_of("PostToolUse", Block::Feedback, Block::Feedback)
    },
    row_of("PreCompact", Block::Unheard, Block::Tells),
    Row {
        context: true,
        ..row_of("SubagentStart", Block::Unheard, Block::Unheard)
    },
    row_of("SubagentStop", Block::Continues, Block::Continues),
    row_of("Stop", Block::Continues, Block::Continues),
];
