//! The rows. To add an event, add one here; names, lookup, suggestions and classes follow.

use super::{Class, EventSpec};

/// The catalogue as a constant, so that the index of names can be built from it by the compiler.
pub(super) const ROWS: &[EventSpec] = &[
    // The ten universal events.
    gate("tool:pre", "A tool is about to run.")
        .universal("pre-tool-use")
        .aliases(&["PreToolUse", "beforeShellCommand", "beforeMcpCall"])
        .subject("tool_name")
        .mutable(&["tool_input"]),
    gate(
        "approval:required",
        "A person is about to be asked for a permission.",
    )
    .universal("permission-request")
    .aliases(&["PermissionRequest"])
    .subject("tool_name")
    .mutable(&["tool_input"]),
    after("tool:post", "A tool has run.")
        .universal("post-tool-use")
        .aliases(&["PostToolUse"])
        .subject("tool_name")
        .mutable(&["tool_result"]),
    gate(
        "prompt:submit",
        "A prompt has arrived and is about to be processed.",
    )
    .universal("pre-prompt")
    .aliases(&["UserPromptSubmit"])
    .mutable(&["prompt"]),
    after(
        "session:start",
        "A session began, was resumed, cleared or compacted.",
    )
    .universal("session-start")
    .aliases(&["SessionStart"])
    .subject("source"),
    after("session:end", "A session ended.")
        .universal("session-end")
        .aliases(&["SessionEnd"])
        .subject("reason"),
    continuation(
        "stop",
        "The agent has finished its answer and wants to stop.",
    )
    .universal("stop")
    .aliases(&["Stop"]),
    continuation(
        "agent:complete",
        "A sub-agent has finished its answer and wants to stop.",
    )
    .universal("sub-agent-end")
    .aliases(&["SubagentStop"])
    .subject("agent_type"),
    gate(
        "context:pre_compact",
        "The context is about to be compacted.",
    )
    .universal("pre-compact")
    .aliases(&["PreCompact", "context:pre-compact"])
    .subject("trigger"),
    notice("user:notification", "The host notifies the person.")
        .universal("notification")
        .aliases(&["Notification"])
        .subject("notification_type"),
    // What at least two hosts share beyond those.
    after("tool:error", "A tool has failed.")
        .universal("post-tool-use-failure")
        .aliases(&["PostToolUseFailure", "error:tool"])
        .subject("tool_name"),
    gate("agent:spawn", "A sub-agent is about to start.")
        .universal("sub-agent-start")
        .aliases(&["SubagentStart"])
        .subject("agent_type")
        .mutable(&["task"]),
    after("context:post_compact", "The context was compacted.")
        .universal("post-compact")
        .aliases(&["PostCompact", "context:post-compact"])
        .subject("trigger"),
    notice("stop-failure", "The agent's turn ended by an error.")
        .universal("stop-failure")
        .aliases(&["StopFailure"])
        .subject("error"),
    // The session.
    notice("session:fork", "A session was forked from another one."),
    notice("session:resume", "A session was resumed."),
    notice(
        "session:config",
        "A session's configuration, for those who log it.",
    ),
    // The prompt and the turn.
    after("prompt:complete", "The answer to a prompt is complete."),
    gate(
        "execution:start",
        "An orchestrator is about to work on a prompt.",
    )
    .mutable(&["prompt"]),
    after(
        "execution:end",
        "An orchestrator has left its work, in whatever way.",
    ),
    after(
        "orchestrator:complete",
        "An orchestrator has finished a prompt.",
    ),
    notice("plan:start", "The agent began to make a plan."),
    after("plan:end", "The agent has made a plan."),
    notice(
        "cancel:requested",
        "A person asked for the run to be cancelled.",
    ),
    notice("cancel:completed", "The run was cancelled."),
    // The model.
    gate("provider:request", "A provider is about to be called.").mutable(&["messages", "model"]),
    after("provider:response", "A provider has answered.").mutable(&["response"]),
    notice("provider:retry", "A request to a provider is tried again."),
    notice("provider:error", "A provider has failed.").aliases(&["error:provider"]),
    notice(
        "provider:throttle",
        "A provider is near its limit, and requests are held back.",
    ),
    notice(
        "provider:tool_sequence_repaired",
        "A broken sequence of tool calls was repaired before a request.",
    ),
    notice("provider:resolve", "A provider and a model were chosen."),
    gate("llm:request", "A request is about to go to a model.").mutable(&["messages", "params"]),
    notice("llm:response", "A model has answered."),
    notice("content_block:start", "A block of streamed content began."),
    notice(
        "content_block:delta",
        "A piece of a block of streamed content arrived.",
    ),
    after("content_block:end", "A block of streamed content ended."),
    notice("thinking:delta", "A piece of the model's thinking arrived."),
    notice("thinking:final", "The model's thinking is complete."),
    // Approvals and policies.
    notice(
        "approval:granted",
        "A person, or a rule in a person's name, granted a permission.",
    ),
    notice("approval:denied", "A tool call was refused.")
        .aliases(&["PermissionDenied"])
        .subject("tool_name"),
    notice("policy:violation", "A policy was violated."),
    // The context, artifacts and modules.
    notice("context:compaction", "Details of a compaction."),
    notice("context:include", "A file was taken into the context."),
    notice("artifact:write", "An artifact was written."),
    notice("artifact:read", "An artifact was read."),
    notice(
        "module:on_session_ready_failed",
        "A module failed when its session became ready.",
    ),
    notice("module:load_failed", "A module could not be loaded."),
    // Decisions and errors of old.
    after("decision:tool_resolution", "A tool was chosen."),
    after("decision:agent_resolution", "An agent was chosen."),
    after("decision:context_resolution", "A context was chosen."),
    notice("error:orchestration", "An orchestrator has failed."),
    // What only ex_athena fires.
    gate(
        "athena:pre-iteration",
        "The agent loop is about to iterate.",
    )
    .aliases(&["PreIteration"]),
    gate(
        "athena:chat-params",
        "The request of one iteration is complete and about to be sent.",
    )
    .aliases(&["ChatParams"])
    .mutable(&["request", "messages"]),
    notice(
        "athena:tool-denied",
        "A tool call was refused by the permissions.",
    )
    .aliases(&["ToolDenied"])
    .subject("tool_name"),
    notice(
        "athena:pre-compact-stage",
        "One stage of a compaction is about to run.",
    )
    .aliases(&["PreCompactStage"]),
    // What only Claude Code fires and a hook can answer in a way of its own.
    gate(
        "claude-code:elicitation",
        "An MCP server is about to ask the person something.",
    )
    .aliases(&["Elicitation"])
    .subject("mcp_server_name"),
    continuation(
        "claude-code:task-completed",
        "A task is about to be marked as completed.",
    )
    .aliases(&["TaskCompleted"]),
    continuation(
        "claude-code:teammate-idle",
        "A teammate agent is about to become idle.",
    )
    .aliases(&["TeammateIdle"]),
];

const fn gate(name: &'static str, summary: &'static str) -> EventSpec {
    row(Class::Gate, name, summary)
}

const fn continuation(name: &'static str, summary: &'static str) -> EventSpec {
    row(Class::Continuation, name, summary)
}

const fn after(name: &'static str, summary: &'static str) -> EventSpec {
    row(Class::After, name, summary)
}

const fn notice(name: &'static str, summary: &'static str) -> EventSpec {
    row(Class::Notice, name, summary)
}

const fn row(class: Class, name: &'static str, summary: &'static str) -> EventSpec {
    EventSpec {
        name,
        universal: None,
        aliases: &[],
        class,
        subject: None,
        mutable: &[],
        summary,
    }
}

impl EventSpec {
    const fn universal(mut self, name: &'static str) -> Self {
        self.universal = Some(name);
        self
    }

    const fn aliases(mut self, names: &'static [&'static str]) -> Self {
        self.aliases = names;
        self
    }

    const fn subject(mut self, field: &'static str) -> Self {
        self.subject = Some(field);
        self
    }

    const fn mutable(mut self, fields: &'static [&'static str]) -> Self {
        self.mutable = fields;
        self
    }
}
