//! What one version of an agent was seen to do.
//!
//! A truth file holds the answers of hooks as they were given, byte for byte, and what the agent did with each: what ran in a
//! scratch project, and what its model was told next. `.ci/nightly lab` writes it from the agent itself. The readers under the
//! tests of the wires, and the wires, agree with every row.
//!
//! ```
//! use anyhook_truth::{CommandOutcome, TruthDifference, TruthRow, HookOutput, TRUTHS, Truth, truth};
//!
//! for (host, version, _) in TRUTHS {
//!     let truth: Truth = truth(host).expect("it can be read");
//!     assert_eq!((&*truth.host, &*truth.version), (*host, *version));
//!     assert_eq!(truth.differences(), Vec::<TruthDifference>::new());
//! }
//!
//! // An agent that does something else than it was last seen to do is told, row by row.
//! let mut odd = truth("claude-code").unwrap();
//! odd.rows.retain(|row| row.name() == "PreToolUse: deny");
//! odd.rows[0].seen.command = Some(CommandOutcome::Given);
//! let TruthDifference { row, expected, seen } = &odd.differences()[0];
//! assert_eq!(&**row, "PreToolUse: deny");
//! assert_eq!(expected.words(), "does not run, goes on, model told");
//! assert_eq!(&*seen.words(), "runs, goes on, model told");
//! let row: &TruthRow = &odd.rows[0];
//! assert_eq!((row.payload(), row.expected(&odd)), ("PreToolUse".into(), Some(*seen)));
//! assert!(matches!(&row.answer, Some(HookOutput { exit: 0, .. })) && row.changed().starts_with("touch changed-"));
//! assert!(Truth::read(&odd.write()).is_ok_and(|again| again == odd));
//! ```

mod seen;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, to_value};

pub use seen::{AgentBehaviour, CommandOutcome};

/// The probe in which a call of a sub-agent is refused.
///
/// ```
/// use anyhook_truth::{OF_SUB_AGENT, truth};
/// let rows = truth("claude-code").unwrap().rows;
/// assert!(rows.iter().any(|row| row.probe == OF_SUB_AGENT));
/// ```
pub const OF_SUB_AGENT: &str = "a call of a sub-agent is refused";

/// What each agent was seen to do: the host, the version, and the file. A newer version takes the place of an older one.
pub static TRUTHS: &[(&str, &str, &str)] = &[
    (
        "claude-code",
        "2.1.332",
        include_str!("../seen/claude-code-2.1.332.json"),
    ),
    (
        "codex-cli",
        "0.171.0",
        include_str!("../seen/codex-cli-0.171.0.json"),
    ),
    (
        "gemini-cli",
        "0.61.0",
        include_str!("../seen/gemini-cli-0.61.0.json"),
    ),
    (
        "copilot-cli",
        "1.0.102",
        include_str!("../seen/copilot-cli-1.0.102.json"),
    ),
    (
        "qwen-code",
        "0.24.4",
        include_str!("../seen/qwen-code-0.24.4.json"),
    ),
    (
        "factory-droid",
        "0.215.0",
        include_str!("../seen/factory-droid-0.215.0.json"),
    ),
    ("cline", "3.0.65", include_str!("../seen/cline-3.0.65.json")),
    (
        "opencode",
        "1.18.33",
        include_str!("../seen/opencode-1.18.33.json"),
    ),
];

/// What one version of an agent was seen to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Truth {
    /// The host.
    pub host: String,
    /// The agent's version.
    pub version: String,
    /// The day, as `2026-11-22`.
    pub date: String,
    /// The events that it told of while nothing was answered, under its own names, and how often.
    pub fired: BTreeMap<String, usize>,
    /// What becomes of a call without any hook, in each other mode of permission.
    pub modes: BTreeMap<String, CommandOutcome>,
    /// The first payload of each event: under its own name, and in another mode of permission as `PreToolUse@default`.
    pub payloads: BTreeMap<String, Value>,
    /// What was said, and what became of it.
    pub rows: Vec<TruthRow>,
}

/// One thing that was said, and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TruthRow {
    /// The canonical name of the event.
    pub event: String,
    /// The host's own name of it.
    pub native: String,
    /// What was said, in a word or two.
    pub probe: String,
    /// The mode of permission, where it is another than the one in which everything is approved.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mode: Option<String>,
    /// The text by which the answer is known where it turns up.
    pub mark: String,
    /// What the hook left behind; nothing where it could leave nothing.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub answer: Option<HookOutput>,
    /// What was seen.
    pub seen: AgentBehaviour,
    /// Whether the text stood in what the agent printed when it ran without a terminal.
    pub person: bool,
}

/// What a hook leaves behind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookOutput {
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
    /// Its exit code.
    pub exit: i32,
}

/// A row in which the agent does something else than it was last seen to do.
#[derive(Debug, Clone, PartialEq)]
pub struct TruthDifference {
    /// The row.
    pub row: String,
    /// What is expected.
    pub expected: AgentBehaviour,
    /// What was seen.
    pub seen: AgentBehaviour,
}

/// Returns what a host was last seen to do.
pub fn truth(host: &str) -> Option<Truth> {
    let (.., text) = TRUTHS.iter().find(|(known, ..)| *known == host)?;
    Truth::read(text).ok()
}

impl Truth {
    /// Reads a truth file.
    pub fn read(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Writes a truth file: one line for each row, so that a change is seen where it is.
    pub fn write(&self) -> String {
        let line = |value: Result<Value, _>| value.unwrap_or_default().to_string();
        let head = [
            ("host", to_value(&self.host)),
            ("version", to_value(&self.version)),
            ("date", to_value(&self.date)),
            ("fired", to_value(&self.fired)),
            ("modes", to_value(&self.modes)),
        ];
        let head = head.map(|(name, value)| format!("\"{name}\": {},\n", line(value)));
        let payloads = self.payloads.iter();
        let payloads = payloads.map(|(name, value)| format!("{}: {value}", Value::from(&**name)));
        let payloads: Vec<String> = payloads.collect();
        let rows = self.rows.iter().map(|row| line(to_value(row)));
        let rows: Vec<String> = rows.collect();
        format!(
            "{{\n{}\"payloads\": {{\n{}\n}},\n\"rows\": [\n{}\n]\n}}\n",
            head.concat(),
            payloads.join(",\n"),
            rows.join(",\n")
        )
    }

    /// Returns every row in which the agent did something else than it was last seen to do.
    pub fn differences(&self) -> Vec<TruthDifference> {
        let Some(last) = truth(&self.host) else {
            return Vec::new();
        };
        let differing = self.rows.iter().filter_map(|row| {
            let expected = row.expected(&last)?;
            (expected != row.seen).then(|| TruthDifference {
                row: row.name(),
                expected,
                seen: row.seen,
            })
        });
        differing.collect()
    }
}

impl TruthRow {
    /// Tells what the agent was last seen to do with this probe; nothing where it was not asked.
    pub fn expected(&self, last: &Truth) -> Option<AgentBehaviour> {
        let is_same = |row: &&TruthRow| {
            row.native == self.native && row.probe == self.probe && row.mode == self.mode
        };
        last.rows.iter().find(is_same).map(|row| row.seen)
    }

    /// Returns the name under which its payload is kept.
    pub fn payload(&self) -> String {
        match &self.mode {
            Some(mode) => format!("{}@{mode}", self.native),
            None => self.native.clone(),
        }
    }

    /// Returns the command line that takes the place of the call's own where it is rewritten. It does not hold the mark,
    /// which would turn up everywhere.
    pub fn changed(&self) -> String {
        format!("touch changed-{}", number(&self.mark))
    }

    /// Names the row, as `PreToolUse: deny`.
    pub fn name(&self) -> String {
        match &self.mode {
            Some(mode) => format!("{}: {} (mode {mode})", self.native, self.probe),
            None => format!("{}: {}", self.native, self.probe),
        }
    }
}

fn number(mark: &str) -> &str {
    mark.rsplit('-').next().unwrap_or(mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> impl Iterator<Item = Truth> {
        TRUTHS.iter().map(|(.., text)| Truth::read(text).unwrap())
    }

    #[test]
    fn a_truth_that_is_altered_in_one_cell_is_a_difference_that_names_the_cell() {
        for truth in all() {
            for at in 0..truth.rows.len() {
                let mut altered = truth.clone();
                let row = &mut altered.rows[at];
                row.seen.goes_on = !row.seen.goes_on;
                let name = row.name();
                let differences = altered.differences();
                let named: Vec<&str> = differences.iter().map(|found| &*found.row).collect();
                assert_eq!(named, [name], "{} {}", truth.host, truth.version);
            }
        }
    }

    #[test]
    fn a_command_does_not_run_where_the_program_of_the_entries_is_gone() {
        for truth in all() {
            let mut rows = truth.rows.iter();
            let gone = |row: &&TruthRow| row.probe == "the program of the entries is gone";
            let gone = rows.find(gone).unwrap().seen;
            assert_eq!(gone.command, Some(CommandOutcome::None), "{}", truth.host);
        }
    }
}
