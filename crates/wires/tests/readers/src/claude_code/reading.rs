//! One answer on its way to a behaviour: which parts the host reads, and how the decision changes the rest.

use std::mem::take;

use serde_json::Value;

use super::{Reach, Refusal, Row, Stdout, Text, shapes};
use crate::{Asked, Behaviour, Gate};

/// The longest text that the host shows whole, in characters.
const CAP: usize = 10_000;
/// How much of a longer one it shows.
const PREVIEW: usize = 2_000;

/// An answer on its way to a behaviour.
pub(super) struct Reading<'a> {
    pub(super) row: &'static Row,
    pub(super) payload: &'a Value,
    pub(super) done: Behaviour,
    /// The reason of the decision, told when the decision stands.
    pub(super) reason: Option<Reason>,
    /// The replaced input and its name, honoured when the decision lets the action run.
    pub(super) input: Option<(&'static str, Value)>,
    /// Whether the answer itself refuses.
    pub(super) refuses: bool,
    /// Whether a stop of the agent comes after an action that nothing else prevents.
    pub(super) is_after: bool,
}

/// Why a decision was made, and who hears it.
pub(super) struct Reason {
    name: &'static str,
    text: String,
    to: Reach,
}

impl<'a> Reading<'a> {
    pub(super) fn new(row: &'static Row, payload: &'a Value) -> Self {
        Self {
            row,
            payload,
            done: Behaviour::default(),
            reason: None,
            input: None,
            refuses: false,
            is_after: false,
        }
    }

    /// Refuses, whatever the JSON decided: for its reason if it refuses, else for what stderr says.
    pub(super) fn refuse(&mut self, refusal: &Refusal, stderr: &str) {
        self.done.gate = refusal.gate(self.payload);
        // An elicitation that is refused has no other answer.
        self.done
            .native
            .retain(|(name, _)| name != "action" && name != "content");
        if !self.refuses {
            self.forget_reason("");
        }
        match self.reason.take() {
            Some(reason) => {
                self.drops("stderr", stderr);
                self.because(reason.name, Some(reason.text), refusal.to);
            }
            None => self.because("stderr", Some(stderr.to_owned()), refusal.to),
        }
    }

    /// Reads a plain text as the event has it.
    pub(super) fn success(&mut self, stdout: &Stdout) {
        match (self.row.text, stdout) {
            (Text::Context, Stdout::Text(text)) => {
                self.tell("stdout", text, Reach::Model);
            }
            _ => self.drops_text(stdout),
        }
    }

    /// Drops a plain text.
    pub(super) fn drops_text(&mut self, stdout: &Stdout) {
        if let Stdout::Text(text) | Stdout::Broken(text, _) = stdout {
            self.drops("stdout", text);
        }
    }

    /// Names a text that the host drops, if there is one.
    pub(super) fn drops(&mut self, name: &str, text: &str) {
        self.tell(name, text, Reach::None);
    }

    /// Tells a text to those whom it reaches, cut at the host's cap.
    pub(super) fn tell(&mut self, name: &str, text: &str, to: Reach) {
        if text.is_empty() {
            return;
        }
        let (model, person) = (to.model(self.payload), to.person(self.payload));
        if !model && !person {
            self.done.ignored.push(name.to_owned());
            return;
        }
        let shown = cut(text);
        if shown.len() < text.len() {
            self.done.ignored.push(format!("{name} past the cap"));
        }
        if model {
            self.done.model_sees.push(shown.clone());
        }
        if person {
            self.done.person_sees.push(shown);
        }
    }

    pub(super) fn native(&mut self, name: &str, value: Value) {
        self.done.native.push((name.to_owned(), value));
    }

    pub(super) fn error(&mut self, notice: String) {
        self.done.errors.push(notice);
    }

    pub(super) fn because(&mut self, name: &'static str, text: Option<String>, to: Reach) {
        self.reason = text.map(|text| Reason { name, text, to });
    }

    /// Names a reason that another decision replaces, unless it is that decision's own.
    pub(super) fn forget_reason(&mut self, unless: &str) {
        if let Some(reason) = self.reason.take()
            && reason.name != unless
        {
            self.done.ignored.push(reason.name.to_owned());
        }
    }

    pub(super) fn ignore_all<'k>(&mut self, names: impl Iterator<Item = &'k String>, prefix: &str) {
        let names = names.map(|name| format!("{prefix}{name}"));
        self.done.ignored.extend(names);
    }

    /// Ends the reading: a stop beats the decision, its reason leads, and a replaced input needs an action that runs.
    pub(super) fn settle(mut self) -> Behaviour {
        let is_refused = matches!(self.done.gate, Gate::Refused { .. });
        if self.done.stops_agent.is_some() && (is_refused || !self.is_after) {
            self.done.gate = Gate::Stops;
            self.forget_reason("");
        }
        if let Some(Reason { name, text, to }) = self.reason.take() {
            let (model, person) = (
                take(&mut self.done.model_sees),
                take(&mut self.done.person_sees),
            );
            self.tell(name, &text, to);
            self.done.model_sees.extend(model);
            self.done.person_sees.extend(person);
        }
        match (self.done.gate, self.input.take()) {
            (
                Gate::Runs | Gate::RunsWithoutPrompt | Gate::AskedOf(Asked::Person),
                Some((_, input)),
            ) => {
                if shapes::runs_with(self.payload, &input) {
                    self.done.input = Some(input);
                } else {
                    // The call fails, and the tool does not run.
                    self.done.gate = Gate::Refused { erased: false };
                }
            }
            (_, Some((name, _))) => self.done.ignored.push(name.to_owned()),
            (_, None) => {}
        }
        self.done
    }
}

/// A text as it is shown: whole, or its head if it is over the cap; the rest goes to a file that no one is made to read.
fn cut(text: &str) -> String {
    match text.char_indices().nth(CAP) {
        Some(_) => text.chars().take(PREVIEW).collect(),
        None => text.to_owned(),
    }
}
