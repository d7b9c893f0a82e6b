//! The words of a text that may name files, whatever language it is written in.
//!
//! No program is known here, and no language: a word that looks like a path counts, wherever it stands, and on a line that loads
//! something also one without an ending. What a shell only prints, compares or looks at is left out, and what it writes to.

use std::collections::BTreeSet;

use crate::lists::{COMPUTED, LOADS, MENTIONS, MODULE_FOLDERS, PROMPTS, RUN_VARIABLES};

/// What stands for the root of the package, and for that of the project: each has several names.
pub(super) const PACKAGE: char = '\u{1}';
pub(super) const PROJECT: char = '\u{2}';
/// What stands for the folder of the script, or for one that it counts from there.
pub(super) const OWN: char = '\u{3}';
/// What stands for the value of a variable.
pub(super) const VARIABLE: char = '\u{4}';
/// What may stand before a command.
const BEFORE: &[&str] = &["if", "then", "else", "elif", "do", "while", "until"];

/// What stands behind a command whose output another one reads.
const PIPE: &str = "|";
/// With what git runs a command.
const GIT_RUNS: &[&str] = &["-c", "run", "foreach", "--exec", "-x"];

/// What a text names.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Names {
    /// The words of commands, with a mark for what is in a variable.
    pub(super) words: BTreeSet<String>,
    /// Words that an interpreter gets, or that a shell sources: whatever their ending, they run.
    pub(super) runs: BTreeSet<String>,
    /// The folders that it goes to.
    pub(super) folders: BTreeSet<String>,
    /// The parts of all of its words, such as `rules.py`.
    pub(super) parts: BTreeSet<String>,
    /// Those of lines that load, such as `rules`.
    pub(super) loaded: BTreeSet<String>,
    /// Whether it reaches folders above its own.
    pub(super) is_above: bool,
    /// Whether it loads by names that it computes.
    pub(super) is_computed: bool,
}

impl Names {
    /// Reads a text for a shell.
    pub(super) fn of_shell(text: &str) -> Self {
        let text = text.replace("\\\n", " ");
        let lines = || {
            text.lines()
                .filter(|line| !line.trim_start().starts_with('#'))
        };
        let own = own_variables(lines());
        let mut names = Self::default();
        let mut reading = Reading::default();
        for line in lines() {
            names.is_above |= line.contains("..") || line.contains("/*/*");
            names.is_above |= line.matches("dirname").count() > 1;
            if ["import ", "require", " -m "]
                .iter()
                .any(|mark| line.contains(mark))
            {
                names.loaded.extend(parts(line, ""));
            }
            // The only words with blanks are in quotes.
            let mut quoted = line.split(['"', '\'']).filter(|text| text.contains(' '));
            names.words.extend(quoted.by_ref().map(str::to_owned));
            reading.line(&starred(line, &own));
        }
        for (at, command) in reading.all.iter().enumerate() {
            let first = command.first().map_or("", String::as_str);
            // A pattern names what is worked on, but in a loop over scripts.
            let is_name = |word: &&String| first == "for" || !word.contains('*');
            let words = command.iter().filter(is_name);
            let words = words.flat_map(|word| spellings(word));
            if ["cd", "pushd"].contains(&first) {
                names.folders.extend(words);
            } else {
                names.words.extend(words);
            }
            for (at, _) in command
                .iter()
                .enumerate()
                .filter(|(_, word)| runs_next(word))
            {
                let mut behind = command.iter().skip(at + 1);
                let run = behind.find(|word| !word.starts_with('-'));
                names.runs.extend(run.cloned());
            }
            let next = reading.all.get(at + 1).and_then(|next| next.first());
            let is_read = command.last().is_some_and(|last| last == PIPE);
            if is_read && next.is_some_and(|next| runs_next(next)) {
                names.runs.extend(command.iter().cloned());
            }
        }
        names
    }

    /// Reads a text of another language.
    pub(super) fn of_code(text: &str) -> Self {
        let mut names = Self::default();
        let has = |line: &str, marks: &[&str]| marks.iter().any(|mark| line.contains(mark));
        for line in text.lines().filter(|line| !is_comment(line)) {
            names.parts.extend(parts(line, ".-"));
            if line
                .split(|c| !is_name(c))
                .any(|word| LOADS.contains(&word))
            {
                names.loaded.extend(parts(line, ""));
                names.loaded.extend(parts(line, "-"));
            }
            names.is_above |= has(line, MODULE_FOLDERS) || line.contains("..");
            names.is_computed |= has(line, COMPUTED);
        }
        names
    }
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    ["//", "/*", "* ", "#", "--"]
        .iter()
        .any(|start| line.starts_with(start))
}

/// The words of a line, which may hold these characters beside letters and digits.
fn parts<'l>(line: &'l str, with: &'l str) -> impl Iterator<Item = String> + use<'l> {
    let parts = line.split(move |c| !is_name(c) && !with.contains(c));
    parts.filter(|part| !part.is_empty()).map(str::to_owned)
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the variables that hold a folder which a script counts from its own.
fn own_variables<'t>(lines: impl Iterator<Item = &'t str>) -> BTreeSet<&'t str> {
    let mut own = BTreeSet::from(["0", "BASH_SOURCE"]);
    for line in lines.filter(|line| !line.contains("rev-parse") && !line.contains(PROJECT)) {
        let Some((name, value)) = line.split_once('=') else {
            continue;
        };
        let name = name.rsplit(|c| !is_name(c)).next().unwrap_or_default();
        let variables = value
            .split('$')
            .skip(1)
            .map(|part| part.trim_start_matches('{'));
        let mut variables =
            variables.map(|part| part.split(|c| !is_name(c)).next().unwrap_or_default());
        if !name.is_empty() && (value.contains(PACKAGE) || variables.any(|name| own.contains(name)))
        {
            own.insert(name);
        }
    }
    own
}

/// Writes [`OWN`] or [`VARIABLE`] in the place of variables; what is run inside of one, or stands for it, is left.
fn starred(line: &str, own: &BTreeSet<&str>) -> String {
    let mut parts = line.split('$');
    let mut all = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        if part.is_empty() || part.starts_with(['(', '\'', '"']) {
            all.push('$');
            all.push_str(part);
            continue;
        }
        let inside = part.strip_prefix('{').unwrap_or(part);
        let behind = inside.trim_start_matches(is_name);
        let name = inside
            .get(..inside.len() - behind.len())
            .unwrap_or_default();
        all.push(if own.contains(name) { OWN } else { VARIABLE });
        let cut = behind.split_once('}').filter(|(cut, _)| {
            inside != part && cut.starts_with(['%', '#', '[']) && !cut.contains(['`', '('])
        });
        all.push_str(cut.map_or(behind, |(_, rest)| rest));
    }
    all
}

/// The commands of a text for a shell, as far as they run something, in words.
#[derive(Default)]
struct Reading {
    all: Vec<Vec<String>>,
    /// The command that is read.
    words: Vec<String>,
    /// The commands around it, each with the quotes in which it stands.
    around: Vec<(Vec<String>, Option<char>)>,
    /// Where the commands begin that a pattern may take back.
    begun: usize,
}

impl Reading {
    /// Reads one line. A quote that no other one on the line closes is none.
    fn line(&mut self, line: &str) {
        let mut quote = None;
        let mut before = ' ';
        for (at, c) in line.char_indices() {
            let rest = line.get(at + c.len_utf8()..).unwrap_or_default();
            match c {
                _ if before == '\\' => self.push(c),
                '\'' | '"' if quote == Some(c) => quote = None,
                '\'' | '"' if quote.is_none() && rest.contains(c) => quote = Some(c),
                '\'' | '"' => {}
                '#' if quote.is_none() && before.is_whitespace() => break,
                '(' if quote.is_none() || before == '$' => {
                    self.around
                        .push((std::mem::take(&mut self.words), quote.take()));
                }
                ')' if quote.is_none() => self.close(&mut quote),
                '&' if before == '>' => {}
                '|' if quote.is_none() && rest.starts_with('|') => self.end('&'),
                ';' | '&' | '|' if quote.is_none() => self.end(c),
                '`' => self.end(c),
                '>' if quote.is_none() => self.words.push(">".to_owned()),
                '}' if self.last().ends_with([VARIABLE, OWN]) => {}
                c if is_name(c) || "./-+@*[".contains(c) || c.is_control() && c <= VARIABLE => {
                    self.push(c);
                }
                _ if self.last() != ">" => self.words.push(String::new()),
                _ => {}
            }
            before = if before == '\\' { ' ' } else { c };
        }
        self.end('\n');
    }

    fn last(&self) -> &str {
        self.words.last().map_or("", String::as_str)
    }

    fn push(&mut self, c: char) {
        if let Some(word) = self.words.last_mut() {
            word.push(c);
        } else {
            self.words.push(c.to_string());
        }
    }

    /// Goes on behind the commands in parentheses. Where there are none, what stands before is the pattern of a case, and names
    /// what a word is compared with.
    fn close(&mut self, quote: &mut Option<char>) {
        let Some((words, of)) = self.around.pop() else {
            self.words.clear();
            self.all.truncate(self.begun);
            return;
        };
        let is_own = self.words.iter().any(|word| word.contains(OWN));
        self.end(')');
        self.words = words;
        self.push(if is_own { OWN } else { VARIABLE });
        *quote = of;
    }

    /// Ends a command. One that only prints, compares or looks at what it names is left out, unless another one reads that.
    fn end(&mut self, by: char) {
        let words = std::mem::take(&mut self.words).into_iter();
        let mut words: Vec<String> = words
            .filter(|word| !word.is_empty() && !word.starts_with('>'))
            .collect();
        let first = words.iter().find(|word| !BEFORE.contains(&word.as_str()));
        let first = first.map_or("", String::as_str);
        let runs = words.iter().any(|word| GIT_RUNS.contains(&word.as_str()));
        let is_mention = MENTIONS.contains(&first) && !(first == "git" && runs);
        if !is_mention || by == '|' && first != "case" {
            if by == '|' {
                words.push(PIPE.to_owned());
            }
            self.all.push(words);
        } else {
            let is_own = |word: &String| word.starts_with([OWN, PACKAGE]);
            self.all.push(words.into_iter().filter(is_own).collect());
        }
        if by != '|' {
            self.begun = self.all.len();
        }
    }
}

/// Tells whether a word runs the file behind it, whatever that is called: an interpreter, whose name `3` and `3.12` may follow, a
/// word of a shell, or a variable of one.
fn runs_next(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    PROMPTS.contains(&name) || [".", "source"].contains(&word) || RUN_VARIABLES.contains(&word)
}

/// Returns a word, and what of it may stand behind an option: `-f/a.sh`, `-nfa.sed`.
fn spellings(word: &str) -> Vec<String> {
    let cut = (2..=4).filter(|_| word.starts_with('-') && !word.starts_with("--"));
    let cut = cut.filter_map(|at| word.get(at..));
    cut.chain([word]).map(str::to_owned).collect()
}
