//! `fn reads(&self, answer: &Answer) -> Behaviour`: what an agent does with what a hook left behind.
//!
//! Each [`Reader`] is an executable host. It was written from that host's protocol page alone and shares no code with
//! the crates that write answers, so that the two can disagree: a mistake in a page's encoder shows here as an action
//! that runs although it was refused. It depends on `serde`, on `serde_json` and on what the agents were seen to do, and that is this crate's promise.
//!
//! A reader judges one hook's answer to one event. It keeps no state, and does not merge the answers of several hooks.
//!
//! ```
//! use anyhook_readers::{Answer, Gate, Gravity, reader};
//!
//! let payload = serde_json::json!({"hook_event_name": "PreToolUse", "tool_name": "Bash"});
//! let claude = reader("claude-code").expect("a known host");
//! let behaviour = claude.reads(&Answer {
//!     event: "PreToolUse",
//!     payload: &payload,
//!     stdout: b"",
//!     stderr: b"deploys are frozen",
//!     exit: 2,
//! });
//! assert_eq!(behaviour.gate, Gate::Refused { erased: false });
//! assert_eq!(behaviour.gravity(), Gravity::Refuse);
//! assert_eq!(behaviour.model_sees, ["deploys are frozen"]);
//! ```

use serde_json::Value;

mod behaviour;
mod claude_code;
mod codex_cli;
mod copilot_cli;
mod copilot_cloud;
mod cursor;
mod gemini_cli;
mod judging;
mod output;

pub use behaviour::{Asked, Behaviour, Gate, Gravity};
pub use judging::{differences, expects};

/// Everything a host knows when a hook's process has ended.
#[derive(Debug, Clone, Copy)]
pub struct Answer<'a> {
    /// The event, under the name that this host uses.
    pub event: &'a str,
    /// The payload that the host wrote to the hook's standard input.
    pub payload: &'a Value,
    /// All bytes of the hook's standard output.
    pub stdout: &'a [u8],
    /// All bytes of the hook's standard error.
    pub stderr: &'a [u8],
    /// The exit code.
    pub exit: i32,
}

/// Reads an answer as one host would act on it.
///
/// An implementer works from the host's documents alone, never panics, and names everything it drops.
///
/// One reader, and the same answer to two hosts:
///
/// ```
/// use anyhook_readers::{Answer, Gate, READERS, Reader};
/// use serde_json::json;
///
/// let payload = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash"});
/// let gate = |id: &str, event: &str, stdout: &str| {
///     let reader: &dyn Reader = *READERS.iter().find(|reader| reader.id() == id).unwrap();
///     let answer =
///         Answer { event, payload: &payload, stdout: stdout.as_bytes(), stderr: b"", exit: 0 };
///     reader.reads(&answer).gate
/// };
/// let deny = r#"{"decision": "deny", "reason": "frozen"}"#;
/// assert_eq!(gate("gemini-cli", "BeforeTool", deny), Gate::Refused { erased: false });
/// assert_eq!(gate("claude-code", "PostToolUse", deny), Gate::Runs, "which knows no such word");
/// ```
pub trait Reader: Send + Sync {
    /// Returns the host's id, as `--host` spells it.
    fn id(&self) -> &'static str;

    /// Tells what the host does with this answer.
    fn reads(&self, answer: &Answer<'_>) -> Behaviour;

    /// Tells what the host does with this answer of an entry that says in the settings that its failure refuses. A hook
    /// that was stopped at its time is a failure as well: 137 stands for its end. A host without such a setting, or of which
    /// it is not written down, does what [`Reader::reads`] tells.
    ///
    /// ```
    /// use anyhook_readers::{Answer, Gate, reader};
    ///
    /// let payload = serde_json::json!({"tool_name": "Bash"});
    /// let stopped =
    ///     Answer { event: "PreToolUse", payload: &payload, stdout: b"", stderr: b"", exit: 137 };
    /// let claude = reader("claude-code").expect("a known host");
    /// assert_eq!(claude.reads(&stopped).gate, Gate::Runs);
    /// assert_eq!(claude.reads_closed(&stopped).gate, Gate::Refused { erased: false });
    /// ```
    fn reads_closed(&self, answer: &Answer<'_>) -> Behaviour {
        self.reads(answer)
    }
}

/// The readers, one row for each host that has one: what the others do with an answer stands beside it in the fixtures.
///
/// ```
/// use anyhook_readers::{READERS, reader};
///
/// assert!(READERS.iter().all(|row| reader(row.id()).is_some()));
/// ```
pub static READERS: &[&dyn Reader] = &[
    &claude_code::ClaudeCode,
    &copilot_cli::CopilotCli,
    &copilot_cloud::CopilotCloud,
    &codex_cli::CodexCli,
    &cursor::Cursor,
    &gemini_cli::GeminiCli,
];

/// Finds the reader of a host by its id.
pub fn reader(id: &str) -> Option<&'static dyn Reader> {
    READERS.iter().copied().find(|reader| reader.id() == id)
}
