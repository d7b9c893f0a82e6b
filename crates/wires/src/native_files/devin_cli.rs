//! Devin CLI: `.devin/hooks.v1.json`, whose top is the map of events itself, and the `hooks` of `.devin/config.json`.
//!
//! One revision of its documents has every exit code but 0 refuse, the newest has 2 alone; how long a hook may take is in
//! none. Here every failure before something happens refuses, and the time is that of a host of which none is known
//!, so no guard that was written for either revision lets more through.

use super::{Always, EventForm, Failure, NativeFormat, Prompts, Top};

/// The row.
pub(super) static ROW: NativeFormat = NativeFormat {
    host: crate::hosts::devin_cli::ID,
    files: &[".devin/hooks.v1.json", ".devin/config.json"],
    top: Top::HooksOrBare,
    events: &[
        EventForm::ignoring("UserPromptSubmit"),
        EventForm::ignoring("Stop"),
        EventForm::ignoring("SessionStart"),
        EventForm::ignoring("SessionEnd"),
        EventForm::ignoring("PostCompaction"),
    ],
    prompts: Prompts::Judge,
    failure: Failure::On(&["PreToolUse", "PermissionRequest", "UserPromptSubmit"]),
    always: &[("session_id", Always::Session), ("cwd", Always::Cwd)],
    ..super::PLAIN
};
