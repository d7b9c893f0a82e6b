//! Factory Droid: `.factory/hooks.json`, whose top is the map of events itself, and the `hooks` of `.factory/settings.json`.
//!
//! A `hooks` in the first file, and events at the top of the second, mean nothing to it (0.215.0). Here they count as well,
//! so that a guard that stands in the wrong place holds at least under other agents.
//!
//! It reads the second file where the first is missing; here both count, so that no guard goes by a file beside it. The
//! shell that it starts is not documented, and bash reads what the others of its kind read. Its variable for the project
//! is documented by one name and was seen with another, so both are set. It has no field for what a failure means: one
//! is shown to the person, and the action goes ahead.

use std::time::Duration;

use super::{Always, EventForm, Folder, Matching, NativeFormat, Timeout, Top, Variable};

/// The row.
pub(super) static ROW: NativeFormat = NativeFormat {
    host: crate::hosts::factory_droid::ID,
    files: &[".factory/hooks.json", ".factory/settings.json"],
    top: Top::Both,
    matching: Matching::Names(""),
    events: &[
        EventForm::ignoring("Notification"),
        EventForm::ignoring("UserPromptSubmit"),
        EventForm::ignoring("Stop"),
        EventForm::ignoring("SubagentStop"),
        EventForm::ignoring("SessionEnd"),
    ],
    words: &[
        ("SessionStart", &["startup", "resume", "clear", "compact"]),
        ("PreCompact", &["manual", "auto"]),
    ],
    timeout: Timeout {
        default: Duration::from_mins(1),
        ..super::PLAIN.timeout
    },
    folder: Folder::Session,
    always: &[
        ("session_id", Always::Session),
        ("transcript_path", Always::Text("")),
        ("cwd", Always::Cwd),
        ("permission_mode", Always::Text("off")),
    ],
    variables: &[
        ("FACTORY_PROJECT_DIR", Variable::Project),
        ("DROID_PROJECT_DIR", Variable::Project),
        ("DROID_PLUGIN_ROOT", Variable::Package),
    ],
    ..super::PLAIN
};
