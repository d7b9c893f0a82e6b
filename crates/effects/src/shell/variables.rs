//! Commands of the shell that set, name or test variables.

use std::rc::Rc;

use super::state::{ShellState, VariableValue};
use super::tree::Assignment;
use super::walk::Walk;
use crate::word::Word;

/// How names are declared.
#[derive(Debug, Clone, Copy)]
struct Declaration {
    exports: bool,
    local: bool,
    /// Whether no later value counts.
    fixed: bool,
}

impl Declaration {
    fn mark(self, name: &str, state: &mut ShellState) {
        if self.exports {
            state.export(name);
        }
        if self.fixed {
            state.fix(name);
        }
    }
}

impl Walk<'_> {
    /// `export`, `declare` and their like.
    pub(super) fn declare(
        &mut self,
        name: &str,
        words: &[Word],
        declared: &[Assignment],
        state: &mut ShellState,
    ) {
        let mut how = Declaration {
            exports: name == "export",
            local: matches!(name, "local" | "declare" | "typeset") && self.calls > 0,
            fixed: name == "readonly",
        };
        for assigned in declared {
            self.remember(how.local, &assigned.name, state);
        }
        for word in words {
            match word.known() {
                Some(text) if text.starts_with(['-', '+']) => {
                    how.exports |= text.contains('x');
                    state.shares_functions |= text.contains('f') && how.exports;
                    how.fixed |= text.contains('r') && name != "export";
                    // A name that stands for another one or for one outside, a value that is evaluated or that gets other
                    // letters.
                    let is_outside = text.contains('g') && self.calls > 0;
                    if name != "export" && (is_outside || text.contains(['n', 'i', 'l', 'u', 'c']))
                    {
                        self.anything(name);
                    }
                }
                _ => self.declared_as(word, how, state),
            }
        }
        for assigned in declared {
            self.assign(assigned, state);
            how.mark(&assigned.name, state);
        }
        self.print((!words.is_empty() || !declared.is_empty()).then_some(""));
    }

    /// A declaration of one name, perhaps with a value. The name must be known.
    fn declared_as(&mut self, word: &Word, how: Declaration, state: &mut ShellState) {
        let text = word.known();
        let (target, value) = match (word.head().split_once('='), &text) {
            (Some((target, _)), _) => (target, Some(word.without(target.len() + 1))),
            (None, Some(name)) => (&**name, None),
            (None, None) => return self.anything("names of variables that cannot be read"),
        };
        if word.splits() {
            return self.anything("names of variables that cannot be read");
        }
        if target.contains('[') {
            return self.evaluates(&Word::text(target), state);
        }
        self.remember(how.local, target, state);
        if let Some(value) = value {
            self.hazard(target, &value, &state.folders);
            state.set(target, VariableValue::Text(value));
        } else if how.local {
            // Some shells keep the value.
            let is_new = !state.variables.contains_key(target);
            state.set(
                target,
                if is_new {
                    VariableValue::Unset
                } else {
                    VariableValue::Unknown
                },
            );
        }
        how.mark(target, state);
    }

    /// Remembers what a local variable hides.
    fn remember(&mut self, local: bool, name: &str, state: &ShellState) {
        if local {
            let value = state.value(name, self.places);
            self.jumps.locals.push((name.to_owned(), value));
        }
    }

    pub(super) fn unset(&mut self, words: &[Word], state: &mut ShellState) {
        for word in words {
            match word.known() {
                // Where it names no other variable, bash keeps it.
                Some(option) if option.starts_with('-') && option.contains('n') => {
                    self.anything("unset -n");
                }
                Some("-f") => {
                    for function in Rc::make_mut(&mut state.functions).values_mut() {
                        *function = None;
                    }
                }
                Some(option) if option.starts_with('-') => {}
                Some(name) if name.contains('[') => self.evaluates(word, state),
                Some(name) => {
                    // In a function it may uncover what a caller has hidden.
                    let is_inner = self.calls > 0;
                    let value = if is_inner {
                        VariableValue::Unknown
                    } else {
                        VariableValue::Unset
                    };
                    state.set(name, value);
                    Rc::make_mut(&mut state.functions).remove(name);
                }
                None => self.anything("unset"),
            }
        }
    }

    /// `read`, `mapfile` and `getopts`: names whose values are read.
    pub(super) fn names_of(&mut self, name: &str, words: &[Word], state: &mut ShellState) {
        for word in words {
            match word.known() {
                None => self.anything(name),
                // A line that is run stands behind it.
                Some(option) if option.starts_with('-') => {
                    if name != "read" && option.contains('C') {
                        self.anything(name);
                    }
                }
                Some(text) => {
                    self.evaluated_name(text, state);
                }
            }
        }
        for usual in ["REPLY", "MAPFILE", "OPTARG"] {
            state.set(usual, VariableValue::Unknown);
        }
    }

    /// A name that gets a value which cannot be known.
    fn evaluated_name(&mut self, text: &str, state: &mut ShellState) {
        let name = text.split('[').next().unwrap_or_default();
        if text.contains('[') {
            self.evaluates(&Word::text(text), state);
        }
        if !name.is_empty() && name.chars().all(super::syntax::is_name) {
            self.hazard(name, &Word::unknown(), &state.folders);
            state.set(name, VariableValue::Unknown);
        }
    }

    pub(super) fn test(&mut self, words: &[Word], state: &mut ShellState) {
        let mut names = false;
        for word in words {
            let option = word.known();
            if names {
                self.evaluates_subscript(word, state);
            }
            names = matches!(option, Some("-v" | "-R"));
            if word.splits() {
                // It may be `-v` and a name.
                self.anything("test");
            }
        }
    }

    /// A name whose subscript, if it has one, is evaluated; the value of the name is not.
    pub(super) fn evaluates_subscript(&mut self, word: &Word, state: &mut ShellState) {
        match word.known() {
            Some(text) if !text.contains('[') => {}
            _ => self.evaluates(word, state),
        }
    }
}
