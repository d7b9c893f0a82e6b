//! `OpenCode`: its payloads, its rows, and its answers, as our plugin (`clients/opencode`) speaks for 1.18.33.
//!
//! `OpenCode` starts no programs: a plugin in its own process hears its hooks, posts each as one payload under the hook's name,
//! and carries the answer out. The rows are what that plugin can do there:
//! - A tool and a prompt are refused by an error. New arguments count without a decision, and `OpenCode` keeps its own rules for
//!   them. No plugin can put a question: it is refused here, and a person approves it with us.
//! - What is wrong with a result, and a text for the model, stand below it; the result itself can be replaced.
//! - A text about the start of a session stands beside its first prompt. A compaction takes texts and is not refused.
//! - A refused end becomes another prompt, unless `OpenCode` was started as `opencode run`, which ends all the same.
//! - A message for the person is a toast, or a line on the standard error of `opencode run`.
//! - `permission.ask` is listed as a hook and never called: a plugin hears that a person is asked (`permission.asked`), and
//!   answers beside that person.
//!
//! Every exit code but 0 refuses a tool and a prompt, and so does an answer that cannot be read.

use std::time::Duration;

use anyhook_core::can::{Can, Later, Shown};
use anyhook_core::result::{HookResult, Kind};

use super::relative::row::{CALL, CONTEXT, Exit2, Form, Halt, HostRow, PROMPT, Text, UNLESS_REFUSED, natives};
use super::relative::{Misnamed, Oddities, Relative, Updates, Words};
use crate::payload::{Tool, Tools};
use crate::{HostFacts, Maturity};

/// The id of this host.
pub const ID: &str = "opencode";

/// What the plugin waits for an answer.
const ANSWER: Duration = Duration::from_secs(30);

/// A message for the person; a text for the model waits for an event that takes it.
const WAITS: Can = Can {
    notify: Shown::Yes,
    later: Later::Outbox,
    ..Can::NOTHING
};

const BEFORE: Can = Can {
    verdicts: &[Kind::Deny, Kind::Halt],
    rewrite: &["tool_input"],
    ..WAITS
};

const AFTER: Can = Can {
    verdicts: &[Kind::Deny, Kind::Halt],
    rewrite: &["tool_result"],
    ..TELLS
};

const SUBMIT: Can = Can {
    verdicts: &[Kind::Deny],
    inject: Some(UNLESS_REFUSED),
    ..WAITS
};

const TELLS: Can = Can {
    inject: Some(CONTEXT),
    ..WAITS
};

const ENDS: Can = Can {
    verdicts: &[Kind::Deny, Kind::Halt],
    ..WAITS
};

const PERMITS: Can = Can {
    verdicts: &[Kind::Allow, Kind::Deny],
    ..WAITS
};

const fn row(name: &'static str, event: &'static str, can: Can) -> HostRow {
    HostRow::new(name, event, can, ANSWER).text(Text::Fails)
}

static EVENTS: [HostRow; 9] = [
    row("tool.execute.before", "tool:pre", BEFORE)
        .subject("tool_name")
        .needs(CALL)
        .refused(Form::Permission, Exit2::Blocks),
    row("tool.execute.after", "tool:post", AFTER)
        .subject("tool_name")
        .refused(Form::Block, Exit2::Blocks),
    row("permission.asked", "approval:required", PERMITS)
        .subject("tool_name")
        .needs(CALL)
        .refused(Form::Behavior, Exit2::Fails),
    row("chat.message", "prompt:submit", SUBMIT)
        .needs(PROMPT)
        .refused(Form::Block, Exit2::Blocks)
        .halt(Halt::Action),
    row("session.created", "session:start", TELLS),
    HostRow {
        unless: Some(("ends_when_idle", "yes")),
        ..row("session.idle", "stop", ENDS).refused(Form::Block, Exit2::Blocks)
    },
    row(
        "experimental.session.compacting",
        "context:pre_compact",
        TELLS,
    ),
    row("session.compacted", "context:post_compact", Can::NOTHING),
    row("dispose", "session:end", Can::NOTHING),
];

const FILE: (&str, &str) = ("filePath", "file_path");

static TOOLS: Tools = Tools {
    rows: &[
        Tool::new("bash", "Bash", &[]),
        Tool::new("read", "Read", &[FILE]),
        Tool::new("write", "Write", &[FILE]),
        Tool::new(
            "edit",
            "Edit",
            &[
                FILE,
                ("oldString", "old_string"),
                ("newString", "new_string"),
                ("replaceAll", "replace_all"),
            ],
        ),
        Tool::new("apply_patch", "apply_patch", &[("patchText", "patch")]),
        Tool::new("glob", "Glob", &[]),
        Tool::new("grep", "Grep", &[("include", "glob")]),
        Tool::new("list", "LS", &[]),
        Tool::new("webfetch", "WebFetch", &[]),
        Tool::new("websearch", "WebSearch", &[]),
        Tool::new("todowrite", "TodoWrite", &[]),
        Tool::new("task", "Agent", &[]),
        Tool::new("skill", "Skill", &[("name", "skill")]),
    ],
    mcp: None,
};

/// The agent `OpenCode`.
pub static OPENCODE: Relative = Relative {
    id: ID,
    facts: &HostFacts {
        maturity: Maturity::Experimental,
        covers: "1.18.33 with our plugin, seen 2026-11-25",
        instead: "copy its plugin, which asks `anyhook serve`: `docs/serve.md`, Guard OpenCode",
        tools: &TOOLS,
        executables: &["opencode"],
        ..HostFacts::BARE
    },
    natives: &natives(&EVENTS),
    events: &EVENTS,
    updates: Updates::Replace(&[
        ("bash", "command"),
        ("read", "filePath"),
        ("write", "filePath"),
        ("write", "content"),
        ("edit", "filePath"),
        ("edit", "oldString"),
        ("edit", "newString"),
        ("apply_patch", "patchText"),
    ]),
    words: Words {
        misnamed: Misnamed::Accepted,
        ..Words::COMMON
    },
    odd: Oddities {
        after: |answer, _| {
            // No plugin can put a question: ours refuses.
            if answer.result.verdict.kind() == Kind::Ask {
                let reason = answer.result.verdict.text();
                answer.say(HookResult::deny(reason));
            }
        },
        ..Oddities::NONE
    },
    ..Relative::BARE
};
