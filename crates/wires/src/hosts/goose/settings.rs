//! Where Goose keeps its hooks: in plugins, of which ours is one.

use crate::settings::{Part, Scope, Settings, SettingsFile, Shape, Shell, Unit};

pub(super) static SETTINGS: Settings = Settings {
    files: &[
        SettingsFile::new(Scope::User, "~/.agents/plugins/anyhook/hooks/hooks.json"),
        SettingsFile::new(Scope::Project, ".agents/plugins/anyhook/hooks/hooks.json"),
    ],
    moved_by: None,
    found_by: &["~/.config/goose"],
    shape: Shape::Groups,
    entry: &[
        ("type", Part::Text("command")),
        ("command", Part::Command),
        ("timeout", Part::Timeout(Unit::Seconds)),
        // Without it a crash or a timeout lets the call through.
        ("on_failure", Part::OnGates(&Part::Text("block"))),
    ],
    top: &[],
    commands: &["command"],
    without: &[],
    shell: Shell::Posix,
    next: "start a new session to load them",
};
