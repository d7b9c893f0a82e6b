//! Claude Code: its payloads, its rows, and its answers.
//!
//! A payload is read as it is: its name goes to the origin, `tool_response` is `tool_result` here as for every host, and
//! everything else stays under its own name. Writing it gives the same JSON again.
//!
//! Claude Code keeps the first part of a text over 10,000 characters and puts the whole into a file, so texts are written
//! whole: cutting them here would lose what it keeps.
//!
//! JSON counts on every exit code, and exit 2 refuses whatever the JSON says. Fields that have no meaning for other hosts are
//! kept as native answers.

mod health;
mod natives;
mod odd;
mod rows;
mod settings;

use anyhook_core::event::EventName;

use super::relative::row::natives;
use super::relative::{Counts, Misnamed, Oddities, Reasons, Relative, Schema, Updates, Words};
use crate::{HostFacts, Maturity, NativeEvent, answer};
use rows::EVENTS;

/// The id of this host.
pub const ID: &str = answer::MADE_BY;

/// The one of the fields of its own that stands beside `hookSpecificOutput`; all others belong into it.
const BESIDE: &str = "terminalSequence";

static NATIVES: [NativeEvent; EVENTS.len()] = natives(&EVENTS);

/// The agent Claude Code.
pub static CLAUDE_CODE: Relative = Relative {
    id: ID,
    facts: &HostFacts {
        aliases: &["claude"],
        maturity: Maturity::Proved,
        covers: "2.1.330, 2026-11-22",
        files: &[
            "~/.claude/settings.json",
            "~/.claude.json",
            ".claude/settings.json",
            ".claude/settings.local.json",
            "/etc/claude-code/managed-settings.json",
            "/etc/claude-code/managed-settings.d/",
            "/Library/Application Support/ClaudeCode/managed-settings.json",
            "/Library/Application Support/ClaudeCode/managed-settings.d/",
            "C:\\Program Files\\ClaudeCode\\managed-settings.json",
            "C:\\Program Files\\ClaudeCode\\managed-settings.d\\",
        ],
        settings: Some(&settings::SETTINGS),
        posts: Some(&settings::POSTS),
        health: Some(&health::HEALTH),
        executables: &["claude"],
        project_variable: Some("CLAUDE_PROJECT_DIR"),
        version_at: Some(crate::VersionAt::Dashed("AI_AGENT", "claude-code")),
        prompts: crate::Prompts {
            of_agents: &["agent_id"],
            of_host: &["<task-notification>"],
            ..crate::Prompts::NEW
        },
        ..HostFacts::BARE
    },
    natives: &NATIVES,
    events: &EVENTS,
    free_modes: &[],
    updates: Updates::Replace(&[]),
    schema: Schema::Open,
    json: Counts::AtEveryCode,
    aborts: None,
    words: Words {
        reasons: Reasons::IfGiven,
        // Without an object on the standard output, a reason with `not found` in it would pass for a missing script.
        beside_exit_2: "{}\n",
        misnamed: Misnamed::Dropped("Claude Code"),
        ..Words::COMMON
    },
    // Its payloads name the event in one spelling only; a universal payload has the twin beside it.
    is_own: Relative::is_named,
    odd: Oddities {
        write_as: odd::write_as,
        decode: odd::decode,
        approves: odd::approves,
        before: odd::before,
        after: odd::after,
        leaves: odd::leaves,
        value: odd::value,
        overlooks: odd::overlooks,
        ask: odd::ask,
        hides: odd::hides,
        natives: natives::write,
        ..Oddities::NONE
    },
};

/// Returns Claude Code's own name for an event, such as `PreToolUse`.
pub(crate) fn name_of(name: &EventName) -> Option<&'static str> {
    let row = NATIVES.iter().find(|row| row.event == name.as_str())?;
    Some(row.name)
}

#[cfg(test)]
mod tests;
