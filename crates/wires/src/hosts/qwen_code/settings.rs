//! Where Qwen Code keeps its hooks. It counts a command's time in seconds below 1000, in milliseconds from there on.

use crate::settings::{Part, Scope, Settings, SettingsFile, Shape, Shell, Unit};

pub(super) static SETTINGS: Settings = Settings {
    files: &[
        SettingsFile::new(Scope::User, "~/.qwen/settings.json"),
        SettingsFile::new(Scope::Project, ".qwen/settings.json"),
    ],
    moved_by: None,
    found_by: &["~/.qwen"],
    shape: Shape::Groups,
    entry: &[
        ("type", Part::Text("command")),
        ("name", Part::Text("anyhook")),
        ("command", Part::Command),
        ("timeout", Part::Timeout(Unit::SecondsBelow(1000))),
    ],
    top: &[],
    commands: &["command"],
    without: &[],
    shell: Shell::Own,
    next: "start a new session to load them, in a trusted folder",
};
