//! Where Gemini CLI keeps its hooks. It counts in milliseconds.
//!
//! It names and remembers a hook by `name` and command together. The paths of the machine's settings on macOS and Windows
//! are unverified.

use crate::settings::{Part, Platform, Scope, Settings, SettingsFile, Shape, Shell, Unit};

pub(super) static SETTINGS: Settings = Settings {
    files: &[
        SettingsFile::new(Scope::Managed, "/etc/gemini-cli/settings.json").on(Platform::Linux),
        SettingsFile::new(
            Scope::Managed,
            "/Library/Application Support/GeminiCli/settings.json",
        )
        .on(Platform::MacOs),
        SettingsFile::new(Scope::Managed, r"C:\ProgramData\gemini-cli\settings.json")
            .on(Platform::Windows),
        SettingsFile::new(Scope::User, "~/.gemini/settings.json"),
        SettingsFile::new(Scope::Project, ".gemini/settings.json"),
    ],
    moved_by: None,
    found_by: &["~/.gemini"],
    shape: Shape::Groups,
    entry: &[
        ("type", Part::Text("command")),
        ("name", Part::Text("anyhook")),
        ("command", Part::Command),
        ("timeout", Part::Timeout(Unit::Millis)),
    ],
    top: &[],
    commands: &["command"],
    without: &[],
    shell: Shell::Posix,
    next: "start a new session to load them, in a trusted folder",
};
