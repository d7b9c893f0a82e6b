//! One command with its row: reads the letters of the row.

use std::path::PathBuf;

use crate::command::{Acts, Command, Inner, Input, Lists, Shape};
use crate::effect::{Certainty, Effect, Kind, Object};
use crate::options::{Given, Reading};
use crate::places::{Places, is_plain, objects, tidy};
use crate::word::{Part, Word};

use super::{Called, Program, Verb, lesser};

/// A command that is being played by its row.
#[derive(Debug)]
pub struct Call<'a> {
    pub(super) command: &'a Command,
    pub(super) places: &'a Places,
    pub(super) row: &'static Program,
    outer: Vec<&'static Program>,
    /// The program and its verbs, for `through`.
    pub(super) name: String,
    /// Options in front of the verb.
    pub(super) above: Reading,
    pub(super) reading: Reading,
    pub(super) verb: Verb,
    /// The folders it runs in, after options such as `-C`.
    pub(super) folders: Vec<PathBuf>,
    pub(super) acts: Acts,
    /// Whether it surely runs code that is not read here.
    pub(super) opaque: bool,
}

/// Returns the arguments of a command, as far as they are known.
pub(super) fn arguments(command: &Command) -> Vec<Option<String>> {
    let words = command.words.iter().skip(1);
    let known = words.map(|word| word.known().map(std::borrow::Cow::into_owned));
    known.collect()
}

impl<'a> Call<'a> {
    pub(super) fn new(
        command: &'a Command,
        places: &'a Places,
        row: &'static Program,
        called: Called,
    ) -> Self {
        Self {
            command,
            places,
            row,
            outer: called.outer,
            name: called.name,
            above: called.above,
            reading: called.reading,
            verb: called.verb,
            folders: command.folders.clone(),
            acts: Acts::default(),
            opaque: false,
        }
    }

    /// Plays the row: its options, its operands, what it does anyway, and its function.
    pub(super) fn play(&mut self) {
        self.go_to_folder();
        let outer = std::mem::take(&mut self.outer);
        for function in outer.iter().filter_map(|outer| outer.function) {
            function(self);
        }
        self.outer = outer;
        let all = self.above.given.iter().chain(&self.reading.given);
        let does =
            |given: &&Given| !(given.option.of_value.is_empty() && given.option.of_flag.is_empty());
        let given: Vec<Given> = all.filter(does).cloned().collect();
        for given in &given {
            self.option(given);
        }
        match self.verb {
            Verb::Unreadable => self.anything(),
            Verb::Unlisted => self.opaque = true,
            Verb::Known | Verb::Missing => {}
        }
        let is_idle =
            self.reading.given.iter().any(|given| {
                given.sure && given.value.is_none() && given.option.of_flag.contains('0')
            });
        if !self.row.has_verbs() {
            if !is_idle {
                self.operands();
            }
            // A dry run of a program that runs code or connects does so all the same.
            self.always(if is_idle { "xn" } else { "" });
        }
        if let Some(function) = self.row.function {
            function(self);
        }
    }

    /// Returns what was found, the program itself first.
    pub(super) fn finish(mut self) -> Acts {
        let name = self.command.words.first().map(super::last_name);
        let name = name.unwrap_or_default();
        let own = Effect {
            kind: Kind::Exec,
            object: Object::Program {
                name,
                arguments: arguments(self.command),
                opaque: self.opaque,
            },
            certainty: self.command.certainty,
            through: self.name.clone(),
        };
        self.acts.effects.insert(0, own);
        self.acts
    }

    fn go_to_folder(&mut self) {
        let all = self.above.given.iter().chain(&self.reading.given);
        let goes = |given: &&Given| given.option.of_value.contains('/');
        let given: Vec<Given> = all.filter(goes).cloned().collect();
        for given in given {
            let text = given.value.as_ref().and_then(Word::known);
            self.folders = match text {
                Some(text) if given.sure => self
                    .folders
                    .iter()
                    .map(|folder| folder.join(&*text))
                    .collect(),
                Some(text) if text.starts_with('/') => vec![PathBuf::from(&*text)],
                _ => Vec::new(),
            };
        }
    }

    fn option(&mut self, given: &Given) {
        let sure = if given.sure {
            Certainty::Exact
        } else {
            Certainty::Unknown
        };
        let through = format!("{} {}", self.name, given.option.written());
        let own = std::mem::replace(&mut self.name, through);
        for letter in given.option.of_value.chars() {
            if given.option.value == crate::options::Takes::Joined
                && given.value.is_none()
                && given.sure
            {
                break;
            }
            self.letter(letter, given.value.as_ref(), sure);
        }
        for letter in given.option.of_flag.chars() {
            if !"rRwWdDm^0".contains(letter) {
                self.letter(letter, None, sure);
            }
        }
        self.name = own;
    }

    /// Runs a script in a file.
    pub(super) fn script(&mut self, file: &Word, shell: bool, arguments: Vec<Word>) {
        self.act_path(Kind::Read, file, Certainty::Exact, false);
        self.acts.runs.push(Inner::File {
            file: file.clone(),
            shell,
            arguments,
            folders: self.folders.clone(),
        });
    }

    /// Does what the row does in any case; of `only` letters, if there are some.
    fn always(&mut self, only: &str) {
        for (letters, text) in self.row.does {
            let word = named_by_row(text);
            let wanted = |letter: &char| only.is_empty() || only.contains(*letter);
            for letter in letters.chars().filter(wanted) {
                let sure = if "xkpPgXbt".contains(letter) {
                    Certainty::Exact
                } else {
                    Certainty::Likely
                };
                self.letter(letter, word.as_ref(), sure);
            }
        }
    }

    /// Does what a letter of the table says to a word.
    pub(super) fn letter(&mut self, letter: char, word: Option<&Word>, sure: Certainty) {
        let unknown = Word::unknown();
        let target = word.unwrap_or(&unknown);
        match letter {
            'r' => self.act_path(Kind::Read, target, sure, false),
            'R' => self.act_path(Kind::Read, target, sure, true),
            'w' => self.act_path(Kind::Write, target, sure, false),
            'W' => self.act_path(Kind::Write, target, sure, true),
            'u' => {
                self.act_path(Kind::Read, target, sure, false);
                self.act_path(Kind::Write, target, sure, false);
            }
            'd' => self.act_path(Kind::Delete, target, sure, false),
            'D' => self.act_path(Kind::Delete, target, sure, true),
            'm' => {
                self.act_path(Kind::Read, target, sure, true);
                self.act_path(Kind::Delete, target, sure, true);
            }
            'n' if word.is_none() => self.effect(Kind::Net, Object::Unknown, sure),
            'n' => self.connect(target, sure),
            'f' | 'F' | 'c' | 'e' | 'x' if sure == Certainty::Unknown => self.may_run_code(),
            'f' | 'F' => self.script(target, letter == 'F', Vec::new()),
            'N' => self.remote(Kind::Read, target, sure),
            'M' => self.remote(Kind::Write, target, sure),
            'c' => self.shell(target.clone(), Vec::new()),
            'e' => self.acts.runs.push(Inner::Code {
                language: self.row.name(),
                text: target.clone(),
                arguments: Vec::new(),
                folders: self.folders.clone(),
            }),
            'x' => self.opaque = true,
            'A' => self.anything(),
            'k' if word.is_none() => {
                let own = Object::Name(self.name.clone());
                self.effect(Kind::Config, own, sure);
            }
            'k' => self.named(Kind::Config, word, sure),
            'p' => self.named(Kind::Install, word, sure),
            'P' => self.named(Kind::Publish, word, sure),
            'g' => self.named(Kind::Signal, word, sure),
            'b' => super::git::commits(self, sure),
            't' => super::git::writes_tree(self, sure),
            'X' => super::git::discards(self, sure),
            'Y' => self.act_path(Kind::Discard, target, sure, true),
            _ => {}
        }
    }

    /// Notes an effect.
    pub(super) fn effect(&mut self, kind: Kind, object: Object, sure: Certainty) {
        let certainty = lesser(sure, self.command.certainty);
        let through = self.name.clone();
        self.acts.note(Effect {
            kind,
            object,
            certainty,
            through,
        });
    }

    /// Notes what happens to a path, or to all that a word may name.
    pub(super) fn act_path(&mut self, kind: Kind, word: &Word, sure: Certainty, tree: bool) {
        let text = word.known();
        let is_stream = matches!(
            text.as_deref(),
            Some(
                "" | "-" | "/dev/null" | "/dev/stdin" | "/dev/stdout" | "/dev/stderr" | "/dev/tty"
            )
        );
        if is_stream && kind != Kind::Delete {
            return;
        }
        for (object, known) in objects(word, &self.folders) {
            let sure = lesser(sure, known);
            for object in in_form(object, tree) {
                self.effect(kind, object, sure);
            }
        }
    }

    /// Notes that it prints the names of files in or below these folders, if it can be told where they are, their own names are
    /// plain too, and no variable is set for it that may change what it prints.
    pub(super) fn lists(&mut self, folders: &[Word], names: Vec<Word>) {
        let is_whole = |word: &Word| {
            let text = word.known().unwrap_or_default();
            let mut names = text.split('/').enumerate();
            names.all(|(at, name)| name.is_empty() || is_plain(name, at > 0))
        };
        if !self.command.assigned.is_empty() || !folders.iter().all(is_whole) {
            return;
        }
        let seen = |word: &Word| match &*objects(word, &self.folders) {
            [(Object::Path(path), _)] => Some(tidy(path)),
            _ => None,
        };
        let below: Option<Vec<PathBuf>> = folders.iter().map(seen).collect();
        self.acts.shape = below.map(|below| {
            Shape::Names(Lists {
                names,
                from: self.folders.clone(),
                zeros: self.ends_with_zeros(),
                tracked: false,
                below,
            })
        });
    }

    /// Tells whether a word of the command may ask for a NUL behind each name.
    pub(super) fn ends_with_zeros(&self) -> bool {
        self.command.words.iter().skip(1).any(|word| {
            let text = word.known();
            let short = |text: &str| text.starts_with('-') && !text.starts_with("--");
            text.is_none_or(|text| {
                short(&text) && text.contains(['0', 'z', 'Z']) || text.starts_with("--null")
            })
        })
    }

    /// Notes an effect on something that has a name.
    pub(super) fn named(&mut self, kind: Kind, word: Option<&Word>, sure: Certainty) {
        match word.map(|word| (word, word.known())) {
            Some((_, Some(text))) => self.effect(kind, Object::Name(text.into_owned()), sure),
            Some((_, None)) => self.effect(kind, Object::Unknown, Certainty::Unknown),
            None => self.effect(kind, Object::Unknown, sure),
        }
    }

    /// Notes a connection to the machine of a URL.
    pub(super) fn connect(&mut self, word: &Word, sure: Certainty) {
        match crate::hosts::host_of(word) {
            Some(host) => self.effect(Kind::Net, Object::Host(host), sure),
            None => self.effect(Kind::Net, Object::Unknown, Certainty::Unknown),
        }
    }

    fn remote(&mut self, kind: Kind, word: &Word, sure: Certainty) {
        let is_remote = super::net::is_remote(word);
        if is_remote != Some(false) {
            self.connect(word, sure);
        }
        if is_remote != Some(true) {
            self.act_path(kind, word, sure, true);
        }
    }

    /// Notes that unread code may run because a word cannot be read.
    pub(super) fn may_run_code(&mut self) {
        let object = Object::Program {
            name: self
                .command
                .words
                .first()
                .map(super::last_name)
                .unwrap_or_default(),
            arguments: arguments(self.command),
            opaque: true,
        };
        self.effect(Kind::Exec, object, Certainty::Likely);
    }

    /// Notes that anything may happen.
    pub(super) fn anything(&mut self) {
        for effect in Effect::anything(&self.name) {
            self.acts.note(effect);
        }
    }

    /// Notes the copy that an edit in place leaves beside the file: `sed -i.bak`.
    pub(super) fn keeps_copy(&mut self, file: &Word, suffix: &Word) {
        if suffix.parts.is_empty() {
            return;
        }
        // A `*` in it stands for the name, and a `/` for another folder.
        let plain = suffix
            .known()
            .is_some_and(|text| !text.contains(['*', '/']));
        let mut copy = file.clone();
        copy.parts.extend(suffix.parts.clone());
        let copy = if plain { copy } else { Word::unknown() };
        self.act_path(Kind::Write, &copy, Certainty::Likely, false);
    }

    /// Runs another command.
    pub(super) fn run(&mut self, words: Vec<Word>, more: bool) {
        self.run_with(words, more, Vec::new(), self.command.input.clone());
    }

    /// Runs another command with variables and an input of its own.
    pub(super) fn run_with(
        &mut self,
        words: Vec<Word>,
        more: bool,
        assigned: Vec<(String, Word)>,
        input: Input,
    ) {
        if words.is_empty() {
            return;
        }
        let command = Command {
            words,
            assigned,
            input,
            folders: self.folders.clone(),
            certainty: self.command.certainty,
        };
        self.acts.runs.push(Inner::Command { command, more });
    }

    /// Runs text that a shell reads.
    pub(super) fn shell(&mut self, text: Word, arguments: Vec<Word>) {
        let folders = self.folders.clone();
        self.acts.runs.push(Inner::Shell {
            text,
            arguments,
            folders,
        });
    }

    /// Tells whether an option is surely given.
    pub(super) fn has(&self, name: &str) -> bool {
        self.reading.has(name)
    }

    /// Tells whether an option is given or may be.
    pub(super) fn may(&self, name: &str) -> bool {
        self.reading.may_have(name)
    }

    /// Returns the operands.
    pub(super) fn words(&self) -> Vec<Word> {
        self.reading
            .operands
            .iter()
            .map(|operand| operand.word.clone())
            .collect()
    }
}

/// A path as it is, or with all that is below it.
fn in_form(object: Object, tree: bool) -> Vec<Object> {
    match object {
        Object::Path(path) => {
            let path: PathBuf = path.components().collect();
            vec![if tree {
                Object::Tree(path)
            } else {
                Object::Path(path)
            }]
        }
        Object::Pattern(pattern) if tree => {
            let below = format!("{}/**", pattern.trim_end_matches('/'));
            vec![Object::Pattern(pattern), Object::Pattern(below)]
        }
        other => vec![other],
    }
}

/// A path of a row; it may begin with `*`.
fn named_by_row(text: &str) -> Option<Word> {
    match text.strip_prefix('*') {
        _ if text.is_empty() => None,
        Some(rest) => Some(Word {
            parts: vec![Part::Glob("*".to_owned()), Part::Text(rest.to_owned())],
        }),
        None => Some(Word::text(text)),
    }
}
