//! What can be seen of what an agent does with one answer, and what a reader expects to be seen.

use serde::{Deserialize, Serialize};

/// What became of the command of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CommandOutcome {
    /// It ran as the model gave it.
    Given,
    /// The changed one ran.
    Changed,
    /// None ran.
    None,
}

/// What can be seen of what an agent does with one answer.
///
/// ```
/// use anyhook_truth::{CommandOutcome, AgentBehaviour};
///
/// let seen = AgentBehaviour { command: Some(CommandOutcome::None), goes_on: true, model: true };
/// assert_eq!(seen.words(), "does not run, goes on, model told");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentBehaviour {
    /// What ran of the call that the answer is about; nothing where it is about no call.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub command: Option<CommandOutcome>,
    /// Whether the agent asked its model again afterwards.
    pub goes_on: bool,
    /// Whether the model was told the text of the answer.
    pub model: bool,
}

impl AgentBehaviour {
    /// Says it in a few words.
    pub fn words(&self) -> String {
        let command = self.command.map(|command| match command {
            CommandOutcome::Given => "runs",
            CommandOutcome::Changed => "runs changed",
            CommandOutcome::None => "does not run",
        });
        let end = if self.goes_on { "goes on" } else { "ends" };
        let told = self.model.then_some("model told");
        let words: Vec<&str> = command.into_iter().chain([end]).chain(told).collect();
        words.join(", ")
    }
}
