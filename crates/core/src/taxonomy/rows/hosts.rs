//! What only one of the other hosts fires. An event that two of them share is one row with two names.

use super::super::field::{any, flag, list, number, object, one_of, text};
use super::{EventSpec, after, continuation, gate, notice};

pub(super) const ROWS: &[EventSpec] = &[
    notice("codex-cli:interrupt", "A person interrupted the turn.").fields(&[text(
        "turn_id",
        "The turn.",
        "codex-cli",
    )
    .must()]),
    notice(
        "copilot-cli:user-prompt-transformed",
        "A prompt was changed before it was processed.",
    )
    .aliases(&["copilot-cloud:user-prompt-transformed"])
    .fields(&[
        text("prompt", "The prompt as it was.", "copilot-cli").must(),
        text("transformed_prompt", "The prompt as it is.", "copilot-cli").must(),
    ]),
    gate(
        "copilot-cli:pre-mcp-tool-call",
        "A tool of an MCP server is about to be called.",
    )
    .subject("tool_name")
    .fields(&[
        text("server_name", "The server.", "copilot-cli").must(),
        text("tool_name", "The tool's name.", "copilot-cli").must(),
        any("arguments", "The tool's arguments.", "copilot-cli"),
        text("tool_call_id", "The id of this call.", "copilot-cli"),
        object("_meta", "What else belongs to the call.", "copilot-cli"),
    ]),
    notice("copilot-cli:error-occurred", "The agent met an error.")
        .aliases(&["copilot-cloud:error-occurred"])
        .fields(&[
            object(
                "error",
                "The error: message, name and stack.",
                "copilot-cli",
            )
            .must(),
            one_of(
                "error_context",
                &["model_call", "tool_execution", "system", "user_input"],
                "Where it happened.",
                "copilot-cli",
            ),
            flag("recoverable", "Whether the agent goes on.", "copilot-cli"),
        ]),
    notice("cursor:after-agent-response", "The agent has answered.").fields(&[text(
        "text",
        "The answer.",
        "cursor",
    )
    .must()]),
    notice("cursor:after-agent-thought", "The agent has thought.").fields(&[
        text("text", "The thought.", "cursor").must(),
        number(
            "duration_ms",
            "How long it took, in milliseconds.",
            "cursor",
        ),
    ]),
    gate(
        "cursor:before-tab-file-read",
        "A completion is about to read a file.",
    )
    .fields(&[
        text("file_path", "The file.", "cursor").must(),
        text("content", "What the file holds.", "cursor"),
    ]),
    notice(
        "cursor:after-tab-file-edit",
        "A completion has changed a file.",
    )
    .fields(&[
        text("file_path", "The file.", "cursor").must(),
        list("edits", "The changes, with their places.", "cursor").must(),
    ]),
    notice("cursor:workspace-open", "A workspace was opened."),
    gate(
        "gemini-cli:before-model",
        "A request is about to go to the model.",
    )
    .mutable(&["llm_request"])
    .fields(&[object(
        "llm_request",
        "The request: model, messages and configuration.",
        "gemini-cli",
    )
    .must()]),
    after("gemini-cli:after-model", "The model has answered.").fields(&[
        object("llm_request", "The request.", "gemini-cli").must(),
        object(
            "llm_response",
            "The answer: candidates and usage.",
            "gemini-cli",
        )
        .must(),
    ]),
    notice(
        "gemini-cli:before-tool-selection",
        "The model is about to be told which tools there are.",
    )
    .fields(&[object("llm_request", "The request.", "gemini-cli").must()]),
    notice(
        "goose:pre-tool-use-result",
        "What became of asking about a tool.",
    )
    .fields(&[
        text("decision", "What was decided.", "goose").must(),
        flag("policy_evaluated", "Whether a policy was asked.", "goose"),
        text("blocked_by", "Who refused.", "goose"),
        text("reason", "Why.", "goose"),
        text("cause", "What made it so.", "goose"),
    ]),
    gate(
        "kiro:pre-task-exec",
        "A task of a specification is about to be done.",
    ),
    notice("kiro:post-task-exec", "A task of a specification is done."),
    notice(
        "opencode:command-execute-before",
        "A command is about to be expanded.",
    )
    .aliases(&["kilo:command-execute-before"])
    .fields(&[
        object("input", "What the host gives.", "opencode").must(),
        object("output", "What a hook may change.", "opencode").must(),
    ]),
    notice("opencode:session-error", "A session met an error.").aliases(&["kilo:session-error"]),
    notice(
        "opencode:shell-env",
        "The environment of a shell is about to be made.",
    )
    .aliases(&["kilo:shell-env"])
    .fields(&[
        object("input", "What the host gives.", "opencode").must(),
        object("output", "What a hook may change.", "opencode").must(),
    ]),
    notice(
        "qwen-code:post-tool-batch",
        "All calls of one batch are settled.",
    ),
    notice(
        "qwen-code:user-prompt-expansion",
        "A command that the person typed is expanded into a prompt.",
    ),
    notice("qwen-code:session-delete", "A session was deleted.").fields(&[text(
        "deleted_session_id",
        "The session.",
        "qwen-code",
    )
    .must()]),
    notice("qwen-code:message-display", "The agent's text is shown.").fields(&[
        text("message_id", "The message.", "qwen-code").must(),
        text("displayed_text", "All of its text so far.", "qwen-code").must(),
        flag("is_final", "Whether it is complete.", "qwen-code"),
    ]),
    notice(
        "qwen-code:instructions-loaded",
        "A file of instructions was taken into the context.",
    ),
    gate(
        "qwen-code:todo-created",
        "A task is about to be put on the list.",
    ),
    continuation(
        "qwen-code:todo-completed",
        "A task is about to be marked as completed.",
    ),
    notice("windsurf:post-setup-worktree", "A worktree was made.").fields(&[object(
        "tool_info",
        "The worktree and the workspace that it belongs to.",
        "windsurf",
    )
    .must()]),
];
