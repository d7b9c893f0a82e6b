//! Qwen Code: `.qwen/settings.json`. The time of a command is in seconds below 1000 and in milliseconds from there
//! on, that of its prompts in seconds.
//!
//! Its matchers on the kind of a notice and on the trigger of a compaction are exact there; here they are patterns like
//! its others, which select as much and more.

use std::time::Duration;

use super::{
    Always, EventForm, Folder, NativeFormat, PromptTime, Prompts, Timeout, Variable, Writes,
};
use crate::settings::Unit;

/// The row.
pub(super) static ROW: NativeFormat = NativeFormat {
    host: crate::hosts::qwen_code::ID,
    files: &[".qwen/settings.json"],
    off: Some("disableAllHooks"),
    events: &[
        EventForm::ignoring("PostToolBatch"),
        EventForm::ignoring("UserPromptSubmit"),
        EventForm::ignoring("UserPromptExpansion"),
        EventForm::ignoring("SessionDelete"),
        EventForm::ignoring("MessageDisplay"),
        EventForm::ignoring("Stop"),
        EventForm::ignoring("StopFailure"),
        EventForm::ignoring("PostCompact"),
        EventForm::ignoring("InstructionsLoaded"),
        EventForm::ignoring("TodoCreated"),
        EventForm::ignoring("TodoCompleted"),
    ],
    words: &[
        ("SessionStart", &["startup", "resume", "clear", "compact"]),
        ("PreCompact", &["manual", "auto"]),
        (
            "Notification",
            &["permission_prompt", "idle_prompt", "auth_success"],
        ),
    ],
    timeout: Timeout {
        unit: Unit::SecondsBelow(1000),
        default: Duration::from_mins(1),
        prompts: Some(PromptTime {
            unit: Unit::Seconds,
            default: Duration::from_secs(30),
        }),
        ..super::PLAIN.timeout
    },
    prompts: Prompts::Judge,
    folder: Folder::Session,
    writes: Writes {
        holds: &["name", "env", "sequential", "async"],
        ..super::PLAIN.writes
    },
    always: &[
        ("session_id", Always::Session),
        ("transcript_path", Always::Text("")),
        ("cwd", Always::Cwd),
        ("timestamp", Always::Text("")),
        ("permission_mode", Always::Text("default")),
    ],
    variables: &[("QWEN_PROJECT_DIR", Variable::Project)],
    ..super::PLAIN
};
