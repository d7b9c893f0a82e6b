//! One command with its row: reads the letters of the row.

use std::path::PathBuf;

use crate::command::{
    ContainerMount, Input, NestedCommand, OutputShape, PrintedNames, ProgramEffects, ShellCommand,
};
use crate::effect::Certainty::{self, Exact, Likely};
use crate::effect::{Effect, EffectKind, Push, Target};
use crate::options::{OptionArity, ParsedArguments, ParsedOption};
use crate::places::{Places, is_plain, objects, path_of};
use crate::word::Word;

use super::{Program, ResolvedCommand, VerbLookup, words};

/// A command that is being played by its row.
#[derive(Debug)]
pub struct Call<'a> {
    pub(super) command: &'a ShellCommand,
    pub(super) places: &'a Places,
    pub(super) row: &'static Program,
    outer: Vec<&'static Program>,
    /// The program and its verbs, for `through`.
    pub(super) name: String,
    /// Options in front of the verb.
    pub(super) above: ParsedArguments,
    pub(super) reading: ParsedArguments,
    pub(super) verb: VerbLookup,
    /// The folders it runs in, after options such as `-C`.
    pub(super) folders: Vec<PathBuf>,
    pub(super) acts: ProgramEffects,
    /// Whether it surely runs code that is not read here.
    pub(super) opaque: bool,
}

/// Letters by which an option says what happens to operands.
pub(super) const TELLING: &str = "rRwWdDmY";

impl<'a> Call<'a> {
    pub(super) fn new(
        command: &'a ShellCommand,
        places: &'a Places,
        row: &'static Program,
        called: ResolvedCommand,
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
            acts: ProgramEffects::default(),
            opaque: false,
        }
    }

    /// Plays the row: its options, its operands, what it does anyway, and its function.
    pub(super) fn play(&mut self) {
        let given = self.above.given.iter().chain(&self.reading.given);
        let given: Vec<ParsedOption> = given.cloned().collect();
        for given in &given {
            if given.option.of_value.contains('/') {
                self.goes_to(given.value.as_ref().filter(|_| given.sure));
            }
        }
        for function in self.outer.clone().iter().filter_map(|outer| outer.function) {
            function(self);
        }
        for given in &given {
            self.option(given);
        }
        match self.verb {
            VerbLookup::Unreadable => self.anything(),
            VerbLookup::Unlisted => self.opaque = true,
            VerbLookup::Known | VerbLookup::Missing => {}
        }
        let is_idle = |given: &ParsedOption| {
            given.sure && given.value.is_none() && given.option.of_flag.contains('0')
        };
        // A dry run of a program that runs code or connects does so all the same.
        if self.reading.given.iter().any(is_idle) {
            self.always("xn");
        } else {
            if !self.row.has_verbs() {
                self.operands();
            }
            self.always("");
        }
        if let Some(function) = self.row.function {
            function(self);
        }
    }

    /// Returns what was found, the program itself first.
    pub(super) fn finish(mut self) -> ProgramEffects {
        let (own, sure) = (program(self.command, self.opaque), self.command.certainty);
        let own = Effect::new(EffectKind::Exec, own, sure, &*self.name);
        self.acts.effects.insert(0, own);
        self.acts
    }

    /// Goes on in another folder.
    pub(super) fn goes_to(&mut self, folder: Option<&Word>) {
        let folder = folder.and_then(Word::known);
        let bases = self.folders.iter();
        self.folders = match folder {
            Some(folder) if folder.starts_with('/') => vec![PathBuf::from(folder)],
            Some(folder) => bases.map(|base| base.join(&*folder)).collect(),
            None => Vec::new(),
        };
    }

    fn option(&mut self, given: &ParsedOption) {
        let option = given.option;
        let has_value = option.value != OptionArity::Joined || given.value.is_some() || !given.sure;
        let through = format!("{} {}", self.name, option.written());
        self.by_name(through, |call| {
            for letter in option.of_value.chars().filter(|_| has_value) {
                call.letter(letter, given.value.as_ref(), given.certainty());
            }
            let own = |letter: &char| !TELLING.contains(*letter);
            for letter in option.of_flag.chars().filter(own) {
                call.letter(letter, None, given.certainty());
            }
        });
    }

    /// Does something by another name: that is what it is done through.
    pub(super) fn by_name(&mut self, name: String, act: impl FnOnce(&mut Self)) {
        let own = std::mem::replace(&mut self.name, name);
        act(self);
        self.name = own;
    }

    /// Does what the row does in any case, of `only` letters if there are some; and what it does on a condition.
    fn always(&mut self, only: &str) {
        for deed in self.row.does {
            if !self.meets(deed.when) {
                continue;
            }
            let word = named_by_row(deed.text);
            let all = only.is_empty() || !deed.when.is_empty();
            let wanted = |letter: &char| all || only.contains(*letter);
            for letter in deed.letters.chars().filter(wanted) {
                let sure = match letter {
                    _ if deed.perhaps => Certainty::Unknown,
                    letter if "xkpPgXbtA".contains(letter) => Exact,
                    _ => Likely,
                };
                self.letter(letter, word.as_ref(), sure);
            }
        }
    }

    /// Tells whether a condition of a row holds: one of its options is given or may be, or with a `!` none is surely.
    fn meets(&self, when: &str) -> bool {
        let names = when.trim_start_matches('!');
        let denies = names.len() < when.len();
        let mut operands = self.reading.operands.iter().map(|one| one.word.head());
        let is_one = |name: &str| match name {
            "" => true,
            "*" => operands.len() > 0,
            "+" => operands.any(|head| head.starts_with('+')),
            "<" => self.command.input != Input::Inherited,
            name if denies => self.has(name),
            name => self.may(name),
        };
        names.split(' ').any(is_one) != denies
    }

    /// Does what a letter of the table says to a word.
    pub(super) fn letter(&mut self, letter: char, word: Option<&Word>, sure: Certainty) {
        let unknown = Word::unknown();
        let target = word.unwrap_or(&unknown);
        match letter {
            'r' | 'R' => {
                self.act_path(EffectKind::Read, target, sure, letter == 'R');
                self.asks(target, sure);
            }
            'w' | 'W' => self.act_path(EffectKind::Write, target, sure, letter == 'W'),
            'd' | 'D' => self.act_path(EffectKind::Delete, target, sure, letter == 'D'),
            'Y' => self.act_path(EffectKind::Discard, target, sure, true),
            'u' => self.letters("rw", word, sure),
            'm' => self.letters("RD", word, sure),
            's' => self.settings(target, sure),
            'n' if word.is_none() => self.effect(EffectKind::Net, Target::Unknown, sure),
            'n' => self.connect(target, sure),
            'N' => self.remote('R', target, sure),
            'M' => self.remote('W', target, sure),
            'a' => self.sent(target, sure),
            'l' if target.head().starts_with('@') => {
                self.letter('r', Some(&target.without(1)), sure);
            }
            'f' | 'F' | 'c' | 'e' | 'q' | 'x' if sure == Certainty::Unknown => self.may_run_code(),
            'f' | 'F' => self.script(target, letter == 'F', Vec::new()),
            'c' => self.shell(target.clone(), Vec::new()),
            'q' => self.quoted(target),
            'e' => self.code(self.row.name(), target.clone()),
            'x' => {
                self.opaque = true;
                if let Some(file) = word {
                    self.loads(file);
                }
            }
            'A' => self.anything(),
            'k' if word.is_none() => self.on(EffectKind::Config, self.name.clone(), sure),
            'k' => self.named(EffectKind::Config, word, sure),
            'p' => {
                self.named(EffectKind::Install, word, sure);
                self.asks(target, sure);
            }
            'P' => self.named(EffectKind::Publish, word, sure),
            'g' => self.named(EffectKind::Signal, word, sure),
            'B' => self.effect(EffectKind::Push, Target::Push(Push::default()), sure),
            'b' => super::git::commits(self, sure),
            't' => super::git::writes_tree(self, sure),
            'X' => super::git::discards(self, sure),
            _ => {}
        }
    }

    fn letters(&mut self, letters: &str, word: Option<&Word>, sure: Certainty) {
        for letter in letters.chars() {
            self.letter(letter, word, sure);
        }
    }

    /// Does what letters say to a word, surely.
    pub(super) fn does(&mut self, letters: &str, word: &Word) {
        self.letters(letters, Some(word), Exact);
    }

    /// Does what letters say to a word, likely.
    pub(super) fn likely(&mut self, letters: &str, word: &Word) {
        self.letters(letters, Some(word), Likely);
    }

    /// May do what letters say, to anything.
    pub(super) fn unknown(&mut self, letters: &str) {
        self.letters(letters, None, Certainty::Unknown);
    }

    /// Notes an effect.
    pub(super) fn effect(&mut self, kind: EffectKind, object: Target, sure: Certainty) {
        let sure = sure.min(self.command.certainty);
        let effect = Effect::new(kind, object, sure, &*self.name);
        self.acts.note(effect);
    }

    /// Notes what happens to a path, or to all that a word may name.
    pub(super) fn act_path(&mut self, kind: EffectKind, word: &Word, sure: Certainty, tree: bool) {
        // A name without a letter is none.
        if kind != EffectKind::Delete && word.says(words::STREAMS) || word.parts.is_empty() {
            return;
        }
        for (object, known) in objects(word, &self.folders) {
            let sure = sure.min(known);
            match object {
                Target::Path(path) => {
                    let path: PathBuf = path.components().collect();
                    let form = if tree { Target::Tree } else { Target::Path };
                    self.effect(kind, form(path), sure);
                }
                Target::Pattern(pattern) if tree => {
                    let below = format!("{}/**", pattern.trim_end_matches('/'));
                    self.effect(kind, Target::Pattern(pattern), sure);
                    self.effect(kind, Target::Pattern(below), sure);
                }
                other => self.effect(kind, other, sure),
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
        let seen = folders.iter().map(|word| path_of(word, &self.folders));
        let below: Option<Vec<PathBuf>> = seen.collect();
        self.acts.shape = below.map(|below| {
            OutputShape::Names(PrintedNames {
                zeros: self.ends_with_zeros(),
                below,
                ..PrintedNames::of(names, &self.folders)
            })
        });
    }

    /// Notes that it prints words which need no look at the disk, each of which stands for many, and nothing else.
    pub(super) fn prints_words(&mut self, names: Vec<Word>) {
        if self.command.assigned.is_empty() && !names.is_empty() {
            self.acts.shape = Some(OutputShape::Names(PrintedNames::of(names, &self.folders)));
        }
    }

    /// Tells whether a word of the command may ask for a NUL behind each name.
    pub(super) fn ends_with_zeros(&self) -> bool {
        self.command.words.iter().skip(1).any(|word| {
            let short = |text: &str| {
                text.starts_with('-') && !text.starts_with("--") && text.contains(['0', 'z', 'Z'])
            };
            word.known()
                .is_none_or(|text| short(text) || text.starts_with("--null"))
        })
    }

    /// Notes an effect on something that has a name.
    pub(super) fn named(&mut self, kind: EffectKind, word: Option<&Word>, sure: Certainty) {
        match word.map(Word::known) {
            Some(Some(text)) => self.effect(kind, Target::Name(text.to_owned()), sure),
            Some(None) => self.effect(kind, Target::Unknown, Certainty::Unknown),
            None => self.effect(kind, Target::Unknown, sure),
        }
    }

    /// Notes an effect on something of this name.
    pub(super) fn on(&mut self, kind: EffectKind, name: impl Into<String>, sure: Certainty) {
        self.effect(kind, Target::Name(name.into()), sure);
    }

    /// Notes a connection to the machine of a URL.
    pub(super) fn connect(&mut self, word: &Word, sure: Certainty) {
        match crate::hosts::host_of(word) {
            Some(host) => self.effect(EffectKind::Net, Target::Host(host), sure),
            None => self.effect(EffectKind::Net, Target::Unknown, Certainty::Unknown),
        }
    }

    /// Notes the machine of what is written as a URL.
    fn asks(&mut self, word: &Word, sure: Certainty) {
        let (scheme, _) = word.head().split_once("://").unwrap_or_default();
        let scheme = scheme.rsplit('+').next().unwrap_or_default();
        if ["http", "https", "ftp"].contains(&scheme) {
            self.connect(word, sure);
        }
    }

    /// Reads settings that may name programs. Whose file an agent may have made may do anything.
    fn settings(&mut self, file: &Word, sure: Certainty) {
        self.letter('r', Some(file), sure);
        if self.places.are_near(file, &self.folders) {
            self.anything();
        }
    }

    fn remote(&mut self, letter: char, word: &Word, sure: Certainty) {
        let is_remote = super::net::is_remote(word);
        if is_remote != Some(false) {
            self.connect(word, sure);
        }
        if is_remote != Some(true) {
            self.letter(letter, Some(word), sure);
        }
    }

    /// A value that begins with `@`, or holds `=@` or `=<`, is a file that is sent.
    fn sent(&mut self, value: &Word, sure: Certainty) {
        let head = value.head();
        if value.known().is_none() && head.is_empty() {
            self.unknown("r");
            return;
        }
        let is_name = |name: &str| {
            name.chars()
                .all(|letter| letter.is_alphanumeric() || letter == '_')
        };
        let behind = |mark: &str| head.find(mark).map(|at| at + mark.len());
        let at = match head.split_once('@') {
            Some(("", _)) => Some(1),
            Some((name, _)) if is_name(name) => Some(name.len() + 1),
            _ => behind("=@").into_iter().chain(behind("=<")).min(),
        };
        if let Some(at) = at {
            let file = value.without(at);
            let text = file
                .known()
                .map(|text| Word::text(text.split(';').next().unwrap_or_default()));
            self.letter('r', Some(&text.unwrap_or(file)), sure);
        }
    }

    /// Notes that unread code may run because a word cannot be read.
    pub(super) fn may_run_code(&mut self) {
        self.effect(
            EffectKind::Exec,
            program(self.command, true),
            Certainty::Likely,
        );
    }

    /// Notes that anything may happen.
    pub(super) fn anything(&mut self) {
        for effect in Effect::anything(&self.name) {
            self.acts.note(effect);
        }
    }

    /// Notes the copy that an edit in place leaves beside the file: `sed -i.bak`.
    pub(super) fn keeps_copy(&mut self, file: &Word, suffix: Option<&Word>) {
        let Some(suffix) = suffix.filter(|suffix| !suffix.parts.is_empty()) else {
            return;
        };
        // A `*` in it stands for the name, and a `/` for another folder.
        let text = suffix.known();
        let copy = text.filter(|text| !text.contains(['*', '/']));
        let copy = copy.map(|_| Word::joined(&[file, suffix]));
        let copy = copy.unwrap_or_else(Word::unknown);
        // Another name than that of the file that is edited.
        self.by_name(format!("backup by {}", self.name), |call| {
            call.likely("w", &copy);
        });
    }

    /// Runs a script in a file.
    pub(super) fn script(&mut self, file: &Word, shell: bool, arguments: Vec<Word>) {
        self.does("r", file);
        self.acts.runs.push(NestedCommand::File {
            file: file.clone(),
            shell,
            arguments,
            folders: self.folders.clone(),
        });
    }

    /// Runs code of a language.
    pub(super) fn code(&mut self, language: &'static str, text: Word) {
        self.acts.runs.push(NestedCommand::Code {
            language,
            text,
            folders: self.folders.clone(),
        });
    }

    /// Runs text that a shell reads.
    pub(super) fn shell(&mut self, text: Word, arguments: Vec<Word>) {
        let folders = self.folders.clone();
        self.acts.runs.push(NestedCommand::Shell {
            text,
            arguments,
            folders,
        });
    }

    /// Runs something on another machine or in a container.
    pub(super) fn elsewhere(&mut self, inner: NestedCommand, mounts: Vec<ContainerMount>) {
        let inner = Box::new(inner);
        self.acts
            .runs
            .push(NestedCommand::Elsewhere { inner, mounts });
    }

    /// Loads a file as code: what the line wrote there, or hands in, is as good as code in the line.
    pub(super) fn loads(&mut self, file: &Word) {
        let is_data = file.head().to_ascii_lowercase().starts_with("data:");
        if is_data || file.says(&["-"]) || super::is_input(file) {
            return self.anything();
        }
        let folders = self.folders.clone();
        let file = file.clone();
        self.acts.runs.push(NestedCommand::Loaded { file, folders });
    }

    /// Runs the lines for a shell that stand in text of another language, the rest of which is not read.
    fn quoted(&mut self, text: &Word) {
        const MACHINES: &[&str] = &["target remote ", "target extended-remote "];
        const MARKS: &[&str] = &["!", "r !", "w !", "shell ", "spawn ", "exec ", "make "];
        const CODE: &[&str] = &[
            "python", "py ", "pi ", "pipe ", "|", "guile", "source ", "script",
        ];
        self.opaque = true;
        let text = text.known().unwrap_or_default();
        let ends = text.match_indices([';', '|', '\n']).map(|(at, _)| at + 1);
        for at in std::iter::once(0).chain(ends) {
            let rest = text.get(at..).unwrap_or_default();
            let rest = rest.trim_start_matches([' ', ':', '%']);
            if let Some(line) = MARKS.iter().find_map(|mark| rest.strip_prefix(mark)) {
                self.shell(Word::text(line), Vec::new());
            }
            if CODE.iter().any(|mark| rest.starts_with(mark)) {
                self.anything();
            }
            if let Some(machine) = MACHINES.iter().find_map(|mark| rest.strip_prefix(mark)) {
                self.does("n", &Word::text(machine.trim()));
            }
        }
    }

    /// Runs another command.
    pub(super) fn run(&mut self, words: Vec<Word>) {
        self.run_as(ShellCommand {
            assigned: Vec::new(),
            ..self.command.with(words)
        });
    }

    /// Runs another command with variables, an input and a certainty of its own.
    pub(super) fn run_as(&mut self, command: ShellCommand) {
        if !command.words.is_empty() {
            let folders = self.folders.clone();
            let branch = command.branch.filter(|_| folders == self.command.folders);
            self.acts.runs.push(NestedCommand::Command(ShellCommand {
                folders,
                branch,
                ..command
            }));
        }
    }

    /// Tells whether one of these options is surely given.
    pub(super) fn has(&self, names: &str) -> bool {
        names.split(' ').any(|name| self.reading.has(name))
    }

    /// Tells whether one of these options is given or may be.
    pub(super) fn may(&self, names: &str) -> bool {
        names.split(' ').any(|name| self.reading.may_have(name))
    }

    /// Tells whether no option but these is given, as far as all of them can be read.
    pub(super) fn has_only(&self, names: &[&str]) -> bool {
        let is_one = |given: &ParsedOption| {
            given.sure && given.option.names.iter().any(|name| names.contains(name))
        };
        let reading = &self.reading;
        reading.given.iter().all(is_one) && reading.unlisted.is_empty() && !reading.unreadable
    }

    /// Returns the values of these options.
    pub(super) fn values(&self, names: &str) -> Vec<Word> {
        let values = names.split(' ').flat_map(|name| self.reading.values(name));
        values.cloned().collect()
    }

    /// Returns the operands.
    pub(super) fn words(&self) -> Vec<Word> {
        let operands = self.reading.operands.iter();
        operands.map(|operand| operand.word.clone()).collect()
    }

    /// Returns all words of the command from a place on.
    pub(super) fn words_from(&self, at: usize) -> Vec<Word> {
        self.command.words.get(at..).unwrap_or_default().to_vec()
    }

    /// Returns the place of the `--` that ends the options.
    pub(super) fn end_of_options(&self) -> Option<usize> {
        let mut words = self.command.words.iter();
        words.position(|word| word.says(&["--"]))
    }

    /// Returns all words from the first operand on.
    pub(super) fn rest(&self) -> Vec<Word> {
        let first = self.reading.operands.first();
        first.map_or(Vec::new(), |first| self.words_from(first.at))
    }
}

/// Returns the program of a command with its arguments, as far as they are known.
pub(super) fn program(command: &ShellCommand, opaque: bool) -> Target {
    let first = command.words.first();
    let known = |word: &Word| Some(word.known()?.to_owned());
    Target::Program {
        name: first.map(super::last_name).unwrap_or_default(),
        arguments: command.words.iter().skip(1).map(known).collect(),
        opaque,
    }
}

/// A path of a row; it may begin with `*`.
fn named_by_row(text: &str) -> Option<Word> {
    match text.strip_prefix('*') {
        _ if text.is_empty() => None,
        Some(rest) => Some(Word::joined(&[
            &Word::default().with_pattern("*"),
            &Word::text(rest),
        ])),
        None => Some(Word::text(text)),
    }
}
