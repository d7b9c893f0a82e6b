//! Codex CLI: `.codex/hooks.json`, and the `hooks` of `.codex/config.toml`.
//!
//! It reads command lines with the person's own shell, whichever that is; here it is bash, which most people have.

use std::time::Duration;

use super::{Always, EventForm, Folder, Matching, NativeFormat, Timeout, Variable, Writes};
use crate::settings::Platform;

const SHORT: Duration = Duration::from_secs(1);

/// The row.
pub(super) static ROW: NativeFormat = NativeFormat {
    host: "codex-cli",
    files: &[".codex/hooks.json", ".codex/config.toml"],
    matching: Matching::Names(""),
    names: &["Bash", "apply_patch", "spawn_agent", "update_plan"],
    under: &[
        ("Write", "apply_patch"),
        ("Edit", "apply_patch"),
        ("Agent", "spawn_agent"),
    ],
    events: &[
        EventForm::ignoring("UserPromptSubmit"),
        EventForm::ignoring("Stop"),
        EventForm::ignoring("Interrupt"),
    ],
    words: &[
        ("SessionStart", &["startup", "resume", "clear", "compact"]),
        ("PreCompact", &["manual", "auto"]),
        ("PostCompact", &["manual", "auto"]),
    ],
    timeout: Timeout {
        default: Duration::from_mins(10),
        events: &[("SessionEnd", SHORT), ("Interrupt", SHORT)],
        ..super::PLAIN.timeout
    },
    folder: Folder::Session,
    commands: &[
        ("command", Platform::Any),
        ("commandWindows", Platform::Windows),
        ("command_windows", Platform::Windows),
    ],
    writes: Writes {
        holds: &["async"],
        ..super::PLAIN.writes
    },
    always: &[
        ("session_id", Always::Session),
        ("turn_id", Always::Text("")),
        ("transcript_path", Always::Text("")),
        ("cwd", Always::Cwd),
        ("model", Always::Text("")),
        ("permission_mode", Always::Text("default")),
    ],
    variables: &[("PLUGIN_ROOT", Variable::Package)],
    ..super::PLAIN
};
