//! Where Codex CLI keeps its hooks: in `hooks.json`, of which it rejects the whole for one key or fraction too many.
//!
//! Its own trust stands between a new entry and its first run: nobody but the person can give it, in `/hooks`. Hooks in
//! `config.toml` stay where they are; Codex runs both.

use crate::settings::{Part, Scope, Settings, SettingsFile, Shape, Shell, Unit};

pub(super) static SETTINGS: Settings = Settings {
    files: &[
        SettingsFile::new(Scope::User, "~/.codex/hooks.json"),
        SettingsFile::new(Scope::Project, ".codex/hooks.json"),
    ],
    moved_by: Some(("CODEX_HOME", "~/.codex")),
    found_by: &["~/.codex"],
    shape: Shape::Groups,
    entry: &[
        ("type", Part::Text("command")),
        ("command", Part::Command),
        ("timeout", Part::Timeout(Unit::Seconds)),
    ],
    top: &[],
    commands: &["command", "commandWindows", "command_windows"],
    without: &[],
    shell: Shell::Own,
    next: "start codex, type /hooks, and trust the new entries: until then it does not run them",
};
