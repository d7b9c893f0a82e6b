//! Where Cline keeps its hooks: one executable file per event, named after it, and no more than one.
//!
//! The extension and the command line look into folders of their own; both get the files. On Windows the files would be
//! called `EVENT.ps1`.

use crate::settings::{Scope, Settings, SettingsFile, Shape, Shell};

pub(super) static SETTINGS: Settings = Settings {
    files: &[
        SettingsFile::new(Scope::User, "~/Documents/Cline/Hooks"),
        SettingsFile::new(Scope::User, "~/.cline/hooks"),
        SettingsFile::new(Scope::Project, ".clinerules/hooks"),
        SettingsFile::new(Scope::Project, ".cline/hooks"),
    ],
    moved_by: None,
    found_by: &["~/Documents/Cline", "~/.cline"],
    shape: Shape::Scripts,
    entry: &[],
    top: &[],
    commands: &[],
    without: &[],
    shell: Shell::Posix,
    next: "switch on Enable Hooks in Cline's settings",
};
