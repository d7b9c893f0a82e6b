//! Simple commands: assignments, redirections, and the code that knows the program.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::printed::PrintedOutput;
use super::state::{ExitStates, ShellState, VariableValue, or};
use super::syntax::{bare, only};
use super::tree::{
    AssignedValue, Assignment, Parameter, ParameterExpansion, RawWord, Redirect, RedirectKind,
    SimpleCommand, Statement, WordPiece,
};
use super::walk::{CALLS, Walk};
use crate::command::{Input, PrintedNames, ShellCommand};
use crate::effect::{Certainty, Effect, EffectKind, Target};
use crate::places::{objects, path_of, tidy};
use crate::programs::{self, words};
use crate::word::{Part, Word};

/// The most words of one command.
const WORDS: usize = 4_000;

/// A command that is run, with the assignments among its operands and its redirections.
pub(super) struct Invocation<'c> {
    pub(super) command: &'c ShellCommand,
    pub(super) declared: &'c [Assignment],
    pub(super) routes: &'c StreamRoutes,
}

/// Where the output of a command goes, and where its input comes from.
#[derive(Debug, Default)]
pub(super) struct StreamRoutes {
    pub(super) input: Option<Input>,
    output: OutputRoute,
    /// The files that are empty if nothing is printed.
    opened: Vec<(Target, Certainty)>,
    /// How many effects stand before the command, or the pipeline that it ends.
    before: usize,
    /// Whether what another descriptor says goes there too.
    mixed: bool,
    /// Whether messages of errors are printed.
    pub(super) prints_errors: bool,
    /// Whether a file may not be opened: then the command does not run.
    pub(super) may_fail: bool,
}

/// Where the output of a command goes.
#[derive(Debug, Default)]
enum OutputRoute {
    #[default]
    Onward,
    Away,
    /// To another descriptor, which may lead onward after all.
    Copied,
}

/// Whether a path is one of the system's that hold nothing.
fn harmless(object: &Target) -> bool {
    let is_one = |path: &str| words::HARMLESS.contains(&path) || path.starts_with("/dev/fd/");
    matches!(object, Target::Path(path) if path.to_str().is_some_and(is_one))
}

/// Whether what is written there is surely not printed: no descriptor of the line stands behind it.
fn is_kept_apart(object: &Target) -> bool {
    let is_device = |path: &Path| path.starts_with("/dev") || path.starts_with("/proc");
    match object {
        Target::Path(path) => path == Path::new("/dev/null") || !is_device(path),
        // Where the first folder of a pattern is known.
        Target::Pattern(pattern) => {
            let first = pattern.split('/').nth(1).unwrap_or_default();
            !first.contains(['*', '?', '[', '<']) && !is_device(Path::new(pattern))
        }
        _ => false,
    }
}

impl Walk<'_> {
    /// Runs a simple command.
    pub(super) fn simple(
        &mut self,
        simple: &SimpleCommand,
        redirects: &[Redirect],
        mut state: ShellState,
    ) -> ExitStates {
        let before = self.names;
        let (words, sure) = self.words_of(&simple.words, &mut state);
        let routes = self.redirect(redirects, &mut state);
        let unopened = routes.may_fail.then(|| state.clone());
        self.settle(before);
        if words.len() > WORDS {
            self.anything("a command of too many words");
            return ExitStates::both(state);
        }
        if words.is_empty() {
            let after = self.assigned(&simple.assigned, state).or_unopened(unopened);
            self.settle(before);
            // `$(<x)` is what the file holds.
            match &routes.input {
                Some(Input::Text(text)) => self.print(Some(text)),
                Some(Input::File(_) | Input::Unknown { .. }) => self.print(None),
                Some(Input::Inherited) | None => {}
            }
            self.route(&routes, PrintedOutput::nothing());
            return after;
        }
        let command = ShellCommand {
            words,
            assigned: self.prefixes(&simple.assigned, &mut state),
            input: routes.input.clone().unwrap_or_else(|| self.input.clone()),
            folders: state.folders.to_vec(),
            certainty: self.certainty,
            branch: state.branch_here(),
        };
        self.commands.push(command.clone());
        let own = routes.input.clone();
        let input = own.map(|own| std::mem::replace(&mut self.input, own));
        let echoed = self.echoed(&simple.words, &state);
        let own = Invocation {
            command: &command,
            declared: &simple.declared,
            routes: &routes,
        };
        if sure.len() < command.words.len() {
            self.without_names(sure, &own, &state);
        }
        let branch = Self::switched_to(&command, &state);
        let (mut after, mut printed) = self.capture(|walk| walk.dispatch(&own, state));
        if let (Some(ok), Some(branch)) = (&mut after.ok, branch) {
            ok.branch = Some(Rc::new(branch));
        }
        if let Some(names) = echoed {
            printed = PrintedOutput::names(names);
        }
        if let Some(input) = input {
            self.input = input;
        }
        self.route(&routes, printed);
        after.or_unopened(unopened)
    }

    /// The branch on which a command puts its folder, where it is git in the only repository of which it can be.
    fn switched_to(command: &ShellCommand, state: &ShellState) -> Option<(PathBuf, String)> {
        let branch = programs::switches_to(command)?;
        let is_git = Self::seen(command, state).assigned.is_empty()
            && !state.functions.contains_key("git")
            && !state.strangers
            && state.bin.is_none();
        match &*command.folders {
            [folder] if is_git => Some((folder.clone(), branch)),
            _ => None,
        }
    }

    /// The names that `echo "$x"` or `printf '%s\n' "$x"` hands on.
    fn echoed(&self, words: &[RawWord], state: &ShellState) -> Option<PrintedNames> {
        let format = |raw: &RawWord| matches!(&**raw, [WordPiece::Quoted(text)] if text == "%s\\n" || text == "%s");
        let (program, value) = match words {
            [program, value] if bare(program) == Some("echo") => ("echo", value),
            [program, own, value] if bare(program) == Some("printf") && format(own) => {
                ("printf", value)
            }
            _ => return None,
        };
        let of = alone(value).filter(|_| !state.functions.contains_key(program))?;
        // Outside of quotes they are in one line.
        let is_quoted = value
            .iter()
            .any(|piece| matches!(piece, WordPiece::Quoted(_)));
        let names = self.names_in(of, state).filter(|_| is_quoted)?;
        Some(PrintedNames::of(names, &state.folders))
    }

    /// The assignments for one command alone.
    fn prefixes(&mut self, all: &[Assignment], state: &mut ShellState) -> Vec<(String, Word)> {
        let mut assigned = Vec::new();
        for one in all {
            if let (AssignedValue::Scalar(raw), None) = (&one.value, &one.subscript) {
                let value = self.single(raw, state);
                match &*one.name {
                    "PATH" => self.path_hazard(raw, state),
                    name => self.hazard(name, &value, &state.folders),
                }
                assigned.push((one.name.clone(), value));
            } else {
                self.assign(one, state);
            }
        }
        assigned
    }

    /// Runs a command as it is where a program found no name: without those words.
    fn without_names(&mut self, words: Vec<Word>, own: &Invocation<'_>, state: &ShellState) {
        let command = &own.command.with(words);
        let bare = Invocation { command, ..*own };
        self.perhaps(|walk| walk.capture(|walk| walk.dispatch(&bare, state.clone())));
    }

    /// Sends on what a command printed.
    pub(super) fn route(&mut self, routes: &StreamRoutes, printed: PrintedOutput) {
        self.printed.cut_off |= printed.cut_off || routes.may_fail && !printed.is_counted();
        if routes.prints_errors {
            self.print(None);
        }
        // What was in the file is lost, also before the command itself reads it.
        for (object, certainty) in routes.opened.clone() {
            let mut own = self.effects.iter().skip(routes.before);
            let is_one = |own: &Effect| own.kind == EffectKind::Read && own.object == object;
            if self.is_blank(&printed, &object) || own.any(is_one) {
                self.file(EffectKind::Delete, object, certainty, ">");
            }
        }
        match &routes.output {
            OutputRoute::Onward => self.hand_on(printed),
            OutputRoute::Away => {
                if let ([(Target::Path(path), _)], Some(text)) = (&*routes.opened, printed.text)
                    && !(self.mixed || routes.mixed)
                {
                    self.text = Some((tidy(path), text));
                }
            }
            OutputRoute::Copied => self.print(None),
        }
    }

    /// Tells whether nothing comes into a file, or but an empty line into one that may be there.
    fn is_blank(&self, printed: &PrintedOutput, object: &Target) -> bool {
        let is_new = |path: &Path| self.files.is_nowhere(&tidy(path));
        let is_line = printed.text.as_deref() == Some("\n");
        printed.is_nothing() || is_line && !matches!(object, Target::Path(path) if is_new(path))
    }

    /// Asks who answers for a command: a function, the shell itself, or a program.
    fn dispatch(&mut self, own: &Invocation<'_>, state: ShellState) -> ExitStates {
        let command = own.command;
        let Some(name) = command.words.first().and_then(Word::known) else {
            self.anything("a program whose name cannot be read");
            return ExitStates::both(state);
        };
        let Some(function) = state.functions.get(name).cloned() else {
            return self.built_in(name, own, state);
        };
        let Some(body) = function else {
            self.anything("a function that may be another one");
            return ExitStates::both(state);
        };
        let mut called = state;
        let before: Vec<(String, VariableValue)> = (command.assigned.iter())
            .map(|(name, _)| (name.clone(), called.value(name, self.places)))
            .collect();
        for (name, value) in &command.assigned {
            called.set(name, VariableValue::Text(value.clone()));
        }
        let mut after = self.call(&body, command, called);
        for state in [&mut after.ok, &mut after.fail].into_iter().flatten() {
            for (name, value) in &before {
                // Some shells keep what was set for a function.
                let kept = state.value(name, self.places) == *value;
                let value = if kept {
                    value.clone()
                } else {
                    VariableValue::Unknown
                };
                state.set(name, value);
            }
        }
        after
    }

    /// Calls a function of the line.
    fn call(
        &mut self,
        body: &Statement,
        command: &ShellCommand,
        mut state: ShellState,
    ) -> ExitStates {
        if self.calls >= CALLS {
            self.anything("functions that call each other too deep");
            return ExitStates::both(state);
        }
        self.calls += 1;
        let outer = std::mem::replace(&mut state.arguments, Self::arguments(&command.words));
        let locals = std::mem::take(&mut self.jumps.locals);
        let returns = std::mem::take(&mut self.jumps.returns);
        let input = std::mem::replace(&mut self.input, command.input.clone());
        let mut after = self.step(body, state);
        self.input = input;
        let returns = std::mem::replace(&mut self.jumps.returns, returns);
        let locals = std::mem::replace(&mut self.jumps.locals, locals);
        for state in returns {
            after.ok = or(after.ok, Some(state.clone()));
            after.fail = or(after.fail, Some(state));
        }
        for state in [&mut after.ok, &mut after.fail].into_iter().flatten() {
            state.arguments.clone_from(&outer);
            for (name, value) in locals.iter().rev() {
                state.set(name, value.clone());
            }
        }
        self.calls -= 1;
        after
    }

    /// Carries out assignments that last. What one of them takes from a program is known only where that succeeded.
    fn assigned(&mut self, all: &[Assignment], mut state: ShellState) -> ExitStates {
        for one in all {
            self.made = None;
            self.assign(one, &mut state);
        }
        match (all, self.made.clone()) {
            ([one], Some(word)) if !one.append && one.subscript.is_none() => {
                let mut ok = state.clone();
                ok.set(&one.name, VariableValue::Text(word));
                // Where it fails it prints nothing.
                state.set(&one.name, VariableValue::Text(Word::default()));
                ExitStates::of(Some(ok), Some(state))
            }
            _ => {
                self.made = None;
                ExitStates::both(state)
            }
        }
    }

    /// Carries out an assignment that lasts.
    pub(super) fn assign(&mut self, assigned: &Assignment, state: &mut ShellState) {
        if let Some(subscript) = &assigned.subscript {
            self.arithmetic(subscript, state);
        }
        let value = match &assigned.value {
            AssignedValue::Scalar(raw) => {
                let value = self.valued(raw, state);
                match (&*assigned.name, &value) {
                    // A command of the shell itself is found all the same.
                    ("PATH", _) if self.keeps_programs(raw, state) => {}
                    // What a trap runs is looked up when it comes.
                    ("PATH", _) if !self.jumps.traps.is_empty() => self.anything("PATH="),
                    ("PATH", VariableValue::Text(word)) if self.leads_to_bin(raw, word, state) => {}
                    ("PATH", _) => state.strangers = true,
                    (name, VariableValue::Text(word)) => self.hazard(name, word, &state.folders),
                    _ => {}
                }
                value
            }
            AssignedValue::Array(words) => {
                let mut all = Vec::new();
                for raw in words {
                    all.extend(self.fields(raw, state));
                }
                self.hazard(&assigned.name, &Word::unknown(), &state.folders);
                if all.iter().any(Word::spreads) {
                    VariableValue::Unknown
                } else {
                    VariableValue::List(all)
                }
            }
        };
        let value = match (assigned.append, &assigned.subscript) {
            (_, Some(_)) => VariableValue::Unknown,
            (false, None) => value,
            (true, None) => appended(state.value(&assigned.name, self.places), value),
        };
        state.set(&assigned.name, value);
    }

    /// Notes what redirections do, and says where input and output go.
    pub(super) fn redirect(
        &mut self,
        redirects: &[Redirect],
        state: &mut ShellState,
    ) -> StreamRoutes {
        let mut routes = StreamRoutes {
            before: self.piped.take().unwrap_or(self.effects.len()),
            ..StreamRoutes::default()
        };
        for redirect in redirects {
            let is_output = matches!(
                redirect.kind,
                RedirectKind::Write
                    | RedirectKind::Append
                    | RedirectKind::Both
                    | RedirectKind::CopyOut
            );
            self.printed.cut_off |= redirect.descriptor == Some(1) && !is_output;
            match redirect.kind {
                RedirectKind::Document => {
                    let text = self.single(redirect.target(), state);
                    routes.read(redirect, known(&text, ""));
                }
                RedirectKind::Text => {
                    let names = alone(redirect.target()).and_then(|of| self.names_in(of, state));
                    let value = match names {
                        Some(names) => VariableValue::Names(names),
                        None => self.valued(redirect.target(), state),
                    };
                    self.made = None;
                    let input = match value {
                        VariableValue::Names(names) => Input::Unknown {
                            names,
                            zeros: false,
                        },
                        VariableValue::Text(text) => known(&text, "\n"),
                        _ => Input::unknown(),
                    };
                    routes.read(redirect, input);
                }
                _ => {
                    let own = of_runner(redirect.target(), state).map(|word| vec![word]);
                    let words = own.unwrap_or_else(|| self.fields(redirect.target(), state));
                    let is_open = |word: &Word| {
                        word.says(words::OPEN)
                            || redirect.kind == RedirectKind::Read && self.can_be_read(word, state)
                    };
                    routes.may_fail |= words.len() != 1 || !words.iter().all(is_open);
                    for word in words {
                        self.opened(redirect, &word, state, &mut routes);
                    }
                }
            }
        }
        routes
    }

    /// Tells whether a file opens to be read: it is there or the line wrote it, and the line takes none away.
    fn can_be_read(&self, word: &Word, state: &ShellState) -> bool {
        let keeps = |effect: &Effect| match effect.object {
            Target::Program { opaque, .. } => !opaque,
            _ => matches!(effect.kind, EffectKind::Read | EffectKind::Write),
        };
        let path = path_of(word, &state.folders);
        path.is_some_and(|path| {
            let is_there = !self.files.is_nowhere(&path) || self.is_written(word, state);
            is_there && self.effects.iter().all(keeps)
        })
    }

    /// Notes what a redirection to or from a file does.
    fn opened(
        &mut self,
        redirect: &Redirect,
        word: &Word,
        state: &ShellState,
        routes: &mut StreamRoutes,
    ) {
        let copies = word.known().is_some_and(|text| {
            let text = text.trim_end_matches('-');
            text.chars().all(|letter| letter.is_ascii_digit())
        });
        let (reads, writes, through) = match redirect.kind {
            RedirectKind::Write => (false, true, ">"),
            RedirectKind::Append => (false, true, ">>"),
            RedirectKind::Both => (false, true, "&>"),
            RedirectKind::Read => (true, false, "<"),
            RedirectKind::ReadWrite => (true, true, "<>"),
            RedirectKind::CopyOut | RedirectKind::CopyIn if copies => {
                let is_printed = matches!(routes.output, OutputRoute::Onward | OutputRoute::Copied);
                let is_other = match redirect.kind {
                    RedirectKind::CopyOut => !redirect.is_output(),
                    _ => redirect.descriptor.is_some_and(|descriptor| descriptor > 0),
                };
                routes.prints_errors |= is_printed && is_other;
                return routes.copied(redirect);
            }
            RedirectKind::CopyOut => (false, true, ">&"),
            RedirectKind::CopyIn => (true, false, "<&"),
            RedirectKind::Document | RedirectKind::Text => return,
        };
        let found = objects(word, &state.folders);
        self.mixed |= writes && !found.iter().all(|(object, _)| is_kept_apart(object));
        if matches!(word.parts.first(), Some(Part::Unknown | Part::Split)) {
            // The name may be one of bash's machines.
            self.note(
                EffectKind::Net,
                Target::Unknown,
                Certainty::Unknown,
                through,
            );
        }
        for (object, certainty) in &found {
            for (kind, does) in [(EffectKind::Read, reads), (EffectKind::Write, writes)] {
                if does {
                    self.file(kind, object.clone(), *certainty, through);
                }
            }
        }
        if reads && redirect.descriptor.unwrap_or(0) == 0 {
            routes.input = Some(self.fed(word));
        }
        let usual = i32::from(redirect.kind != RedirectKind::ReadWrite);
        if writes && redirect.descriptor.unwrap_or(usual) == 1 {
            if redirect.kind == RedirectKind::Write {
                routes.opened = found;
            }
            routes.output = if word.says(&["/dev/stdout"]) {
                OutputRoute::Onward
            } else {
                OutputRoute::Away
            };
        }
    }

    /// What a command reads from a file: the text of a process substitution, if it is one.
    fn fed(&self, word: &Word) -> Input {
        let pipe = word.known().and_then(|path| self.pipes.get(path));
        pipe.cloned().unwrap_or_else(|| Input::File(word.clone()))
    }

    /// Notes that a file is read or written, or a machine connected, for bash has files that are none.
    pub(super) fn file(
        &mut self,
        kind: EffectKind,
        object: Target,
        certainty: Certainty,
        through: &str,
    ) {
        if harmless(&object) {
            return;
        }
        if let Target::Path(path) = &object
            && let Some(path) = path.to_str()
            && let Some(machine) = ["/dev/tcp/", "/dev/udp/"]
                .iter()
                .find_map(|prefix| path.strip_prefix(prefix))
        {
            let host = crate::hosts::host_of(&Word::text(machine.replacen('/', ":", 1)));
            let host = host.map_or(Target::Unknown, Target::Host);
            return self.note(EffectKind::Net, host, certainty, through);
        }
        let program = through.split(' ').next().unwrap_or_default();
        if kind == EffectKind::Write && !words::KEEPING_TEXT.contains(&program) {
            self.text = None;
            if let Target::Path(path) | Target::Tree(path) = &object {
                if !words::WRITE_OWN_FILES.contains(&program) {
                    self.followed.remove(path);
                }
                self.written.insert(path.clone());
            }
        }
        self.note(kind, object, certainty, through);
    }
}

impl StreamRoutes {
    fn read(&mut self, redirect: &Redirect, input: Input) {
        if redirect.descriptor.unwrap_or(0) == 0 {
            self.input = Some(input);
        }
    }

    /// A copy of a descriptor.
    fn copied(&mut self, redirect: &Redirect) {
        match redirect.kind {
            RedirectKind::CopyOut if redirect.is_output() => self.output = OutputRoute::Copied,
            RedirectKind::CopyOut => self.mixed = true,
            RedirectKind::CopyIn if redirect.descriptor.unwrap_or(0) == 0 => {
                self.input = Some(Input::unknown());
            }
            _ => {}
        }
    }
}

/// The parameter that is all of a word, in quotes or not.
fn alone(raw: &[WordPiece]) -> Option<&Parameter> {
    match only(raw)? {
        WordPiece::Parameter { of, .. } => Some(of),
        _ => None,
    }
}

/// The file of a runner that a variable alone names. Without a runner the variable is empty, and the redirection fails.
fn of_runner(raw: &[WordPiece], state: &ShellState) -> Option<Word> {
    let of = alone(raw)?;
    let is_own = of.what == ParameterExpansion::Value
        && of.subscript.is_none()
        && words::OF_RUNNERS.contains(&&*of.name)
        && !state.variables.contains_key(&of.name);
    let folder = "/files-of-the-runner/";
    is_own.then(|| Word::text(format!("{folder}{}", of.name)))
}

/// A known text as input.
fn known(word: &Word, end: &str) -> Input {
    match word.known() {
        Some(text) => Input::Text(format!("{text}{end}")),
        None => Input::unknown(),
    }
}

/// What `+=` makes of two values.
fn appended(old: VariableValue, new: VariableValue) -> VariableValue {
    match (old, new) {
        (VariableValue::Text(old), VariableValue::Text(new)) => {
            VariableValue::Text(Word::joined(&[&old, &new]))
        }
        (VariableValue::Unset, new) => new,
        (VariableValue::List(old), VariableValue::List(new)) => {
            VariableValue::List([old, new].concat())
        }
        _ => VariableValue::Unknown,
    }
}
