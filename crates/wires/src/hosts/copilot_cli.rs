//! GitHub Copilot CLI: its payloads, its rows, and its answers; and the protocol that the cloud agent shares.
//!
//! The casing of an event in the settings chooses the form of the payload. `preToolUse` brings `sessionId`, `toolName`,
//! `toolArgs` and no name of the event, which therefore comes from the command line; `PreToolUse` brings
//! `hook_event_name`, `session_id`, `tool_name`, `tool_input`, and on the gates Claude Code's names of the tools, with
//! Copilot's own names of the arguments. Answers are the same in both. What came is written back in the casing it had.
//!
//! Where the documents leave a question open:
//! - Whether a prompt may add context is contradictory, and that it can be refused or changed stands nowhere; 1.0.102 does
//!   all three. A warning by exit code 2 was read beside a text for the model, and not tried beside a refused prompt or a
//!   new result, so that a notice waits there.
//! - Exit code 2 refuses a tool, but no one reads its standard error: a refusal is JSON here.
//! - A text for the model on a notification can wake an idle session, so none is said there.
//! - An approval in Claude Code's nested form showed the host's own prompt all the same, so it counts for nothing. A
//!   refusal in that form is a refusal.
//! - The payload of a permission request is undocumented: its arguments are read from `toolInput`, else `toolArgs`. A file
//!   that is created comes as `edit` with `file_path` and `diff` there.
//! - From 1.0.53 to 1.0.56 the terminal answered `ask` by itself. The facts here begin where it asks again.

mod arguments;
mod decode;
mod encode;
mod payloads;
mod results;
pub(super) mod rows;
mod tools;

use super::relative::row::natives;
use super::relative::{Misnamed, Notices, Oddities, Relative, Words};
use crate::{HostFacts, Maturity, answer};
use crate::health::{Health, Off, Override, Place, Stops, Switch, Trust, Unlisted, Yes};
use crate::settings::{Constant, Part, Platform, Scope, Settings, SettingsFile, Shape, Shell, Unit};
use rows::EVENTS;

pub(super) use tools::{TOOLS, server_tool};

/// The id of this host.
pub const ID: &str = "copilot-cli";

/// Where Copilot CLI keeps its hooks: a file of our own in its folder of hook files.
///
/// It also runs the hooks of `.claude/settings.json`. Its folders are read by VS Code too, and the project's one by the
/// cloud agent.
static SETTINGS: Settings = Settings {
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
    shell: Shell::Posix,
    next: "start a new session to load them; project hooks need a trusted folder",
    ..Settings::BARE
};

/// The cloud agent reads the same form.
pub(super) const ENTRY: &[(&str, Part)] = &[
    ("type", Part::Text("command")),
    ("bash", Part::Command),
    ("timeoutSec", Part::Timeout(Unit::Seconds)),
];
pub(super) const TOP: &[(&str, Constant)] = &[("version", Constant::Number(1))];
pub(super) const COMMANDS: &[&str] = &["bash", "command", "powershell", "exec"];

const fn folders(file: &'static str, at: &'static [&'static str]) -> Trust {
    Trust::Folders {
        file,
        at,
        field: "",
        yes: &[Yes::True],
        unlisted: Unlisted::Untrusted,
        stops: &[Scope::Project, Scope::Local],
        before: &[Override::Trusted("COPILOT_ALLOW_ALL", "true")],
        fix: "copilot   # in this folder, and say that you trust it and remember it",
    }
}

/// What switches Copilot CLI's hooks off, and which folders it trusts.
///
/// Where it keeps them is not documented; its own `folderTrustIsTrusted` was asked (1.0.102). It also reads an older spelling,
/// and the same list in `settings.json`. In a folder that it does not trust it runs the person's own hooks, and none of the
/// project.
static HEALTH: Health = Health {
    switches: &[Switch {
        place: Place::Settings,
        at: &["disableAllHooks"],
        off: Off::True,
        // In a hook file it stops that file, in a repository's settings more: the files that it may stop are all named.
        stops: Stops::OwnFile,
        pinned_in: None,
    }],
    trust: &[
        folders("~/.copilot/config.json", &["trustedFolders"]),
        folders("~/.copilot/config.json", &["trusted_folders"]),
        folders("~/.copilot/settings.json", &["trustedFolders"]),
        folders("~/.copilot/settings.json", &["trusted_folders"]),
    ],
};

/// The agent Copilot CLI.
pub static COPILOT_CLI: Relative = COPILOT;

/// The protocol, with the facts and the rows of the terminal.
pub(super) const COPILOT: Relative = Relative {
    id: ID,
    facts: &HostFacts {
        aliases: &["copilot"],
        maturity: Maturity::Proved,
        covers: "1.0.102, 2026-11-22",
        files: &["~/.copilot/hooks/", "~/.copilot/settings.json", "~/.copilot/config.json", "~/.copilot/agents/", ".github/hooks/", ".github/agents/", ".github/copilot/settings.json", ".github/copilot/settings.local.json", ".claude/settings.json", ".claude/settings.local.json", "/etc/github-copilot/policy.d/", "C:\\ProgramData\\GitHub\\Copilot\\policy.d\\"],
        settings: Some(&SETTINGS),
        instead: "",
        posts: None,
        health: Some(&HEALTH),
        // The project's `.claude/settings.json` and `.claude/settings.local.json` are read and run as well.
        also_reads: &["claude-code"],
        executables: &["copilot"],
        project_variable: Some("COPILOT_PROJECT_DIR"),
        tools: &TOOLS,
        version_at: Some(crate::VersionAt::Variable("COPILOT_CLI_BINARY_VERSION")),
        prompts: crate::Prompts {
            of_agents: &["agent_id"],
            parent: Some("parent_agent_id"),
            ..crate::Prompts::NEW
        },
    },
    natives: &natives(&EVENTS),
    events: &EVENTS,
    words: Words {
        place: answer::Place::Anywhere,
        rewrites: &[
            ("tool_input", "modifiedArgs"),
            ("prompt", "modifiedPrompt"),
            ("tool_result", "modifiedResult"),
        ],
        notices: Notices::Warning,
        misnamed: Misnamed::Accepted,
        ..Words::COMMON
    },
    odd: Oddities {
        read: payloads::read,
        write: payloads::write,
        write_as: payloads::write_as,
        decode: decode::read,
        approves: decode::approves,
        before: decode::before,
        after: decode::after,
        value: encode::value,
        natives: encode::natives,
        refuse_unknown: encode::refuse_unknown,
        ..Oddities::NONE
    },
    ..Relative::BARE
};

#[cfg(test)]
mod tests;
