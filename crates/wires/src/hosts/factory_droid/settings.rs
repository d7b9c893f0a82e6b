//! Where Factory Droid keeps its hooks: in `hooks.json`, or in `settings.json` where there is no `hooks.json`.
//!
//! In `hooks.json` the events stand at the top: of a `hooks` there 0.215.0 says "unknown hook event keys", and runs nothing.
//! In `settings.json` they stand below `hooks`. An earlier version of ours wrote the first file like the second.
//!
//! Where a person keeps hooks in `settings.json`, ours go there too: a new `hooks.json` would switch theirs off.

use crate::settings::{Part, Scope, Settings, SettingsFile, Shape, Shell, Unit};

pub(super) static SETTINGS: Settings = Settings {
    files: &[
        SettingsFile::new(Scope::User, "~/.factory/hooks.json").flat(),
        SettingsFile::new(Scope::User, "~/.factory/settings.json"),
        SettingsFile::new(Scope::Project, ".factory/hooks.json").flat(),
        SettingsFile::new(Scope::Project, ".factory/settings.json"),
    ],
    moved_by: None,
    found_by: &["~/.factory"],
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
    next: "start a new session: hooks are read once, at its start; /hooks shows them",
};
