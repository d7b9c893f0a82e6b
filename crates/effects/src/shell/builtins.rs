//! What the shell itself does: the commands that change its state, or run text as code.

use std::path::PathBuf;
use std::rc::Rc;

use super::simple::Routes;
use super::state::{After, State, Value};
use super::tree::{Assigned, Given};
use super::walk::Walk;
use crate::command::{Command, Input};
use crate::places::tidy;
use crate::word::{Part, Word};

/// Commands of the shell that change nothing that is followed here.
const IDLE: &[&str] = &[
    "bg", "caller", "complete", "compopt", "dirs", "disown", "fg", "hash", "help", "history",
    "jobs", "suspend", "times", "type", "ulimit", "umask", "wait",
];

/// Options of `shopt` that change nothing that is followed here.
const SHOPTS: &[&str] = &[
    "checkwinsize",
    "cmdhist",
    "direxpand",
    "dirspell",
    "dotglob",
    "expand_aliases",
    "extglob",
    "failglob",
    "globasciiranges",
    "globskipdots",
    "globstar",
    "gnu_errfmt",
    "histappend",
    "histverify",
    "huponexit",
    "inherit_errexit",
    "interactive_comments",
    "nocaseglob",
    "nocasematch",
    "nullglob",
    "progcomp",
    "shift_verbose",
];

impl Walk<'_> {
    /// Runs a command of the shell, or asks who else answers for it.
    pub(super) fn built_in(
        &mut self,
        name: &str,
        command: &Command,
        declared: &[Assigned],
        routes: &Routes,
        mut state: State,
    ) -> After {
        let words = command.words.get(1..).unwrap_or_default();
        match name {
            "cd" | "chdir" => return self.cd(words, state),
            "pushd" | "popd" => return self.pushed(name, words, state),
            ":" | "true" => {
                return After {
                    ok: Some(state),
                    fail: None,
                };
            }
            "false" => {
                return After {
                    ok: None,
                    fail: Some(state),
                };
            }
            "exit" | "return" | "break" | "continue" => return self.jump(name, words, state),
            "exec" => return self.exec(command, words, routes, state),
            "command" | "builtin" => {
                return self.plainly(name, command, words, declared, routes, state);
            }
            "eval" => return self.eval(words, state),
            "." | "source" => return self.source(command, words, state),
            "trap" => self.trap(words, &state),
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                self.declare(name, words, declared, &mut state);
            }
            "set" => self.set(words, &mut state),
            "shopt" => {
                let usual = |word: &Word| {
                    let text = word.known();
                    text.is_some_and(|text| text.starts_with('-') || SHOPTS.contains(&&*text))
                };
                if !words.iter().all(usual) {
                    self.anything("shopt");
                }
            }
            "unset" => self.unset(words, &mut state),
            "alias" => self.alias_of(words, &mut state),
            "unalias" => {}
            "read" | "mapfile" | "readarray" | "getopts" => self.names_of(name, words, &mut state),
            "let" => {
                for word in words {
                    self.evaluates(word, &mut state);
                }
            }
            "test" | "[" => self.test(words, &mut state),
            "printf" => {
                self.printed_into(words, &mut state);
                self.program(command, &state);
            }
            "shift" => {
                state.arguments = match (&state.arguments, words) {
                    (Some(arguments), []) => {
                        let mut arguments = (**arguments).clone();
                        if arguments.len() > 1 {
                            arguments.remove(1);
                        }
                        Some(Rc::new(arguments))
                    }
                    _ => None,
                };
            }
            "hash" if !words.is_empty() => self.anything("hash"),
            "enable" | "bind" | "compgen" | "fc" => {
                if !words.is_empty() {
                    self.anything(name);
                }
            }
            _ if IDLE.contains(&name) => self.print(None),
            _ => self.program(command, &state),
        }
        After::both(state)
    }

    fn cd(&mut self, words: &[Word], state: State) -> After {
        let option = |word: &&Word| {
            let text = word.known();
            text.is_some_and(|text| text.len() > 1 && text.starts_with('-'))
        };
        let mut words = words.iter().skip_while(option);
        let folders = match words.next() {
            None => match &self.places.home {
                Some(_) => self.home(&state),
                None => Vec::new(),
            },
            Some(word) if word.known().as_deref() == Some("-") => {
                self.print(None);
                state.previous.clone()
            }
            Some(word) => self.entered(word, &state),
        };
        let mut inside = state.clone();
        inside.previous = std::mem::replace(&mut inside.folders, folders);
        inside.set("OLDPWD", Value::Unknown);
        Rc::make_mut(&mut inside.variables).remove("OLDPWD");
        Rc::make_mut(&mut inside.variables).remove("PWD");
        After {
            ok: Some(inside),
            fail: Some(state),
        }
    }

    /// The home folder as a list of folders.
    fn home(&self, state: &State) -> Vec<PathBuf> {
        match state.value("HOME", self.places) {
            Value::Text(word) => {
                let home = word.known().map(|home| PathBuf::from(&*home));
                home.filter(|home| home.is_absolute()).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// The folders that a word leads into from here.
    fn entered(&mut self, word: &Word, state: &State) -> Vec<PathBuf> {
        let Some(text) = word.known() else {
            return Vec::new();
        };
        let near = text.starts_with("./") || text.starts_with("..") || &*text == ".";
        let searched =
            state.variables.contains_key("CDPATH") || self.places.variables.contains_key("CDPATH");
        if text.starts_with('/') {
            return vec![tidy(text.as_ref().as_ref())];
        }
        if searched && !near {
            return Vec::new();
        }
        let each = state.folders.iter();
        each.map(|folder| tidy(&folder.join(&*text))).collect()
    }

    fn pushed(&mut self, name: &str, words: &[Word], mut state: State) -> After {
        self.print(None);
        let before = state.clone();
        match (name, words) {
            ("popd", []) => {
                let folders = state.stack.pop().unwrap_or_default();
                state.previous = std::mem::replace(&mut state.folders, folders);
            }
            ("pushd", [word]) if !word.head().starts_with(['+', '-']) => {
                let folders = self.entered(word, &state);
                let old = std::mem::replace(&mut state.folders, folders);
                state.previous.clone_from(&old);
                state.stack.push(old);
            }
            _ => {
                state.folders = Vec::new();
                state.previous = Vec::new();
                state.stack = Vec::new();
            }
        }
        After {
            ok: Some(state),
            fail: Some(before),
        }
    }

    /// `exit`, `return`, `break` and `continue`.
    fn jump(&mut self, name: &str, words: &[Word], state: State) -> After {
        match name {
            "exit" => {
                let number = |word: &Word| {
                    let text = word.known();
                    text.is_some_and(|text| text.chars().all(|letter| letter.is_ascii_digit()))
                };
                self.jumps.exits.push(state.clone());
                match words {
                    [] => return After::never(),
                    [word] if number(word) => return After::never(),
                    _ => {}
                }
            }
            "return" => self.jumps.returns.push(state.clone()),
            _ => self.jumps.breaks.push(state.clone()),
        }
        self.sure = false;
        After::both(state)
    }

    fn exec(&mut self, command: &Command, words: &[Word], routes: &Routes, state: State) -> After {
        let mut rest = words;
        while let [first, more @ ..] = rest {
            match first.known().as_deref() {
                Some("-a") => rest = more.get(1..).unwrap_or_default(),
                Some("-c" | "-l" | "-cl" | "-lc") => rest = more,
                Some("--") => {
                    rest = more;
                    break;
                }
                _ => break,
            }
        }
        if rest.is_empty() {
            // The redirections last.
            self.print(None);
            if let Some(input) = &routes.input {
                self.input = input.clone();
            }
            return After::both(state);
        }
        let inner = Command {
            words: rest.to_vec(),
            ..command.clone()
        };
        self.run(&inner, &state);
        After {
            ok: None,
            fail: Some(state),
        }
    }

    /// `command` and `builtin`: the same command, without functions.
    fn plainly(
        &mut self,
        name: &str,
        command: &Command,
        words: &[Word],
        declared: &[Assigned],
        routes: &Routes,
        state: State,
    ) -> After {
        let mut rest = words;
        while let [first, more @ ..] = rest {
            match first.known().as_deref() {
                Some("-p" | "--") if name == "command" => rest = more,
                Some("--") => rest = more,
                Some("-v" | "-V" | "-pv" | "-pV") if name == "command" => {
                    self.print(None);
                    return After::both(state);
                }
                _ => break,
            }
        }
        let [first, ..] = rest else {
            return After::both(state);
        };
        let Some(first) = first.known().map(std::borrow::Cow::into_owned) else {
            self.anything("a program whose name cannot be read");
            return After::both(state);
        };
        let inner = Command {
            words: rest.to_vec(),
            ..command.clone()
        };
        self.commands.push(inner.clone());
        self.built_in(&first, &inner, declared, routes, state)
    }

    fn eval(&mut self, words: &[Word], state: State) -> After {
        let known: Option<Vec<_>> = words.iter().map(Word::known).collect();
        let Some(known) = known else {
            self.anything("eval");
            return After::both(state);
        };
        self.text(&known.join(" "), "eval", state)
    }

    fn trap(&mut self, words: &[Word], state: &State) {
        let words = match words {
            [first, rest @ ..] if first.known().as_deref() == Some("--") => rest,
            all => all,
        };
        let [first, signals @ ..] = words else { return };
        match first.known().as_deref() {
            Some("-l" | "-p" | "-" | "") => {}
            _ if signals.is_empty() => {}
            Some(text) => {
                let at_end = |word: &Word| matches!(word.known().as_deref(), Some("EXIT" | "0"));
                self.jumps.traps.push(text.to_owned());
                if !signals.iter().all(at_end) {
                    let mut anywhere = state.clone();
                    anywhere.folders = Vec::new();
                    self.perhaps(|walk| walk.text(text, "trap", anywhere));
                }
            }
            None => self.anything("trap"),
        }
    }

    /// `export`, `declare` and their like.
    fn declare(&mut self, name: &str, words: &[Word], declared: &[Assigned], state: &mut State) {
        let (mut exports, mut evaluates) = (name == "export", false);
        let local = matches!(name, "local" | "declare" | "typeset") && self.calls > 0;
        let map = |word: &Word| word.head().starts_with('-') && word.head().contains('A');
        if words.iter().any(map) {
            let named = words
                .iter()
                .filter_map(Word::known)
                .map(std::borrow::Cow::into_owned);
            let maps = Rc::make_mut(&mut state.maps);
            maps.extend(named.chain(declared.iter().map(|assigned| assigned.name.clone())));
        }
        for assigned in declared {
            self.remember(local, &assigned.name, state);
        }
        for word in words {
            let Some(text) = word.known() else {
                self.declared_partly(word, local, state);
                continue;
            };
            if text.starts_with(['-', '+']) {
                exports |= text.contains('x');
                evaluates |= text.contains('i');
                if text.contains('n') && name != "export" {
                    self.anything("a name that stands for another name");
                }
                continue;
            }
            let (target, value) = match text.split_once('=') {
                Some((target, value)) => (target, Some(value)),
                None => (&*text, None),
            };
            if target.contains('[') {
                self.evaluates(&Word::text(target), state);
                continue;
            }
            self.remember(local, target, state);
            if let Some(value) = value {
                let value = Word::text(value);
                self.hazard(target, &value);
                if evaluates {
                    self.evaluates(&value, state);
                }
                state.set(target, Value::Text(value));
            } else if local && !state.variables.contains_key(target) {
                state.set(target, Value::Unset);
            }
            if exports {
                state.export(target);
            }
        }
        for assigned in declared {
            self.assign(assigned, state);
            if let (true, Given::Scalar(_)) = (evaluates, &assigned.value) {
                let value = state.value(&assigned.name, self.places);
                self.evaluates_value(&value, state);
            }
            if exports {
                state.export(&assigned.name);
            }
        }
        self.print((!words.is_empty() || !declared.is_empty()).then_some(""));
    }

    /// A declaration of which a part is unknown: the name must be known.
    fn declared_partly(&mut self, word: &Word, local: bool, state: &mut State) {
        let split = word.parts.contains(&Part::Split);
        match word.head().split_once('=') {
            Some((name, begin)) if !split && !name.contains('[') => {
                self.remember(local, name, state);
                let mut parts = word.parts.clone();
                if let Some(first) = parts.first_mut() {
                    *first = Part::Text(begin.to_owned());
                }
                let value = Word { parts };
                self.hazard(name, &value);
                state.set(name, Value::Text(value));
            }
            _ => self.anything("names of variables that cannot be read"),
        }
    }

    /// Remembers what a local variable hides.
    fn remember(&mut self, local: bool, name: &str, state: &State) {
        if local {
            let value = state.value(name, self.places);
            self.jumps.locals.push((name.to_owned(), value));
        }
    }

    fn set(&mut self, words: &[Word], state: &mut State) {
        let mut rest = words;
        while let [first, more @ ..] = rest {
            let text = first.known();
            match text.as_deref() {
                Some("--" | "-") => {
                    state.arguments = Self::arguments(&[&[Word::unknown()], more].concat());
                    return;
                }
                Some("-o" | "+o") => {
                    match more.first().and_then(Word::known).as_deref() {
                        Some("noglob") => state.no_glob = first.head() == "-o",
                        Some("braceexpand" | "keyword" | "noexec" | "allexport") => {
                            self.anything("set -o");
                        }
                        None if !more.is_empty() => self.anything("set -o"),
                        _ => {}
                    }
                    rest = more.get(1..).unwrap_or_default();
                    continue;
                }
                Some(text) if text.starts_with(['-', '+']) => {
                    if text.contains('f') {
                        state.no_glob = text.starts_with('-');
                    }
                    if text.contains(['B', 'k', 'n', 'a']) {
                        self.anything("set");
                    }
                    // `set -eo pipefail`: the name of the last option follows.
                    rest = if text.contains('o') {
                        more.get(1..).unwrap_or_default()
                    } else {
                        more
                    };
                    continue;
                }
                Some(_) => {
                    state.arguments = Self::arguments(&[&[Word::unknown()], rest].concat());
                }
                None => {
                    state.arguments = None;
                    self.anything("set");
                }
            }
            return;
        }
    }

    fn unset(&mut self, words: &[Word], state: &mut State) {
        for word in words {
            match word.known().as_deref() {
                Some("-f") => {
                    for function in Rc::make_mut(&mut state.functions).values_mut() {
                        function.absent = true;
                    }
                }
                Some(option) if option.starts_with('-') => {}
                Some(name) if name.contains('[') => self.evaluates(word, state),
                Some(name) => {
                    state.set(name, Value::Unset);
                    Rc::make_mut(&mut state.maps).remove(name);
                    Rc::make_mut(&mut state.functions).remove(name);
                }
                None => self.anything("unset"),
            }
        }
    }

    fn alias_of(&mut self, words: &[Word], state: &mut State) {
        for word in words {
            let aliases = Rc::make_mut(&mut state.aliases);
            match word.known() {
                Some(text) => {
                    if let Some((name, text)) = text.split_once('=') {
                        aliases.insert(name.to_owned(), Some(text.to_owned()));
                    }
                }
                None => match word.head().split_once('=') {
                    Some((name, _)) => {
                        aliases.insert(name.to_owned(), None);
                    }
                    None => self.anything("alias"),
                },
            }
        }
    }

    /// `read`, `mapfile` and `getopts`: names whose values are read.
    fn names_of(&mut self, name: &str, words: &[Word], state: &mut State) {
        for word in words {
            match word.known().as_deref() {
                None | Some("-C") => self.anything(name),
                Some(option) if option.starts_with('-') => {}
                Some(text) => {
                    self.evaluated_name(text, state);
                }
            }
        }
        for usual in ["REPLY", "MAPFILE", "OPTARG"] {
            state.set(usual, Value::Unknown);
        }
    }

    /// A name that gets a value which cannot be known.
    fn evaluated_name(&mut self, text: &str, state: &mut State) {
        let name = text.split('[').next().unwrap_or_default();
        if text.contains('[') {
            self.evaluates(&Word::text(text), state);
        }
        if !name.is_empty() && name.chars().all(super::lex::is_name) {
            self.hazard(name, &Word::unknown());
            state.set(name, Value::Unknown);
        }
    }

    fn test(&mut self, words: &[Word], state: &mut State) {
        let mut names = false;
        for word in words {
            let option = word.known();
            if names {
                self.evaluates_subscript(word, state);
            }
            names = matches!(option.as_deref(), Some("-v" | "-R"));
            if word.parts.contains(&Part::Split) {
                // It may be `-v` and a name.
                self.anything("test");
            }
        }
    }

    /// A name whose subscript, if it has one, is evaluated; the value of the name is not.
    pub(super) fn evaluates_subscript(&mut self, word: &Word, state: &mut State) {
        match word.known() {
            Some(text) if !text.contains('[') => {}
            _ => self.evaluates(word, state),
        }
    }

    fn printed_into(&mut self, words: &[Word], state: &mut State) {
        match words {
            [option, name, ..] if option.known().as_deref() == Some("-v") => match name.known() {
                Some(name) => self.evaluated_name(&name, state),
                None => self.anything("printf -v"),
            },
            [option, ..] if option.head().starts_with("-v") => match option.known() {
                Some(name) => self.evaluated_name(name.trim_start_matches("-v"), state),
                None => self.anything("printf -v"),
            },
            [option, ..] if option.parts.first() == Some(&Part::Split) => self.anything("printf"),
            _ => {}
        }
    }

    fn source(&mut self, command: &Command, words: &[Word], state: State) -> After {
        let words = match words {
            [first, rest @ ..] if first.known().as_deref() == Some("--") => rest,
            all => all,
        };
        let [file, arguments @ ..] = words else {
            return After::both(state);
        };
        let mut inner = state;
        let outer = inner.arguments.clone();
        if !arguments.is_empty() {
            inner.arguments = Self::arguments(&[&[Word::unknown()], arguments].concat());
        }
        let input = match &command.input {
            Input::Text(_) => Input::Unknown { from_net: false },
            other => other.clone(),
        };
        let input = std::mem::replace(&mut self.input, input);
        let mut after = self.sourced(file, inner);
        self.input = input;
        for state in [&mut after.ok, &mut after.fail].into_iter().flatten() {
            state.arguments.clone_from(&outer);
        }
        after
    }
}
