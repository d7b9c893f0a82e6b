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

mod rows;
mod rules;

use super::relative::row::natives;
use super::relative::{Misnamed, Relative, Schema, Updates, Words};
use crate::health::{Health, Off, Place, Stops, Switch, Trust};
use crate::payload::{Tool, Tools};
use crate::settings::{Platform, Scope, Settings, SettingsFile};
use crate::{HostFacts, Maturity};
use rows::EVENTS;

/// The id of this host.
pub const ID: &str = "codex-cli";

/// A patch is one tool that writes, edits and deletes; its text is a command here.
static TOOLS: Tools = Tools {
    rows: &[
        Tool::new("apply_patch", "apply_patch", &[("command", "patch")]),
        Tool::new("spawn_agent", "Agent", &[]),
        Tool::new("update_plan", "TodoWrite", &[]),
    ],
    mcp: None,
};

const PIN: &str = "write `features.hooks = true` into requirements.toml in the same folder: without this line a user's own \
                   config.toml can turn the hooks off";

/// Where Codex CLI keeps its hooks: in `hooks.json`, of which it rejects the whole for one key or fraction too many.
///
/// Its own trust stands between a new entry and its first run, and only the person can give it. Since 0.169 it asks for it
/// when it is started in a terminal ("Hooks need review"); `codex exec` asks no person and runs none of them. Hooks in
/// `config.toml` stay where they are; Codex runs both.
///
/// The administrator's file needs no trust: 0.169.0 ran it in `codex exec` with no flag. A user's `features.hooks = false`
/// still turned it off, until `requirements.toml` said `features.hooks = true`. Not seen: its folder on Windows.
static SETTINGS: Settings = Settings {
    files: &[
        SettingsFile::new(Scope::Managed, "/etc/codex/hooks.json")
            .on(Platform::Linux)
            .next(PIN),
        SettingsFile::new(Scope::Managed, "/etc/codex/hooks.json")
            .on(Platform::MacOs)
            .next(PIN),
        SettingsFile::new(Scope::Managed, r"C:\ProgramData\OpenAI\Codex\hooks.json")
            .on(Platform::Windows)
            .next(PIN),
        SettingsFile::new(Scope::User, "~/.codex/hooks.json"),
        SettingsFile::new(Scope::Project, ".codex/hooks.json"),
    ],
    moved_by: Some(("CODEX_HOME", "~/.codex")),
    without: &[
        ("PreModelRequest", "no answer does anything there"),
        ("PostModelRequest", "no answer does anything there"),
    ],
    found_by: &["~/.codex"],
    commands: &["command", "commandWindows", "command_windows"],
    next: "start codex and choose `Trust all and continue` where it says that hooks need review (older versions: type \
           /hooks): until then it does not run them",
    ..Settings::BARE
};

const REQUIREMENTS: Place = Place::Toml("/etc/codex/requirements.toml");

/// What turns every hook off.
const fn hooks(place: Place, pinned_in: Option<Place>) -> Switch {
    Switch {
        place,
        at: &["features", "hooks"],
        off: Off::False,
        stops: Stops::All,
        pinned_in,
    }
}

/// What switches Codex's hooks off, and which entries it trusts.
///
/// The hash in its state is not computed again: an entry that was edited since is told by Codex itself. Unverified: how the
/// source of a key is written for `hooks.json`; the file's name is enough here.
///
/// As 0.169.0 was seen to do: `features.hooks` of the administrator's `requirements.toml` decides, whatever a `config.toml`
/// says, and `allow_managed_hooks_only` counts there alone.
static HEALTH: Health = Health {
    switches: &[
        hooks(Place::Toml("~/.codex/config.toml"), Some(REQUIREMENTS)),
        hooks(Place::Toml("/etc/codex/config.toml"), Some(REQUIREMENTS)),
        hooks(REQUIREMENTS, None),
        Switch {
            place: REQUIREMENTS,
            at: &["allow_managed_hooks_only"],
            off: Off::True,
            stops: Stops::Unmanaged,
            pinned_in: None,
        },
    ],
    trust: &[Trust::Entries {
        file: "~/.codex/config.toml",
        at: &["hooks", "state"],
        pinned: "trusted_hash",
        enabled: "enabled",
        fix: "codex   # then choose `Trust all and continue`, or type /hooks and trust the entries",
    }],
};

/// The agent Codex CLI.
pub static CODEX_CLI: Relative = Relative {
    id: ID,
    facts: &HostFacts {
        aliases: &["codex"],
        maturity: Maturity::Proved,
        covers: "0.171.0, seen 2026-11-27; source of 2026-08-12",
        tools: &TOOLS,
        files: &["~/.codex/config.toml", "~/.codex/requirements.toml", "~/.codex/hooks/", ".codex/config.toml", ".codex/hooks/", "/etc/codex/", "C:\\ProgramData\\OpenAI\\Codex\\"],
        settings: Some(&SETTINGS),
        executables: &["codex"],
        health: Some(&HEALTH),
        ..HostFacts::BARE
    },
    natives: &natives(&EVENTS),
    events: &EVENTS,
    free_modes: &["bypassPermissions"],
    updates: Updates::Replace(&[("Bash", "command"), ("apply_patch", "command")]),
    schema: Schema::Closed(rules::wrong),
    words: Words {
        misnamed: Misnamed::Accepted,
        ..Words::COMMON
    },
    ..Relative::BARE
};

#[cfg(test)]
mod tests;
