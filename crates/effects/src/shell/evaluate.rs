//! Data that the shell runs as code: arithmetic, subscripts, and variables that decide what runs.

use std::path::PathBuf;
use std::rc::Rc;

use super::state::{ShellState, VariableValue};
use super::syntax::{self, is_name};
use super::tree::{List, Node, ParameterExpansion, RawWord, WordPiece};
use super::walk::Walk;
use crate::effect::{Certainty, Effect, EffectKind};
use crate::places::objects;
use crate::programs::{self, words};
use crate::word::{Part, Word};

/// Whether each word is an option of Node that loads no code.
fn loads_nothing(text: &str) -> bool {
    text.split_whitespace().all(|option| {
        let name = option.split_once('=').map_or(option, |(name, _)| name);
        words::OF_NODE.contains(&name)
    })
}

/// Whether a text is a compiler by its usual name, with another one that it calls and with options for the machine.
fn is_compiler(text: &str) -> bool {
    // It is a line for a shell.
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || " +-._=".contains(letter);
    let is_name = |word: &str| programs::is_one_of(words::COMPILERS, word);
    let is_option = |word: &str| word.starts_with("-m") || word.starts_with("-O");
    let mut rest = text.split_whitespace();
    text.chars().all(is_plain)
        && rest.next().is_some_and(is_name)
        && rest.all(|word| is_name(word) || is_option(word))
}

impl Walk<'_> {
    /// Reads a text as arithmetic, or as a name whose subscript is arithmetic: what its substitutions do.
    pub(super) fn arithmetic(&mut self, raw: &RawWord, state: &mut ShellState) {
        let numeric = std::mem::replace(&mut self.numeric, true);
        let word = self.single(raw, state);
        self.numeric = numeric;
        // An expression that cannot be evaluated ends the shell.
        self.printed.cut_off = true;
        self.evaluated = true;
        self.evaluates(&word, state);
    }

    /// Notes what it does to evaluate a word as arithmetic: the values of the variables in it are evaluated too.
    pub(super) fn evaluates(&mut self, word: &Word, state: &mut ShellState) {
        let Some(text) = word.known().filter(|text| !text.contains(['$', '`'])) else {
            return self.evaluates_unread(word, state);
        };
        let changes = text.contains('=') || text.contains("++") || text.contains("--");
        // Of `i=0` the value before does not count.
        let behind = |name: &str| text.trim_start().strip_prefix(name).map(str::trim_start);
        let is_new = |rest: &str| rest.starts_with('=') && !rest.starts_with("==");
        let begins = |name: &&str| name.starts_with(|letter: char| !letter.is_ascii_digit());
        let names = text.split(|letter| !is_name(letter)).filter(begins);
        for name in names {
            // What the line did not set is the person's own: unknown as a text, but no code of the agent.
            let is_set =
                state.variables.contains_key(name) || self.places.variables.contains_key(name);
            let counts = is_set && !behind(name).is_some_and(is_new);
            let value = state.value(name, self.places);
            match &value {
                _ if !counts || is_number(&value) => {}
                VariableValue::Text(word) => self.evaluates_unread(word, state),
                _ => self.anything("arithmetic of a value that cannot be read"),
            }
            if changes {
                self.hazard(name, &Word::unknown(), &state.folders);
                state.set(name, VariableValue::Text(Word::of("**")));
            }
        }
    }

    /// Notes that a text may do anything as arithmetic, and what the substitutions do that quotes hid from the shell so far.
    fn evaluates_unread(&mut self, word: &Word, state: &mut ShellState) {
        if let Some(Ok(raw)) = word.known().map(syntax::number) {
            self.single(&raw, state);
        }
        self.anything("arithmetic of a text that cannot be read");
    }

    /// Notes what a `PATH` changes for the one command in front of which it stands.
    pub(super) fn path_hazard(&mut self, raw: &RawWord, state: &ShellState) {
        if !self.keeps_programs(raw, state) {
            self.anything("PATH=");
        }
    }

    /// Whether a `PATH` finds the same programs as before: the old value in it is known to be harmless.
    pub(super) fn keeps_programs(&mut self, raw: &RawWord, state: &ShellState) -> bool {
        let home = match state.value("HOME", self.places) {
            VariableValue::Text(home) => home.known().map(|home| format!(":{home}/")),
            _ => None,
        };
        let old = |piece: &WordPiece| match piece {
            WordPiece::Parameter { of, .. }
                if of.name == "PATH"
                    && of.subscript.is_none()
                    && of.what == ParameterExpansion::Value =>
            {
                WordPiece::Quoted("\0".to_owned())
            }
            WordPiece::Command { list, .. } if self.prints_folder(list, state) => {
                WordPiece::Quoted("/usr/local".to_owned())
            }
            // Behind a colon `~` is the home too.
            WordPiece::Bare(text) if !state.is_simple => {
                WordPiece::Bare(text.replace(":~/", home.as_deref().unwrap_or(":~/")))
            }
            other => other.clone(),
        };
        let value = self.single(
            &raw.iter().map(old).collect::<RawWord>(),
            &mut state.clone(),
        );
        self.is_usual_path(&value)
    }

    /// Tells whether a substitution prints a folder of the person: the line has no function of its name, no variable that says
    /// another folder, and wrote no settings before.
    fn prints_folder(&self, list: &List, state: &ShellState) -> bool {
        let [step] = &*list.0 else {
            return false;
        };
        let Node::Simple(simple) = &step.node else {
            return false;
        };
        let words: Option<Vec<&str>> = simple.words.iter().map(syntax::bare).collect();
        let words = words.unwrap_or_default();
        let leads = |name: &String| {
            ["GO", "HOME", "XDG_"]
                .iter()
                .any(|own| name.starts_with(own))
        };
        let sets = |effect: &Effect| matches!(effect.kind, EffectKind::Write | EffectKind::Config);
        words::PRINTS_FOLDER.contains(&&*words.join(" "))
            && step.redirects.is_empty()
            && simple.assigned.is_empty()
            && self.nested == 1
            && state.bin.is_none()
            && !state.variables.keys().any(leads)
            && !state.functions.keys().any(|name| words.contains(&&**name))
            && !self.effects.iter().any(sets)
    }

    /// Tells whether one folder of programs of the project stands in front of the old `PATH`, and notes it: what is looked up
    /// then runs from there, if it is there.
    pub(super) fn leads_to_bin(
        &mut self,
        raw: &RawWord,
        value: &Word,
        state: &mut ShellState,
    ) -> bool {
        let is_old = matches!(raw.last(), Some(WordPiece::Parameter { of, .. }) if of.name == "PATH" && of.what == ParameterExpansion::Value);
        let (folder, rest) = value.head().split_once(':').unwrap_or_default();
        let is_bin = folder.ends_with("/bin") || folder.ends_with("/.bin");
        let folder = crate::places::tidy(folder.as_ref());
        let leads = is_old
            && is_bin
            && rest.is_empty()
            && state.bin.is_none()
            && folder.starts_with(&self.places.project);
        if leads {
            state.bin = Some(Rc::new(folder));
        }
        leads
    }

    /// Notes what setting a variable may change about the programs that run behind it.
    pub(super) fn hazard(&mut self, name: &str, value: &Word, folders: &[PathBuf]) {
        let text = value.known();
        self.files_of_variable(name, value, folders);
        let harmless = match name {
            "PATH" => self.is_usual_path(value),
            _ if words::TOOLS.contains(&name) => value.says(words::QUIET),
            "NODE_OPTIONS" => text.is_some_and(loads_nothing),
            _ if words::HAZARDS.contains(&name) => text.is_some_and(|text| {
                text.is_empty() || words::COMPILING.contains(&name) && is_compiler(text)
            }),
            _ if programs::is_one_of(words::LINES_IN_VARIABLES, name) => {
                let program = text.and_then(|text| text.split(' ').next());
                let is_path = program.is_none_or(|program| program.contains('/'));
                let harmless = !is_path || !self.places.are_near(value, folders);
                let line = text.filter(|text| harmless && !text.is_empty());
                if let Some(line) = line {
                    let state = ShellState::default().child(folders.to_vec(), Vec::new());
                    self.alone(line, &format!("{name}="), state);
                }
                harmless
            }
            _ if words::LEADING_VARIABLES.contains(&name) => {
                let near = |text: &str| self.places.are_near(&Word::text(text), folders);
                text.map_or_else(
                    || !self.places.are_near(value, folders),
                    |text| !text.split(':').any(near),
                )
            }
            _ if words::OF_RUNNERS.contains(&name) => false,
            _ => {
                let has = |mark: &str| {
                    let mut parts = value.parts.iter();
                    parts.any(|part| matches!(part, Part::Text(text) if text.contains(mark)))
                };
                let is_mark = |(of, mark): &(&str, &str)| *of == name && has(mark);
                let begins = |head: &&str| name.starts_with(head);
                !words::MARKS_IN_VARIABLES.iter().any(is_mark)
                    && !words::HAZARD_HEADS.iter().any(begins)
            }
        };
        if !harmless {
            self.anything(&format!("{name}="));
        }
    }

    /// Notes the file that a variable names to the programs that know it.
    fn files_of_variable(&mut self, name: &str, value: &Word, folders: &[PathBuf]) {
        let mut rows = words::FILES_IN_VARIABLES.iter();
        let letters = rows.find_map(|row| row.strip_prefix(name)?.strip_prefix(':'));
        let letters = letters.unwrap_or_default();
        let known = if letters.is_empty() {
            Vec::new()
        } else {
            objects(value, folders)
        };
        for (object, sure) in known {
            let sure = sure.min(Certainty::Likely);
            for (letter, kind) in [('r', EffectKind::Read), ('w', EffectKind::Write)] {
                if letters.contains(letter) && !value.says(&["", "-"]) {
                    self.file(kind, object.clone(), sure, &format!("{name}="));
                }
            }
        }
    }

    /// Whether a `PATH` names folders of programs outside of the project only, before or behind the old one.
    fn is_usual_path(&self, value: &Word) -> bool {
        let project = self.places.project.to_string_lossy();
        // A NUL stands for the old value: no line has one.
        let Some(text) = value.known() else {
            return false;
        };
        let near = [&*project, "/tmp", "/var/tmp", "/dev"];
        text.split(':').all(|folder| {
            let own = near
                .iter()
                .any(|near| !near.is_empty() && folder.starts_with(near));
            let usual = ["/bin", "/sbin", "/shims"];
            let usual = usual.iter().any(|end| folder.ends_with(end));
            let plain = folder.starts_with('/') && !folder.contains('\0') && !folder.contains("..");
            folder == "\0" || (plain && usual && !own)
        })
    }
}

/// Whether a value is a number, or a text without a name in it.
fn is_number(value: &VariableValue) -> bool {
    let is_code =
        |letter: char| is_name(letter) && !letter.is_ascii_digit() || "$`".contains(letter);
    match value {
        VariableValue::Unset => true,
        VariableValue::Text(word) => word.parts.iter().all(|part| match part {
            Part::Text(text) => !text.contains(is_code),
            part => matches!(part, Part::Of(_)),
        }),
        VariableValue::List(_) | VariableValue::Names(_) | VariableValue::Unknown => false,
    }
}
