//! Data that the shell runs as code: arithmetic, subscripts, and variables that decide what runs.

use std::rc::Rc;

use super::state::{State, Value};
use super::syntax::{self, is_name};
use super::tree::{Piece, Raw, What};
use super::walk::Walk;
use crate::programs::words;
use crate::word::{Part, Word};

/// How often the value of a variable may name another one.
const DEPTH: usize = 4;

/// Whether each word is an option of Node that loads no code.
fn loads_nothing(text: &str) -> bool {
    text.split_whitespace().all(|option| {
        let name = option.split_once('=').map_or(option, |(name, _)| name);
        words::OF_NODE.contains(&name)
    })
}

/// What an arithmetic text does with a variable that it names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Read,
    /// It gets a new value, whatever it had.
    Set,
    /// It gets a new value made of the old one.
    Change,
}

/// Operators that change what stands in front of them.
const CHANGES: &[&str] = &[
    "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=",
];

/// The names in an arithmetic text, in order.
fn names_in(text: &str) -> Vec<(&str, Use)> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(is_name) {
        let (before, from) = rest.split_at(at);
        let end = from.find(|letter: char| !is_name(letter));
        let (name, behind) = from.split_at(end.unwrap_or(from.len()));
        let (before, next) = (before.trim_end(), behind.trim_start());
        let is_changed = CHANGES.iter().any(|change| next.starts_with(change))
            || ["++", "--"].iter().any(|change| before.ends_with(change));
        let is_set = next.starts_with('=') && !next.starts_with("==");
        let used = match (is_set, is_changed) {
            (true, _) => Use::Set,
            (false, true) => Use::Change,
            (false, false) => Use::Read,
        };
        if name.starts_with(|letter: char| !letter.is_ascii_digit()) {
            names.push((name, used));
        }
        rest = behind;
    }
    names
}

impl Walk<'_> {
    /// Reads a text as arithmetic, or as a name whose subscript is arithmetic: what its substitutions do.
    pub(super) fn arithmetic(&mut self, raw: &Raw, state: &mut State) {
        let numeric = std::mem::replace(&mut self.numeric, true);
        let word = self.single(raw, state);
        self.numeric = numeric;
        self.evaluates(&word, state);
    }

    /// Notes what it does to evaluate a word as arithmetic.
    pub(super) fn evaluates(&mut self, word: &Word, state: &mut State) {
        self.evaluated(word, state, 0);
    }

    /// Notes what it does to evaluate the value of a variable.
    pub(super) fn evaluates_value(&mut self, value: &Value, state: &mut State) {
        self.evaluated_value(value, state, 0);
    }

    fn evaluated_value(&mut self, value: &Value, state: &mut State, depth: usize) {
        match value {
            Value::Text(word) => self.evaluated(word, state, depth),
            Value::List(words) => {
                for word in words {
                    self.evaluated(word, state, depth);
                }
            }
            Value::Unknown => self.anything("arithmetic of a value that cannot be read"),
            Value::Number | Value::Unset => {}
        }
    }

    fn evaluated(&mut self, word: &Word, state: &mut State, depth: usize) {
        let text: String = word.parts.iter().map(letters).collect();
        if word.parts.iter().any(|part| !matches!(part, Part::Text(_))) || depth > DEPTH {
            return self.anything("arithmetic of a text that cannot be read");
        }
        if !text.contains(['$', '`']) {
            return self.names(&text, state, depth);
        }
        // What quotes hid from the shell so far is filled in now.
        match syntax::number(&text) {
            Ok(raw) => {
                let numeric = std::mem::replace(&mut self.numeric, true);
                let word = self.single(&raw, state);
                self.numeric = numeric;
                match word.known() {
                    Some(text) if !text.contains(['$', '`']) => self.names(&text, state, depth),
                    _ => self.anything("arithmetic of a text that cannot be read"),
                }
            }
            Err(_) => self.anything("arithmetic of a text that cannot be read"),
        }
    }

    /// Looks at the variables of an arithmetic text: their values are evaluated too.
    fn names(&mut self, text: &str, state: &mut State, depth: usize) {
        for (name, used) in names_in(text) {
            let is_known =
                state.variables.contains_key(name) || self.places.variables.contains_key(name);
            // What the line did not set is the person's own: unknown as a text, but no code of the agent.
            if is_known && used != Use::Set {
                let value = state.value(name, self.places);
                self.evaluated_value(&value, state, depth + 1);
            }
            if used != Use::Read {
                state.set(name, Value::Number);
            }
        }
    }

    /// Notes what a `PATH` changes for the one command in front of which it stands.
    pub(super) fn path_hazard(&mut self, raw: &Raw, state: &State) {
        if !self.keeps_programs(raw, state) {
            self.anything("PATH=");
        }
    }

    /// Whether a `PATH` finds the same programs as before: the old value in it is known to be harmless.
    pub(super) fn keeps_programs(&mut self, raw: &Raw, state: &State) -> bool {
        let old = |piece: &Piece| match piece {
            Piece::Parameter { of, .. }
                if of.name == "PATH" && of.subscript.is_none() && of.what == What::Value =>
            {
                Piece::Quoted("\0".to_owned())
            }
            other => other.clone(),
        };
        let value = self.single(&raw.iter().map(old).collect::<Raw>(), &mut state.clone());
        self.is_usual_path(&value)
    }

    /// Tells whether one folder of programs of the project stands in front of the old `PATH`, and notes it: what is looked up
    /// then runs from there, if it is there.
    pub(super) fn leads_to_bin(&mut self, raw: &Raw, value: &Word, state: &mut State) -> bool {
        let is_old = matches!(raw.last(), Some(Piece::Parameter { of, .. }) if of.name == "PATH" && of.what == What::Value);
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
    pub(super) fn hazard(&mut self, name: &str, value: &Word) {
        let text = value.known();
        let harmless = match name {
            "PATH" => self.is_usual_path(value),
            _ if words::TOOLS.contains(&name) => {
                text.is_some_and(|text| words::QUIET.contains(&&*text))
            }
            "NODE_OPTIONS" => text.is_some_and(|text| loads_nothing(&text)),
            _ if words::HAZARDS.contains(&name) => text.is_some_and(|text| text.is_empty()),
            _ if words::OF_RUNNERS.contains(&name) => false,
            _ => {
                !name.starts_with("LD_")
                    && !name.starts_with("DYLD_")
                    && !name.starts_with("BASH_FUNC_")
                    && !name.starts_with("GIT_CONFIG")
                    && !name.starts_with("npm_config_")
            }
        };
        if !harmless {
            self.anything(&format!("{name}="));
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

/// The letters of a part.
fn letters(part: &Part) -> &str {
    match part {
        Part::Text(text) | Part::Glob(text) => text,
        Part::Unknown | Part::Split => "",
    }
}
