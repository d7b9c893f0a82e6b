//! Where Codex CLI keeps its hooks: in `hooks.json`, of which it rejects the whole for one key or fraction too many.
//!
//! Its own trust stands between a new entry and its first run, and only the person can give it. Since 0.169 it asks for it
//! when it is started in a terminal ("Hooks need review"); `codex exec` asks no person and runs none of them. Hooks in
//! `config.toml` stay where they are; Codex runs both.
//!
//! The administrator's file needs no trust: 0.169.0 ran it in `codex exec` with no flag. A user's `features.hooks = false`
//! still turned it off, until `requirements.toml` said `features.hooks = true`. Not seen: its folder on Windows.

use crate::settings::{Part, Platform, Scope, Settings, SettingsFile, Shape, Shell, Unit};

const PIN: &str = "write `features.hooks = true` into requirements.toml in the same folder: without this line a user's own \
                   config.toml can turn the hooks off";

pub(super) static SETTINGS: Settings = Settings {
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
