//! Looking for files on the disk that an effect falls on: those of a pattern of the shell, and those below a folder.

use std::cell::{Cell, OnceCell};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhook_effects::command::ShellCommand;
use anyhook_effects::effect::{Effect, EffectKind, Target};
use anyhook_effects::options::ParsedOption;
use anyhook_effects::programs::{may_be, read};
use anyhook_effects::shell::LineAnalysis;
use anyhook_effects::word::{Part, Word};

use super::Facts;
use super::objects::{globs, is_open};
use super::paths::{EventFolders, in_case};
use crate::brings::is_straight;
use crate::files::below::{
    MOST, MOST_OF_PROJECT, ScanExclusion, ScanScope, ScannedTree, TreeEntry,
};
use crate::lists::{BY_ENDING, GIT_BRINGING, GIT_STEADY, LISTING, SEARCHED_ENDINGS};
use crate::shell::globs::Glob;

/// Long options for hidden files.
const HIDDEN: &[&str] = &["hidden", "unrestricted", "no-ignore", "all", "search"];
/// Tools and programs that pass hidden files over unless an option says otherwise.
const POLITE: &[&str] = &["Grep", "Glob", "rg", "ag", "fd", "fdfind"];

/// Programs that follow no link below a folder unless an option says otherwise.
const FOLLOWING_NONE: &[&str] = &["rg", "ag", "grep"];

/// Tells whether only the names of files are read, and not what is in them.
pub(super) fn lists_names(effect: &Effect) -> bool {
    effect.kind == EffectKind::Read && LISTING.contains(&effect.program())
}

/// Tells whether an effect is on what a program is asked the name of. What an option has it read, such as a list of names, is
/// another effect.
pub(super) fn asks_for_names(effect: &Effect) -> bool {
    lists_names(effect) && effect.program() == effect.through
}

/// Whether trees are looked at: a condition that another part of it decides, or another rule, needs no look.
#[derive(Debug, Default)]
pub(super) struct WalkGate {
    /// Whether none is looked at for now.
    wait: Cell<bool>,
    /// How many looks were asked for meanwhile.
    missed: Cell<usize>,
}

impl WalkGate {
    /// Looks at no tree while something is found out; tells what came of it, and how many looks it lacked.
    pub(super) fn without<T>(&self, find: impl FnOnce() -> T) -> (T, usize) {
        let missed = self.missed.replace(0);
        let waited = self.wait.replace(true);
        let found = find();
        self.wait.set(waited);
        (found, self.missed.replace(missed))
    }

    /// Returns how many looks were missed.
    pub(super) fn missed(&self) -> usize {
        self.missed.get()
    }

    /// Looks below a folder, if that is the time for it.
    fn tree(&self, folders: &EventFolders, below: ScanScope) -> Option<Arc<ScannedTree>> {
        if self.wait.get() {
            self.missed.set(self.missed.get() + 1);
            return None;
        }
        Some(folders.seen.tree(below))
    }
}

/// What the search programs of a call look at, for one rule.
#[derive(Debug)]
pub(super) struct Searches<'p> {
    walks: &'p WalkGate,
    done: &'p LineAnalysis,
    line: &'p str,
    pub(super) folders: &'p EventFolders,
    /// What the programs are asked; most lines have no pattern and no folder that it would count for.
    asked: OnceCell<SearchRequest>,
    /// Patterns of files that are passed over.
    except: Vec<&'p str>,
}

/// What search programs are asked to look at.
#[derive(Debug)]
struct SearchRequest {
    /// Whether one of them may look at hidden files.
    hidden: bool,
    /// Whether one of them may follow the links below a folder.
    links: bool,
    /// Which files each `grep` looks at that is given any.
    greps: Vec<GrepFilter>,
    /// The options of the programs that take files by their endings.
    by_hand: Vec<String>,
}

impl SearchRequest {
    fn of(done: &LineAnalysis) -> Self {
        let of = |programs: &'static [&str]| {
            let is_one =
                |command: &&ShellCommand| programs.iter().any(|name| may_be(command, name));
            done.commands.iter().filter(is_one)
        };
        let words = of(BY_ENDING).flat_map(|command| command.words.iter().skip(1));
        let by_hand = words.map(whole).map(|word| word.replace('\\', ""));
        Self {
            hidden: of(POLITE).any(|command| asks(command, HIDDEN, &['.', 'H', 'u', 'a'])),
            links: of(FOLLOWING_NONE)
                .any(|command| asks(command, &["fo", "der"], &['f', 'L', 'R'])),
            greps: of(&["grep"]).filter_map(GrepFilter::of).collect(),
            by_hand: by_hand.collect(),
        }
    }
}

impl<'p> Searches<'p> {
    /// Makes the searches of a call, which pass over the files that these patterns surely hold.
    pub(super) fn of(facts: &'p Facts<'_>, except: &[&'p str]) -> Self {
        Self {
            walks: &facts.walks,
            done: facts.call(),
            line: facts.line(),
            folders: facts.folders(),
            asked: OnceCell::new(),
            except: except.to_vec(),
        }
    }

    fn asked(&self) -> &SearchRequest {
        self.asked.get_or_init(|| SearchRequest::of(self.done))
    }

    /// Whether git takes away what it keeps alone: nothing of the line puts a file into its index, or asks for more.
    pub(super) fn is_steady(&self) -> bool {
        self.done.commands.iter().all(is_steady)
    }

    /// The files that `git add` of the line may put into the index beside those in it: what git neither keeps nor ignores now.
    /// Nothing where that cannot be told: something before may change what git ignores.
    pub(super) fn added(&self, folder: &Path) -> Option<Arc<[PathBuf]>> {
        let commands = &self.done.commands;
        let Some(last) = commands
            .iter()
            .rposition(|it| is_verb(it, &["add", "stage"]))
        else {
            return Some(Arc::new([]));
        };
        let changes =
            |effect: &Effect| matches!(effect.kind, EffectKind::Write | EffectKind::Delete);
        let mut effects = self.done.effects.iter().filter(|effect| changes(effect));
        let mut before = commands.iter().take(last);
        let is_told = effects.all(|effect| effect.through.starts_with("git "))
            && !before.any(|command| is_verb(command, GIT_BRINGING))
            && is_straight(self.line, self.done);
        is_told.then(|| self.folders.seen.addable(folder)).flatten()
    }

    /// Search tools pass hidden files over, and so does a pattern of the shell unless it names the dot.
    fn takes_hidden(&self, effect: &Effect) -> bool {
        match &effect.object {
            Target::Pattern(shell) => {
                let mut open = shell.split('/').skip_while(|part| !is_open(part));
                // `**` stands for what `find` hands on, which passes nothing over; so do the patterns of a search tool.
                open.any(|part| match part.strip_prefix('[') {
                    _ if effect.program() == "Grep" => true,
                    Some(set) => may_be_dot(set),
                    None => part.starts_with(['.', '{']) || part.starts_with("**"),
                })
            }
            _ => self.asked().hidden || !POLITE.contains(&effect.program()),
        }
    }

    /// Tells whether a program that takes files by their endings may take this one. It does so below a folder, and of the names
    /// that `*` stands for; another pattern was written by hand, and so was an option that says the name or its ending.
    fn takes_ending(&self, effect: &Effect, path: &Path) -> bool {
        let by_ending = match &effect.object {
            Target::Tree(_) => true,
            Target::Pattern(pattern) => pattern.ends_with("/*") || pattern.ends_with("/**"),
            _ => false,
        };
        if !by_ending || !BY_ENDING.contains(&effect.program()) {
            return true;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = name.to_ascii_lowercase();
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        let mut parts = name.split('.').skip(1).filter(|part| !part.is_empty());
        let is_said = |text: &str| self.asked().by_hand.iter().any(|word| word.contains(text));
        SEARCHED_ENDINGS.contains(&ending)
            || is_said(&name)
            || parts.any(|part| is_said(&format!(".{part}")))
    }

    /// Tells whether a link below a folder is followed.
    fn takes_links(&self, effect: &Effect) -> bool {
        let is_tree = matches!(effect.object, Target::Tree(_));
        !is_tree || !FOLLOWING_NONE.contains(&effect.program()) || self.asked().links
    }

    /// Tells whether some `grep` looks at files of this name. A file that an option of it names is no such.
    fn takes_name(&self, effect: &Effect, path: &Path) -> bool {
        let is_named = !matches!(&*effect.through, "grep" | "grep -R" | "grep -r");
        if is_named || self.asked().greps.is_empty() {
            return true;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = Glob::of_text(&name);
        self.asked().greps.iter().any(|grep| grep.passes(&name))
    }

    /// Tells whether a file matches that is not passed over.
    fn is_meant(&self, file: &Path, pattern: &str) -> bool {
        let folders = self.folders;
        folders.path_matches(file, pattern)
            && !self.except.iter().any(|except| {
                !(except.starts_with('/') && folders.is_near(file))
                    && folders.is_inside(file, except)
            })
    }

    /// Tells whether one of these files matches that are below a folder.
    pub(super) fn has(&self, files: &[PathBuf], folder: &Path, pattern: &str) -> bool {
        let folder = self.folders.seen.real(folder);
        let mut files = files.iter().filter(|file| file.starts_with(&folder));
        files.any(|file| self.is_meant(file, pattern))
    }

    /// Tells whether a file is there, at a place or below it, that matches; also where there are too many to look at.
    pub(super) fn finds(&self, from: &Path, pattern: &str, effect: &Effect) -> bool {
        let folders = self.folders;
        let globs = globs(pattern, folders);
        let shell = match &effect.object {
            Target::Pattern(shell) => Some(Glob::of_shell(&in_case(shell))),
            _ => None,
        };
        let names_only = asks_for_names(effect);
        // Where links lead is looked up for links alone.
        let is_it = |path: &Path, is_link: bool| {
            let text = Glob::of_text(&in_case(&path.to_string_lossy()));
            let may = |globs: &Vec<Glob>| globs.iter().any(|glob| glob.meets(&text));
            (path.is_dir() || !names_only)
                && shell.as_ref().is_none_or(|shell| shell.meets(&text))
                && self.takes_name(effect, path)
                && self.takes_ending(effect, path)
                && (is_link || globs.as_ref().is_none_or(may))
                && self.is_meant(path, pattern)
        };
        if from.symlink_metadata().is_ok() && is_it(from, true) {
            return true;
        }
        // The names of what is below it are not what is in it.
        if names_only && matches!(effect.object, Target::Tree(_)) {
            return false;
        }
        let most = if folders.is_of_project(from) {
            MOST_OF_PROJECT
        } else {
            MOST
        };
        let mut starts = first_folders(effect, from).into_iter();
        starts.any(|start| {
            let below = ScanScope {
                depth: depth(effect, &start),
                from: start,
                most,
                leaving: if self.takes_hidden(effect) {
                    ScanExclusion::Others
                } else {
                    ScanExclusion::OthersAndHidden
                },
            };
            let tree = self.walks.tree(folders, below);
            tree.is_some_and(|tree| {
                let mut entries = tree.entries.iter();
                let is_one = |entry: &TreeEntry| {
                    let is_link = entry.is_link();
                    (!is_link || self.takes_links(effect)) && is_it(&entry.path, is_link)
                };
                tree.more || entries.any(is_one)
            })
        })
    }
}

/// The folders from which to look for what a pattern of the shell matches: where its first wildcard stands for folders, those
/// that are there, so that others are not looked at.
fn first_folders(effect: &Effect, from: &Path) -> Vec<PathBuf> {
    let all = || vec![from.to_owned()];
    let Target::Pattern(shell) = &effect.object else {
        return all();
    };
    let mut open = shell.split('/').skip_while(|part| !is_open(part));
    let first = open.next().filter(|first| !first.contains("**"));
    let (Some(first), Some(_), Ok(entries)) = (first, open.next(), from.read_dir()) else {
        return all();
    };
    let wanted = Glob::of_shell(first);
    let entries: Vec<_> = entries.take(MOST_OF_PROJECT).flatten().collect();
    if entries.len() == MOST_OF_PROJECT {
        return all();
    }
    let is_one = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        wanted.meets(&Glob::of_text(&name))
    };
    entries
        .iter()
        .map(std::fs::DirEntry::path)
        .filter(is_one)
        .collect()
}

/// How far below a folder the files of an effect are; nothing if that has no bound.
fn depth(effect: &Effect, from: &Path) -> Option<usize> {
    match &effect.object {
        Target::Pattern(shell) if !shell.contains("**") => {
            let below = |path: &str| path.matches('/').count();
            let from = from.to_string_lossy();
            Some(below(shell).saturating_sub(below(from.trim_end_matches('/'))))
        }
        _ => None,
    }
}

/// The words of a command of git from its verb on; nothing if one cannot be read, or something else than an editor and a pager
/// stands in front of it.
fn words_of_git(command: &ShellCommand) -> Option<Vec<&str>> {
    let mut words = Word::all_known(command.words.get(1..)?)?;
    let shows = |setting: &str| {
        let all = ["core.editor=", "core.pager="];
        all.iter().any(|key| setting.starts_with(key))
    };
    while matches!(&*words, [option, setting, ..] if *option == "-c" && shows(setting)) {
        words.drain(..2);
    }
    Some(words)
}

fn is_verb(command: &ShellCommand, verbs: &[&str]) -> bool {
    let words = words_of_git(command).unwrap_or_default();
    may_be(command, "git") && words.first().is_some_and(|verb| verbs.contains(verb))
}

/// Tells whether a command leaves the index of git as it is but for files that it keeps, or may add, and takes no others away.
fn is_steady(command: &ShellCommand) -> bool {
    if !may_be(command, "git") {
        return true;
    }
    let words = words_of_git(command).unwrap_or_default();
    let [verb, rest @ ..] = &*words else {
        return false;
    };
    let letters: &[char] = match *verb {
        "stash" => &['a', 'i', 'u'],
        "add" | "stage" => &['f'],
        _ => &[],
    };
    let is_more = |word: &&str| match word.strip_prefix("--") {
        Some(long) => long.starts_with(letters),
        None => word.starts_with('-') && word.contains(letters),
    };
    GIT_STEADY.contains(verb) && !rest.iter().any(is_more)
}

/// Tells whether an option begins so, if it is long, or has one of these letters, or may.
fn asks(command: &ShellCommand, long: &[&str], letters: &[char]) -> bool {
    let words = command.words.iter().skip(1);
    let mut options = words.map(Word::known);
    options.any(|option| match option {
        None => true,
        Some(option) => match option.strip_prefix("--") {
            Some(told) => long.iter().any(|name| told.starts_with(name)),
            None => option.starts_with('-') && option.contains(letters),
        },
    })
}

/// The names of files that one `grep` looks at.
#[derive(Debug)]
struct GrepFilter {
    /// Those that it asks for; all if there are none.
    wanted: Vec<String>,
    /// Those that it surely leaves out.
    left: Vec<String>,
}

impl GrepFilter {
    /// Reads the options of a `grep`; nothing where it is given no file, so that it reads its input.
    fn of(command: &ShellCommand) -> Option<Self> {
        let (_, reading) = read(command);
        let has = |names: &[&str]| names.iter().any(|name| reading.may_have(name));
        let is_plain = !reading.unreadable && !command.words.iter().any(Word::spreads);
        let patterns = usize::from(!has(&["e", "f"]));
        if is_plain && reading.operands.len() <= patterns && !has(&["r", "d", "f"]) {
            return None;
        }
        let is_asking = |one: &&ParsedOption| one.option.is_one_of("include exclude exclude-from");
        // Where another of them stands first, grep looks at what no option names too.
        let first = reading.given.iter().find(is_asking);
        let is_choice =
            first.is_some_and(|one| one.option.is("include") && one.sure) && !reading.unreadable;
        let included = reading.values("include").filter(|_| is_choice);
        let is_sure = is_plain && !has(&["include"]);
        let excluded = reading.values("exclude").filter(|_| is_sure);
        let excluded = excluded.filter_map(Word::known);
        Some(Self {
            wanted: included.map(whole).collect(),
            left: excluded
                .filter(|name| !name.contains(['[', '\\']))
                .map(String::from)
                .collect(),
        })
    }

    fn passes(&self, name: &Glob) -> bool {
        let is_one = |pattern: &String| Glob::of_shell(pattern).meets(name);
        (self.wanted.is_empty() || self.wanted.iter().any(is_one)) && !self.left.iter().any(is_one)
    }
}

/// Writes a word with the patterns in it as they stand, for what is no path.
fn whole(word: &Word) -> String {
    spelled(word, "*")
}

/// Writes a word with this for each part that is not known.
pub(crate) fn spelled(word: &Word, unknown: &str) -> String {
    let parts = word.parts.iter().map(|part| match part {
        Part::Text(text) | Part::Glob(text) => text.as_str(),
        Part::Of(_) | Part::Unknown | Part::Split => unknown,
    });
    parts.collect()
}

/// Tells whether a set of letters in brackets may hold a dot: not one of letters and digits, and not all but a dot.
fn may_be_dot(set: &str) -> bool {
    let (letters, _) = set.split_once(']').unwrap_or((set, ""));
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    let is_of_letters = letters.starts_with(|letter: char| letter.is_ascii_alphanumeric())
        && letters.chars().all(is_plain);
    !is_of_letters && !["^.", "!."].iter().any(|head| letters.starts_with(head))
}
