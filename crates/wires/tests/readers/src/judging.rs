//! What a reader expects to be seen of an agent that was given one answer, beside what was seen.

use anyhook_truth::{
    AgentBehaviour, CommandOutcome, OF_SUB_AGENT, Truth, TruthDifference, TruthRow,
};
use serde_json::Value;

use crate::{Answer, Behaviour, Gate, reader};

/// Returns every row in which the reader expects something else.
pub fn differences(truth: &Truth) -> Vec<TruthDifference> {
    let differing = truth.rows.iter().filter_map(|row| {
        let expected = expects(row, truth)?;
        (expected != row.seen).then(|| TruthDifference {
            row: row.name(),
            expected,
            seen: row.seen,
        })
    });
    differing.collect()
}

/// Tells what the reader of the host expects; nothing where it cannot say.
pub fn expects(row: &TruthRow, truth: &Truth) -> Option<AgentBehaviour> {
    let reader = reader(&truth.host)?;
    let said = row.answer.as_ref()?;
    let answer = Answer {
        event: &row.native,
        payload: truth.payloads.get(&row.payload())?,
        stdout: said.stdout.as_bytes(),
        stderr: said.stderr.as_bytes(),
        exit: said.exit,
    };
    // `install` writes into the entry of a gate, where an agent knows such a word, that its failure refuses.
    let done = match Moment::of(&row.event) {
        Moment::Gate => reader.reads_closed(&answer),
        Moment::End | Moment::After => reader.reads(&answer),
    };
    let base = base(row, truth);
    // Where not everything is approved, the agent's own rules decide about new arguments, which they have not seen.
    let is_theirs = row.mode.is_some() && done.input.is_some() && done.gate == Gate::Runs;
    if is_theirs && base == CommandOutcome::Given {
        return None;
    }
    let mut expected = expected(&row.event, &done, &row.mark, base);
    // An agent that ends with a refusal ends below, and the one that started it goes on.
    expected.goes_on |= row.probe == OF_SUB_AGENT;
    Some(expected)
}

/// What becomes of a call without any hook in this row's mode.
fn base(row: &TruthRow, truth: &Truth) -> CommandOutcome {
    let base = row.mode.as_ref().and_then(|mode| truth.modes.get(mode));
    base.copied().unwrap_or(CommandOutcome::Given)
}

/// What the command line of each call begins with (`touch given-1`); a changed one begins otherwise.
const GIVEN: &str = "touch given-";

/// What kind of moment an event is, as far as it can be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    /// Before something happens that can be refused.
    Gate,
    /// The agent wants to end.
    End,
    /// It has happened.
    After,
}

impl Moment {
    /// Knows it by the canonical name of the event.
    fn of(event: &str) -> Self {
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
fn expected(event: &str, done: &Behaviour, mark: &str, base: CommandOutcome) -> AgentBehaviour {
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
    AgentBehaviour {
        command,
        goes_on,
        model: told && goes_on,
    }
}

fn command(event: &str, done: &Behaviour, refuses: bool, base: CommandOutcome) -> CommandOutcome {
    let waits = base == CommandOutcome::None && done.gate != Gate::RunsWithoutPrompt;
    if event == "tool:pre" && (refuses || waits) {
        CommandOutcome::None
    } else if done.input.as_ref().is_none_or(is_given) {
        CommandOutcome::Given
    } else {
        CommandOutcome::Changed
    }
}

/// Tells whether new arguments still hold the command of the call: some agents lay them over the old ones.
fn is_given(input: &Value) -> bool {
    input.to_string().contains(GIVEN)
}

#[cfg(test)]
mod tests {
    use anyhook_truth::TRUTHS;

    use super::*;

    fn all() -> impl Iterator<Item = Truth> {
        let judged = TRUTHS.iter().filter(|(host, ..)| reader(host).is_some());
        judged.map(|(.., text)| Truth::read(text).unwrap())
    }

    #[test]
    fn every_agent_does_what_its_reader_says() {
        for truth in all() {
            assert_eq!(differences(&truth), [], "{} {}", truth.host, truth.version);
            let judged = truth
                .rows
                .iter()
                .filter(|row| expects(row, &truth).is_some());
            assert!(judged.count() > 80, "{}", truth.host);
        }
    }

    #[test]
    fn a_truth_that_is_altered_in_one_cell_is_a_difference_that_names_the_cell() {
        for truth in all() {
            for at in 0..truth.rows.len() {
                let mut altered = truth.clone();
                let row = &mut altered.rows[at];
                if expects(&truth.rows[at], &truth).is_none() {
                    continue;
                }
                row.seen.goes_on = !row.seen.goes_on;
                let name = row.name();
                let named: Vec<String> = differences(&altered)
                    .into_iter()
                    .map(|found| found.row)
                    .collect();
                assert_eq!(named, [name], "{} {}", truth.host, truth.version);
            }
        }
    }
}
