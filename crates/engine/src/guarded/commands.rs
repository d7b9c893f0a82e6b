//! What a command line would do to what is protected.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::paths::{Guard, Kind, Touch};
use super::{Finding, unguarding};
use crate::shell::{self, Clear, Line, Spellings, patterns};

/// A longer line is not taken apart: a person looks at it.
const LONGEST: usize = 256 * 1024;
/// The most different words that are looked up on the disk.
const MOST_WORDS: usize = 20_000;

/// Commands that change or remove a directory that is named anywhere.
const CHANGING: &[&str] = &[
    "chattr",
    "chmod",
    "chown",
    "del",
    "mount",
    "move",
    "move-item",
    "mv",
    "rd",
    "remove-item",
    "ren",
    "rm",
    "rmdir",
    "shred",
    "truncate",
    "unlink",
];
/// Commands that change the directory that is named last.
const INTO: &[&str] = &["cp", "dd", "ln", "rsync", "scp", "unzip"];
/// What makes `find` more than a search.
const FIND_ACTIONS: &[&str] = &[
    "-delete", "-exec", "-execdir", "-ok", "-okdir", "-fprint", "-fprintf", "-fls",
];
/// Commands after which a relative path means something else.
const MOVING: &[&str] = &[
    "cd",
    "pushd",
    "popd",
    "chdir",
    "-c",
    "--directory",
    "--work-tree",
    "os.chdir",
];

/// A line that is being looked at.
struct Looking<'a> {
    guard: &'a Guard,
    bases: &'a [PathBuf],
    spellings: Spellings,
    commands: Vec<Vec<String>>,
}

/// Looks at a shell command.
pub(super) fn look(guard: &Guard, bases: &[PathBuf], text: &str) -> Option<Finding> {
    if text.len() > LONGEST {
        return Some(Finding::Unclear);
    }
    let line = shell::read(text);
    if is_reading(&line) {
        return None;
    }
    let spellings = shell::spellings(text);
    if let Some(command) = unguarding::look(&spellings) {
        return Some(Finding::Runs(command));
    }
    let mut commands = line.commands;
    // Not those without expansions: `rm $OUT/*` is not `rm /*`.
    commands.extend(spellings.kept.iter().flat_map(|text| shell::rough(text)));
    let looking = Looking {
        guard,
        bases,
        spellings,
        commands,
    };
    looking.changes()
}

/// Tells whether a line only reads: simple commands that cannot write, and pipes between them.
pub(super) fn is_reading(line: &Line) -> bool {
    line.clear == Clear::Yes && line.commands.iter().all(|command| reads(command))
}

fn reads(command: &[String]) -> bool {
    let Some((name, words)) = command.split_first() else {
        return true;
    };
    let has = |starts: &[&str]| {
        let mut all = words.iter();
        all.any(|word| starts.iter().any(|start| word.starts_with(start)))
    };
    let name = name
        .strip_prefix("/usr/bin/")
        .or_else(|| name.strip_prefix("/bin/"))
        .unwrap_or(name);
    match name {
        "[" | "basename" | "cat" | "cd" | "cmp" | "diff" | "dirname" | "du" | "echo" | "egrep"
        | "false" | "fgrep" | "grep" | "head" | "jq" | "ls" | "md5sum" | "nl" | "printf"
        | "pwd" | "readlink" | "realpath" | "sha256sum" | "shellcheck" | "stat" | "tail"
        | "test" | "true" | "wc" | "which" => true,
        // Its options write logs, and `+` runs commands.
        "less" | "more" => !has(&["-", "+"]),
        "file" => !has(&["-C", "--c", "-m", "--m"]),
        "rg" => !has(&["--pre", "--hostname-bin"]),
        "git" => {
            let verb = words.first().map(String::as_str);
            let reads = matches!(
                verb,
                Some("add" | "blame" | "commit" | "diff" | "log" | "ls-files" | "show" | "status")
            );
            reads && !words.iter().any(|word| writes_output(word))
        }
        "anyhook" => {
            let verb = words.first().map(String::as_str);
            verb.is_some_and(|verb| unguarding::SAFE.contains(&verb))
                && !has(&["--fix", "--o", "-o", "--write"])
        }
        _ => false,
    }
}

/// Of any option `git` also understands a beginning that is unique, such as `--outp=x`.
fn writes_output(word: &str) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    let begins = name.len() > 2 && "--output".starts_with(name);
    begins || name.starts_with("--output") || name.starts_with("--ext")
}

impl Looking<'_> {
    fn changes(&self) -> Option<Finding> {
        let mut words: BTreeSet<&str> =
            self.commands.iter().flatten().map(String::as_str).collect();
        let emptied = std::iter::once(&self.spellings.emptied);
        for text in self.spellings.kept.iter().chain(emptied) {
            words.extend(shell::runs(text));
        }
        if words.len() > MOST_WORDS {
            return Some(Finding::Unclear);
        }
        let named = words
            .iter()
            .find(|word| self.touch(word) == Some(Touch::Is));
        let found = named.copied().or_else(|| self.in_parts(&words));
        let found = found.map(str::to_owned).or_else(|| self.through_above());
        found.map(Finding::Changes)
    }

    fn touch(&self, word: &str) -> Option<Touch> {
        self.guard.touch(self.bases, word)
    }

    /// A name and its directory, apart: `cd hooks; … hooks.json`, or put together by a program.
    fn in_parts<'w>(&self, words: &BTreeSet<&'w str>) -> Option<&'w str> {
        let lower: Vec<(String, &'w str)> = words.iter().map(|w| (w.to_lowercase(), *w)).collect();
        let moves = self.commands.iter().flatten();
        let moves = moves
            .map(|word| word.to_lowercase())
            .any(|word| MOVING.contains(&&*word));
        let mentions = |name: &str| {
            lower
                .iter()
                .any(|(word, _)| word.split('/').any(|part| part == name))
        };
        for target in &self.guard.targets {
            let (parent, name) = target.names();
            let whole = format!("{parent}/{name}");
            let is_it = |word: &str| {
                let is_below = word.starts_with(['/', '~']);
                let ends = word.strip_suffix(&*whole);
                moves && !is_below && ends.is_some_and(|dir| dir.is_empty() || dir.ends_with('/'))
            };
            if let Some((_, word)) = lower.iter().find(|(word, _)| is_it(word)) {
                return Some(word);
            }
            let is_apart = (moves || target.kind == Kind::File) && mentions(parent);
            let bare = lower.iter().find(|(word, _)| word == name);
            if let (true, Some((_, word))) = (is_apart, bare) {
                return Some(word);
            }
        }
        None
    }

    /// A directory that holds something protected, and a command that changes directories.
    fn through_above(&self) -> Option<String> {
        self.commands.iter().find_map(|command| {
            let has = |names: &[&str]| command.iter().any(|word| names.contains(&base(word)));
            let (first, last) = (command.first()?, command.last()?);
            let is_git = has(&["git"])
                && has(&["clean", "restore", "checkout"])
                && has(&["-fd", "-f", "-fdx", "--"]);
            if has(&["find"]) && (has(FIND_ACTIONS) || self.feeds()) {
                let word = command.iter().find(|word| self.searches(word));
                return word.cloned();
            }
            let wanted = if has(&["rm", "remove-item", "rd"]) {
                Touch::Above
            } else {
                Touch::Holds
            };
            if has(CHANGING) || is_git {
                let rest = command.iter().filter(|word| *word != first);
                return rest
                    .into_iter()
                    .find(|word| self.touch(word) >= Some(wanted))
                    .cloned();
            }
            let is_into = has(INTO) && self.touch(last) == Some(Touch::Holds);
            is_into.then(|| last.clone())
        })
    }

    fn feeds(&self) -> bool {
        let mut words = self.commands.iter().flatten();
        words.any(|word| base(word) == "xargs" || word.contains("$(") || word.contains('`'))
    }

    fn searches(&self, word: &str) -> bool {
        let pattern = word.to_lowercase();
        let says = pattern.chars().any(char::is_alphanumeric);
        let mut targets = self.guard.targets.iter();
        self.touch(word) == Some(Touch::Holds)
            || (says && targets.any(|target| patterns::glob(target.names().1, &pattern)))
    }
}

/// The last name of a word: `/bin/rm` is `rm`.
fn base(word: &str) -> &str {
    word.rsplit_once('/').map_or(word, |(_, name)| name)
}
