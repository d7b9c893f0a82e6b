//! Gemini CLI: its payloads, its rows, and its answers.
//!
//! Unverified facts are read so that no gate opens: `decision: ask` is never said (a question becomes a
//! refusal that holds it), `continue: false` is not leant on before a request to the model, and new arguments are always
//! sent whole, because the document says that they are merged into the old ones and the source replaces them. Where a
//! hook takes an argument away, which a host that merges would keep, the call is refused.
//!
//! Every exit code from 2 on refuses, a missing script included, so we never leave with one but to refuse.

mod decode;
mod payloads;
mod rows;

use super::relative::row::{Form, natives};
use super::relative::{Counts, Misnamed, Oddities, Relative, Updates, Words};
use crate::health::{Health, Off, Override, Place, Stops, Switch, Trust, Unlisted, Yes};
use crate::settings::{Part, Platform, Scope, Settings, SettingsFile, Shell, Unit};
use crate::{HostFacts, Maturity};
use rows::{EVENTS, TOOLS};

/// The id of this host.
pub const ID: &str = "gemini-cli";

/// Where Gemini CLI keeps its hooks. It counts in milliseconds.
///
/// It names and remembers a hook by `name` and command together. The paths of the machine's settings on macOS and Windows
/// are unverified.
static SETTINGS: Settings = Settings {
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
    found_by: &["~/.gemini"],
    entry: &[
        ("type", Part::Text("command")),
        ("name", Part::Text("anyhook")),
        ("command", Part::Command),
        ("timeout", Part::Timeout(Unit::Millis)),
    ],
    shell: Shell::Posix,
    next: "start a new session to load them, in a trusted folder",
    ..Settings::BARE
};

/// What switches Gemini CLI's hooks off, and which folders it trusts.
///
/// In a folder that is not trusted Gemini CLI 0.61.0 runs no hook of any settings, and ends with 55 where no person is there. `--skip-trust` lets it
/// run there, as `GEMINI_CLI_TRUST_WORKSPACE=true` does.
static HEALTH: Health = Health {
    switches: &[
        Switch {
            place: Place::Settings,
            at: &["hooksConfig", "enabled"],
            off: Off::False,
            stops: Stops::All,
            pinned_in: None,
        },
        Switch {
            place: Place::Settings,
            at: &["hooksConfig", "disabled"],
            off: Off::Listed,
            stops: Stops::All,
            pinned_in: None,
        },
    ],
    trust: &[Trust::Folders {
        file: "~/.gemini/trustedFolders.json",
        at: &[],
        field: "",
        yes: &[Yes::Text("TRUST_FOLDER"), Yes::Text("TRUST_PARENT")],
        unlisted: Unlisted::Untrusted,
        stops: &Scope::ALL,
        before: &[
            Override::Untrusted("GEMINI_RESTRICTED_MODE", "true"),
            Override::Untrusted("GEMINI_CLI_TRUST_WORKSPACE", "false"),
            Override::Trusted("GEMINI_CLI_TRUST_WORKSPACE", "true"),
            Override::Off(
                "~/.gemini/settings.json",
                &["security", "folderTrust", "enabled"],
            ),
        ],
        fix: "gemini   # in this folder, then type /permissions and trust it",
    }],
};

/// The agent Gemini CLI.
pub static GEMINI_CLI: Relative = Relative {
    id: ID,
    facts: &HostFacts {
        aliases: &["gemini"],
        maturity: Maturity::Proved,
        covers: "0.61.0, 2026-11-22",
        // An extension may bring hooks too, and `trusted_hooks.json` says which of a project's hooks the person knows.
        files: &["~/.gemini/trusted_hooks.json", "~/.gemini/extensions/", ".gemini/extensions/", "/etc/gemini-cli/system-defaults.json", "/Library/Application Support/GeminiCli/system-defaults.json", "C:\\ProgramData\\gemini-cli\\system-defaults.json"],
        settings: Some(&SETTINGS),
        health: Some(&HEALTH),
        executables: &["gemini"],
        // It is the folder in which the host works, which need not be the root of the project.
        project_variable: Some("GEMINI_PROJECT_DIR"),
        tools: &TOOLS,
        ..HostFacts::BARE
    },
    natives: &natives(&EVENTS),
    events: &EVENTS,
    updates: Updates::Merge,
    json: Counts::AtEveryCode,
    words: Words {
        refusal: "deny",
        rewrites: &[],
        misnamed: Misnamed::Accepted,
        ..Words::COMMON
    },
    odd: Oddities {
        read: payloads::read,
        write: payloads::write,
        decode: decode::read,
        before: decode::before,
        // What is left means nothing to the host.
        after: |answer, _| answer.rest.clear(),
        value: payloads::value,
        hides: |row, _| row.form != Form::None,
        ..Oddities::NONE
    },
    ..Relative::BARE
};
