//! Where Claude Code keeps its hooks.
//!
//! It ignores keys that it does not know, so `onFailure` (since 2.1.295) is written for every version: where our program
//! cannot start, a gate is refused and not let through.

use crate::settings::posted::{Posts, TOKEN};
use crate::settings::{Part, Platform, Scope, Settings, SettingsFile, Shape, Shell, Unit};

const MANAGED: Scope = Scope::Managed;

pub(super) static SETTINGS: Settings = Settings {
    files: &[
        // A file of our own in the drop-in folder: the administrator's stays untouched.
        SettingsFile::new(MANAGED, "/etc/claude-code/managed-settings.d/anyhook.json")
            .on(Platform::Linux),
        SettingsFile::new(
            MANAGED,
            "/Library/Application Support/ClaudeCode/managed-settings.d/anyhook.json",
        )
        .on(Platform::MacOs),
        SettingsFile::new(
            MANAGED,
            r"C:\Program Files\ClaudeCode\managed-settings.d\anyhook.json",
        )
        .on(Platform::Windows),
        SettingsFile::new(Scope::User, "~/.claude/settings.json"),
        SettingsFile::new(Scope::Project, ".claude/settings.json"),
        SettingsFile::new(Scope::Local, ".claude/settings.local.json"),
    ],
    moved_by: Some(("CLAUDE_CONFIG_DIR", "~/.claude")),
    found_by: &["~/.claude", "~/.claude.json"],
    shape: Shape::Groups,
    entry: &[
        ("type", Part::Text("command")),
        ("command", Part::Command),
        ("timeout", Part::Timeout(Unit::Seconds)),
        ("onFailure", Part::OnGates(&Part::Text("block"))),
    ],
    top: &[],
    commands: &["command"],
    without: &[(
        "WorktreeCreate",
        "a hook there replaces how Claude Code makes a worktree",
    )],
    shell: Shell::Posix,
    next: "start a new session, or type /hooks, to load them",
};

/// An entry of the type `http`. The variable `PWD` of Claude Code's own process names the folder in which the session began; the
/// folder in the payload moves with the agent.
///
/// All other events stay commands: at `SessionStart` and `Setup` this type does not run, `onFailure` counts for nothing where a
/// turn or a task ends, some refusals are exit codes alone, and the rest is too rare to save a process.
pub(super) static POSTS: Posts = Posts {
    entry: &[
        ("type", Part::Text("http")),
        ("url", Part::Command),
        (
            "headers",
            Part::Object(&[
                ("Authorization", Part::Text("Bearer $ANYHOOK_TOKEN")),
                ("Anyhook-Project", Part::Text("$PWD")),
            ]),
        ),
        ("allowedEnvVars", Part::Texts(&[TOKEN, "PWD"])),
        ("timeout", Part::Timeout(Unit::Seconds)),
        ("onFailure", Part::OnGates(&Part::Text("block"))),
    ],
    events: &[
        "UserPromptSubmit",
        "PreToolUse",
        "PermissionRequest",
        "PostToolUse",
        "PostToolUseFailure",
        "PostToolBatch",
    ],
};
