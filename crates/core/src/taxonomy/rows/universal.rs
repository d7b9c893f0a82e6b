//! The ten universal events of seed 004.

use super::super::field::{any, flag, integer, list, number, object, one_of, text};
use super::{CALL, CALLED, EventSpec, after, continuation, gate, notice};

pub(super) const ROWS: &[EventSpec] = &[
    gate("tool:pre", "A tool is about to run.")
        .twins(CALL)
        .universal("pre-tool-use")
        .aliases(&["PreToolUse", "beforeShellCommand", "beforeMcpCall"])
        .subject("tool_name")
        .mutable(&["tool_input"])
        .fields(&[
            text(
                "tool_name",
                "The tool's name, as its host spells it.",
                "amplifier, claude-code, ex_athena",
            )
            .must(),
            object(
                "tool_input",
                "The tool's arguments.",
                "amplifier, claude-code",
            )
            .must(),
            text(
                "tool_use_id",
                "The id of this call.",
                "claude-code, seed 003",
            ),
            text(
                "tool_call_id",
                "The id of this call, where the loop streams.",
                "amplifier",
            ),
            text(
                "parallel_group_id",
                "What the calls of one parallel batch have in common.",
                "amplifier",
            ),
            object(
                "mcp_server",
                "The MCP server that serves the tool: name and source.",
                "claude-code",
            ),
            text(
                "command_name",
                "The skill or command whose text holds this line of the shell.",
                "claude-code",
            ),
            text(
                "command_source",
                "Where that skill or command comes from.",
                "claude-code",
            ),
            text(
                "invoked_by",
                "Who started it: `user`, `claude` or `other`.",
                "claude-code",
            ),
        ]),
    gate(
        "approval:required",
        "A person is about to be asked for a permission.",
    )
    .universal("permission-request")
    .aliases(&["PermissionRequest"])
    .subject("tool_name")
    .mutable(&["tool_input"])
    .fields(&[
        text(
            "tool_name",
            "The tool's name, as its host spells it.",
            "amplifier, claude-code, seed 003",
        ),
        object(
            "tool_input",
            "The tool's arguments.",
            "claude-code, seed 003",
        ),
        text(
            "tool_use_id",
            "The id of this call.",
            "claude-code, seed 003",
        ),
        text(
            "operation",
            "What is to be permitted, in words.",
            "amplifier",
        ),
        text("reason", "Why a permission is needed.", "amplifier"),
        text("action", "What the tool would do.", "amplifier"),
        text(
            "risk_level",
            "How risky the approval rules think it is.",
            "amplifier",
        ),
        list("questions", "Every question that is put.", "anyhook"),
        list("hook_names", "The hooks that ask.", "anyhook"),
        text("hook_event", "The event that it is about.", "anyhook"),
        list(
            "permission_suggestions",
            "Permissions that the host would offer to remember.",
            "claude-code",
        ),
    ]),
    after("tool:post", "A tool has run.")
        .twins(CALLED)
        .universal("post-tool-use")
        .aliases(&["PostToolUse", "afterFileEdit"])
        .subject("tool_name")
        .mutable(&["tool_result"])
        .fields(&[
            text(
                "tool_name",
                "The tool's name, as its host spells it.",
                "amplifier, claude-code, ex_athena",
            )
            .must(),
            object(
                "tool_input",
                "The tool's arguments.",
                "amplifier, claude-code",
            ),
            any(
                "tool_result",
                "What the tool returned.",
                "amplifier, claude-code",
            ),
            any(
                "result",
                "What the tool returned, as Amplifier's own loops spell it.",
                "amplifier",
            ),
            flag("success", "Whether the tool did its work.", "amplifier"),
            number(
                "duration_ms",
                "How long it took, in milliseconds.",
                "amplifier, claude-code",
            ),
            text(
                "tool_use_id",
                "The id of this call.",
                "claude-code, seed 003",
            ),
            text(
                "tool_call_id",
                "The id of this call, where the loop streams.",
                "amplifier",
            ),
            text(
                "parallel_group_id",
                "What the calls of one parallel batch have in common.",
                "amplifier",
            ),
            object(
                "arguments",
                "The tool's arguments, as ex_athena spells them.",
                "ATH-12",
            ),
            object(
                "mcp_server",
                "The MCP server that serves the tool: name and source.",
                "claude-code",
            ),
        ]),
    gate(
        "prompt:submit",
        "A prompt has arrived and is about to be processed.",
    )
    .universal("pre-prompt")
    .aliases(&[
        "UserPromptSubmit",
        "beforeSubmitPrompt",
        "userPromptSubmitted",
    ])
    .mutable(&["prompt"])
    .fields(&[
        text("prompt", "The prompt.", "amplifier, claude-code, seed 003").must(),
        text(
            "original_prompt",
            "The prompt as it came, before any hook changed it.",
            "anyhook",
        ),
        object(
            "metadata",
            "What the application knows about the prompt.",
            "amplifier",
        ),
        text(
            "parent_session_id",
            "The session that this one belongs to.",
            "seed 003",
        ),
        text("session_title", "The session's title.", "claude-code"),
        text("source", "Where the prompt came from.", "claude-code"),
    ]),
    after(
        "session:start",
        "A session began, was resumed, cleared or compacted.",
    )
    .universal("session-start")
    .aliases(&["SessionStart"])
    .subject("source")
    .fields(&[
        one_of(
            "source",
            &["startup", "resume", "clear", "compact", "fork", "new"],
            "What began it.",
            "amplifier, claude-code, copilot-cli",
        ),
        object(
            "mount_plan",
            "The modules that the session mounted.",
            "amplifier",
        ),
        text(
            "parent_session_id",
            "The session that this one belongs to.",
            "seed 003",
        ),
        text("model", "The model's name.", "claude-code"),
        text(
            "agent_type",
            "The kind of agent that was started.",
            "claude-code",
        ),
        text("session_title", "The session's title.", "claude-code"),
        number(
            "seconds_since_last_response",
            "How long ago the model last answered; after a resume or a fork.",
            "claude-code",
        ),
        number(
            "context_tokens",
            "How full the context is; after a resume or a fork.",
            "claude-code",
        ),
        flag(
            "prompt_cache_likely_expired",
            "Whether the prompt cache is probably cold.",
            "claude-code",
        ),
        number(
            "estimated_cache_write_usd",
            "What filling the prompt cache again would cost.",
            "claude-code",
        ),
    ]),
    after("session:end", "A session ended.")
        .universal("session-end")
        .aliases(&["SessionEnd"])
        .subject("reason")
        .fields(&[
            text("reason", "Why it ended.", "amplifier, claude-code"),
            number(
                "duration_ms",
                "How long it lasted, in milliseconds.",
                "amplifier",
            ),
            object(
                "stats",
                "Counts of messages, tool calls and tokens.",
                "amplifier",
            ),
            text(
                "parent_session_id",
                "The session that this one belongs to.",
                "seed 003",
            ),
            text("finish_reason", "How the run finished.", "seed 003"),
            any("result", "The run's result.", "seed 003"),
        ]),
    continuation(
        "stop",
        "The agent has finished its answer and wants to stop.",
    )
    .universal("stop")
    .aliases(&["Stop"])
    .fields(&[
        flag(
            "stop_hook_active",
            "Whether a hook has already made the agent go on.",
            "claude-code",
        ),
        text(
            "last_assistant_message",
            "The agent's last words.",
            "claude-code",
        ),
        list(
            "background_tasks",
            "What is still running in the background.",
            "claude-code",
        ),
        list(
            "session_crons",
            "What the session has scheduled.",
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
    continuation(
        "agent:complete",
        "A sub-agent has finished its answer and wants to stop.",
    )
    .universal("sub-agent-end")
    .aliases(&["SubagentStop"])
    .subject("agent_type")
    .fields(&[
        text("agent_id", "The sub-agent's id.", "claude-code"),
        text("agent_type", "The sub-agent's kind.", "claude-code"),
        flag(
            "stop_hook_active",
            "Whether a hook has already made the agent go on.",
            "claude-code",
        ),
        text("agent_name", "The sub-agent's name.", "amplifier"),
        text("task", "What the sub-agent was to do.", "amplifier"),
        any(
            "result",
            "What the sub-agent returned.",
            "amplifier, seed 003",
        ),
        number(
            "duration_ms",
            "How long it took, in milliseconds.",
            "amplifier, claude-code",
        ),
        text("status", "How it ended.", "amplifier"),
        text(
            "agent_transcript_path",
            "The sub-agent's own transcript.",
            "claude-code",
        ),
        text(
            "last_assistant_message",
            "The agent's last words.",
            "claude-code",
        ),
        list(
            "background_tasks",
            "What is still running in the background.",
            "claude-code",
        ),
        list(
            "session_crons",
            "What the session has scheduled.",
            "claude-code",
        ),
        text(
            "subagent_id",
            "The sub-agent's id, as ex_athena spells it.",
            "seed 003",
        ),
        one_of(
            "outcome",
            &["ok", "incomplete", "error", "crash", "timeout"],
            "How the sub-agent ended.",
            "seed 003",
        ),
        any("reason", "Why the sub-agent failed.", "ex_athena"),
        any("isolation", "Where the sub-agent worked.", "ATH-31"),
        text(
            "parent_session_id",
            "The session that started it.",
            "amplifier",
        ),
    ]),
    gate(
        "context:pre_compact",
        "The context is about to be compacted.",
    )
    .universal("pre-compact")
    .aliases(&["PreCompact", "context:pre-compact"])
    .subject("trigger")
    .fields(&[
        one_of(
            "trigger",
            &["auto", "manual"],
            "Whether the host or a person started it.",
            "amplifier, claude-code",
        ),
        text(
            "custom_instructions",
            "What the person asked the summary to keep.",
            "claude-code",
        ),
        integer(
            "message_count",
            "How many messages the context has.",
            "amplifier",
        ),
        integer(
            "token_count",
            "How many tokens the context has.",
            "amplifier",
        ),
        integer(
            "messages_count",
            "How many messages the context has, in the documentation's spelling.",
            "amplifier",
        ),
        integer(
            "current_tokens",
            "How many tokens the context has, in the documentation's spelling.",
            "amplifier",
        ),
        integer(
            "target_tokens",
            "How many tokens it is to have.",
            "amplifier",
        ),
        object("estimate", "Tokens now, and the most that fit.", "seed 003"),
    ]),
    notice("user:notification", "The host notifies the person.")
        .universal("notification")
        .aliases(&["Notification"])
        .subject("notification_type")
        .fields(&[
            text(
                "notification_type",
                "What kind of notification it is.",
                "amplifier, claude-code",
            ),
            text(
                "message",
                "What the person reads.",
                "amplifier, claude-code",
            )
            .must(),
            text("title", "Its heading.", "claude-code"),
            object("metadata", "What else belongs to it.", "amplifier"),
        ]),
];
