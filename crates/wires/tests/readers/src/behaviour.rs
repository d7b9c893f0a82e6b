//! What a host does: the vocabulary that all readers share.

use serde_json::Value;

/// What one host does with one answer.
///
/// The default is the behaviour of a host that has no hook.
///
/// ```
/// use anyhook_readers::{Behaviour, Gate, Gravity};
///
/// let without = Behaviour::default();
/// assert_eq!((without.gate, without.gravity()), (Gate::Runs, Gravity::Nothing));
/// assert!(without.model_sees.is_empty() && without.errors.is_empty());
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Behaviour {
    /// What happens to the action that the event announced.
    pub gate: Gate,
    /// Why the agent was stopped, if it was; empty where the hook gave no reason. Where the gate runs all the same, it
    /// stops after the action.
    pub stops_agent: Option<String>,
    /// The tool input that the host will now run, if it was replaced.
    pub input: Option<Value>,
    /// The tool result that the model will see, if it was replaced.
    pub result: Option<Value>,
    /// The texts that reach the model: reasons of a refusal, feedback, additional context.
    pub model_sees: Vec<String>,
    /// The texts that reach the user: reasons of a question or a stop, system messages, stderr that is shown.
    pub person_sees: Vec<String>,
    /// The answers that only this host has and that take effect.
    pub native: Vec<(String, Value)>,
    /// What the host drops without a word, each by its name in the answer, or `stdout` or `stderr`.
    pub ignored: Vec<String>,
    /// The "hook error" notices: an answer that is not valid, an exit code that means failure.
    pub errors: Vec<String>,
}

/// What happens to the action that an event announced.
///
/// For an event that announces the end of work, the action is ending.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Gate {
    /// It goes ahead as if there were no hook; the host's own rules and prompts hold.
    #[default]
    Runs,
    /// It goes ahead, and the host does not put its own permission prompt.
    RunsWithoutPrompt,
    /// A person is asked first.
    AskedOf(Asked),
    /// It does not happen.
    Refused {
        /// The text of it is also taken out of the conversation.
        erased: bool,
    },
    /// The agent wanted to end and goes on working.
    KeepsWorking,
    /// The agent stops here, and the action does not happen.
    Stops,
}

/// Who is asked.
///
/// ```
/// use anyhook_readers::{Asked, Behaviour, Gate, Gravity};
///
/// let asked = Behaviour { gate: Gate::AskedOf(Asked::Person), ..Behaviour::default() };
/// assert_eq!(asked.gravity(), Gravity::Ask);
/// assert!(asked.gravity() < Gravity::Refuse);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// The person in front of the host.
    Person,
    /// The program that called the host without a person.
    Caller,
}

/// How grave a behaviour is, so that a test can say "at least as grave".
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Gravity {
    /// A prompt of the host is skipped: less careful than no hook at all.
    Allow,
    /// As if there were no hook.
    Nothing,
    /// A person is asked.
    Ask,
    /// The action, or the end of the work, is refused.
    Refuse,
    /// The agent is stopped.
    Halt,
}

impl Behaviour {
    /// Returns how grave this behaviour is.
    ///
    /// Only the gate counts. Feedback about an action that has already happened refuses nothing.
    pub fn gravity(&self) -> Gravity {
        match self.gate {
            Gate::RunsWithoutPrompt => Gravity::Allow,
            Gate::Runs => Gravity::Nothing,
            Gate::AskedOf(Asked::Person | Asked::Caller) => Gravity::Ask,
            Gate::Refused { .. } | Gate::KeepsWorking => Gravity::Refuse,
            Gate::Stops => Gravity::Halt,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gravity_rises_from_an_allow_to_a_halt() {
        let gates = [
            Gate::RunsWithoutPrompt,
            Gate::Runs,
            Gate::AskedOf(Asked::Person),
            Gate::Refused { erased: false },
            Gate::Stops,
        ];
        let rising = gates.map(|gate| {
            Behaviour {
                gate,
                ..Behaviour::default()
            }
            .gravity()
        });
        assert_eq!(
            rising,
            [
                Gravity::Allow,
                Gravity::Nothing,
                Gravity::Ask,
                Gravity::Refuse,
                Gravity::Halt
            ]
        );
        assert!(rising.is_sorted());
    }

    #[test]
    fn a_refused_stop_is_as_grave_as_a_refused_action() {
        let kept = Behaviour {
            gate: Gate::KeepsWorking,
            ..Behaviour::default()
        };
        assert_eq!(kept.gravity(), Gravity::Refuse);
    }
}
