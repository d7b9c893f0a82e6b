//! The events that at least two hosts share beyond the universal ten.

use super::super::field::{any, flag, integer, number, object, one_of, text};
use super::{CALL, EventSpec, after, gate, notice};

pub(super) const ROWS: &[EventSpec] = &[
    after("tool:error", "A tool has failed.")
        .twins(CALL)
        .universal("post-tool-use-failure")
        .aliases(&["PostToolUseFailure", "error:tool"])
        .subject("tool_name")
        .mutable(&["tool_result"])
        .fields(&[
            text(
                "tool_name",
                "The tool's name, as its host spells it.",
                "amplifier, claude-code, ex_athena",
            )
            .must(),
            object("tool_input", "The tool's arguments.", "claude-code"),
            any(
                "error",
                "What failed: a text, or an object with type and message.",
                "amplifier, claude-code",
            )
            .must(),
            any(
                "tool_result",
                "What the tool returned all the same.",
                "gemini-cli, goose",
            ),
            text(
                "tool_use_id",
                "The id of this call.",
                "claude-code, seed 003",
            ),
            flag(
                "is_interrupt",
                "Whether a person interrupted it.",
                "claude-code",
            ),
            number(
                "duration_ms",
                "How long it took, in milliseconds.",
                "amplifier, claude-code",
            ),
            text(
                "parallel_group_id",
                "What the calls of one parallel batch have in common.",
                "amplifier",
            ),
            any("reason", "What failed, as ex_athena spells it.", "seed 003"),
        ]),
    gate("agent:spawn", "A sub-agent is about to start.")
        .universal("sub-agent-start")
        .aliases(&["SubagentStart"])
        .subject("agent_type")
        .mutable(&["task"])
        .fields(&[
            text("agent_id", "The sub-agent's id.", "claude-code"),
            text("agent_type", "The sub-agent's kind.", "claude-code"),
            text("agent_name", "The sub-agent's name.", "amplifier"),
            text("task", "What the sub-agent is to do.", "amplifier"),
            object(
                "config_override",
                "What is configured differently for it.",
                "amplifier",
            ),
            text(
                "parent_session_id",
                "The session that starts it.",
                "amplifier, seed 003",
            ),
            text(
                "subagent_id",
                "The sub-agent's id, as ex_athena spells it.",
                "seed 003",
            ),
            text("prompt", "The brief, as ex_athena spells it.", "seed 003"),
            text(
                "agent",
                "The agent's definition, as ex_athena spells it.",
                "seed 003",
            ),
            any("isolation", "Where the sub-agent will work.", "ATH-31"),
        ]),
    after("context:post_compact", "The context was compacted.")
        .universal("post-compact")
        .aliases(&["PostCompact", "context:post-compact"])
        .subject("trigger")
        .fields(&[
            one_of(
                "trigger",
                &["auto", "manual"],
                "Whether the host or a person started it.",
                "amplifier, claude-code",
            ),
            text(
                "compact_summary",
                "What the model will read instead.",
                "claude-code",
            ),
            integer("message_count", "How many messages are left.", "amplifier"),
            integer("token_count", "How many tokens are left.", "amplifier"),
            object(
                "metadata",
                "Sizes before and after, what was dropped, and by which stages.",
                "seed 003",
            ),
        ]),
    notice("stop-failure", "The agent's turn ended by an error.")
        .universal("stop-failure")
        .aliases(&["StopFailure"])
        .subject("error")
        .fields(&[
            text("error", "The kind of error.", "claude-code"),
            text("error_details", "What the provider said.", "claude-code"),
            text(
                "last_assistant_message",
                "The agent's last words.",
                "claude-code",
            ),
            text("finish_reason", "How the run finished.", "seed 003"),
            any("result", "The run's result.", "seed 003"),
            text(
                "parent_session_id",
                "The session that this one belongs to.",
                "seed 003",
            ),
        ]),
];
