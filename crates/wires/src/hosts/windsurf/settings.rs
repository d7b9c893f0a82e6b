//! Where Windsurf keeps its hooks. A hook has no timeout of its own there, and no matcher.

use crate::settings::{Part, Platform, Scope, Settings, SettingsFile, Shape, Shell};

pub(super) static SETTINGS: Settings = Settings {
    files: &[
        SettingsFile::new(Scope::Managed, "/etc/windsurf/hooks.json").on(Platform::Linux),
        SettingsFile::new(
            Scope::Managed,
            "/Library/Application Support/Windsurf/hooks.json",
        )
        .on(Platform::MacOs),
        SettingsFile::new(Scope::Managed, r"C:\ProgramData\Windsurf\hooks.json")
            .on(Platform::Windows),
        SettingsFile::new(Scope::User, "~/.codeium/windsurf/hooks.json"),
        SettingsFile::new(Scope::Project, ".devin/hooks.json"),
        SettingsFile::new(Scope::Project, ".windsurf/hooks.json"),
    ],
    moved_by: None,
    found_by: &["~/.codeium/windsurf"],
    shape: Shape::Entries,
    // What a hook prints is the only thing that its person can be told.
    entry: &[("command", Part::Command), ("show_output", Part::True)],
    top: &[],
    commands: &["command", "powershell"],
    without: &[],
    shell: Shell::Own,
    next: "restart Windsurf to load them",
};
