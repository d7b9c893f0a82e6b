//! Loops: run word by word if the words are known, or else until nothing changes any more.

use super::state::{ExitStates, ShellFolders, ShellState, VariableValue, or};
use super::syntax::{bare, is_name};
use super::tree::{AssignedValue, Assignment, List, Node, RawWord, WordPiece};
use super::walk::Walk;
use crate::command::Input;
use crate::effect::Certainty;
use crate::word::Word;

/// The most words over which a loop is played through.
const TURNS: usize = 64;
/// After so many turns in which something changes nothing is known of any variable.
const ROUNDS: usize = 4;

/// The text of a word without quotes, or of an empty one.
fn said(raw: &RawWord) -> Option<&str> {
    let is_empty = matches!(&**raw, [WordPiece::Quoted(text)] if text.is_empty());
    bare(raw).or_else(|| is_empty.then_some(""))
}

impl Walk<'_> {
    /// Runs a loop over words.
    pub(super) fn each(
        &mut self,
        name: &str,
        words: Option<&[RawWord]>,
        body: &List,
        mut state: ShellState,
    ) -> ExitStates {
        let words = match words {
            Some(words) => {
                let before = self.names;
                let mut all = Vec::new();
                for raw in words {
                    all.extend(self.fields(raw, &mut state));
                }
                self.settle(before);
                Some(all)
            }
            None => state
                .arguments
                .as_ref()
                .map(|arguments| arguments.get(1..).unwrap_or_default().to_vec()),
        };
        self.set_by_loop(name, words.as_deref(), &mut state);
        match words {
            Some(words) if words.len() <= TURNS && !words.iter().any(Word::splits) => {
                self.each_word(name, &words, body, state)
            }
            _ => self.turns(state, |walk, mut state| {
                let end = state.clone();
                state.set(name, VariableValue::Unknown);
                let after = walk.list(body, state);
                (after.any(), Some(end))
            }),
        }
    }

    /// Notes what it changes about the programs of the body that a loop gives its variable values.
    fn set_by_loop(&mut self, name: &str, words: Option<&[Word]>, state: &mut ShellState) {
        if name == "PATH" && self.jumps.traps.is_empty() {
            state.strangers = true;
            return;
        }
        match words {
            Some(words) => words
                .iter()
                .for_each(|word| self.hazard(name, word, &state.folders)),
            None => self.hazard(name, &Word::unknown(), &state.folders),
        }
    }

    /// Runs a loop over words: each may come behind each other one, as often as it likes.
    fn each_word(
        &mut self,
        name: &str,
        words: &[Word],
        body: &List,
        state: ShellState,
    ) -> ExitStates {
        let believed = std::mem::take(&mut self.names.believed);
        let unordered = self.names.unordered;
        let after = self.turns(state, |walk, state| {
            let mut behind = None;
            for word in words {
                let mut state = state.clone();
                state.set(name, VariableValue::Text(word.clone()));
                behind = or(behind, walk.list(body, state).any());
            }
            (behind, Some(state))
        });
        if !self.names.believed {
            // The words were looked up once, before the first turn.
            (self.names.believed, self.names.unordered) = (believed, unordered);
        }
        after
    }

    /// Runs a loop until its state does not change any more. A turn returns the state behind it, and the one in which the
    /// loop ends.
    fn turns(
        &mut self,
        state: ShellState,
        mut turn: impl FnMut(&mut Self, ShellState) -> (Option<ShellState>, Option<ShellState>),
    ) -> ExitStates {
        self.names.unordered = true;
        let outer = std::mem::take(&mut self.jumps.breaks);
        let (sure, certainty) = (self.sure, self.certainty);
        self.sure = false;
        let mut from = state;
        let mut end = None;
        for round in 0..=ROUNDS {
            let (behind, left) = turn(self, from.clone());
            end = or(end, left);
            let breaks = self.jumps.breaks.clone();
            let behind = breaks.into_iter().map(Some).fold(behind, or);
            let Some(behind) = behind else { break };
            let mut next = from.clone().or(&behind);
            if next == from {
                break;
            }
            if round >= 1 {
                next.folders = ShellFolders::default();
                next.previous = ShellFolders::default();
            }
            if round + 1 == ROUNDS {
                // A value may need more turns than these to get where it is used.
                next.forget_values();
            }
            from = next;
            self.certainty = self.certainty.min(Certainty::Likely);
        }
        let breaks = std::mem::replace(&mut self.jumps.breaks, outer);
        let end = breaks.into_iter().map(Some).fold(end, or);
        self.sure = sure;
        self.certainty = certainty;
        end.map_or_else(ExitStates::never, ExitStates::both)
    }

    /// `for ((…))`.
    pub(super) fn counted(&mut self, text: &RawWord, body: &List, state: ShellState) -> ExitStates {
        self.turns(state, |walk, mut state| {
            walk.arithmetic(text, &mut state);
            let end = state.clone();
            let after = walk.list(body, state);
            (after.any(), Some(end))
        })
    }

    /// `while` and `until`.
    pub(super) fn repeated(
        &mut self,
        condition: &List,
        body: &List,
        until: bool,
        state: ShellState,
    ) -> ExitStates {
        let names = self.names_for(condition, &state).filter(|_| !until);
        self.share();
        if let Some((name, names)) = names {
            return self.each_name(&name, &names, (condition, body), state);
        }
        self.turns(state, |walk, state| {
            let tried = walk.list(condition, state);
            let tried = if until { tried.swapped() } else { tried };
            let turn = tried.ok.and_then(|state| walk.list(body, state).any());
            (turn, tried.fail)
        })
    }

    /// The variable and the names of files of `while read -r NAME`.
    fn names_for(&self, condition: &List, state: &ShellState) -> Option<(String, Vec<Word>)> {
        let Input::Unknown { names, zeros } = &self.input else {
            return None;
        };
        let [step] = &*condition.0 else { return None };
        let Node::Simple(simple) = &step.node else {
            return None;
        };
        let words: Option<Vec<&str>> = simple.words.iter().map(said).collect();
        let words = words?;
        let (name, ends_with_zeros) = match &*words {
            ["read", name] | ["read", "-r", name] => (name, false),
            ["read", "-r", "-d", "", name] | ["read", "-d", "", "-r", name] => (name, true),
            _ => return None,
        };
        let own = !step.redirects.is_empty() || step.negated || step.background;
        let is_other = state.functions.contains_key("read") || state.variables.contains_key("IFS");
        // Without blanks at its ends a name is the same.
        let keeps_blanks =
            |one: &Assignment| one.name == "IFS" && one.value == AssignedValue::Scalar(Vec::new());
        let is_plain = name.chars().all(is_name) && simple.assigned.iter().all(keeps_blanks);
        let is_few = (1..=TURNS).contains(&names.len());
        let fits = is_plain && is_few && !own && !is_other && *zeros == ends_with_zeros;
        fits.then(|| ((*name).to_owned(), names.clone()))
    }

    /// Plays `while read -r NAME` over names of files.
    fn each_name(
        &mut self,
        name: &str,
        names: &[Word],
        (condition, body): (&List, &List),
        state: ShellState,
    ) -> ExitStates {
        let Some(state) = self.list(condition, state).any() else {
            return ExitStates::never();
        };
        let mut after = self.each_word(name, names, body, state);
        for state in [&mut after.ok, &mut after.fail].into_iter().flatten() {
            state.set(name, VariableValue::Unknown);
        }
        after
    }
}
