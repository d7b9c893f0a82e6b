//! Where Copilot CLI keeps its hooks: a file of our own in its folder of hook files.
//!
//! It also runs the hooks of `.claude/settings.json`. Its folders are read by VS Code too, and the project's one by the
//! cloud agent.

use crate::settings::{
    Constant, Part, Platform, Scope, Settings, SettingsFile, Shape, Shell, Unit,
};

pub(super) static SETTINGS: Settings = Settings {
    files: &[
        SettingsFile::new(Scope::Managed, "/etc/github-copilot/policy.d/anyhook.json")
            .on(Platform::Linux),
        SettingsFile::new(Scope::Managed, "/etc/github-copilot/policy.d/anyhook.json")
            .on(Platform::MacOs),
        SettingsFile::new(
            Scope::Managed,
            r"C:\ProgramData\GitHub\Copilot\policy.d\anyhook.json",
        )
        .on(Platform::Windows),
        SettingsFile::new(Scope::User, "~/.copilot/hooks/anyhook.json"),
        SettingsFile::new(Scope::Project, ".github/hooks/anyhook.json"),
    ],
    moved_by: Some(("COPILOT_HOME", "~/.copilot")),
    found_by: &["~/.copilot"],
    shape: Shape::Entries,
    entry: ENTRY,
    top: TOP,
    commands: COMMANDS,
    without: &[],
    shell: Shell::Posix,
    next: "start a new session to load them; project hooks need a trusted folder",
};

/// The cloud agent reads the same form.
pub(in crate::hosts) const ENTRY: &[(&str, Part)] = &[
    ("type", Part::Text("command")),
    ("bash", Part::Command),
    ("timeoutSec", Part::Timeout(Unit::Seconds)),
];
pub(in crate::hosts) const TOP: &[(&str, Constant)] = &[("version", Constant::Number(1))];
pub(in crate::hosts) const COMMANDS: &[&str] = &["bash", "command", "powershell", "exec"];
