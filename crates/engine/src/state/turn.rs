//! The turn of a session: its prompt, and a halt that the session keeps because the host does not.

use serde::{Deserialize, Serialize};

use super::SessionState;
use crate::files;

/// The counter of the tokens that hooks said to the model in this turn.
pub(crate) const INJECTED: &str = "injected_tokens";

/// The most texts of one prompt that are remembered.
const MOST_TEXTS: usize = 16;
/// The most bytes of a reason, and the most hooks, that are kept with a halt.
const MOST_REASON: usize = 4096;
const MOST_HOOKS: usize = 16;

/// One prompt, as a host tells of it.
#[derive(Debug, Clone)]
pub(crate) struct HostPrompt {
    /// The host's own id of it.
    pub(crate) id: Option<String>,
    /// What it says.
    pub(crate) text: String,
    /// Whether a sub-agent was given it, or the host wrote it: no person did.
    pub(crate) is_made: bool,
}

impl HostPrompt {
    /// Stands for what it says: a prompt may be long, and is the person's own.
    fn said(&self) -> String {
        files::name_of(&[self.text.as_bytes()])
    }
}

/// The prompt that the turn is about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct TurnState {
    id: Option<String>,
    /// The texts of it that hooks let pass.
    passed: Vec<String>,
    /// What the last refusal of a stop ends with: a prompt that holds it is that refusal.
    sent_on: Option<String>,
}

impl TurnState {
    /// Tells whether the host tells this turn's prompt again.
    fn is_of(&self, prompt: &HostPrompt) -> bool {
        prompt.id.is_some() && prompt.id == self.id
    }

    /// Tells whether a prompt is the one of this turn, told again: what it says passed before, or it says nothing.
    pub(crate) fn has_passed(&self, prompt: &HostPrompt) -> bool {
        let said = prompt.said();
        let known = |text: &String| prompt.text.is_empty() || *text == said;
        self.is_of(prompt) && self.passed.iter().any(known)
    }

    /// Remembers that hooks let a text of this turn's prompt pass.
    pub(crate) fn passes(&mut self, prompt: &HostPrompt) {
        if self.is_of(prompt) && !self.has_passed(prompt) && self.passed.len() < MOST_TEXTS {
            self.passed.push(prompt.said());
        }
    }

    /// Remembers what the refusal of a stop ends with.
    pub(crate) fn sends_on(&mut self, mark: String) {
        self.sent_on = Some(mark);
    }

    /// Tells whether a person gave a prompt, and for the first time.
    fn is_over(&self, prompt: &HostPrompt) -> bool {
        let is_refusal = |mark: &String| prompt.text.contains(mark.as_str());
        !prompt.is_made && !self.is_of(prompt) && !self.sent_on.as_ref().is_some_and(is_refusal)
    }
}

/// How long a halt is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum HaltDuration {
    /// Until a person gives a new prompt.
    Turn,
    /// As long as the session, unless the hooks that said it are asked at another start of it and let it begin.
    Session,
}

/// A halt that the host was not told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PendingHalt {
    /// Why.
    pub(crate) why: String,
    /// The hooks that said it: the mark and the name of each.
    pub(crate) by: Vec<(String, String)>,
    /// How long it holds.
    pub(crate) holds: HaltDuration,
    /// The report of the event at which it was said.
    pub(crate) report: String,
}

impl SessionState {
    /// Begins a turn: all of its budget is there again.
    pub(crate) fn begin_turn(&mut self) {
        self.turn = self.turn.saturating_add(1);
        self.counters.remove(INJECTED);
        self.tally.begin_turn();
    }

    /// Tells whether a turn begins with a prompt.
    pub(crate) fn is_begun_by(&self, prompt: &HostPrompt) -> bool {
        self.about.is_over(prompt)
    }

    /// Begins a turn, where a prompt does. A halt of the turn before is over.
    pub(crate) fn prompted(&mut self, prompt: &HostPrompt) {
        if !self.is_begun_by(prompt) {
            return;
        }
        self.begin_turn();
        self.about = TurnState {
            id: prompt.id.clone(),
            ..TurnState::default()
        };
        self.halted
            .take_if(|halted| halted.holds == HaltDuration::Turn);
    }

    /// Keeps a halt. Where no turn has begun, no prompt may lift it.
    pub(crate) fn keep_halt(&mut self, mut halted: PendingHalt) {
        if self.turn == 0 {
            halted.holds = HaltDuration::Session;
        }
        let kept = self.halted.as_ref();
        if kept.is_some_and(|kept| kept.holds >= halted.holds) {
            return;
        }
        let most = halted.why.floor_char_boundary(MOST_REASON);
        halted.why.truncate(most);
        halted.by.truncate(MOST_HOOKS);
        self.halted = Some(halted);
    }
}
