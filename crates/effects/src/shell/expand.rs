//! Expansion of words, as far as their values are known.

use std::rc::Rc;

use super::braces;
use super::fields::{FieldBuilder, globs, split};
use super::pattern;
use super::state::{ShellState, VariableValue};
use super::syntax::{is_name, is_whole, only};
use super::tree::{Node, Parameter, ParameterExpansion, RawWord, WordPiece};
use super::walk::Walk;
use crate::command::OutputShape;
use crate::word::{Part, Word};

impl Walk<'_> {
    /// The words that a word becomes.
    pub(super) fn fields(&mut self, raw: &[WordPiece], state: &mut ShellState) -> Vec<Word> {
        let mut fields = FieldBuilder::default();
        if braces::are_in(raw) {
            // Where braces may be letters, it is one word or many, and each command may mean another thing.
            let is_same = |words: &Vec<RawWord>| !state.is_simple || *words == [raw.to_vec()];
            let Some(words) = braces::expand(raw).filter(is_same) else {
                return vec![Word::split()];
            };
            for word in &words {
                self.fill(word, state, &mut fields, true);
                fields.end();
            }
        } else {
            self.fill(raw, state, &mut fields, true);
            fields.end();
        }
        let parts = fields.done.iter_mut().flat_map(|word| &mut word.parts);
        for part in parts.filter(|part| **part == Part::Of("**")) {
            *part = Part::Unknown;
        }
        self.spend(fields.done.iter().map(size).sum());
        // `*` is also each file whose name begins like an option, if there is one.
        let begins = |word: &Word| matches!(word.parts.first(), Some(Part::Glob(_)));
        if fields.done.iter().any(begins) && self.has_plain_names(&state.folders, false) {
            for word in fields.done.iter_mut().filter(|word| begins(word)) {
                word.parts.insert(0, Part::Text(String::new()));
            }
        }
        fields.done
    }

    /// One word, never split and without patterns: what is assigned, `case` words, here-documents.
    pub(super) fn single(&mut self, raw: &[WordPiece], state: &mut ShellState) -> Word {
        let mut fields = FieldBuilder::default();
        self.fill(raw, state, &mut fields, false);
        fields.end();
        let mut words = fields.done.into_iter();
        let word = match (words.next(), words.next()) {
            (word, None) => word.unwrap_or_default(),
            _ => Word::unknown(),
        };
        self.spend(size(&word));
        word
    }

    /// The value of an assignment.
    pub(super) fn valued(&mut self, raw: &[WordPiece], state: &mut ShellState) -> VariableValue {
        if let Some(WordPiece::Command { list, .. }) = only(raw) {
            let printed = self.substitution(list, state);
            let (value, shape) = self.value_of(printed);
            if let VariableValue::Text(word) = &value {
                self.spend(size(word));
            }
            // The status of one command alone is that of the assignment.
            let is_alone = matches!(&*list.0, [step] if matches!(step.node, Node::Simple(_)) && !step.negated && !step.background);
            match shape {
                Some(OutputShape::Word(word)) if is_alone => self.made = Some(word),
                Some(OutputShape::Names(lists)) if !lists.zeros => {
                    let names = self.found(Some(OutputShape::Names(lists)), &state.folders);
                    if !names.is_empty() {
                        return VariableValue::Names(names);
                    }
                }
                _ => {}
            }
            return value;
        }
        VariableValue::Text(self.single(raw, state))
    }

    fn fill(
        &mut self,
        raw: &[WordPiece],
        state: &mut ShellState,
        fields: &mut FieldBuilder,
        splits: bool,
    ) {
        for (at, piece) in raw.iter().enumerate() {
            match piece {
                WordPiece::Bare(text) => {
                    let alone = raw.len() == at + 1;
                    let text = match at {
                        0 => self.home_of(text, alone, state, fields),
                        _ => Some(text.as_str()),
                    };
                    let rest = raw.get(at + 1..).unwrap_or_default();
                    let closes = rest.iter().any(closes);
                    match text {
                        Some(text) if splits => globs(text, closes, fields),
                        Some(text) => fields.text(text),
                        None => {}
                    }
                }
                WordPiece::Quoted(text) => {
                    fields.there = true;
                    fields.text(text);
                }
                WordPiece::Ansi(text) => {
                    fields.there = true;
                    // A shell that knows less takes the `$` for a letter.
                    if state.is_simple {
                        fields.part(Part::Unknown);
                    } else {
                        fields.text(text);
                    }
                }
                WordPiece::Pattern(pattern) => fields.part(Part::Glob(pattern.clone())),
                WordPiece::Command { list, quoted } => {
                    let is_word = splits && only(raw).is_some() && splits_at_blanks(state);
                    let quoted = *quoted || !splits;
                    let filled = self.names.filled;
                    let printed = self.substitution(list, state);
                    let (value, shape) = self.value_of(printed);
                    // In quotes several lines are one word.
                    let is_split = |shape: &OutputShape| match shape {
                        OutputShape::Names(all) => !all.zeros && (!quoted || all.below.is_empty()),
                        _ => false,
                    };
                    let shape = shape.filter(|shape| is_word && is_split(shape));
                    let names = self.found(shape, &state.folders);
                    if names.is_empty() {
                        self.put(&value, quoted, state, fields);
                    } else {
                        fields.there = false;
                    }
                    self.names.filled = filled || !names.is_empty();
                    fields.done.extend(names);
                }
                WordPiece::Arithmetic { text, quoted } => {
                    self.arithmetic(text, state);
                    let number = VariableValue::Text(Word::of("**"));
                    self.put(&number, *quoted || !splits, state, fields);
                }
                WordPiece::Parameter { of, quoted } => {
                    let is_word = splits && !quoted && raw.len() == 1 && splits_at_blanks(state);
                    match self.names_in(of, state).filter(|_| is_word) {
                        Some(names) => {
                            self.names.filled = true;
                            fields.done.extend(names);
                        }
                        None => self.parameter(of, *quoted || !splits, state, fields),
                    }
                }
                WordPiece::Process { list, input } => {
                    let path = self.process(list, *input, state);
                    fields.text(&path);
                }
            }
        }
    }

    /// The names that a variable holds, where it stands as it is.
    pub(super) fn names_in(&self, of: &Parameter, state: &ShellState) -> Option<Vec<Word>> {
        let is_value = of.what == ParameterExpansion::Value && of.subscript.is_none();
        match state.value(&of.name, self.places) {
            VariableValue::Names(names) if is_value => Some(names),
            _ => None,
        }
    }

    /// Fills in a `~` at the beginning of a word, or of a value as in `of=~/x`, and returns the text behind it.
    fn home_of<'t>(
        &mut self,
        text: &'t str,
        alone: bool,
        state: &ShellState,
        fields: &mut FieldBuilder,
    ) -> Option<&'t str> {
        let is_value = text
            .split_once('=')
            .is_some_and(|(name, _)| !name.is_empty() && name.chars().all(is_name));
        if is_value && text.contains(":~") {
            // A list of folders: the later ones are filled in too.
            self.put(&VariableValue::Unknown, true, state, fields);
            return None;
        }
        match text.split_once('=') {
            Some((name, value))
                if value.starts_with('~') && !name.is_empty() && name.chars().all(is_name) =>
            {
                fields.text(name);
                fields.text("=");
                self.tilde(value, alone, state, fields)
            }
            _ => self.tilde(text, alone, state, fields),
        }
    }

    /// Fills in a `~` at the beginning of a word, and returns the text behind it.
    fn tilde<'t>(
        &mut self,
        text: &'t str,
        alone: bool,
        state: &ShellState,
        fields: &mut FieldBuilder,
    ) -> Option<&'t str> {
        let Some(behind) = text.strip_prefix('~') else {
            return Some(text);
        };
        let (who, rest) = behind.split_at_checked(behind.find('/').unwrap_or(behind.len()))?;
        if rest.is_empty() && !alone {
            // `~"x"` stays as it is.
            return Some(text);
        }
        let value = match who {
            "" => state.value("HOME", self.places),
            "+" => state.value("PWD", self.places),
            "-" => state.value("OLDPWD", self.places),
            _ => VariableValue::Unknown,
        };
        self.put(&value, true, state, fields);
        fields.there = true;
        Some(rest)
    }

    /// Puts a value into the word, in quotes or not.
    fn put(
        &mut self,
        value: &VariableValue,
        quoted: bool,
        state: &ShellState,
        fields: &mut FieldBuilder,
    ) {
        fields.there |= quoted;
        let word = match value {
            VariableValue::Text(word) => word,
            VariableValue::List(words) => match words.first() {
                Some(word) => word,
                None => return,
            },
            VariableValue::Unset => return,
            VariableValue::Names(_) | VariableValue::Unknown => {
                return fields.part(if quoted { Part::Unknown } else { Part::Split });
            }
        };
        let is_usual = splits_at_blanks(state);
        for part in &word.parts {
            match part {
                Part::Of(_) if self.numeric => fields.text("0"),
                _ if quoted => fields.part(part.clone()),
                Part::Text(text) if text.is_empty() => fields.part(part.clone()),
                Part::Of(_) if is_usual => fields.part(part.clone()),
                Part::Text(text) if is_usual => split(text, fields),
                // It stands for names that were there before the line.
                Part::Glob(_) if is_usual && !self.makes_odd_names() => {
                    fields.part(part.clone());
                }
                _ => fields.part(Part::Split),
            }
        }
    }

    fn parameter(
        &mut self,
        of: &Parameter,
        quoted: bool,
        state: &mut ShellState,
        fields: &mut FieldBuilder,
    ) {
        let all = is_whole(of.subscript.as_ref());
        if let Some(subscript) = &of.subscript
            && !all
        {
            self.arithmetic(subscript, state);
        }
        if matches!(of.what, ParameterExpansion::Value) && (matches!(&*of.name, "@" | "*") || all) {
            return self.every(of, quoted, state, fields);
        }
        let value = if all {
            VariableValue::Unknown
        } else {
            self.looked_up(&of.name, of.subscript.as_ref(), state)
        };
        let may_be_unset = matches!(value, VariableValue::Unset | VariableValue::Unknown)
            && !matches!(of.what, ParameterExpansion::Default { .. });
        self.printed.cut_off |= self.nounset && may_be_unset;
        match (self.operated(&of.what, &of.name, value, state), &of.what) {
            (Some(value), _) => self.put(&value, quoted, state, fields),
            (None, ParameterExpansion::Default { operand, .. }) => {
                self.operand(operand, quoted, state, fields);
            }
            (None, _) => {}
        }
    }

    /// Fills in all of an array, or all positional parameters.
    fn every(
        &mut self,
        of: &Parameter,
        quoted: bool,
        state: &mut ShellState,
        fields: &mut FieldBuilder,
    ) {
        let words = match (&*of.name, &state.arguments) {
            ("@" | "*", Some(arguments)) => Some(arguments.get(1..).unwrap_or_default().to_vec()),
            ("@" | "*", None) => None,
            (name, _) => match state.value(name, self.places) {
                VariableValue::List(words) => Some(words),
                VariableValue::Text(word) => Some(vec![word]),
                VariableValue::Unset => Some(Vec::new()),
                VariableValue::Names(_) | VariableValue::Unknown => None,
            },
        };
        let star = &*of.name == "*"
            || matches!(of.subscript.as_deref(), Some([WordPiece::Quoted(all)]) if all == "*");
        let Some(words) = words else {
            let is_one = quoted && star;
            return fields.part(if is_one { Part::Unknown } else { Part::Split });
        };
        if quoted && star {
            // The words are joined by the first letter of `IFS`.
            let text = Word::all_known(&words).filter(|_| splits_at_blanks(state));
            let text = text.map(|known| known.join(" "));
            fields.there = true;
            return match text {
                Some(text) => fields.text(&text),
                None => fields.part(Part::Unknown),
            };
        }
        for (at, word) in words.iter().enumerate() {
            if at > 0 {
                fields.end();
            }
            self.put(&VariableValue::Text(word.clone()), quoted, state, fields);
        }
    }

    /// Looks up a parameter without its operation.
    pub(super) fn looked_up(
        &mut self,
        name: &str,
        subscript: Option<&RawWord>,
        state: &ShellState,
    ) -> VariableValue {
        if let Ok(place) = name.parse::<usize>() {
            return match &state.arguments {
                Some(arguments) => match arguments.get(place) {
                    Some(word) => VariableValue::Text(word.clone()),
                    None => VariableValue::Unset,
                },
                None => VariableValue::Unknown,
            };
        }
        if matches!(name, "-" | "_") {
            return VariableValue::Unknown;
        }
        let value = state.value(name, self.places);
        match subscript {
            None => value,
            Some(_) => VariableValue::Unknown,
        }
    }

    /// Does what `${…}` does with a value; none where its operand takes its place.
    fn operated(
        &mut self,
        what: &ParameterExpansion,
        name: &str,
        value: VariableValue,
        state: &mut ShellState,
    ) -> Option<VariableValue> {
        Some(match what {
            ParameterExpansion::Value => value,
            ParameterExpansion::Length => VariableValue::Text(Word::of("**")),
            ParameterExpansion::Default {
                letter,
                colon,
                operand,
            } => {
                let other = self.single(operand, &mut state.clone());
                if *letter == '=' {
                    self.hazard(name, &other, &state.folders);
                }
                // As `mktemp` takes it: what the line does not set is a folder like this one.
                let is_temporary = name == "TMPDIR" && !state.variables.contains_key(name);
                if is_temporary && *letter == '-' && other.says(&["/tmp", "/var/tmp"]) {
                    return Some(VariableValue::Text(other));
                }
                let is_there = matches!(&value, VariableValue::Text(word) if word.known().is_some_and(|it| !it.is_empty()));
                self.printed.cut_off |= *letter == '?' && !is_there;
                return defaulted((*letter, *colon), name, value, other, state);
            }
            ParameterExpansion::Cut {
                suffix,
                longest,
                pattern,
            } => {
                let pattern = self.fields_of_pattern(pattern, state);
                let cut = match (&value, pattern) {
                    (VariableValue::Text(word), Some(pattern)) => {
                        pattern::cut(word, &pattern, *suffix, *longest)
                    }
                    _ => None,
                };
                cut.map_or(VariableValue::Unknown, VariableValue::Text)
            }
            ParameterExpansion::Other { evaluated, runs } => {
                for raw in evaluated {
                    if *runs {
                        self.arithmetic(raw, state);
                    } else {
                        self.single(raw, &mut state.clone());
                    }
                }
                match &value {
                    VariableValue::Text(word) if *runs => self.evaluates(word, state),
                    VariableValue::List(_) | VariableValue::Names(_) | VariableValue::Unknown
                        if *runs =>
                    {
                        self.anything("${!}");
                    }
                    _ => {}
                }
                VariableValue::Unknown
            }
        })
    }

    /// Fills in the operand of `${v:-…}`: text outside of quotes is split, text in quotes is not.
    fn operand(
        &mut self,
        operand: &RawWord,
        quoted: bool,
        state: &mut ShellState,
        fields: &mut FieldBuilder,
    ) {
        for piece in operand {
            match piece {
                WordPiece::Bare(text) if !quoted => {
                    let value = if text.contains('~') {
                        VariableValue::Unknown
                    } else {
                        VariableValue::Text(Word::text(text))
                    };
                    self.put(&value, false, state, fields);
                }
                other => self.fill(std::slice::from_ref(other), state, fields, !quoted),
            }
        }
    }

    /// The one word of a pattern, with its wildcards as such.
    fn fields_of_pattern(&mut self, raw: &RawWord, state: &ShellState) -> Option<Word> {
        let mut fields = FieldBuilder::default();
        self.fill(raw, &mut state.clone(), &mut fields, true);
        fields.end();
        match &*fields.done {
            [] => Some(Word::default()),
            [word] => Some(word.clone()),
            _ => None,
        }
    }

    /// What `set --` and calls of functions hand over.
    pub(super) fn arguments(words: &[Word]) -> Option<Rc<Vec<Word>>> {
        (!words.iter().any(Word::spreads)).then(|| Rc::new(words.to_vec()))
    }
}

/// What `${v:-x}`, `${v:=x}`, `${v:+x}` and `${v:?x}` are; none where the operand takes the place of the value.
fn defaulted(
    (letter, colon): (char, bool),
    name: &str,
    value: VariableValue,
    other: Word,
    state: &mut ShellState,
) -> Option<VariableValue> {
    let there = match &value {
        VariableValue::Text(word) if matches!(*word.parts, [Part::Of(_)]) => Some(true),
        VariableValue::Text(word) => word.known().map(|text| !text.is_empty() || !colon),
        VariableValue::Unset => Some(false),
        VariableValue::List(_) | VariableValue::Names(_) | VariableValue::Unknown => None,
    };
    match (letter, there) {
        ('+', Some(false)) => Some(VariableValue::Text(Word::default())),
        ('+', Some(true)) | ('-', Some(false)) => None,
        ('=', Some(false)) => {
            state.set(name, VariableValue::Text(other.clone()));
            Some(VariableValue::Text(other))
        }
        ('=', None) => {
            state.set(name, VariableValue::Unknown);
            Some(VariableValue::Unknown)
        }
        (_, Some(true)) => Some(value),
        _ => Some(VariableValue::Unknown),
    }
}

/// Tells whether an unquoted value is split at blanks, as it is where the line says nothing else.
fn splits_at_blanks(state: &ShellState) -> bool {
    !state.variables.contains_key("IFS")
}

/// Whether a piece may close a set.
fn closes(piece: &WordPiece) -> bool {
    matches!(piece, WordPiece::Bare(text) if text.contains(']'))
}

/// How much a word costs.
fn size(word: &Word) -> usize {
    let each = word.parts.iter().map(|part| match part {
        Part::Text(text) | Part::Glob(text) => text.len(),
        Part::Of(_) | Part::Unknown | Part::Split => 1,
    });
    each.sum::<usize>() + 1
}
