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

mod natives;
mod odd;
mod rows;

use anyhook_core::event::EventName;

use super::relative::row::natives;
use super::relative::{Counts, Misnamed, Oddities, Reasons, Relative, Words};
use crate::health::{Health, Off, Place, Stops, Switch, Trust, Unlisted, Yes};
use crate::settings::posted::{Posts, TOKEN};
use crate::settings::{Part, Platform, Scope, Settings, SettingsFile, Shell, Unit};
use crate::{HostFacts, Maturity, answer};
use rows::EVENTS;

/// The id of this host.
pub const ID: &str = answer::MADE_BY;

/// The one of the fields of its own that stands beside `hookSpecificOutput`; all others belong into it.
const BESIDE: &str = "terminalSequence";

const MANAGED: Scope = Scope::Managed;

/// Where Claude Code keeps its hooks.
///
/// It ignores keys that it does not know, so `onFailure` (since 2.1.295) is written for every version: where our program
/// cannot start, a gate is refused and not let through.
static SETTINGS: Settings = Settings {
    files: &[
        // A file of our own in the drop-in folder: the administrator's stays untouched.
        SettingsFile::new(MANAGED, "/etc/claude-code/managed-settings.d/anyhook.json")
            .on(Platform::Linux),
        SettingsFile::new(
            MANAGED,
            "/Library/Application Support/ClaudeCode/managed-settings.d/anyhook.json",
        )
        .on(Platform::MacOs),
        SettingsFile::new(
            MANAGED,
            r"C:\Program Files\ClaudeCode\managed-settings.d\anyhook.json",
        )
        .on(Platform::Windows),
        SettingsFile::new(Scope::User, "~/.claude/settings.json"),
        SettingsFile::new(Scope::Project, ".claude/settings.json"),
        SettingsFile::new(Scope::Local, ".claude/settings.local.json"),
    ],
    moved_by: Some(("CLAUDE_CONFIG_DIR", "~/.claude")),
    found_by: &["~/.claude", "~/.claude.json"],
    entry: &[
        ("type", Part::Text("command")),
        ("command", Part::Command),
        ("timeout", Part::Timeout(Unit::Seconds)),
        ("onFailure", Part::OnGates(&Part::Text("block"))),
    ],
    without: &[(
        "WorktreeCreate",
        "a hook there replaces how Claude Code makes a worktree",
    )],
    shell: Shell::Posix,
    next: "start a new session, or type /hooks, to load them",
    ..Settings::BARE
};

/// An entry of the type `http`. The variable `PWD` of Claude Code's own process names the folder in which the session began; the
/// folder in the payload moves with the agent.
///
/// All other events stay commands: at `SessionStart` and `Setup` this type does not run, `onFailure` counts for nothing where a
/// turn or a task ends, some refusals are exit codes alone, and the rest is too rare to save a process.
static POSTS: Posts = Posts {
    entry: &[
        ("type", Part::Text("http")),
        ("url", Part::Command),
        (
            "headers",
            Part::Object(&[
                ("Authorization", Part::Text("Bearer $ANYHOOK_TOKEN")),
                ("Anyhook-Project", Part::Text("$PWD")),
            ]),
        ),
        ("allowedEnvVars", Part::Texts(&[TOKEN, "PWD"])),
        ("timeout", Part::Timeout(Unit::Seconds)),
        ("onFailure", Part::OnGates(&Part::Text("block"))),
    ],
    events: &[
        "UserPromptSubmit",
        "PreToolUse",
        "PermissionRequest",
        "PostToolUse",
        "PostToolUseFailure",
        "PostToolBatch",
    ],
};

const fn switch(place: Place, name: &'static [&'static str], stops: Stops) -> Switch {
    Switch {
        place,
        at: name,
        off: Off::True,
        stops,
        pinned_in: None,
    }
}

const LINUX: Place = Place::Json("/etc/claude-code/managed-settings.json");
const MACOS: Place = Place::Json("/Library/Application Support/ClaudeCode/managed-settings.json");

/// What switches Claude Code's hooks off, and which folders it trusts.
///
/// Unverified: that a folder below a trusted one is trusted, and that `hasTrustDialogAccepted` says so. A folder that says
/// `false` counts as not trusted; one that is not listed is asked about by the agent itself.
static HEALTH: Health = Health {
    switches: &[
        switch(Place::Settings, &["disableAllHooks"], Stops::Unmanaged),
        switch(LINUX, &["disableAllHooks"], Stops::All),
        switch(MACOS, &["disableAllHooks"], Stops::All),
        switch(LINUX, &["allowManagedHooksOnly"], Stops::Unmanaged),
        switch(MACOS, &["allowManagedHooksOnly"], Stops::Unmanaged),
    ],
    trust: &[Trust::Folders {
        file: "~/.claude.json",
        at: &["projects"],
        field: "hasTrustDialogAccepted",
        yes: &[Yes::True],
        unlisted: Unlisted::Asks,
        stops: &Scope::ALL,
        before: &[],
        fix: "claude   # in this folder, and say that you trust it",
    }],
};

/// The agent Claude Code.
pub static CLAUDE_CODE: Relative = Relative {
    id: ID,
    facts: &HostFacts {
        aliases: &["claude"],
        maturity: Maturity::Proved,
        covers: "2.1.330, 2026-11-22",
        files: &["~/.claude.json", "/etc/claude-code/managed-settings.json", "/etc/claude-code/managed-settings.d/", "/Library/Application Support/ClaudeCode/managed-settings.json", "/Library/Application Support/ClaudeCode/managed-settings.d/", "C:\\Program Files\\ClaudeCode\\managed-settings.json", "C:\\Program Files\\ClaudeCode\\managed-settings.d\\"],
        settings: Some(&SETTINGS),
        posts: Some(&POSTS),
        health: Some(&HEALTH),
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
    natives: &natives(&EVENTS),
    events: &EVENTS,
    json: Counts::AtEveryCode,
    words: Words {
        reasons: Reasons::IfGiven,
        // Without an object on the standard output, a reason with `not found` in it would pass for a missing script.
        beside_exit_2: "{}\n",
        misnamed: Misnamed::Dropped("Claude Code"),
        ..Words::COMMON
    },
    // Its payloads name the event in one spelling only; a universal payload has the twin beside it.
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
    ..Relative::BARE
};

/// Returns Claude Code's own name for an event, such as `PreToolUse`.
pub(crate) fn name_of(name: &EventName) -> Option<&'static str> {
    let row = EVENTS
        .iter()
        .find(|row| row.native.event == name.as_str())?;
    Some(row.native.name)
}

#[cfg(test)]
mod tests;
