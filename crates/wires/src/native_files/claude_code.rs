//! Claude Code: `.claude/settings.json`, and the `hooks.json` of its plugins, which nests the same way.
//!
//! Cursor and Copilot CLI read these files themselves. VS Code does so only with a setting that is off by default, so
//! they are loaded for it: a guard that is asked twice is better than one that is not asked.

use std::time::Duration;

use super::{
    Always, EventForm, Failure, Folder, Matching, NativeFormat, PromptTime, Prompts, Refuses,
    Timeout, Variable, Writes,
};
use crate::settings::Unit;

const COMMAND: Duration = Duration::from_mins(10);
const SHORT: Duration = Duration::from_secs(30);

/// The row.
pub(super) static ROW: NativeFormat = NativeFormat {
    host: crate::hosts::claude_code::ID,
    files: &[".claude/settings.json", ".claude/settings.local.json"],
    own: &["PreSkillShellCommand"],
    also_read_by: &["cursor", "copilot-cli"],
    off: Some("disableAllHooks"),
    matching: Matching::Names("- ,"),
    names: &[
        "Bash",
        "PowerShell",
        "Write",
        "Edit",
        "MultiEdit",
        "NotebookEdit",
        "Read",
        "Glob",
        "Grep",
        "LS",
        "WebFetch",
        "WebSearch",
        "Agent",
        "TodoWrite",
        "AskUserQuestion",
        "EnterPlanMode",
        "ExitPlanMode",
        "Skill",
    ],
    under: &[("Task", "Agent")],
    words: &[
        (
            "SessionStart",
            &["startup", "resume", "clear", "compact", "fork"],
        ),
        (
            "SessionEnd",
            &[
                "clear",
                "resume",
                "logout",
                "prompt_input_exit",
                "bypass_permissions_disabled",
                "other",
            ],
        ),
        ("PreCompact", &["manual", "auto"]),
        ("PostCompact", &["manual", "auto"]),
        (
            "Notification",
            &[
                "permission_prompt",
                "idle_prompt",
                "auth_success",
                "elicitation_dialog",
                "elicitation_url_dialog",
                "elicitation_complete",
                "elicitation_response",
                "agent_needs_input",
                "agent_completed",
                "quota_auto_resume_fired",
                "quota_auto_resume_stale",
                "quota_auto_resume_disabled",
            ],
        ),
        (
            "ConfigChange",
            &[
                "user_settings",
                "project_settings",
                "local_settings",
                "policy_settings",
                "skills",
            ],
        ),
    ],
    events: &[
        EventForm::ignoring("UserPromptSubmit"),
        EventForm::ignoring("PostToolBatch"),
        EventForm::ignoring("Stop"),
        EventForm::ignoring("TeammateIdle"),
        EventForm::ignoring("TaskCreated"),
        EventForm::ignoring("TaskCompleted"),
        EventForm::ignoring("WorktreeCreate"),
        EventForm::ignoring("WorktreeRemove"),
        EventForm::ignoring("MessageDisplay"),
        EventForm::ignoring("CwdChanged"),
    ],
    timeout: Timeout {
        default: COMMAND,
        events: &[
            ("UserPromptSubmit", SHORT),
            ("PreModelSwitch", SHORT),
            ("PostModelSwitch", SHORT),
            ("MessageDisplay", Duration::from_secs(10)),
            ("SessionEnd", Duration::from_millis(1500)),
        ],
        prompts: Some(PromptTime {
            unit: Unit::Seconds,
            default: SHORT,
        }),
        ..super::PLAIN.timeout
    },
    prompts: Prompts::Judge,
    failure: Failure::Where("onFailure", Refuses::Word("block")),
    shell: "sh",
    folder: Folder::Session,
    writes: Writes {
        holds: &["args", "async", "url", "server"],
        ..super::PLAIN.writes
    },
    always: &[
        ("session_id", Always::Session),
        ("transcript_path", Always::Text("")),
        ("cwd", Always::Cwd),
        ("permission_mode", Always::Text("default")),
    ],
    variables: &[
        ("CLAUDE_PROJECT_DIR", Variable::Project),
        ("CLAUDE_PLUGIN_ROOT", Variable::Package),
        ("CLAUDE_CODE_SESSION_ID", Variable::Session),
        ("CLAUDECODE", Variable::Text("1")),
    ],
    ..super::PLAIN
};
