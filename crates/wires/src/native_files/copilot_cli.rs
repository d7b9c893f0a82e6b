//! Copilot CLI: `.github/hooks/*.json`, which VS Code and the cloud agent read too, and the `hooks` of its settings.
//!
//! A failure before a tool refuses there. It lets pass what ran out of time; here that refuses as well, which is never
//! softer. A hook of type `prompt` does not judge: it submits its text as a prompt.

use super::{Always, EventForm, Failure, List, Matching, NativeFormat, Timeout, Variable, Writes};
use crate::settings::Platform;

/// The row.
pub(super) static ROW: NativeFormat = NativeFormat {
    host: "copilot-cli",
    files: &[
        ".github/hooks/*.json",
        ".github/copilot/settings.json",
        ".github/copilot/settings.local.json",
    ],
    also_read_by: &["vscode-local", "copilot-cloud"],
    off: Some("disableAllHooks"),
    matching: Matching::Whole,
    events: &[
        EventForm::ignoring("sessionStart"),
        EventForm::ignoring("SessionStart"),
        EventForm::ignoring("sessionEnd"),
        EventForm::ignoring("SessionEnd"),
        EventForm::ignoring("userPromptSubmitted"),
        EventForm::ignoring("UserPromptSubmit"),
        EventForm::ignoring("postToolUseFailure"),
        EventForm::ignoring("PostToolUseFailure"),
        EventForm::ignoring("agentStop"),
        EventForm::ignoring("Stop"),
        EventForm::ignoring("subagentStop"),
        EventForm::ignoring("SubagentStop"),
        EventForm::ignoring("errorOccurred"),
    ],
    timeout: Timeout {
        fields: &["timeoutSec", "timeout"],
        ..super::PLAIN.timeout
    },
    commands: &[
        ("bash", Platform::Any),
        ("command", Platform::Any),
        ("exec", Platform::Any),
        ("linux", Platform::Linux),
        ("osx", Platform::MacOs),
        ("windows", Platform::Windows),
        ("powershell", Platform::Windows),
    ],
    failure: Failure::On(&["preToolUse", "PreToolUse"]),
    writes: Writes {
        list: List::Hooks,
        version: Some(1),
        holds: &["env", "cwd", "url"],
    },
    always: &[("cwd", Always::Cwd)],
    variables: &[
        ("COPILOT_CLI", Variable::Text("1")),
        ("COPILOT_PROJECT_DIR", Variable::Project),
        ("COPILOT_PLUGIN_ROOT", Variable::Package),
        ("PLUGIN_ROOT", Variable::Package),
        ("CLAUDE_PROJECT_DIR", Variable::Project),
    ],
    ..super::PLAIN
};
