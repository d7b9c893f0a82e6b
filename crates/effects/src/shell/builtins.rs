//! Builtins of the shell: commands that change its state, or run text as code.

use std::rc::Rc;

use super::simple::Invocation;
use super::state::{ExitStates, ShellFolders, ShellState};
use super::walk::Walk;
use crate::command::{Input, ShellCommand};
use crate::effect::{Certainty, EffectKind, Target};
use crate::places::objects;
use crate::programs::{self, words};
use crate::word::Word;

impl Walk<'_> {
    /// Runs a command of the shell, or asks who else answers for it.
    pub(super) fn built_in(
        &mut self,
        name: &str,
        own: &Invocation<'_>,
        state: ShellState,
    ) -> ExitStates {
        let words = own.command.words.get(1..).unwrap_or_default();
        match name {
            "cd" | "chdir" => self.cd(words, state),
            "pushd" | "popd" => self.pushed(name, words, state),
            ":" | "true" => ExitStates::of(Some(state), None),
            "false" => ExitStates::of(None, Some(state)),
            "exit" | "return" | "break" | "continue" => self.jump(name, words, state),
            "exec" => self.exec(own, words, state),
            "command" | "builtin" => self.plainly(name, own, words, state),
            // What is set for it alone counts in its text.
            "eval" | "." | "source" if !own.command.assigned.is_empty() => {
                self.anything(name);
                ExitStates::both(state)
            }
            "eval" => self.eval(words, state),
            "." | "source" => self.source(own.command, words, state),
            "trap" => {
                self.setting(name, own, &mut state.clone());
                // What it does not know is an error.
                let is_plain = |word: &Word| {
                    word.says(words::SIGNALS_OF_OTHERS) || word.says(words::SIGNALS_OF_SHELL)
                };
                match behind_end(words) {
                    [text, signals @ ..]
                        if !text.head().starts_with('-') && signals.iter().all(is_plain) =>
                    {
                        ExitStates::of(Some(state), None)
                    }
                    _ => ExitStates::both(state),
                }
            }
            _ => {
                let mut state = state;
                self.setting(name, own, &mut state);
                ExitStates::both(state)
            }
        }
    }

    /// Runs a command of the shell that changes what it knows, or asks the table of programs.
    fn setting(&mut self, name: &str, own: &Invocation<'_>, state: &mut ShellState) {
        let (command, declared) = (own.command, own.declared);
        let words = command.words.get(1..).unwrap_or_default();
        if tells(name, words) {
            self.print(None);
        }
        if declared.is_empty() && tells_all(name, words) {
            let all = Target::Path(crate::places::ENVIRONMENT.into());
            self.file(EffectKind::Read, all, Certainty::Exact, name);
        }
        match name {
            "trap" => self.trap(words, state),
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                self.declare(name, words, declared, state);
            }
            "set" => self.set(words, state),
            "shopt" => self.shopt(words),
            "unset" => self.unset(words, state),
            // What the lines behind it mean changes.
            "alias"
                if !words
                    .iter()
                    .all(|word| word.known().is_some_and(|it| !it.contains('='))) =>
            {
                self.anything("alias");
            }
            "alias" => self.print(None),
            "read" | "mapfile" | "readarray" | "getopts" => self.names_of(name, words, state),
            // With `-p` it gives a variable a value.
            "wait" if words.iter().any(|word| word.head().starts_with('-')) => {
                self.names_of(name, words, state);
            }
            "unalias" | "wait" => {}
            "let" => {
                for word in words {
                    self.evaluates(word, state);
                }
            }
            "test" | "[" => self.test(words, state),
            "printf" if matches!(words, [option, ..] if option.says(&["-v"])) => {
                self.names_of(name, words.get(1..2).unwrap_or_default(), state);
                self.print(None);
            }
            "printf" => {
                let first = words.first();
                if first.is_some_and(|word| word.head().starts_with("-v") || word.splits()) {
                    self.anything("printf -v");
                    // The name of the variable may have a subscript, which is evaluated.
                    for word in words {
                        self.evaluates(word, state);
                    }
                }
                self.program(command, state);
            }
            "shift" => {
                let mut arguments = state.arguments.take().filter(|_| words.is_empty());
                if let Some(all) = arguments.as_mut().filter(|all| all.len() > 1) {
                    Rc::make_mut(all).remove(1);
                }
                state.arguments = arguments;
            }
            // `hash -p FILE NAME` makes a name mean another program.
            "hash" if words.iter().all(is_looked_up) => self.print(None),
            "hash" | "enable" | "bind" | "compgen" | "fc" if !words.is_empty() => {
                self.anything(name);
            }
            // A program may run, a file of the history be read or written.
            "jobs"
                if words
                    .iter()
                    .any(|word| word.head().contains('x') || word.known().is_none()) =>
            {
                self.anything(name);
            }
            "history" if !words.iter().all(only_shows) => self.anything(name),
            "ulimit" => {
                self.mixed |= !words.is_empty();
                self.print(None);
            }
            _ if words::SHELL_IDLE.contains(&name) => self.print(None),
            _ if words::SHELL_OWN.contains(&name) => self.program(command, state),
            _ => self.found_program(command, state),
        }
    }

    fn shopt(&mut self, words: &[Word]) {
        let ends = |word: &Word| word.says(&["failglob", "inherit_errexit"]);
        self.mixed |= words.iter().any(ends);
        let usual = |word: &Word| {
            let text = word.known();
            text.is_some_and(|text| text.starts_with('-') || words::SHOPTS.contains(&text))
        };
        if !words.iter().all(usual) {
            self.anything("shopt");
        }
    }

    /// `exit`, `return`, `break` and `continue`.
    fn jump(&mut self, name: &str, words: &[Word], state: ShellState) -> ExitStates {
        self.printed.cut_off = true;
        match (name, words) {
            ("exit", _) => {
                self.jumps.exits.push(state.clone());
                // Behind two words, and one that is an option, the shell goes on; behind an expression that cannot be evaluated
                // only with the next line.
                let is_option = |word: &Word| word.head().starts_with('-');
                let ends = |word: &Word| !word.splits() && !is_option(word) && !self.evaluated;
                if words.len() < 2 && words.iter().all(ends) {
                    return ExitStates::never();
                }
            }
            ("return", _) => self.jumps.returns.push(state.clone()),
            _ => self.jumps.breaks.push(state.clone()),
        }
        self.sure = false;
        ExitStates::both(state)
    }

    fn exec(&mut self, own: &Invocation<'_>, words: &[Word], state: ShellState) -> ExitStates {
        self.printed.cut_off = true;
        let is_option = |word: &&Word| word.head().starts_with('-');
        let words = behind_end(words);
        let options = words.iter().take_while(is_option).count();
        if options > 0 {
            // With `-l` and `-a` a shell reads the settings of a login.
            self.anything("exec");
        }
        let rest = words.get(options..).unwrap_or_default();
        if rest.is_empty() {
            // The redirections last, and a shell that reads its commands from its input reads others then.
            self.mixed |= own.routes.prints_errors;
            self.print(None);
            if own.routes.input.is_some() {
                self.anything("exec <");
            }
            return ExitStates::both(state);
        }
        self.run(&own.command.with(rest.to_vec()), &state);
        ExitStates::of(None, Some(state))
    }

    /// `command` and `builtin`: the same command, without functions.
    fn plainly(
        &mut self,
        name: &str,
        own: &Invocation<'_>,
        words: &[Word],
        state: ShellState,
    ) -> ExitStates {
        let mut rest = words;
        while let [first, more @ ..] = rest {
            match first.known() {
                Some("-p" | "--") if name == "command" => rest = more,
                Some("--") => rest = more,
                Some("-v" | "-V" | "-pv" | "-pV") if name == "command" => {
                    self.print(None);
                    return ExitStates::both(state);
                }
                _ => break,
            }
        }
        let [first, ..] = rest else {
            return ExitStates::both(state);
        };
        let Some(first) = first.known() else {
            self.anything("a program whose name cannot be read");
            return ExitStates::both(state);
        };
        let command = &own.command.with(rest.to_vec());
        self.commands.push(command.clone());
        self.built_in(first, &Invocation { command, ..*own }, state)
    }

    fn eval(&mut self, words: &[Word], state: ShellState) -> ExitStates {
        let Some(known) = Word::all_known(words) else {
            self.anything("eval");
            return ExitStates::both(state);
        };
        self.text(&known.join(" "), "eval", state)
    }

    fn trap(&mut self, words: &[Word], state: &ShellState) {
        let [first, signals @ ..] = behind_end(words) else {
            return;
        };
        match first.as_line().as_deref() {
            Some("-l" | "-p" | "-" | "") => {}
            _ if signals.is_empty() => {}
            Some(text) => {
                let at_end = |word: &Word| word.says(&["EXIT", "0"]);
                // These come from outside, or where the shell ends anyway.
                let is_outer = |word: &Word| {
                    let text = word.known();
                    text.is_some_and(|it| {
                        words::SIGNALS_OF_OTHERS.contains(&it.trim_start_matches("SIG"))
                    })
                };
                self.mixed |= !signals.iter().all(is_outer);
                self.jumps.traps.push(text.to_owned());
                if !signals.iter().all(at_end) {
                    let mut anywhere = state.clone();
                    anywhere.folders = ShellFolders::default();
                    let before = Rc::clone(&anywhere.variables);
                    let after = self.perhaps(|walk| walk.text(text, "trap", anywhere));
                    // What it sets may be set from here on.
                    let mut after = after.ok.into_iter().chain(after.fail);
                    if after.any(|after| after.variables != before) {
                        self.anything("trap");
                    }
                }
            }
            None => self.anything("trap"),
        }
    }

    fn set(&mut self, words: &[Word], state: &mut ShellState) {
        let mut rest = words;
        while let [first, more @ ..] = rest {
            let text = first.known().unwrap_or_default();
            if text.len() < 2 || !text.starts_with(['-', '+']) || text == "--" {
                break;
            }
            rest = more;
            self.nounset |= text.contains('u');
            self.printed.cut_off |= text.contains('e');
            if text.contains('o') {
                // `set -eo pipefail`: the name of an option follows.
                let name = rest.first().map_or(Some("pipefail"), Word::known);
                let name = name.unwrap_or_default();
                self.nounset |= name == "nounset";
                self.printed.cut_off |= name == "errexit";
                if !words::SET.contains(&name) {
                    self.anything("set -o");
                }
                rest = rest.get(1..).unwrap_or_default();
            }
            if text.contains(['B', 'k', 'n', 'a']) {
                self.anything("set");
            }
        }
        let [first, more @ ..] = rest else { return };
        let is_end = first.says(&["--", "-"]);
        if first.known().is_none() {
            self.anything("set");
        }
        let given = if is_end { more } else { rest };
        state.arguments = Self::arguments(&[&[Word::unknown()], given].concat());
    }

    fn source(&mut self, command: &ShellCommand, words: &[Word], state: ShellState) -> ExitStates {
        let [file, arguments @ ..] = behind_end(words) else {
            return ExitStates::both(state);
        };
        if state.strangers && !file.head().contains('/') {
            self.anything("PATH=");
        }
        let mut inner = state;
        let outer = inner.arguments.clone();
        let given = Self::arguments(&[&[Word::unknown()], arguments].concat());
        if !arguments.is_empty() {
            inner.arguments.clone_from(&given);
        }
        for (object, sure) in objects(file, &inner.folders) {
            self.file(EffectKind::Read, object, sure, "source");
        }
        let is_input = programs::is_input(file);
        let input = match &command.input {
            Input::Text(_) => Input::unknown(),
            other => other.clone(),
        };
        let input = std::mem::replace(&mut self.input, input);
        let mut after = match (is_input, &command.input) {
            (true, Input::Text(text)) => self.text(text, "source", inner),
            (true, _) => {
                self.anything("source");
                ExitStates::both(inner)
            }
            (false, _) => self.sourced(file, inner),
        };
        self.input = input;
        // Without words of its own, a text shares those of this shell. With some, what it sets stays outside of a function.
        for state in [&mut after.ok, &mut after.fail].into_iter().flatten() {
            if !arguments.is_empty() {
                let is_same = state.arguments == given;
                state.arguments = outer.clone().filter(|_| is_same);
            }
        }
        after
    }
}

/// Tells whether a word of `history` only shows or forgets what it remembers.
fn only_shows(word: &Word) -> bool {
    let text = word.known();
    text.is_some_and(|it| it == "-c" || it.chars().all(|letter| letter.is_ascii_digit()))
}

/// The words behind a `--` that stands first.
fn behind_end(words: &[Word]) -> &[Word] {
    match words {
        [first, rest @ ..] if first.says(&["--"]) => rest,
        all => all,
    }
}

/// Tells whether a word of `hash` only looks up programs, or forgets them.
fn is_looked_up(word: &Word) -> bool {
    let text = word.known();
    text.is_some_and(|text| text == "-r" || text == "-t" || !text.starts_with('-'))
}

/// Tells whether it prints every variable, secrets among them.
fn tells_all(name: &str, words: &[Word]) -> bool {
    let is_option = |word: &Word| word.head().starts_with('-');
    match name {
        "set" => words.is_empty(),
        "export" => words.iter().all(is_option),
        "declare" | "typeset" => words.iter().all(is_option) && !words.iter().any(is_of_functions),
        _ => false,
    }
}

fn is_of_functions(word: &Word) -> bool {
    word.head().starts_with('-') && word.head().contains(['f', 'F'])
}

/// Tells whether a command of the shell that changes it may print something.
fn tells(name: &str, words: &[Word]) -> bool {
    let is_asked = |word: &Word| match word.known() {
        Some(text) => text.starts_with('-') && text.contains(['p', 'f', 'F', 'l', 'o']),
        None => !word.head().contains('='),
    };
    match name {
        "shopt" => true,
        "trap" | "export" | "declare" | "typeset" | "local" | "readonly" | "set" => {
            words.is_empty() || words.iter().any(is_asked)
        }
        _ => false,
    }
}
