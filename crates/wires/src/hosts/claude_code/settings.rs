//! Where Claude Code keeps its hooks.
//!
//! It ignores keys that it does not know, so `onFailure` (since 2.1.295) is written for every version: where our program
//! cannot start, a gate is refused and not let through.

use crate::settings::{Part, Platform, Scope, Settings, SettingsFile, Shape, Shell, Unit};

const MANAGED: Scope = Scope::Managed;

pub(super) static SETTINGS: Settings = Settings {
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
    shape: Shape::Groups,
    entry: &[
        ("type", Part::Text("command")),
        ("command", Part::Command),
        ("timeout", Part::Timeout(Unit::Seconds)),
        ("onFailure", Part::OnGates(&Part::Text("block"))),
    ],
    top: &[],
    commands: &["command"],
    without: &[(
        "WorktreeCreate",
        "a hook there replaces how Claude Code makes a worktree",
    )],
    shell: Shell::Posix,
    next: "start a new session, or type /hooks, to load them",
};
