//! GitHub Copilot CLI: its payloads, its rows, and its answers; and the protocol that the cloud agent shares.
//!
//! The casing of an event in the settings chooses the form of the payload. `preToolUse` brings `sessionId`, `toolName`,
//! `toolArgs` and no name of the event, which therefore comes from the command line; `PreToolUse` brings
//! `hook_event_name`, `session_id`, `tool_name`, `tool_input`, and on the gates Claude Code's names of the tools, with
//! Copilot's own names of the arguments. Answers are the same in both. What came is written back in the casing it had.
//!
//! Where the documents leave a question open:
//! - Whether a prompt may add context is contradictory, and that it can be refused or changed stands nowhere; 1.0.102 does
//!   all three. A warning by exit code 2 was read beside a text for the model, and not tried beside a refused prompt or a
//!   new result, so that a notice waits there.
//! - Exit code 2 refuses a tool, but no one reads its standard error: a refusal is JSON here.
//! - A text for the model on a notification can wake an idle session, so none is said there.
//! - An approval in Claude Code's nested form showed the host's own prompt all the same, so it counts for nothing. A
//!   refusal in that form is a refusal.
//! - The payload of a permission request is undocumented: its arguments are read from `toolInput`, else `toolArgs`. A file
//!   that is created comes as `edit` with `file_path` and `diff` there.
//! - From 1.0.53 to 1.0.56 the terminal answered `ask` by itself. The facts here begin where it asks again.

mod arguments;
mod decode;
mod encode;
mod health;
mod known;
mod payloads;
mod results;
pub(super) mod rows;
pub(super) mod settings;
mod tools;

use super::relative::row::natives;
use super::relative::{Counts, Misnamed, Notices, Oddities, Relative, Schema, Updates, Words};
use crate::answer::Place;
use crate::{HostFacts, Maturity, NativeEvent};
use rows::EVENTS;

pub(super) use tools::{TOOLS, server_tool};

/// The id of this host.
pub const ID: &str = "copilot-cli";

static NATIVES: [NativeEvent; EVENTS.len()] = natives(&EVENTS);

/// The agent Copilot CLI.
pub static COPILOT_CLI: Relative = COPILOT;

/// The protocol, with the facts and the rows of the terminal.
pub(super) const COPILOT: Relative = Relative {
    id: ID,
    facts: &HostFacts {
        aliases: &["copilot"],
        maturity: Maturity::Proved,
        covers: "1.0.102, 2026-11-22",
        files: &[
            "~/.copilot/hooks/",
            "~/.copilot/settings.json",
            "~/.copilot/config.json",
            "~/.copilot/agents/",
            ".github/hooks/",
            ".github/agents/",
            ".github/copilot/settings.json",
            ".github/copilot/settings.local.json",
            ".claude/settings.json",
            ".claude/settings.local.json",
            "/etc/github-copilot/policy.d/",
            "C:\\ProgramData\\GitHub\\Copilot\\policy.d\\",
        ],
        settings: Some(&settings::SETTINGS),
        instead: "",
        posts: None,
        health: Some(&health::HEALTH),
        // The project's `.claude/settings.json` and `.claude/settings.local.json` are read and run as well.
        also_reads: &["claude-code"],
        executables: &["copilot"],
        project_variable: Some("COPILOT_PROJECT_DIR"),
        tools: &TOOLS,
        version_at: Some(crate::VersionAt::Variable("COPILOT_CLI_BINARY_VERSION")),
        prompts: crate::Prompts {
            of_agents: &["agent_id"],
            parent: Some("parent_agent_id"),
            ..crate::Prompts::NEW
        },
    },
    natives: &NATIVES,
    events: &EVENTS,
    free_modes: &[],
    updates: Updates::Replace(&[]),
    schema: Schema::Open,
    json: Counts::OnSuccess,
    aborts: None,
    words: Words {
        place: Place::Anywhere,
        rewrites: &[
            ("tool_input", "modifiedArgs"),
            ("prompt", "modifiedPrompt"),
            ("tool_result", "modifiedResult"),
        ],
        notices: Notices::Warning,
        misnamed: Misnamed::Accepted,
        ..Words::COMMON
    },
    is_own: known::speaks,
    odd: Oddities {
        read: payloads::read,
        write: payloads::write,
        write_as: payloads::write_as,
        decode: decode::read,
        approves: decode::approves,
        before: decode::before,
        after: decode::after,
        value: encode::value,
        natives: encode::natives,
        refuse_unknown: encode::refuse_unknown,
        ..Oddities::NONE
    },
};

#[cfg(test)]
mod tests;
