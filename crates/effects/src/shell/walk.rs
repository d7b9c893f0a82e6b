//! Goes over the tree of a line in the order in which the shell runs it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::rc::Rc;

use super::made;
use super::names::NameCertainty;
use super::printed::PrintedOutput;
use super::state::{ExitStates, Jumps, ShellState, or};
use super::tree::{ChainOperator, List, Node, RawWord, Redirect, Statement};
use crate::command::{Input, ShellCommand};
use crate::effect::Certainty::{self, Exact, Likely};
use crate::effect::{Effect, EffectKind, Target};
use crate::places::{Files, Places};
use crate::word::Word;

/// The most steps of one line, those of its loops, functions and scripts counted each time.
const STEPS: usize = 3_000;
/// The most bytes of words.
pub(super) const BYTES: usize = 1 << 19;
/// The most effects.
const EFFECTS: usize = 10_000;
/// How deep lists may stand in lists, those of functions and texts included.
const NESTED: usize = 60;
/// How often the rest of a list is run twice: where a program made a name, and where it failed.
const FORKS: usize = 3;
/// How deep functions, `eval` and scripts may call each other.
pub(super) const CALLS: usize = 8;

/// A walk over one line.
pub(super) struct Walk<'a> {
    pub(super) places: &'a Places,
    pub(super) files: &'a dyn Files,
    pub(super) effects: Vec<Effect>,
    pub(super) commands: Vec<ShellCommand>,
    steps: usize,
    bytes: usize,
    pub(super) nested: usize,
    /// How deep functions, `eval` and scripts call each other here.
    pub(super) calls: usize,
    pub(super) certainty: Certainty,
    /// Whether what is printed here is surely printed, once.
    pub(super) sure: bool,
    pub(super) printed: PrintedOutput,
    pub(super) input: Input,
    /// What stands behind the paths of process substitutions.
    pub(super) pipes: BTreeMap<String, Input>,
    /// How many effects stand before the pipeline of which a step begins.
    pub(super) piped: Option<usize>,
    /// Files that the line wrote.
    pub(super) written: BTreeSet<PathBuf>,
    /// The file that a command of the line put a known text into last, and whether a script was read from it.
    pub(super) text: Option<(PathBuf, String)>,
    pub(super) relied: bool,
    /// The build files that the line wrote and whose lines are followed.
    pub(super) followed: BTreeSet<PathBuf>,
    pub(super) jumps: Jumps,
    /// Whether an arithmetic expression is being filled in, where each number will do.
    pub(super) numeric: bool,
    /// The word that the last assignment took from a program, which holds where that succeeded.
    pub(super) made: Option<Word>,
    pub(super) names: NameCertainty,
    /// Whether what is printed may be other than what the programs print: messages of errors are among it, a shell ends
    /// before, or nothing starts.
    pub(super) mixed: bool,
    /// Whether an expression was evaluated before.
    pub(super) evaluated: bool,
    /// Whether a variable that is not set ends the shell.
    pub(super) nounset: bool,
    /// Whether this runs on another machine or in a container.
    pub(super) is_away: bool,
    /// How often the rest of a list may still be run twice.
    pub(super) forks: usize,
}

impl<'a> Walk<'a> {
    pub(super) fn new(places: &'a Places, files: &'a dyn Files) -> Self {
        Self {
            places,
            files,
            effects: Vec::new(),
            commands: Vec::new(),
            steps: 0,
            bytes: 0,
            nested: 0,
            calls: 0,
            certainty: Exact,
            sure: true,
            printed: PrintedOutput::nothing(),
            input: Input::Inherited,
            pipes: BTreeMap::new(),
            piped: None,
            written: BTreeSet::new(),
            text: None,
            relied: false,
            followed: BTreeSet::new(),
            jumps: Jumps::default(),
            numeric: false,
            made: None,
            names: NameCertainty {
                doubted: true,
                ..NameCertainty::default()
            },
            mixed: false,
            nounset: false,
            evaluated: false,
            is_away: false,
            forks: FORKS,
        }
    }

    /// Notes an effect.
    pub(super) fn effect(&mut self, mut effect: Effect) {
        effect.certainty = effect.certainty.min(self.certainty);
        self.effects.push(effect);
        if self.effects.len() > EFFECTS && self.steps < STEPS {
            self.steps = STEPS;
            self.anything("too much");
        }
    }

    /// Notes that something happens.
    pub(super) fn note(
        &mut self,
        kind: EffectKind,
        object: Target,
        certainty: Certainty,
        by: &str,
    ) {
        self.effect(Effect::new(kind, object, certainty, by));
    }

    /// Notes that anything may happen here.
    pub(super) fn anything(&mut self, through: &str) {
        for effect in Effect::anything(through) {
            self.effect(effect);
        }
        self.print(None);
    }

    /// Counts what words cost.
    pub(super) fn spend(&mut self, bytes: usize) {
        self.bytes += bytes;
        if self.bytes > BYTES && self.steps < STEPS {
            self.steps = STEPS;
            self.anything("too much");
        }
    }

    /// Counts a step. Returns whether it may be taken.
    pub(super) fn may(&mut self) -> bool {
        self.steps += 1;
        if self.steps == STEPS {
            self.anything("too much");
        }
        self.steps < STEPS
    }

    /// Does something that may not happen, or not once.
    pub(super) fn perhaps<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let sure = std::mem::replace(&mut self.sure, false);
        let certainty = self.certainty;
        self.certainty = certainty.min(Likely);
        let done = run(self);
        self.sure = sure;
        self.certainty = certainty;
        done
    }

    /// Runs a list of commands.
    pub(super) fn list(&mut self, list: &List, state: ShellState) -> ExitStates {
        self.steps_of(&list.0, state)
    }

    fn steps_of(&mut self, steps: &[Statement], state: ShellState) -> ExitStates {
        if self.nested >= NESTED {
            self.anything("commands that are nested too deep");
            return ExitStates::both(state);
        }
        self.nested += 1;
        let mut after = ExitStates::both(state);
        for (at, step) in steps.iter().enumerate() {
            let Some(state) = after.any() else {
                after = ExitStates::never();
                break;
            };
            self.made = None;
            let rest = steps.get(at + 1..).unwrap_or_default();
            let made = made::split(step, rest.is_empty()).filter(|_| self.forks > 0);
            if let Some(made) = made {
                self.forks -= 1;
                after = self.step(&made.assignment, state);
                let then: Vec<Statement> =
                    std::iter::once(made.then).chain(rest.to_vec()).collect();
                let otherwise: Vec<Statement> =
                    made.otherwise.into_iter().chain(rest.to_vec()).collect();
                after = self.forked(&then, &otherwise, after);
                break;
            }
            after = self.step(step, state);
            if steps.len() > 1 {
                self.share();
            }
            let is_made = self.made.take().is_some() && self.forks > 0 && !rest.is_empty();
            if is_made && after.ok.is_some() && after.fail.is_some() {
                self.forks -= 1;
                after = self.forked(rest, rest, after);
                break;
            }
        }
        self.nested -= 1;
        after
    }

    /// Runs the rest of a list where a program made a name, and where it failed: one state for both would lose the name.
    fn forked(
        &mut self,
        then: &[Statement],
        otherwise: &[Statement],
        after: ExitStates,
    ) -> ExitStates {
        let mut run = |rest: &[Statement], state| match state {
            Some(state) => self.perhaps(|walk| walk.steps_of(rest, state)),
            None => ExitStates::never(),
        };
        let (done, failed) = (run(then, after.ok), run(otherwise, after.fail));
        let ends = [&done, &failed].map(|after| [after.ok.clone(), after.fail.clone()]);
        self.jumps.forked = (self.steps, ends.into_iter().flatten().flatten().collect());
        ExitStates::of(or(done.ok, failed.ok), or(done.fail, failed.fail))
    }

    /// Notes that a command may have read the input: what is left of it cannot be known.
    pub(super) fn share(&mut self) {
        match &mut self.input {
            Input::Text(_) => self.input = Input::unknown(),
            Input::Unknown { names, .. } => names.clear(),
            Input::Inherited | Input::File(_) => {}
        }
    }

    /// Runs a list in a shell of its own: what it changes is gone behind it.
    pub(super) fn apart(&mut self, steps: &[Statement], state: &ShellState) -> ExitStates {
        let jumps = std::mem::take(&mut self.jumps);
        let after = self.steps_of(steps, state.clone());
        self.leave(after);
        self.jumps = jumps;
        ExitStates::both(state.clone())
    }

    /// Ends a shell: what it left for its end is done.
    pub(super) fn leave(&mut self, after: ExitStates) {
        let traps = std::mem::take(&mut self.jumps.traps);
        let exits = std::mem::take(&mut self.jumps.exits);
        let (steps, mut ends) = std::mem::take(&mut self.jumps.forked);
        if steps != self.steps {
            ends = [after.ok, after.fail].into_iter().flatten().collect();
        }
        ends.extend(exits.into_iter().map(Some).fold(None, or));
        ends.dedup();
        for trap in traps {
            match &*ends {
                [end] => drop(self.text(&trap, "trap", end.clone())),
                ends => self.perhaps(|walk| {
                    for end in ends {
                        walk.text(&trap, "trap", end.clone());
                    }
                }),
            }
        }
    }

    /// Runs one step.
    pub(super) fn step(&mut self, step: &Statement, state: ShellState) -> ExitStates {
        if !self.may() {
            return ExitStates::both(state);
        }
        if step.background {
            self.names.unordered = true;
            let once = Statement {
                background: false,
                ..step.clone()
            };
            let sure = std::mem::replace(&mut self.sure, false);
            let after = self.apart(std::slice::from_ref(&once), &state);
            self.sure = sure;
            return after;
        }
        let after = match &step.node {
            Node::Simple(simple) => self.simple(simple, &step.redirects, state),
            _ if step.redirects.is_empty() => self.node(&step.node, state),
            _ => self.surrounded(&step.node, &step.redirects, state),
        };
        if step.negated { after.swapped() } else { after }
    }

    /// Runs a compound command with redirections.
    fn surrounded(
        &mut self,
        node: &Node,
        redirects: &[Redirect],
        mut state: ShellState,
    ) -> ExitStates {
        let routes = self.redirect(redirects, &mut state);
        let unopened = routes.may_fail.then(|| state.clone());
        let input = self.input.clone();
        if let Some(own) = routes.input.clone() {
            self.input = own;
        }
        let (after, printed) = self.capture(|walk| walk.node(node, state));
        self.input = input;
        self.route(&routes, printed);
        after.or_unopened(unopened)
    }

    fn node(&mut self, node: &Node, state: ShellState) -> ExitStates {
        if !matches!(
            node,
            Node::Simple(_)
                | Node::Chain(_)
                | Node::Pipe(_)
                | Node::Group(_)
                | Node::Subshell(_)
                | Node::While { .. }
        ) {
            self.share();
        }
        match node {
            Node::Simple(simple) => self.simple(simple, &[], state),
            Node::Chain(steps) => self.chain(steps, state),
            Node::Pipe(steps) => self.pipe(steps, state),
            Node::Group(list) => self.list(list, state),
            Node::Subshell(list) => self.apart(&list.0, &state),
            Node::If { arms, otherwise } => self.branches(arms, otherwise.as_ref(), state),
            Node::For { name, words, body } => self.each(name, words.as_deref(), body, state),
            Node::Count { text, body } => self.counted(text, body, state),
            Node::While {
                condition,
                body,
                until,
            } => self.repeated(condition, body, *until, state),
            Node::Case { word, arms } => self.case(word, arms, state),
            // Where they are no words of the grammar, they are groups, programs and redirections.
            Node::Arithmetic(_) | Node::Test { .. } if state.is_simple => {
                self.anything("a shell that may know neither `((` nor `[[`");
                ExitStates::both(state)
            }
            Node::Arithmetic(text) => {
                let mut state = state;
                self.arithmetic(text, &mut state);
                ExitStates::both(state)
            }
            Node::Test {
                words,
                numbers,
                names,
            } => self.tested(words, numbers, names, state),
            Node::Function { name, body } => {
                // The shell runs it where it finds no program.
                if name.starts_with("command_not_found_handle") {
                    self.anything(name);
                }
                let mut state = state;
                let body = Some(Rc::clone(body));
                Rc::make_mut(&mut state.functions).insert(name.clone(), body);
                ExitStates::of(Some(state), None)
            }
        }
    }

    fn tested(
        &mut self,
        words: &[RawWord],
        numbers: &[RawWord],
        names: &[RawWord],
        mut state: ShellState,
    ) -> ExitStates {
        for raw in words {
            self.single(raw, &mut state);
        }
        for raw in numbers {
            self.arithmetic(raw, &mut state);
        }
        for raw in names {
            let name = self.single(raw, &mut state);
            self.evaluates_subscript(&name, &mut state);
        }
        ExitStates::both(state)
    }

    fn chain(&mut self, steps: &[(ChainOperator, Statement)], state: ShellState) -> ExitStates {
        let mut after = ExitStates::of(Some(state), None);
        let (sure, certainty) = (self.sure, self.certainty);
        for (link, step) in steps {
            let (from, kept) = match link {
                ChainOperator::First | ChainOperator::And => (after.ok.take(), after.fail.take()),
                ChainOperator::Or => (after.fail.take(), after.ok.take()),
            };
            if *link != ChainOperator::First {
                self.sure = false;
            }
            if *link == ChainOperator::Or {
                self.certainty = self.certainty.min(Likely);
            }
            let own = from.map_or_else(ExitStates::never, |state| self.step(step, state));
            self.share();
            after = match link {
                ChainOperator::First => own,
                ChainOperator::And => ExitStates::of(own.ok, or(kept, own.fail)),
                ChainOperator::Or => ExitStates::of(or(kept, own.ok), own.fail),
            };
        }
        self.sure = sure;
        self.certainty = certainty;
        after
    }

    /// Runs a pipeline: each step in a shell of its own, reading what the one before prints.
    fn pipe(&mut self, steps: &[Statement], state: ShellState) -> ExitStates {
        let input = self.input.clone();
        let end = steps.len().saturating_sub(1);
        let before = self.effects.len();
        for (at, step) in steps.iter().enumerate() {
            let step = std::slice::from_ref(step);
            self.piped = Some(before);
            if at == end {
                self.apart(step, &state);
                break;
            }
            self.names.unordered = true;
            let (_, printed) = self.capture(|walk| walk.apart(step, &state));
            self.input = self.input_of(printed, &state);
        }
        (self.input, self.piped) = (input, None);
        ExitStates::both(state)
    }

    fn branches(
        &mut self,
        arms: &[(List, List)],
        otherwise: Option<&List>,
        state: ShellState,
    ) -> ExitStates {
        let mut rest = Some(state);
        let mut after = ExitStates::never();
        for (condition, body) in arms {
            let Some(state) = rest.take() else { break };
            let tried = self.list(condition, state);
            rest = tried.fail;
            if let Some(state) = tried.ok {
                let own = self.perhaps(|walk| walk.list(body, state));
                after = ExitStates::of(or(after.ok, own.ok), or(after.fail, own.fail));
            }
        }
        let own = match (rest, otherwise) {
            (Some(state), Some(body)) => self.perhaps(|walk| walk.list(body, state)),
            (state, _) => ExitStates::of(state, None),
        };
        ExitStates::of(or(after.ok, own.ok), or(after.fail, own.fail))
    }

    fn case(
        &mut self,
        word: &RawWord,
        arms: &[(Vec<RawWord>, List)],
        mut state: ShellState,
    ) -> ExitStates {
        self.single(word, &mut state);
        let mut end = Some(state.clone());
        for (patterns, body) in arms {
            for pattern in patterns {
                self.single(pattern, &mut state);
            }
            // `;&` goes on into the next body.
            let from = or(end.clone(), Some(state.clone()));
            let Some(from) = from else { break };
            let own = self.perhaps(|walk| walk.list(body, from));
            end = or(end, own.any());
        }
        end.map_or_else(ExitStates::never, ExitStates::both)
    }

    /// What `$(…)` prints.
    pub(super) fn substitution(&mut self, list: &List, state: &ShellState) -> PrintedOutput {
        if !self.may() {
            return PrintedOutput::default();
        }
        // It runs before the patterns of the whole command are filled in.
        self.names.unordered = true;
        let numeric = std::mem::replace(&mut self.numeric, false);
        let (_, printed) = self.capture(|walk| walk.apart(&list.0, state));
        self.numeric = numeric;
        printed
    }

    /// Runs a process substitution, and returns the path that stands for it.
    pub(super) fn process(&mut self, list: &List, input: bool, state: &ShellState) -> String {
        let path = format!("/dev/fd/{}", 63 + self.pipes.len());
        self.pipes.insert(path.clone(), Input::unknown());
        self.names.unordered = true;
        if !self.may() {
            return path;
        }
        if input {
            let (_, printed) = self.capture(|walk| walk.apart(&list.0, state));
            let input = self.input_of(printed, state);
            self.pipes.insert(path.clone(), input);
        } else {
            let unknown = Input::unknown();
            let outer = std::mem::replace(&mut self.input, unknown);
            self.capture(|walk| walk.apart(&list.0, state));
            self.input = outer;
        }
        path
    }
}
