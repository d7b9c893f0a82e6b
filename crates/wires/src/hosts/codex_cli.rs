//! Codex CLI: its payloads, its rows, and its answers.
//!
//! It is a relative of Claude Code with a closed schema: an answer with one word too many is dropped, and the action goes
//! ahead. So it is told nothing but what its event's row has: never `ask`, never an approval without new arguments, never
//! `continue: false` about a call. Exit code 2 refuses with a reason on the standard error only.
//!
//! A block after a tool takes the place of the result that the model sees. So feedback about a result is a text beside it,
//! and only a rewritten result is said as a block.
//!
//! Where its documents leave a question open, the answer that opens no gate is taken:
//! - Whether `allow` with new arguments also skips the prompt is not told, so only an approval that was given says it.
//! - Whether `continue: false` before a compaction stops the agent or only the compaction is not told, so it is the word
//!   for a refusal, and a stop becomes one.
//! - `Interrupt`, the names of `spawn_agent`'s arguments and the folders of the system's settings are known at second hand.
//!
//! A closed schema also means that nothing native is left over: this host has no answer that others have no word for.

mod health;
mod rows;
mod rules;
mod settings;

use anyhook_core::event::Map;

use super::relative::row::natives;
use super::relative::{
    Counts, Misnamed, Oddities, Relative, Schema, Updates, Words, keeps_transcript_in,
};
use crate::payload::{Tool, Tools};
use crate::{HostFacts, Maturity, NativeEvent};
use rows::EVENTS;

/// The id of this host.
pub const ID: &str = "codex-cli";

static NATIVES: [NativeEvent; EVENTS.len()] = natives(&EVENTS);

/// A patch is one tool that writes, edits and deletes; its text is a command here.
static TOOLS: Tools = Tools {
    rows: &[
        Tool::new("apply_patch", "apply_patch", &[("command", "patch")]),
        Tool::new("spawn_agent", "Agent", &[]),
        Tool::new("update_plan", "TodoWrite", &[]),
    ],
    mcp: None,
};

/// The agent Codex CLI.
pub static CODEX_CLI: Relative = Relative {
    id: ID,
    facts: &HostFacts {
        aliases: &["codex"],
        maturity: Maturity::Proved,
        covers: "0.169.0, seen 2026-11-22; source of 2026-08-12",
        tools: &TOOLS,
        files: &[
            "~/.codex/hooks.json",
            "~/.codex/config.toml",
            "~/.codex/requirements.toml",
            "~/.codex/hooks/",
            ".codex/hooks.json",
            ".codex/config.toml",
            ".codex/hooks/",
            "/etc/codex/",
            "C:\\ProgramData\\OpenAI\\Codex\\",
        ],
        settings: Some(&settings::SETTINGS),
        executables: &["codex"],
        health: Some(&health::HEALTH),
        ..HostFacts::BARE
    },
    natives: &NATIVES,
    events: &EVENTS,
    free_modes: &["bypassPermissions"],
    updates: Updates::Replace(&[("Bash", "command"), ("apply_patch", "command")]),
    schema: Schema::Closed(rules::wrong),
    json: Counts::OnSuccess,
    aborts: None,
    words: Words {
        misnamed: Misnamed::Accepted,
        ..Words::COMMON
    },
    is_own,
    odd: Oddities::NONE,
};

/// A turn has an id here and nowhere else; a payload outside a turn is known by where its transcript lies.
fn is_own(host: &Relative, payload: &Map) -> bool {
    host.is_named(payload)
        && (payload.contains_key("turn_id") || keeps_transcript_in(payload, ".codex"))
}

#[cfg(test)]
mod tests;
