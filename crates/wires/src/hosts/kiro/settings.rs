//! Where Kiro keeps its hooks: a file of our own, with one list of entries that each name their event.

use crate::settings::{Constant, Part, Scope, Settings, SettingsFile, Shape, Shell, Unit};

pub(super) static SETTINGS: Settings = Settings {
    files: &[
        SettingsFile::new(Scope::User, "~/.kiro/hooks/anyhook.json"),
        SettingsFile::new(Scope::Project, ".kiro/hooks/anyhook.json"),
    ],
    moved_by: None,
    found_by: &["~/.kiro"],
    shape: Shape::List,
    entry: &[
        ("name", Part::Title),
        ("trigger", Part::Event),
        (
            "action",
            Part::Object(&[("type", Part::Text("command")), ("command", Part::Command)]),
        ),
        ("timeout", Part::Timeout(Unit::Seconds)),
    ],
    top: &[("version", Constant::Text("v1"))],
    commands: &["command"],
    without: &[],
    shell: Shell::Own,
    next: "start a new session to load them",
};
