//! Where the Copilot cloud agent finds hooks: in the repository that it cloned, and nowhere else.
//!
//! It runs on a machine of its own, where anyhook has to be installed by the repository's setup steps; until it is, every
//! gate is refused.

use super::super::copilot_cli::settings::{COMMANDS, ENTRY, TOP};
use crate::settings::{Scope, Settings, SettingsFile, Shape, Shell};

pub(super) static SETTINGS: Settings = Settings {
    files: &[SettingsFile::new(
        Scope::Project,
        ".github/hooks/anyhook-cloud.json",
    )],
    moved_by: None,
    found_by: &[],
    shape: Shape::Entries,
    entry: ENTRY,
    top: TOP,
    commands: COMMANDS,
    without: &[],
    shell: Shell::Posix,
    next: "commit the file, and install anyhook in copilot-setup-steps.yml: until then every gate is refused there",
};
