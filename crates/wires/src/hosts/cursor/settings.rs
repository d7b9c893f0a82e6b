//! Where Cursor keeps its hooks.
//!
//! Unverified: that a name which is not documented, or a command with a URL in it, voids the whole file. Nothing of both
//! is written. Which shell runs a command is not documented either: a shared line brings its own.

use crate::settings::{
    Constant, Part, Platform, Scope, Settings, SettingsFile, Shape, Shell, Unit,
};

pub(super) static SETTINGS: Settings = Settings {
    files: &[
        SettingsFile::new(Scope::Managed, "/etc/cursor/hooks.json").on(Platform::Linux),
        SettingsFile::new(
            Scope::Managed,
            "/Library/Application Support/Cursor/hooks.json",
        )
        .on(Platform::MacOs),
        SettingsFile::new(Scope::Managed, r"C:\ProgramData\Cursor\hooks.json")
            .on(Platform::Windows),
        SettingsFile::new(Scope::User, "~/.cursor/hooks.json"),
        SettingsFile::new(Scope::Project, ".cursor/hooks.json"),
    ],
    moved_by: None,
    found_by: &["~/.cursor"],
    shape: Shape::Entries,
    entry: &[
        ("command", Part::Command),
        ("timeout", Part::Timeout(Unit::Seconds)),
        // Without it a crash or a timeout lets the action through.
        ("failClosed", Part::OnGates(&Part::True)),
    ],
    top: &[("version", Constant::Number(1))],
    commands: &["command"],
    without: &[],
    shell: Shell::Own,
    next: "Cursor reads the file at once; project hooks need a trusted workspace",
};
