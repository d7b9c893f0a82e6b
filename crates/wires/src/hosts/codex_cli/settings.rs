//! Where Codex CLI keeps its hooks: in `hooks.json`, of which it rejects the whole for one key or fraction too many.
//!
//! Its own trust stands between a new entry and its first run, and only the person can give it. Since 0.169 it asks for it
//! when it is started in a terminal ("Hooks need review"); `codex exec` asks no person and runs none of them. Hooks in
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
    next: "start codex and choose `Trust all and continue` where it says that hooks need review (older versions: type \
           /hooks): until then it does not run them",
};
