//! The words of a text that may name files, whatever language it is written in.
//!
//! No program is known here, and no language: a word that looks like a path counts, wherever it stands, and on a line that loads
//! something also one without an ending. What a shell only prints, compares or looks at is left out, and what it writes to.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::follow::Reach;
use super::scripts::roots;
use crate::lists::{
    BUILT_FROM, COMPARED, COMPUTED, LISTED, LOADS, MENTIONS, MODULE_FOLDERS, PROMPTS,
    RUN_VARIABLES, RUNNING, STANDING, WORKING,
};

/// What stands for the root of the package, and for that of the project: each has several names.
pub(super) const PACKAGE: char = '\u{1}';
pub(super) const PROJECT: char = '\u{2}';
/// What stands for the folder of the script, or for one that it counts from there.
pub(super) const OWN: char = '\u{3}';
/// What stands for the value of a variable.
pub(super) const VARIABLE: char = '\u{4}';
/// What may stand before a command.
const BEFORE: &[&str] = &["if", "then", "else", "elif", "do", "while", "until"];
/// Commands that run each file which a pattern stands for.
const OVER_PATTERNS: &[&str] = &["for", ".", "source", "include", "-include"];
/// With what git runs a command.
const GIT_RUNS: &[&str] = &["-c", "run", "foreach", "--exec", "-x"];

/// What a text names.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Names {
    /// The words of commands, with a mark for what is in a variable.
    pub(super) words: BTreeSet<String>,
    /// Words that an interpreter gets, or that a shell sources: whatever their ending, they run.
    pub(super) runs: BTreeSet<String>,
    /// Folders and patterns of which each file may run.
    pub(super) whole: BTreeSet<String>,
    /// The rows of the build tools that it starts: `make=Makefile`.
    pub(super) built: BTreeSet<&'static str>,
    /// The folders that it goes to.
    pub(super) folders: BTreeSet<String>,
    /// The parts of all of its words, such as `rules.py`.
    pub(super) parts: BTreeSet<String>,
    /// Those of lines that load, such as `rules`.
    pub(super) loaded: BTreeSet<String>,
    /// Whether it reaches folders above its own.
    pub(super) is_above: bool,
    /// Whether it may look for modules in the folder in which it runs.
    pub(super) is_working: bool,
    /// Whether it loads by names that it computes.
    pub(super) is_computed: bool,
}

impl Names {
    /// Reads a text for a shell.
    pub(super) fn of_shell(text: &str) -> Self {
        let text = text.replace("\\\n", " ");
        let lines = text.lines();
        let lines = lines.filter(|line| !line.trim_start().starts_with('#'));
        let own = own_variables(lines.clone());
        let mut names = Self::default();
        for line in lines {
            names.is_above |= line.contains("..") || line.contains("/*/*");
            names.is_above |= line.matches("dirname").count() > 1;
            let loads = ["import ", "require", " -m "];
            if loads.iter().any(|mark| line.contains(mark)) {
                names.loaded.extend(parts(line, ""));
            }
            let line = marked(line, &own);
            // A name with a blank in it is one word only in quotes.
            let quoted = line.split(['"', '\'']);
            let quoted = quoted.filter(|text| text.contains(|c| !is_of_path(c)));
            names.words.extend(quoted.map(str::to_owned));
            let mut lines = vec![line];
            while let Some(line) = lines.pop() {
                let line = without_inner(line, &mut lines);
                names.commands(&line);
            }
        }
        names
    }

    /// Adds what the commands of a line name. One that only prints, compares or looks at what it names is left out, unless
    /// another one reads that.
    fn commands(&mut self, line: &str) {
        let line = line.replace(['"', '\'', '\\'], "");
        let line = line.replace("||", ";").replace(">&", ">");
        let commands = line.split_inclusive([';', '&', '|', '`', '(', ')']);
        let all: Vec<_> = commands
            .map(|text| (words(text), text.ends_with('|')))
            .collect();
        // Programs are looked for in each of these folders.
        let mut paths = line.split("PATH=");
        let mut before = paths.next().unwrap_or_default();
        for path in paths {
            let value = path.split_whitespace().next().unwrap_or_default();
            let folders = value.split(':').filter(|_| !before.ends_with(is_name));
            let folders = folders.filter(|folder| folder.contains(is_name));
            self.whole.extend(folders.map(str::to_owned));
            before = path;
        }
        // What is printed for an interpreter runs. The quotes are gone, so all that stands before counts as printed.
        let is_printed = |pair: &[(Vec<&str>, bool)]| {
            let [(_, is_read), (next, _)] = pair else {
                return false;
            };
            *is_read && next.first().is_some_and(|word| runs_next(word))
        };
        let printed = all.windows(2).rposition(is_printed);
        for (at, (words, is_read)) in all.iter().enumerate() {
            let first = words.iter().find(|word| !BEFORE.contains(word));
            let first = first.copied().unwrap_or_default();
            if printed.is_some_and(|last| at <= last) {
                self.runs
                    .extend(words.iter().map(|word| (*word).to_owned()));
            }
            let runs = first == "git" && words.iter().any(|word| GIT_RUNS.contains(word));
            let is_mention = MENTIONS.contains(&first) && !runs && !(*is_read && first != "case");
            // A pattern names what is worked on, but in a loop over scripts.
            let counts = |word: &&&str| {
                let is_own = word.starts_with([OWN, PACKAGE]);
                (is_own || !is_mention) && (OVER_PATTERNS.contains(&first) || !word.contains('*'))
            };
            let counted = words.iter().filter(counts);
            let counted = counted.flat_map(|word| spellings(word));
            if !is_mention {
                let next = all.get(at + 1).filter(|_| *is_read);
                self.tools(first, words, next.map_or(&[], |(next, _)| next));
            }
            if ["cd", "pushd"].contains(&first) {
                self.folders.extend(counted);
            } else {
                self.words.extend(counted);
            }
            let running = words.iter().enumerate().filter(|(_, word)| runs_next(word));
            for (at, _) in running.filter(|_| !is_mention) {
                let mut behind = words.iter().skip(at + 1);
                let run = behind.find(|word| !word.starts_with('-'));
                self.runs.extend(run.map(|word| (*word).to_owned()));
            }
        }
    }

    /// Adds what a command runs that names no file by itself: folders of programs and modules, and files of build tools. `next`
    /// is the command that reads what it prints.
    fn tools(&mut self, first: &str, words: &[&str], next: &[&str]) {
        let runs = |words: &[&str]| words.iter().any(|word| runs_next(word));
        let mut behind = words.iter().skip_while(|word| **word != "-exec").skip(1);
        let is_run = words.contains(&"-exec") && behind.next().is_none_or(|word| *word == "+");
        let is_given = next.first() == Some(&"xargs") && runs(next);
        if first == "run-parts" || first == "find" && (is_run || is_given || runs(words)) {
            let folders = words.iter().skip_while(|word| **word != first).skip(1);
            let folders = folders.filter(|word| !word.starts_with('-'));
            self.whole.extend(folders.map(|word| (*word).to_owned()));
        }
        for (option, value) in words.iter().zip(words.iter().skip(1)) {
            if ["-C", "-I"].contains(option) {
                self.folders.insert((*value).to_owned());
            }
        }
        for word in words.iter().filter(|_| runs(words)) {
            self.folders
                .extend(word.strip_prefix("-I").map(str::to_owned));
            let module = word.strip_prefix("-M").unwrap_or_default();
            self.loaded.extend(parts(module, ""));
        }
        let of_it = |row: &&&str| {
            let program = row.split_once('=').map(|(program, _)| program);
            program.is_some_and(|program| words.contains(&program))
        };
        self.built.extend(BUILT_FROM.iter().filter(of_it));
    }

    /// Reads a text of another language.
    pub(super) fn of_code(text: &str) -> Self {
        let mut names = Self::default();
        let has = |line: &str, marks: &[&str]| marks.iter().any(|mark| line.contains(mark));
        let (mut others, mut listed, mut runs_others) = (Self::default(), Self::default(), false);
        for line in text.lines().filter(|line| !is_comment(line)) {
            names.parts.extend(parts(line, ".-"));
            let quoted = line.replace(['\'', '`'], "\"");
            let runs = has(&quoted, RUNNING) || has(line, COMPUTED);
            runs_others |= runs;
            let loads = line
                .split(|c| !is_name(c))
                .any(|word| LOADS.contains(&word));
            if has(line, LISTED) {
                listed.quoted(&quoted);
            }
            // A name that is compared is no file that runs, and one beside the script is found from there.
            if runs || !has(line, COMPARED) && !has(line, STANDING) {
                let mut found = Self::default();
                found.quoted(&quoted);
                // What is loaded by a name with a dot before it counts from the script.
                let is_of_script = |word: &str| word.starts_with('.') && loads && !runs;
                found.words.retain(|word| !is_of_script(word));
                names.runs.extend(found.runs);
                let names = if runs || loads {
                    &mut names
                } else {
                    &mut others
                };
                names.words.extend(found.words);
            }
            if loads {
                names.loaded.extend(parts(line, ""));
                names.loaded.extend(parts(line, "-"));
            }
            names.is_above |= has(line, MODULE_FOLDERS) || line.contains("..");
            names.is_computed |= has(line, COMPUTED);
        }
        names.is_working = has(text, MODULE_FOLDERS) && has(text, WORKING);
        if runs_others {
            names.words.extend(others.words);
        }
        if names.is_computed {
            names.whole = listed.words;
        }
        names
            .words
            .retain(|word| !word.contains('*') && word.contains('/'));
        names
    }

    /// Adds what stands in quotes in a line of code: the first word of each text, what an interpreter gets, and all texts as
    /// the parts of one path.
    fn quoted(&mut self, line: &str) {
        let line = line.replace("\" + \"", "").replace("\"+\"", "");
        let (mut before, mut runs) = (' ', false);
        let mut path = PathBuf::new();
        for part in line.split_inclusive(|c| !is_of_path(c)) {
            let word = part.trim_end_matches(|c| !is_of_path(c));
            let is_quoted = before == '"' || before == '}';
            if !word.is_empty() && !word.starts_with('-') {
                if runs {
                    self.runs.insert(word.to_owned());
                } else if is_quoted {
                    self.words.insert(word.to_owned());
                    path.push(word.trim_start_matches('/'));
                }
                runs = word == "source" || is_quoted && word != "." && runs_next(word);
            }
            before = part.chars().next_back().unwrap_or(' ');
        }
        self.words.extend(path.to_str().map(str::to_owned));
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

/// The words of a command without those that it writes to.
fn words(command: &str) -> Vec<&str> {
    let parts = command.split('>').enumerate();
    let words = parts.flat_map(|(at, part)| {
        let words = part.split(|c| !is_of_path(c));
        words
            .filter(|word| !word.is_empty())
            .skip(usize::from(at > 0))
    });
    words.collect()
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Tells whether a path in a command may hold this character outside of quotes.
fn is_of_path(c: char) -> bool {
    is_name(c) || "./-+@*[".contains(c) || (PACKAGE..=VARIABLE).contains(&c)
}

/// The name of the variable that a text begins with behind its `$`, and what stands behind that name.
fn variable(text: &str) -> (&str, &str) {
    let inside = text.strip_prefix('{').unwrap_or(text);
    let behind = inside.trim_start_matches(is_name);
    let name = inside.get(..inside.len() - behind.len());
    (name.unwrap_or_default(), behind)
}

fn root_of(name: &str) -> Option<Reach> {
    roots().find_map(|(root, reach)| (root == name).then_some(reach))
}

/// Returns the variables that hold a folder which a script counts from its own.
fn own_variables<'t>(lines: impl Iterator<Item = &'t str>) -> BTreeSet<&'t str> {
    let mut own = BTreeSet::from(["0", "BASH_SOURCE"]);
    for line in lines.filter(|line| !line.contains("rev-parse")) {
        let Some((name, value)) = line.split_once('=') else {
            continue;
        };
        let name = name.rsplit(|c| !is_name(c)).next().unwrap_or_default();
        let used = || line.split('$').skip(1).map(|part| variable(part).0);
        let is_own = |name: &str| own.contains(name) || root_of(name) == Some(Reach::Copy);
        let is_of_project = used().any(|name| root_of(name) == Some(Reach::Live));
        let mut of_value = value.split('$').skip(1).map(|part| variable(part).0);
        if !name.is_empty() && !is_of_project && of_value.any(is_own) {
            own.insert(name);
        }
    }
    own
}

/// Writes marks in the place of variables; what is run inside of one, or stands for it, is left.
pub(super) fn marked(line: &str, own: &BTreeSet<&str>) -> String {
    let mut parts = line.split('$');
    let mut all = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        if part.is_empty() || part.starts_with(['(', '\'', '"']) {
            all.push('$');
            all.push_str(part);
            continue;
        }
        let (name, behind) = variable(part);
        all.push(match root_of(name) {
            Some(Reach::Copy) => PACKAGE,
            Some(Reach::Live) => PROJECT,
            None if own.contains(name) => OWN,
            None => VARIABLE,
        });
        let Some(behind) = part.starts_with('{').then_some(behind) else {
            all.push_str(behind);
            continue;
        };
        let cut = behind.split_once('}').filter(|(cut, _)| {
            let is_plain = cut.is_empty() || cut.starts_with(['%', '#', '[']);
            is_plain && !cut.contains(['`', '('])
        });
        all.push_str(cut.map_or(behind, |(_, rest)| rest));
    }
    all
}

/// Writes a mark in the place of each command of which a line takes the output, and adds those commands.
fn without_inner(mut line: String, inner: &mut Vec<String>) -> String {
    let mut end = line.len();
    while let Some(at) = line.get(..end).and_then(|text| text.rfind("$(")) {
        end = at;
        let text = line.split_off(at);
        let text = text.trim_start_matches("$(");
        let (command, behind) = text.split_once(')').unwrap_or((text, ""));
        let is_own = command.contains(OWN);
        line.push(if is_own { OWN } else { VARIABLE });
        line.push_str(behind);
        inner.push(command.to_owned());
    }
    line
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
