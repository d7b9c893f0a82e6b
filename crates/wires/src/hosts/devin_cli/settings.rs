//! Where Devin CLI keeps its hooks. In `hooks.v1.json` the top level is the map of events itself.

use crate::settings::{Part, Scope, Settings, SettingsFile, Shape, Shell, Unit};

pub(super) static SETTINGS: Settings = Settings {
    files: &[
        SettingsFile::new(Scope::User, "~/.config/devin/config.json"),
        SettingsFile::new(Scope::Project, ".devin/hooks.v1.json").at(&[]),
        SettingsFile::new(Scope::Project, ".devin/config.json"),
    ],
    moved_by: None,
    found_by: &["~/.config/devin"],
    shape: Shape::Groups,
    entry: &[
        ("type", Part::Text("command")),
        ("command", Part::Command),
        ("timeout", Part::Timeout(Unit::Seconds)),
    ],
    top: &[],
    commands: &["command"],
    without: &[],
    shell: Shell::Own,
    next: "start a new session to load them",
};
