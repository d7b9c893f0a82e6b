//! The Copilot cloud agent: the protocol of Copilot CLI in a job that no person watches.
//!
//! Only the repository's `.github/hooks` is read, no person can be asked, and no person reads a warning. Its payloads cannot be
//! told from those of Copilot CLI, so that the command line has to say which of the two calls.
//!
//! Unverified: whether `errorOccurred` fires at all. The row claims nothing.

use super::copilot_cli::{COMMANDS, ENTRY, TOP, COPILOT, TOOLS, rows};
use super::relative::Relative;
use super::relative::row::{HostRow, natives};
use crate::settings::{Scope, Settings, SettingsFile, Shape, Shell};
use crate::{HostFacts, Maturity};
use rows::unwatched;

/// The id of this host.
pub const ID: &str = "copilot-cloud";

/// There is no permission request, no notification and no event before an MCP call.
static EVENTS: [HostRow; 12] = [
    unwatched(&rows::SESSION_START),
    unwatched(&rows::SESSION_END),
    unwatched(&rows::USER_PROMPT_SUBMITTED),
    unwatched(&rows::USER_PROMPT_TRANSFORMED),
    unwatched(&rows::PRE_TOOL_USE_ROW),
    unwatched(&rows::POST_TOOL_USE_ROW),
    unwatched(&rows::POST_TOOL_USE_FAILURE),
    unwatched(&rows::AGENT_STOP),
    unwatched(&rows::SUBAGENT_START),
    unwatched(&rows::SUBAGENT_STOP_ROW),
    unwatched(&rows::ERROR_OCCURRED),
    unwatched(&rows::PRE_COMPACT),
];

/// Where the Copilot cloud agent finds hooks: in the repository that it cloned, and nowhere else.
///
/// It runs on a machine of its own, where anyhook has to be installed by the repository's setup steps; until it is, every
/// gate is refused.
static SETTINGS: Settings = Settings {
    files: &[SettingsFile::new(
        Scope::Project,
        ".github/hooks/anyhook-cloud.json",
    )],
    shape: Shape::Entries,
    entry: ENTRY,
    top: TOP,
    commands: COMMANDS,
    shell: Shell::Posix,
    next: "commit the file, and install anyhook in copilot-setup-steps.yml: until then every gate is refused there",
    ..Settings::BARE
};

/// The Copilot cloud agent.
pub static COPILOT_CLOUD: Relative = Relative {
    id: ID,
    facts: &HostFacts {
        maturity: Maturity::Experimental,
        covers: "2026-10-21",
        files: &[".github/hooks/"],
        // The agent runs in a job that has no other agent; its own process goes by the name of the terminal's.
        settings: Some(&SETTINGS),
        executables: &["copilot"],
        tools: &TOOLS,
        ..HostFacts::BARE
    },
    natives: &natives(&EVENTS),
    events: &EVENTS,
    ..COPILOT
};
