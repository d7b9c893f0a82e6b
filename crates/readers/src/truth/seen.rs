//! What can be seen of what an agent does with one answer, and what a reader expects to be seen.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Behaviour, Gate};

/// What became of the command of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Command {
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
/// use anyhook_readers::truth::{Command, Seen};
///
/// let seen = Seen { command: Some(Command::None), goes_on: true, model: true };
/// assert_eq!(seen.words(), "does not run, goes on, model told");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// What ran of the call that the answer is about; nothing where it is about no call.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub command: Option<Command>,
    /// Whether the agent asked its model again afterwards.
    pub goes_on: bool,
    /// Whether the model was told the text of the answer.
    pub model: bool,
}

impl Seen {
    /// Says it in a few words.
    pub fn words(&self) -> String {
        let command = self.command.map(|command| match command {
            Command::Given => "runs",
            Command::Changed => "runs changed",
            Command::None => "does not run",
        });
        let end = if self.goes_on { "goes on" } else { "ends" };
        let told = self.model.then_some("model told");
        let words: Vec<&str> = command.into_iter().chain([end]).chain(told).collect();
        words.join(", ")
    }
}

/// What the command line of each call begins with (`touch given-1`); a changed one begins otherwise.
const GIVEN: &str = "touch given-";

/// What kind of moment an event is, as far as it can be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    /// Before something happens that can be refused.
    Gate,
    /// The agent wants to end.
    End,
    /// It has happened.
    After,
}

impl Moment {
    /// Knows it by the canonical name of the event.
    pub(super) fn of(event: &str) -> Self {
        match event {
            "tool:pre" | "prompt:submit" => Self::Gate,
            "stop" => Self::End,
            _ => Self::After,
        }
    }
}

/// Tells whether an event is about a call of a tool.
fn is_about_a_call(event: &str) -> bool {
    matches!(event, "tool:pre" | "tool:post")
}

/// Translates what a reader says about an answer into what can be seen of it. `base` is what becomes of a call without any
/// hook: where the agent's own rules do not let it run, only an approval does.
pub(super) fn expected(event: &str, done: &Behaviour, mark: &str, base: Command) -> Seen {
    let refuses = matches!(
        done.gate,
        Gate::Refused { .. } | Gate::AskedOf(_) | Gate::Stops
    );
    let command = is_about_a_call(event).then(|| command(event, done, refuses, base));
    let stops = done.gate == Gate::Stops || done.stops_agent.is_some();
    let goes_on = match Moment::of(event) {
        Moment::End => done.gate == Gate::KeepsWorking,
        // What is refused is the turn itself.
        Moment::Gate if command.is_none() => !refuses && !stops,
        Moment::Gate | Moment::After => !stops,
    };
    let says = |value: &Value| value.to_string().contains(mark);
    let natives = done.native.iter().map(|(_, value)| value);
    let changed = done.input.iter().filter(|_| command.is_none());
    let mut values = done.result.iter().chain(natives).chain(changed);
    let told = done.model_sees.iter().any(|text| text.contains(mark)) || values.any(says);
    Seen {
        command,
        goes_on,
        model: told && goes_on,
    }
}

fn command(event: &str, done: &Behaviour, refuses: bool, base: Command) -> Command {
    let waits = base == Command::None && done.gate != Gate::RunsWithoutPrompt;
    if event == "tool:pre" && (refuses || waits) {
        Command::None
    } else if done.input.as_ref().is_none_or(is_given) {
        Command::Given
    } else {
        Command::Changed
    }
}

/// Tells whether new arguments still hold the command of the call: some agents lay them over the old ones.
fn is_given(input: &Value) -> bool {
    input.to_string().contains(GIVEN)
}
