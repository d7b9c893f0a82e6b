//! The effects of programs: one row per program, and the reader of rows.
//!
//! A row says how the options of a program are written and what is done with their values and with its operands. The
//! letters of [`Program`] stand for effects; what they cannot say is in the function of the row.

mod admin;
mod archives;
mod asked;
mod awk;
mod build;
mod call;
mod copies;
mod data;
mod deal;
mod files;
mod git;
mod git_remote;
mod git_told;
mod git_verbs;
mod git_work;
mod index;
mod interpreters;
mod net;
mod packages;
mod processes;
mod scripts;
mod sed;
mod text;
mod wrappers;

use std::borrow::Cow;

use crate::command::{Acts, Command, Inner};
use crate::effect::{Certainty, Effect, Kind, Object};
use crate::options::{Listing, Reading};
use crate::places::Places;
use crate::word::Word;

pub use asked::{Matched, files_of_git, is_called};
use call::Call;
pub(crate) use files::FILLED;
pub(crate) use processes::is_input;
#[cfg(test)]
pub(crate) use tests::{line_of, runs_of};

/// What is known about a program.
///
/// Letters, behind an option's `:` for its value, in `operands` for operands, in `does` for what happens anyway:
///
/// | | |
/// |---|---|
/// | `r` `R` | a file, a folder with all below is read |
/// | `w` `W` | written |
/// | `u` | read and written |
/// | `d` `D` | deleted |
/// | `m` | moved away: read and deleted with all below |
/// | `n` | a URL or a machine to connect to |
/// | `N` `M` | `machine:path`, or a path that is read, that is written |
/// | `c` | text for a shell |
/// | `C` | here a command begins, with all words behind it |
/// | `f` `F` | a script, of any language or for a shell, with its arguments behind it |
/// | `e` | code of the language that the row's first name says |
/// | `x` | code runs that is not read here |
/// | `k` | a setting changes |
/// | `p` `P` | a package is installed, published |
/// | `g` | a process gets a signal |
/// | `b` | a commit is made on the branch that is checked out |
/// | `t` | files of the repository are written as git has them |
/// | `X` `Y` | work in the repository, in a path of it, is thrown away |
/// | `/` | the folder in which it runs |
/// | `-` | nothing |
///
/// Behind an option's `!`: one of `rRwWdDm` takes the place of what happens to the operands under the `*`, `^` takes the
/// first operand's part (`grep -e`), `0` means that nothing happens to operands; other letters happen by themselves.
#[derive(Debug, Clone, Copy)]
pub struct Program {
    /// Its names, `|` between them; those of a verb (`git push`) begin with the program once: `npm install|i|add`.
    pub names: &'static str,
    /// Its options: see [`Listing`].
    pub options: &'static str,
    /// Its operands, in order; one may have a `*` and take all that others do not need. `v` is a verb with its own row.
    pub operands: &'static str,
    /// What it does in any case: letters, each with `:` and a text where it needs one.
    pub does: &'static str,
    /// What letters cannot say.
    pub more: Option<fn(&mut Call<'_>)>,
}

const fn row(names: &'static str, options: &'static str, operands: &'static str) -> Program {
    Program {
        names,
        options,
        operands,
        does: "",
        more: None,
    }
}

impl Program {
    const fn does(mut self, does: &'static str) -> Self {
        self.does = does;
        self
    }

    const fn more(mut self, more: fn(&mut Call<'_>)) -> Self {
        self.more = Some(more);
        self
    }

    /// Returns its names, each whole.
    pub fn names(&self) -> impl Iterator<Item = String> + use<> {
        let mut names = self.names.split('|');
        let first = names.next().unwrap_or_default();
        let above = first
            .rsplit_once(' ')
            .map_or(String::new(), |(above, _)| format!("{above} "));
        let others = names.map(move |name| format!("{above}{name}"));
        std::iter::once(first.to_owned()).chain(others)
    }

    /// Returns the first name.
    pub fn name(&self) -> &'static str {
        self.names.split('|').next().unwrap_or_default()
    }

    fn has_verbs(&self) -> bool {
        self.operands == "v"
    }
}

const FAMILIES: &[&[Program]] = &[
    files::ROWS,
    copies::ROWS,
    text::ROWS,
    archives::ROWS,
    git::ROWS,
    git_verbs::ROWS,
    packages::ROWS,
    build::ROWS,
    net::ROWS,
    processes::ROWS,
    scripts::ROWS,
    interpreters::ROWS,
    data::ROWS,
    admin::ROWS,
];

/// Returns every row.
pub fn programs() -> impl Iterator<Item = &'static Program> {
    FAMILIES.iter().flat_map(|family| family.iter())
}

/// Returns the row of a program, or of a verb: `rm`, `git push`.
pub fn find(name: &str) -> Option<&'static Program> {
    index::find(name).or_else(|| {
        // Another name of a verb: `npm i` stands as `npm install|i`.
        let program = name.get(..=name.find(' ')?)?;
        let mut verbs = programs().filter(|row| row.names.starts_with(program));
        verbs.find(|row| {
            let above = row.name().rsplit_once(' ').map(|(above, _)| above);
            let below = above.and_then(|above| name.strip_prefix(above));
            let last = below.and_then(|below| below.strip_prefix(' '));
            last.is_some_and(|last| row.names.split('|').skip(1).any(|name| name == last))
        })
    })
}

/// A command with its row, or the rows of its verbs.
pub(crate) struct Called {
    /// The names of the program and its verbs, as the command has them: `git push`.
    pub(crate) name: String,
    /// The row of the innermost verb that is known; `None` if even the program is not.
    pub(crate) row: Option<&'static Program>,
    /// The rows around it, the program's own first.
    pub(crate) outer: Vec<&'static Program>,
    /// The options of the program in front of its verb.
    pub(crate) above: Reading,
    /// The words of the innermost row.
    pub(crate) reading: Reading,
    /// Whether the verb is missing or cannot be read.
    pub(crate) verb: Verb,
}

/// How much of a program's verb is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    /// It has a row, or the program has no verbs.
    Known,
    /// It has no row.
    Unlisted,
    /// It cannot be read.
    Unreadable,
    /// There is none.
    Missing,
}

/// Finds the row of the program alone, and takes off its words what only says which version of it runs.
fn first_called(words: &mut Cow<'_, [Word]>) -> Called {
    let name = words.first().map(program_name).unwrap_or_default();
    let mut called = Called {
        row: find(&name),
        name,
        outer: Vec::new(),
        above: Reading::default(),
        reading: Reading::default(),
        verb: Verb::Known,
    };
    // `git-push` is `git push`.
    if let (None, Some(verb)) = (called.row, called.name.strip_prefix("git-")) {
        words
            .to_mut()
            .splice(..1, [Word::text("git"), Word::text(verb)]);
        called.name.truncate(3);
        called.row = find("git");
    }
    if called.row.is_none() {
        called.reading = Listing::default().read(words, 1);
    }
    // `cargo +nightly` names a toolchain; what the verb does stays the same.
    let has_toolchain = words
        .get(1)
        .is_some_and(|word| word.head().starts_with('+'));
    if has_toolchain && called.row.is_some_and(|row| row.name() == "cargo") {
        words.to_mut().remove(1);
    }
    called
}

/// Finds the row of a command, through its verbs.
pub(crate) fn called(words: &[Word]) -> Called {
    let mut words = Cow::Borrowed(words);
    let mut called = first_called(&mut words);
    let mut skip = 1;
    let mut above = "";
    while let Some(row) = called.row {
        let listing = Listing::for_words(&[row.options, above], &words, skip);
        called.reading = listing.read(&words, skip);
        if !row.has_verbs() {
            break;
        }
        let Some(verb) = called.reading.operands.first().cloned() else {
            called.verb = Verb::Missing;
            break;
        };
        let Some(text) = verb.word.known() else {
            called.verb = Verb::Unreadable;
            break;
        };
        let whole = format!("{} {text}", row.name());
        let Some(inner) = find(&whole) else {
            called.verb = Verb::Unlisted;
            break;
        };
        if listing.stops {
            called.above = std::mem::take(&mut called.reading);
            skip = verb.at + 1;
            above = "";
        } else {
            words.to_mut().remove(verb.at);
            above = row.options;
        }
        called.name = format!("{} {text}", called.name);
        called.row = Some(inner);
        called.outer.push(row);
    }
    called
}

/// Says what a command does. Its first word is known.
pub fn act(command: &Command, places: &Places) -> Acts {
    let Some(first) = command.words.first() else {
        return Acts::default();
    };
    let mut acts = acts(command, first, places);
    if initialises(command) {
        acts.prints = Some(":\n".to_owned());
    }
    acts
}

/// Programs whose printed text sets up the shell that evaluates it: what they print is the person's, and counts as nothing.
const INITIALISERS: &[&str] = &[
    "atuin init",
    "brew shellenv",
    "direnv hook",
    "dircolors",
    "docker completion",
    "fnm env",
    "gh completion",
    "helm completion",
    "jenv init",
    "kubectl completion",
    "minikube completion",
    "mise activate",
    "mise hook-env",
    "nodenv init",
    "npm completion",
    "opam env",
    "pip completion",
    "poetry completions",
    "pyenv init",
    "pyenv virtualenv-init",
    "rbenv init",
    "rtx activate",
    "rustup completions",
    "ssh-agent -s",
    "starship init",
    "uv generate-shell-completion",
    "zoxide init",
];

/// Tells whether a command is one of those, by its bare name, with words that name no file and set nothing.
fn initialises(command: &Command) -> bool {
    let first = command.words.first().map(Word::head).unwrap_or_default();
    let mut known = INITIALISERS
        .iter()
        .filter(|known| known.split(' ').next() == Some(first));
    known.any(|known| {
        let mut words = command.words.iter().map(Word::known);
        let begins = known
            .split(' ')
            .all(|part| words.next().flatten().as_deref() == Some(part));
        let is_plain =
            |word: Option<Cow<'_, str>>| word.is_some_and(|word| !word.contains(['/', '=', '.']));
        begins && command.assigned.is_empty() && words.all(is_plain)
    })
}

fn acts(command: &Command, first: &Word, places: &Places) -> Acts {
    let called = called(&command.words);
    let is_own = is_own(first);
    if called.row.is_none() || is_own {
        let mut acts = script(command, first, called.name.clone());
        // A command that a rule confined names our program in full, wherever it was installed.
        let is_ours = matches!(&*program_name(first), "anyhook" | "anyhook-run");
        if called.row.is_some() && (is_ours || called_by_bin(first)) {
            let mut of_name = of_row(called, command, places);
            of_name.effects.remove(0);
            acts.add(of_name);
        }
        return acts;
    }
    of_row(called, command, places)
}

fn of_row(called: Called, command: &Command, places: &Places) -> Acts {
    let Some(row) = called.row else {
        return Acts::default();
    };
    let second = command.words.get(2).and_then(Word::known);
    let is_help = second.as_deref() == Some("--help") && command.assigned.is_empty();
    let shows_help = is_help && called.name.starts_with("git ");
    let mut call = Call::new(command, places, row, called);
    // Git hands it to the reader of manuals.
    if !shows_help {
        call.play();
    }
    call.finish()
}

/// A program that has no row: a script that can be read, or opaque.
fn script(command: &Command, first: &Word, name: String) -> Acts {
    let effect = Effect {
        kind: Kind::Exec,
        object: Object::Program {
            name: last_name(first),
            arguments: call::arguments(command),
            opaque: true,
        },
        certainty: command.certainty,
        through: name,
    };
    let mut acts = Acts {
        effects: vec![effect],
        ..Acts::default()
    };
    let is_path = first.parts.len() != 1 || first.head().contains('/');
    if is_path {
        acts.runs.push(Inner::File {
            file: first.clone(),
            shell: false,
            arguments: command.words.get(1..).unwrap_or_default().to_vec(),
            folders: command.folders.clone(),
        });
    }
    acts
}

impl Acts {
    /// Adds what else happens.
    pub(crate) fn add(&mut self, other: Self) {
        self.effects.extend(other.effects);
        self.runs.extend(other.runs);
        self.prints = self.prints.take().or(other.prints);
    }

    /// Notes an effect, once: of two that differ in certainty the surer.
    pub(crate) fn note(&mut self, effect: Effect) {
        let same = |known: &&mut Effect| known.kind == effect.kind && known.object == effect.object;
        match self.effects.iter_mut().find(same) {
            Some(known) => known.certainty = known.certainty.max(effect.certainty),
            None => self.effects.push(effect),
        }
    }
}

/// Folders of the system's own programs.
const SYSTEM: &[&str] = &[
    "/bin",
    "/sbin",
    "/usr/bin",
    "/usr/sbin",
    "/usr/local/bin",
    "/usr/local/sbin",
    "/opt/homebrew/bin",
    "/usr/lib/git-core",
    "/usr/libexec/git-core",
    "/lib",
    "/lib64",
    "/usr/lib64",
];

/// Tells whether a program is named by a path that is none of the system's: anything may stand there.
fn is_own(word: &Word) -> bool {
    let text = word.head();
    match text.rsplit_once('/') {
        _ if word.parts.len() != 1 => true,
        Some((folder, _)) => !SYSTEM.contains(&folder),
        None => false,
    }
}

/// Tells whether a program stands in a folder for programs, so that its name says what it is.
fn called_by_bin(word: &Word) -> bool {
    let above = match word.parts.last() {
        Some(crate::word::Part::Text(text)) => text.rsplit_once('/').map(|(above, _)| above),
        _ => None,
    };
    let folder = above.and_then(|above| above.rsplit('/').next());
    matches!(
        folder,
        Some("bin" | "sbin" | ".bin" | "git-core" | "Scripts")
    )
}

/// Returns the name by which a program is listed: without folders, `.exe` and a version.
pub(crate) fn program_name(word: &Word) -> String {
    let last = match word.parts.last() {
        Some(crate::word::Part::Text(text)) => text.as_str(),
        _ => return String::new(),
    };
    let name = last.rsplit(['/', '\\']).next().unwrap_or(last);
    if index::find(name).is_some() {
        return name.to_owned();
    }
    // Systems that do not tell capitals from small letters run `RM` as `rm`.
    let lower = name.to_lowercase();
    let lower = lower.strip_suffix(".exe").unwrap_or(&lower);
    let bare = lower.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    let known = [lower, bare]
        .into_iter()
        // Of one letter no name is left that means anything: `c1` is no compiler.
        .find(|name| (name.len() > 1 || *name == lower) && index::find(name).is_some());
    known.unwrap_or(name).to_owned()
}

/// Returns the last name of a program as it is called: `python3.12` of `/usr/bin/python3.12`.
pub(crate) fn last_name(word: &Word) -> String {
    match word.parts.last() {
        Some(crate::word::Part::Text(text)) => text.rsplit('/').next().unwrap_or(text).to_owned(),
        _ => String::new(),
    }
}

/// The lesser of two certainties.
fn lesser(one: Certainty, other: Certainty) -> Certainty {
    one.min(other)
}

#[cfg(test)]
mod tests;
