//! The nineteen events of `ex_athena`: our name, the keys of the payload, and the returns that each understands.

/// One event of the original.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spec {
    /// Its name there.
    pub(super) name: &'static str,
    /// Its name here.
    pub(super) canonical: &'static str,
    /// Which entries its list may have, and how it is dispatched.
    pub(super) list: List,
    /// The keys of its payload, and the fields of our data that they are read from; the first that is there.
    pub(super) keys: &'static [(&'static str, &'static [&'static str])],
    /// Whether the original's loop hears an injection.
    pub(super) injects: Injects,
}

/// The kind of an event's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum List {
    /// Groups and functions, about a tool that is about to run.
    PreTool,
    /// Groups and functions, about a tool that has run.
    PostTool,
    /// Functions.
    Flat,
}

/// What the original's loop does with an injection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Injects {
    /// It adds it to the conversation.
    Heard,
    /// It drops it.
    Dropped,
}

const SESSION: (&str, &[&str]) = ("session_id", &["session_id"]);
const PARENT: (&str, &[&str]) = ("parent_session_id", &["parent_session_id", "parent_id"]);
const TOOL: (&str, &[&str]) = ("tool_name", &["tool_name"]);
const CALL: (&str, &[&str]) = ("tool_use_id", &["tool_use_id"]);
const ARGUMENTS: (&str, &[&str]) = ("arguments", &["tool_input", "arguments"]);
const REASON: (&str, &[&str]) = ("reason", &["reason", "error"]);
const FINISH: (&str, &[&str]) = ("finish_reason", &["finish_reason"]);
const RESULT: (&str, &[&str]) = ("result", &["result"]);
const ESTIMATE: (&str, &[&str]) = ("estimate", &["estimate"]);
const ISOLATION: (&str, &[&str]) = ("isolation", &["isolation"]);
const CHILD: (&str, &[&str]) = ("subagent_id", &["subagent_id", "agent_id"]);

const fn flat(
    name: &'static str,
    canonical: &'static str,
    keys: &'static [(&'static str, &'static [&'static str])],
) -> Spec {
    Spec {
        name,
        canonical,
        list: List::Flat,
        keys,
        injects: Injects::Dropped,
    }
}

const fn heard(spec: Spec) -> Spec {
    Spec {
        injects: Injects::Heard,
        ..spec
    }
}

/// Every event, in the order of the original.
pub(super) static SPECS: &[Spec] = &[
    flat("SessionStart", "session:start", &[SESSION, PARENT]),
    flat(
        "SessionEnd",
        "session:end",
        &[SESSION, PARENT, FINISH, RESULT],
    ),
    heard(flat(
        "UserPromptSubmit",
        "prompt:submit",
        &[("prompt", &["prompt"]), SESSION, PARENT],
    )),
    heard(flat(
        "ChatParams",
        "athena:chat-params",
        &[
            ("request", &["request"]),
            SESSION,
            ("messages", &["messages"]),
        ],
    )),
    heard(flat(
        "PreIteration",
        "athena:pre-iteration",
        &[
            ("iteration", &["iteration"]),
            ("unproductive_iterations", &["unproductive_iterations"]),
            ("fingerprint", &["fingerprint"]),
            SESSION,
        ],
    )),
    flat("Stop", "stop", &[SESSION, PARENT, FINISH, RESULT]),
    flat(
        "StopFailure",
        "stop-failure",
        &[SESSION, PARENT, FINISH, RESULT, ("error", &["error"])],
    ),
    Spec {
        list: List::PreTool,
        ..flat("PreToolUse", "tool:pre", &[TOOL, CALL])
    },
    Spec {
        list: List::PostTool,
        ..flat(
            "PostToolUse",
            "tool:post",
            &[
                TOOL,
                CALL,
                ("result", &["tool_result", "result"]),
                ARGUMENTS,
                ("cwd", &["cwd"]),
            ],
        )
    },
    flat("PostToolUseFailure", "tool:error", &[TOOL, CALL, REASON]),
    flat(
        "PermissionRequest",
        "approval:required",
        &[TOOL, CALL, ARGUMENTS],
    ),
    flat(
        "PermissionDenied",
        "approval:denied",
        &[TOOL, CALL, ARGUMENTS, REASON],
    ),
    flat(
        "ToolDenied",
        "athena:tool-denied",
        &[TOOL, CALL, ARGUMENTS, ("denial", &["denial"])],
    ),
    flat(
        "SubagentStart",
        "agent:spawn",
        &[
            CHILD,
            ("prompt", &["task", "prompt"]),
            PARENT,
            ("agent", &["agent", "agent_name", "agent_type"]),
            ISOLATION,
        ],
    ),
    flat(
        "SubagentStop",
        "agent:complete",
        &[
            CHILD,
            ("outcome", &["outcome"]),
            RESULT,
            ("reason", &["reason"]),
            ISOLATION,
        ],
    ),
    flat("PreCompact", "context:pre_compact", &[ESTIMATE]),
    flat(
        "PreCompactStage",
        "athena:pre-compact-stage",
        &[("stage", &["stage"]), ESTIMATE],
    ),
    flat(
        "PostCompact",
        "context:post_compact",
        &[("metadata", &["metadata"])],
    ),
    flat("Notification", "user:notification", &[]),
];
