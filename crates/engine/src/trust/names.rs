//! The words of a text that may name files, whatever language it is written in.
//!
//! A word that looks like a path counts, wherever it stands, and beside the script any word. What a shell only prints, compares or
//! looks at is left out, and what it writes to; so is what another language compares, and all that it says where it runs nothing.

use std::collections::BTreeSet;

use super::follow::FileOrigin;
use super::scripts::roots;
use crate::lists::{
    BEFORE, BUILT_FROM, COMPARED, COMPUTED, LISTED, LOADS, MENTIONS, MODULE_FOLDERS, PROMPTS,
    RUN_VARIABLES, RUNNING, STANDING, WORKING,
};

/// What stands for the root of the package, and for that of the project: each has several names.
pub(super) const PACKAGE: char = '\u{1}';
pub(super) const PROJECT: char = '\u{2}';
/// What stands for the folder of the script, or for one that it counts from there.
pub(super) const OWN: char = '\u{3}';
/// What stands for the value of a variable.
pub(super) const VARIABLE: char = '\u{4}';
/// With what a line begins that says nothing, in other languages than that of a shell.
const COMMENTS: &[&str] = &["//", "/*", "* ", "#", "--"];
/// Commands that run each file which a pattern stands for.
const OVER_PATTERNS: &[&str] = &["for", ".", "source", "include", "-include"];
/// With what git runs a command.
const GIT_RUNS: &[&str] = &["-c", "run", "foreach", "--exec", "-x"];

/// What a text names.
#[derive(Default)]
pub(super) struct NamedFiles {
    /// Words that may be files, with a mark for what is in a variable, and whether an interpreter gets it: then it runs whatever
    /// its ending is.
    pub(super) words: BTreeSet<(String, bool)>,
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

impl NamedFiles {
    /// Reads a text, for a shell or in another language.
    pub(super) fn of(text: &str, is_shell: bool) -> Self {
        let text = text.replace("\\\n", " ");
        let marks: &[&str] = if is_shell { &["#"] } else { COMMENTS };
        let is_comment = |line: &str| marks.iter().any(|mark| line.trim_start().starts_with(mark));
        let lines = || text.lines().filter(|line| !is_comment(line));
        let own = own_variables(lines());
        let mut names = Self {
            is_working: has(&text, MODULE_FOLDERS) && has(&text, WORKING),
            is_computed: !is_shell && lines().any(|line| has(line, COMPUTED)),
            ..Self::default()
        };
        let runs = !is_shell && lines().any(|line| has(line, RUNNING) || has(line, COMPUTED));
        for line in lines() {
            names.is_above |= has(line, &["..", "/*/*"]) || has(line, MODULE_FOLDERS);
            names.is_above |= line.matches("dirname").count() > 1;
            if !is_shell {
                names.parts.extend(parts(line, ".-"));
                names.code(line, runs);
                continue;
            }
            if has(line, &["import ", "require", " -m "]) {
                names.loaded.extend(parts(line, ""));
            }
            names.shell(marked(line, &own));
        }
        names
    }

    /// Reads a line for a shell.
    fn shell(&mut self, line: String) {
        // A name with a blank in it is one word only in quotes.
        let quoted = line.split(['"', '\'']);
        let quoted = quoted.filter(|text| text.contains(|c| !is_of_path(c)));
        self.words
            .extend(quoted.map(|text| (text.to_owned(), false)));
        let mut lines = vec![line];
        while let Some(line) = lines.pop() {
            let line = without_inner(line, &mut lines);
            self.commands(&line);
        }
    }

    /// Reads the commands of a line. One that only prints, compares or looks at what it names is left out, unless another one
    /// reads that.
    fn commands(&mut self, line: &str) {
        let line = line.replace(['"', '\'', '\\'], "");
        let line = line.replace("||", ";").replace(">&", ">");
        let commands = line.split_inclusive([';', '&', '|', '`', '(', ')']);
        let all: Vec<_> = commands
            .map(|text| (words(text), text.ends_with('|')))
            .collect();
        // Programs are looked for in each of these folders.
        let paths = line
            .split_whitespace()
            .filter_map(|word| word.split_once("PATH="));
        for (_, folders) in paths.filter(|(before, _)| !before.ends_with(is_name)) {
            let folders = folders.split([':', ';', '=']);
            self.whole(folders.filter(|folder| folder.contains(is_name)));
        }
        // What is printed for an interpreter runs. The quotes are gone, so all that stands before counts as printed.
        let mut readers = line.rmatch_indices('|');
        let printed = readers.find_map(|(at, _)| {
            let reader = words(line.get(at + 1..)?).first().copied()?;
            line.get(..at).filter(|_| runs_next(reader))
        });
        let printed = words(printed.unwrap_or_default()).into_iter();
        self.words
            .extend(printed.map(|word| (word.to_owned(), true)));
        for (at, (words, is_read)) in all.iter().enumerate() {
            let first = words.iter().find(|word| !BEFORE.contains(word));
            let first = first.copied().unwrap_or_default();
            let runs = first == "git" && words.iter().any(|word| GIT_RUNS.contains(word));
            let is_mention = MENTIONS.contains(&first) && !runs && !(*is_read && first != "case");
            // A pattern names what is worked on, but in a loop over scripts.
            let counted = words.iter().filter(|word| {
                (!is_mention || word.starts_with([OWN, PACKAGE]))
                    && (OVER_PATTERNS.contains(&first) || !word.contains('*'))
            });
            let counted = counted.flat_map(|word| spellings(word));
            if ["cd", "pushd"].contains(&first) {
                self.folders.extend(counted);
            } else {
                self.words.extend(counted.map(|word| (word, false)));
            }
            if !is_mention {
                let next = all.get(at + 1).filter(|_| *is_read);
                self.tools(first, words, next.map_or(&[], |(next, _)| next));
                self.behind_interpreters(words);
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
            self.whole(folders.copied().filter(|word| !word.starts_with('-')));
        }
        // `make -C DIR`, `perl -IDIR -MName`.
        let pairs = words.iter().zip(words.iter().skip(1));
        let values = pairs.filter(|(option, _)| ["-C", "-I"].contains(*option));
        let joined = words.iter().filter_map(|word| word.strip_prefix("-I"));
        let folders = values.map(|(_, value)| *value).chain(joined);
        self.folders.extend(folders.map(str::to_owned));
        let modules = words.iter().filter_map(|word| word.strip_prefix("-M"));
        self.loaded
            .extend(modules.flat_map(|module| parts(module, "")));
        let is_of_it = |row: &&&str| {
            let program = row.split_once('=').map(|(program, _)| program);
            program.is_some_and(|program| words.contains(&program))
        };
        self.built.extend(BUILT_FROM.iter().filter(is_of_it));
    }

    /// Reads a line of another language: the first word of each text, what an interpreter gets, and all of them as the parts of one
    /// path. `runs` says that the text runs programs or other texts.
    fn code(&mut self, line: &str, runs: bool) {
        let loads = line
            .split(|c| !is_name(c))
            .any(|word| LOADS.contains(&word));
        if loads {
            self.loaded.extend(parts(line, "").chain(parts(line, "-")));
        }
        let quoted = line.replace(['\'', '`'], "\"");
        let is_run = has(&quoted, RUNNING) || has(line, COMPUTED);
        let quoted = quoted.replace("\" + \"", "").replace("\"+\"", "");
        let (mut words, mut run, mut before, mut is_behind) = (Vec::new(), Vec::new(), ' ', false);
        for part in quoted.split_inclusive(|c| !is_of_path(c)) {
            let word = part.trim_end_matches(|c| !is_of_path(c));
            let is_quoted = ['"', '}'].contains(&before);
            if !word.is_empty() && !word.starts_with('-') {
                if is_behind {
                    run.push(word);
                } else if is_quoted {
                    words.push(word);
                }
                is_behind = word == "source" || is_quoted && word != "." && runs_next(word);
            }
            before = part.chars().next_back().unwrap_or(' ');
        }
        let joined = words.join("/").replace("//", "/");
        if self.is_computed && has(line, LISTED) {
            self.whole([&*joined].into_iter().chain(words.iter().copied()));
        }
        // A name that is compared is no file that runs, and one beside the script is found from there.
        if !is_run && (has(line, COMPARED) || has(line, STANDING)) {
            return;
        }
        self.words
            .extend(run.into_iter().map(|word| (word.to_owned(), true)));
        for word in words.into_iter().chain([&*joined]) {
            // What is loaded by a name with a dot before it counts from the script.
            let is_own = word.starts_with('.') && loads && !is_run;
            let is_path = word.contains('/') && !word.contains('*');
            if (runs || loads) && is_path && !is_own {
                self.words.insert((word.to_owned(), false));
            }
        }
    }

    fn whole<'w>(&mut self, words: impl Iterator<Item = &'w str>) {
        self.whole.extend(words.map(str::to_owned));
    }

    /// Adds the words that interpreters get.
    fn behind_interpreters(&mut self, words: &[&str]) {
        for (at, _) in words.iter().enumerate().filter(|(_, word)| runs_next(word)) {
            let mut behind = words.iter().skip(at + 1);
            let run = behind.find(|word| !word.starts_with('-'));
            self.words
                .extend(run.map(|word| ((*word).to_owned(), true)));
        }
    }
}

fn has(text: &str, marks: &[&str]) -> bool {
    marks.iter().any(|mark| text.contains(mark))
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
        let words = words.filter(|word| !word.is_empty());
        words.skip(usize::from(at > 0))
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

fn root_of(name: &str) -> Option<FileOrigin> {
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
        let used = |text: &'t str| text.split('$').skip(1).map(|part| variable(part).0);
        let is_own = |name: &str| own.contains(name) || root_of(name) == Some(FileOrigin::Copy);
        let is_of_project = used(line).any(|name| root_of(name) == Some(FileOrigin::Live));
        if !name.is_empty() && !is_of_project && used(value).any(is_own) {
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
            Some(FileOrigin::Copy) => PACKAGE,
            Some(FileOrigin::Live) => PROJECT,
            None if own.contains(name) => OWN,
            None => VARIABLE,
        });
        let cut = behind.split_once('}').filter(|(cut, _)| {
            let is_plain = cut.is_empty() || cut.starts_with(['%', '#', '[']);
            part.starts_with('{') && is_plain && !cut.contains(['`', '('])
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
