//! The events that only `ex_athena` sends.

use super::super::field::{any, integer, list, object, text};
use super::{EventSpec, gate, notice};

pub(super) const ROWS: &[EventSpec] = &[
    gate(
        "athena:pre-iteration",
        "The agent loop is about to iterate.",
    )
    .aliases(&["PreIteration"])
    .fields(&[
        integer("iteration", "Which iteration it is.", "ex_athena").must(),
        integer(
            "unproductive_iterations",
            "How many iterations in a row changed nothing.",
            "ex_athena",
        ),
        any(
            "fingerprint",
            "What the last iteration called, and what came of it.",
            "ex_athena",
        ),
    ]),
    gate(
        "athena:chat-params",
        "The request of one iteration is complete and about to be sent.",
    )
    .aliases(&["ChatParams"])
    .mutable(&["request", "messages"])
    .fields(&[
        object("request", "The request.", "seed 003").must(),
        list("messages", "The messages of the conversation.", "seed 003").must(),
    ]),
    notice(
        "athena:tool-denied",
        "A tool call was refused by the permissions.",
    )
    .aliases(&["ToolDenied"])
    .subject("tool_name")
    .fields(&[
        text("tool_name", "The tool's name.", "ex_athena").must(),
        text("tool_use_id", "The id of this call.", "ex_athena"),
        object("arguments", "The tool's arguments.", "ex_athena"),
        object(
            "denial",
            "The refusal: reason, code and metadata.",
            "ATH-29",
        )
        .must(),
    ]),
    notice(
        "athena:pre-compact-stage",
        "One stage of a compaction is about to run.",
    )
    .aliases(&["PreCompactStage"])
    .fields(&[
        text("stage", "The stage.", "seed 003").must(),
        object("estimate", "Tokens now, and the most that fit.", "seed 003"),
    ]),
];
