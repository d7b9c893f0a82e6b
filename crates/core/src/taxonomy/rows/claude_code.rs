//! The events that only Claude Code sends.

use super::super::field::{flag, integer, list, number, object, one_of, text};
use super::{EventSpec, after, continuation, gate, notice};

pub(super) const ROWS: &[EventSpec] = &[
    after(
        "claude-code:setup",
        "The host prepares a project, and does nothing else.",
    )
    .aliases(&["Setup"])
    .subject("trigger")
    .fields(&[one_of(
        "trigger",
        &["init", "maintenance"],
        "What it was started for.",
        "claude-code",
    )
    .must()]),
    notice(
        "claude-code:instructions-loaded",
        "A file of instructions was taken into the context.",
    )
    .aliases(&["InstructionsLoaded"])
    .subject("load_reason")
    .fields(&[
        text("file_path", "The file.", "claude-code").must(),
        one_of(
            "memory_type",
            &["User", "Project", "Local", "Managed"],
            "Whose instructions they are.",
            "claude-code",
        )
        .must(),
        one_of(
            "load_reason",
            &[
                "session_start",
                "nested_traversal",
                "path_glob_match",
                "include",
                "compact",
            ],
            "Why it was loaded.",
            "claude-code",
        )
        .must(),
        list("globs", "The patterns that it is meant for.", "claude-code"),
        text(
            "trigger_file_path",
            "The file that made it be loaded.",
            "claude-code",
        ),
        text(
            "parent_file_path",
            "The file that includes it.",
            "claude-code",
        ),
    ]),
    gate(
        "claude-code:user-prompt-expansion",
        "A command that the person typed is about to be expanded into a prompt.",
    )
    .aliases(&["UserPromptExpansion"])
    .subject("command_name")
    .fields(&[
        one_of(
            "expansion_type",
            &["slash_command", "mcp_prompt"],
            "What is expanded.",
            "claude-code",
        )
        .must(),
        text("command_name", "The command.", "claude-code").must(),
        text("command_args", "What was typed behind it.", "claude-code").must(),
        text(
            "command_source",
            "Where the command is defined.",
            "claude-code",
        )
        .must(),
        text("prompt", "What was typed.", "claude-code").must(),
    ]),
    gate(
        "claude-code:post-tool-batch",
        "All calls of one batch are settled, and the model is about to be called.",
    )
    .aliases(&["PostToolBatch"])
    .fields(&[list(
        "tool_calls",
        "The calls, each with its name, arguments and result.",
        "claude-code",
    )
    .must()]),
    notice(
        "claude-code:message-display",
        "A piece of the agent's text is about to be shown.",
    )
    .aliases(&["MessageDisplay"])
    .fields(&[
        text("turn_id", "The turn.", "claude-code").must(),
        text("message_id", "The message.", "claude-code").must(),
        integer("index", "Which piece it is.", "claude-code").must(),
        flag("final", "Whether it is the last one.", "claude-code").must(),
        text("delta", "The piece.", "claude-code").must(),
    ]),
    gate(
        "claude-code:task-created",
        "A task is about to be put on the list.",
    )
    .aliases(&["TaskCreated"])
    .fields(&[
        text("task_id", "The task.", "claude-code").must(),
        text("task_subject", "Its heading.", "claude-code").must(),
        text("task_description", "What is to be done.", "claude-code"),
        text(
            "teammate_name",
            "The teammate whose task it is.",
            "claude-code",
        ),
        text("team_name", "The team.", "claude-code"),
    ]),
    continuation(
        "claude-code:task-completed",
        "A task is about to be marked as completed.",
    )
    .aliases(&["TaskCompleted"])
    .fields(&[
        text("task_id", "The task.", "claude-code").must(),
        text("task_subject", "Its heading.", "claude-code").must(),
        text("task_description", "What is to be done.", "claude-code"),
        text(
            "teammate_name",
            "The teammate whose task it is.",
            "claude-code",
        ),
        text("team_name", "The team.", "claude-code"),
    ]),
    continuation(
        "claude-code:teammate-idle",
        "A teammate agent is about to become idle.",
    )
    .aliases(&["TeammateIdle"])
    .fields(&[
        text("teammate_name", "The teammate.", "claude-code").must(),
        text("team_name", "The team.", "claude-code"),
    ]),
    gate(
        "claude-code:config-change",
        "Changed settings are about to be applied.",
    )
    .aliases(&["ConfigChange"])
    .subject("source")
    .fields(&[
        one_of(
            "source",
            &[
                "user_settings",
                "project_settings",
                "local_settings",
                "policy_settings",
                "skills",
            ],
            "Whose settings they are.",
            "claude-code",
        )
        .must(),
        text("file_path", "The file.", "claude-code"),
    ]),
    notice("claude-code:cwd-changed", "The working directory changed.")
        .aliases(&["CwdChanged"])
        .fields(&[
            text("old_cwd", "Where it was.", "claude-code").must(),
            text("new_cwd", "Where it is.", "claude-code").must(),
        ]),
    notice(
        "claude-code:directory-added",
        "A directory was added to the workspace.",
    )
    .aliases(&["DirectoryAdded"])
    .subject("source")
    .fields(&[
        text("directory", "The directory.", "claude-code").must(),
        one_of(
            "source",
            &["slash_command", "register_repo_root"],
            "Who added it.",
            "claude-code",
        )
        .must(),
    ]),
    notice(
        "claude-code:file-changed",
        "A file that is watched has changed on disk.",
    )
    .aliases(&["FileChanged"])
    .subject("file_path")
    .fields(&[
        text("file_path", "The file.", "claude-code").must(),
        one_of(
            "event",
            &["change", "add", "unlink"],
            "What happened to it.",
            "claude-code",
        )
        .must(),
    ]),
    gate(
        "claude-code:worktree-create",
        "A worktree is needed, and a hook is to make it.",
    )
    .aliases(&["WorktreeCreate"])
    .fields(&[text("name", "Its name.", "claude-code").must()]),
    notice(
        "claude-code:worktree-remove",
        "A worktree is no longer needed.",
    )
    .aliases(&["WorktreeRemove"])
    .fields(&[text("worktree_path", "The worktree.", "claude-code").must()]),
    gate(
        "claude-code:pre-model-switch",
        "Another model is about to answer.",
    )
    .aliases(&["PreModelSwitch"])
    .subject("to_model")
    .fields(&[
        text("from_model", "The model that answers now.", "claude-code").must(),
        text("to_model", "The model that is to answer.", "claude-code").must(),
        text(
            "requested_model",
            "What the person asked for.",
            "claude-code",
        ),
        one_of(
            "source",
            &["command", "picker", "sdk", "auto", "resume"],
            "Who asked for it.",
            "claude-code",
        )
        .must(),
        number("context_tokens", "How full the context is.", "claude-code"),
        flag(
            "prompt_cache_warm",
            "Whether the prompt cache would be lost.",
            "claude-code",
        ),
        text(
            "cache_ttl",
            "How long the prompt cache lives.",
            "claude-code",
        ),
        number(
            "estimated_cache_write_usd",
            "What filling it again would cost.",
            "claude-code",
        ),
        object("pricing", "What both models cost.", "claude-code"),
    ]),
    after(
        "claude-code:post-model-switch",
        "Another model answers from now on.",
    )
    .aliases(&["PostModelSwitch"])
    .subject("to_model")
    .fields(&[
        text("from_model", "The model that answers now.", "claude-code").must(),
        text("to_model", "The model that is to answer.", "claude-code").must(),
        text(
            "requested_model",
            "What the person asked for.",
            "claude-code",
        ),
        text("source", "Who asked for it.", "claude-code").must(),
        number("context_tokens", "How full the context is.", "claude-code"),
        flag(
            "prompt_cache_warm",
            "Whether the prompt cache would be lost.",
            "claude-code",
        ),
        text(
            "cache_ttl",
            "How long the prompt cache lives.",
            "claude-code",
        ),
        number(
            "estimated_cache_write_usd",
            "What filling it again would cost.",
            "claude-code",
        ),
        object("pricing", "What both models cost.", "claude-code"),
    ]),
    gate(
        "claude-code:elicitation",
        "An MCP server is about to ask the person something.",
    )
    .aliases(&["Elicitation"])
    .subject("mcp_server_name")
    .fields(&[
        text("mcp_server_name", "The server.", "claude-code").must(),
        text("message", "What it asks.", "claude-code").must(),
        one_of("mode", &["form", "url"], "How it asks.", "claude-code"),
        text("url", "Where the person answers.", "claude-code"),
        text("elicitation_id", "The id of the question.", "claude-code"),
        object("requested_schema", "The form of the answer.", "claude-code"),
    ]),
    gate(
        "claude-code:elicitation-result",
        "The person's answer is about to go to an MCP server.",
    )
    .aliases(&["ElicitationResult"])
    .subject("mcp_server_name")
    .fields(&[
        text("mcp_server_name", "The server.", "claude-code").must(),
        one_of(
            "action",
            &["accept", "decline", "cancel"],
            "What the person decided.",
            "claude-code",
        )
        .must(),
        text("mode", "How it was asked.", "claude-code"),
        text("elicitation_id", "The id of the question.", "claude-code"),
        object("content", "The answer.", "claude-code"),
    ]),
];
