//! Gemini CLI: its payloads, its rows, and its answers.
//!
//! Unverified facts are read so that no gate opens: `decision: ask` is never said (a question becomes a
//! refusal that holds it), `continue: false` is not leant on before a request to the model, and new arguments are always
//! sent whole, because the document says that they are merged into the old ones and the source replaces them. Where a
//! hook takes an argument away, which a host that merges would keep, the call is refused.
//!
//! Every exit code from 2 on refuses, a missing script included, so we never leave with one but to refuse.

mod decode;
mod health;
mod payloads;
mod rows;
mod settings;

use anyhook_core::event::Map;

use super::relative::row::{Form, natives};
use super::relative::{Counts, Misnamed, Oddities, Relative, Schema, Updates, Words};
use crate::{HostFacts, Maturity, NativeEvent};
use rows::{EVENTS, TOOLS};

/// The id of this host.
pub const ID: &str = "gemini-cli";

static NATIVES: [NativeEvent; EVENTS.len()] = natives(&EVENTS);

/// The agent Gemini CLI.
pub static GEMINI_CLI: Relative = Relative {
    id: ID,
    facts: &HostFacts {
        aliases: &["gemini"],
        maturity: Maturity::Proved,
        covers: "0.61.0, 2026-11-22",
        // An extension may bring hooks too, and `trusted_hooks.json` says which of a project's hooks the person knows.
        files: &[
            "~/.gemini/settings.json",
            "~/.gemini/trusted_hooks.json",
            "~/.gemini/extensions/",
            ".gemini/settings.json",
            ".gemini/extensions/",
            "/etc/gemini-cli/settings.json",
            "/etc/gemini-cli/system-defaults.json",
            "/Library/Application Support/GeminiCli/settings.json",
            "/Library/Application Support/GeminiCli/system-defaults.json",
            "C:\\ProgramData\\gemini-cli\\settings.json",
            "C:\\ProgramData\\gemini-cli\\system-defaults.json",
        ],
        settings: Some(&settings::SETTINGS),
        health: Some(&health::HEALTH),
        executables: &["gemini"],
        // It is the folder in which the host works, which need not be the root of the project.
        project_variable: Some("GEMINI_PROJECT_DIR"),
        tools: &TOOLS,
        ..HostFacts::BARE
    },
    natives: &NATIVES,
    events: &EVENTS,
    free_modes: &[],
    updates: Updates::Merge,
    schema: Schema::Open,
    json: Counts::AtEveryCode,
    aborts: None,
    words: Words {
        refusal: "deny",
        rewrites: &[],
        misnamed: Misnamed::Accepted,
        ..Words::COMMON
    },
    is_own,
    odd: Oddities {
        read: payloads::read,
        write: payloads::write,
        decode: decode::read,
        before: decode::before,
        // What is left means nothing to the host.
        after: |answer, _| answer.rest.clear(),
        value: payloads::value,
        hides: |row, _| row.form != Form::None,
        ..Oddities::NONE
    },
};

/// Some names are Claude Code's too, but every payload of this host has a time.
fn is_own(host: &Relative, payload: &Map) -> bool {
    host.is_named(payload) && payload.contains_key("timestamp")
}
