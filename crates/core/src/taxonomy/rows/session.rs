//! Events about the session, the turn, approvals and policies, as Amplifier has them.

use super::super::field::{any, flag, integer, list, number, object, one_of, text};
use super::{EventSpec, after, gate, notice};

pub(super) const ROWS: &[EventSpec] = &[
    notice("session:fork", "A session was forked from another one.").fields(&[
        text(
            "parent",
            "The session that it was forked from.",
            "amplifier",
        )
        .must(),
        object(
            "metadata",
            "What the application knows about the fork.",
            "amplifier",
        ),
        object("raw", "The session's configuration, redacted.", "amplifier"),
    ]),
    notice("session:resume", "A session was resumed."),
    notice(
        "session:config",
        "A session's configuration, for those who log it.",
    )
    .fields(&[object("raw", "The configuration, redacted.", "amplifier").must()]),
    notice(
        "session:start:debug",
        "What a session started with, in short, for those who log it.",
    )
    .fields(&[object(
        "mount_plan",
        "The modules that the session mounted.",
        "amplifier",
    )]),
    notice(
        "session:start:raw",
        "What a session started with, whole, for those who log it.",
    )
    .fields(&[object(
        "mount_plan",
        "The modules that the session mounted.",
        "amplifier",
    )]),
    after("prompt:complete", "The answer to a prompt is complete.").fields(&[
        text("response", "The answer.", "amplifier"),
        number("duration", "How long it took, in seconds.", "amplifier"),
    ]),
    gate(
        "execution:start",
        "An orchestrator is about to work on a prompt.",
    )
    .mutable(&["prompt"])
    .fields(&[text("prompt", "The prompt.", "amplifier").must()]),
    after(
        "execution:end",
        "An orchestrator has left its work, in whatever way.",
    )
    .fields(&[
        text("response", "What it answered.", "amplifier"),
        one_of(
            "status",
            &["completed", "cancelled", "error"],
            "How it ended.",
            "amplifier",
        ),
    ]),
    after(
        "orchestrator:complete",
        "An orchestrator has finished a prompt.",
    )
    .fields(&[
        text("orchestrator", "The orchestrator's name.", "amplifier").must(),
        integer("turn_count", "How many turns it took.", "amplifier").must(),
        one_of(
            "status",
            &["success", "incomplete", "cancelled"],
            "How it ended.",
            "amplifier",
        ),
        text("final_message", "The last message.", "amplifier"),
        number(
            "duration_ms",
            "How long it took, in milliseconds.",
            "amplifier",
        ),
    ]),
    notice("plan:start", "The agent began to make a plan.").fields(&[any(
        "plan",
        "The plan.",
        "amplifier",
    )]),
    after("plan:end", "The agent has made a plan.").fields(&[any(
        "plan",
        "The plan.",
        "amplifier",
    )]),
    notice(
        "cancel:requested",
        "A person asked for the run to be cancelled.",
    )
    .fields(&[
        flag("immediate", "Whether it is to end at once.", "amplifier"),
        text("orchestrator", "The orchestrator's name.", "amplifier"),
        text("state", "What the orchestrator was doing.", "amplifier"),
        integer("turn_count", "How many turns were done.", "amplifier"),
    ]),
    notice("cancel:completed", "The run was cancelled.").fields(&[
        flag("was_immediate", "Whether it ended at once.", "amplifier"),
        text("error", "What failed while it was cancelled.", "amplifier"),
    ]),
    notice(
        "approval:granted",
        "A person, or a rule in a person's name, granted a permission.",
    )
    .subject("tool_name")
    .fields(&[
        text("tool_name", "The tool's name.", "amplifier"),
        text("operation", "What was permitted, in words.", "amplifier"),
        text("reason", "Why.", "amplifier"),
        object("tool_input", "The tool's arguments.", "anyhook"),
        text("hook_event", "The event that it is about.", "anyhook"),
    ]),
    notice("approval:denied", "A tool call was refused.")
        .aliases(&["PermissionDenied"])
        .subject("tool_name")
        .fields(&[
            text(
                "tool_name",
                "The tool's name.",
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
            text("operation", "What was refused, in words.", "amplifier"),
            any("reason", "Why.", "amplifier, claude-code, seed 003"),
            object(
                "arguments",
                "The tool's arguments, as ex_athena spells them.",
                "seed 003",
            ),
            text("hook_event", "The event that it is about.", "anyhook"),
        ]),
    notice("approval:requested", "A question was put to a person.").fields(&[
        text("prompt", "The question.", "amplifier").must(),
        list("options", "The choices.", "seed 001"),
        number("timeout", "How long to wait, in seconds.", "seed 001"),
        one_of(
            "default",
            &["allow", "deny"],
            "What holds without an answer.",
            "seed 001",
        ),
        text("hook_name", "The hook that asks.", "anyhook"),
    ]),
    notice(
        "approval:decision",
        "A person, or a remembered answer, settled a question.",
    )
    .fields(&[
        text("decision", "The choice.", "amplifier").must(),
        number(
            "decision_time_ms",
            "How long the person took, in milliseconds.",
            "amplifier",
        ),
        flag("cached", "Whether an earlier answer was used.", "amplifier"),
        one_of(
            "remember",
            &["once", "session", "always"],
            "How long it holds.",
            "anyhook",
        ),
        text("hook_name", "The hook that asks.", "anyhook"),
        text("prompt", "The question.", "anyhook"),
    ]),
    notice("approval:timeout", "A question was not answered in time.").fields(&[
        one_of(
            "default_taken",
            &["allow", "deny"],
            "What held instead.",
            "amplifier",
        ),
        text("hook_name", "The hook that asks.", "anyhook"),
        text("prompt", "The question.", "anyhook"),
    ]),
    notice("policy:violation", "A policy was violated.").fields(&[
        text("policy", "The policy's name.", "amplifier").must(),
        any("details", "What violated it.", "amplifier"),
        text("hook_event", "The event that it is about.", "anyhook"),
    ]),
    notice(
        "hook:context_injection",
        "A hook's text was given to the model.",
    )
    .fields(&[
        text("hook_name", "The hook.", "amplifier").must(),
        text(
            "hook_event",
            "The event that the hook was asked about.",
            "amplifier",
        )
        .must(),
        integer("injection_size", "The text's size in bytes.", "amplifier").must(),
        one_of(
            "injection_role",
            &["system", "user", "assistant"],
            "As whom it was said.",
            "amplifier",
        ),
        integer(
            "full_size",
            "The size of the whole text, where it was cut.",
            "anyhook",
        ),
        integer("tokens", "What it costs of the turn's budget.", "anyhook"),
        flag(
            "ephemeral",
            "Whether only the next request has it.",
            "anyhook",
        ),
        flag("stored", "Whether the conversation took it.", "anyhook"),
    ]),
    notice("hook:error", "A hook failed.").fields(&[
        text("hook_name", "The hook.", "anyhook").must(),
        text(
            "hook_event",
            "The event that the hook was asked about.",
            "anyhook",
        )
        .must(),
        text("kind", "What kind of failure it was.", "anyhook").must(),
        text("error", "What failed.", "anyhook").must(),
    ]),
];
