//! Where VS Code's own agent keeps its hooks: a file of our own in the folders of hook files that it shares with Copilot CLI.
//!
//! No `version` is written: with one, the file would be read in Copilot's dialect.

use crate::settings::{Part, Scope, Settings, SettingsFile, Shape, Shell, Unit};

pub(super) static SETTINGS: Settings = Settings {
    files: &[
        SettingsFile::new(Scope::User, "~/.copilot/hooks/anyhook-vscode.json"),
        SettingsFile::new(Scope::Project, ".github/hooks/anyhook-vscode.json"),
    ],
    moved_by: None,
    found_by: &[
        "~/.vscode",
        "~/.config/Code",
        "~/Library/Application Support/Code",
    ],
    shape: Shape::Entries,
    entry: &[
        ("type", Part::Text("command")),
        ("command", Part::Command),
        ("timeout", Part::Timeout(Unit::Seconds)),
    ],
    top: &[],
    commands: &["command", "linux", "osx", "windows", "bash", "powershell"],
    without: &[],
    shell: Shell::Posix,
    next: "reload the window; the workspace must be trusted and chat.useHooks on",
};
