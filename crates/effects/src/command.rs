//! A simple command in the place where the shell would run it.

use std::path::PathBuf;

use crate::effect::{Certainty, Effect};
use crate::programs::program_name;
use crate::word::Word;

/// A simple command: words, and what surrounds them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ShellCommand {
    /// The program and its arguments. Empty for a redirection alone.
    pub words: Vec<Word>,
    /// Variables that are set for this command alone, such as `GIT_DIR=x git status`.
    pub assigned: Vec<(String, Word)>,
    /// Where its standard input comes from.
    pub input: Input,
    /// The folders it may run in, each absolute; several where a `cd` may have failed, none if it cannot be known.
    pub folders: Vec<PathBuf>,
    /// Whether it surely runs if the line runs, or only may.
    pub certainty: Certainty,
    /// The branch of git on which the line put itself before, in the same folder and without a word that cannot be read.
    pub branch: Option<String>,
}

impl ShellCommand {
    /// Makes a command with nothing around it.
    pub fn new(words: Vec<Word>, folders: Vec<PathBuf>) -> Self {
        Self {
            words,
            assigned: Vec::new(),
            input: Input::Inherited,
            folders,
            certainty: Certainty::Exact,
            branch: None,
        }
    }

    /// Returns the same command with other words.
    pub(crate) fn with(&self, words: Vec<Word>) -> Self {
        Self {
            words,
            ..self.clone()
        }
    }

    /// Returns the name by which its program is listed; empty where it cannot be read.
    pub fn program(&self) -> String {
        let program = self.words.first().map(program_name);
        program.unwrap_or_default()
    }
}

/// Where a command reads from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Input {
    /// The terminal or nothing.
    Inherited,
    /// Known text, such as a here-document or what `echo` of constants prints into the pipe.
    Text(String),
    /// A file.
    File(Word),
    /// What other programs print, or a text that cannot be known.
    Unknown {
        /// The names of files, of which it is known that nothing else is printed. Each word stands for many.
        names: Vec<Word>,
        /// Whether a NUL stands behind each of them.
        zeros: bool,
    },
}

impl PrintedNames {
    /// Names that are seen from these folders.
    pub(crate) fn of(names: Vec<Word>, from: &[PathBuf]) -> Self {
        Self {
            names,
            from: from.to_vec(),
            ..Self::default()
        }
    }
}

impl NestedCommand {
    /// A line for a shell without parameters.
    pub(crate) fn line(text: Word, folders: Vec<PathBuf>) -> Self {
        Self::Shell {
            text,
            arguments: Vec::new(),
            folders,
        }
    }
}

impl Input {
    /// A text of which nothing is known, and which comes from this machine.
    pub fn unknown() -> Self {
        Self::Unknown {
            names: Vec::new(),
            zeros: false,
        }
    }
}

/// What a program does with its words: the answer of the table of programs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct ProgramEffects {
    /// Its own effects.
    pub effects: Vec<Effect>,
    /// What it runs in turn, which the reader of the line follows.
    pub runs: Vec<NestedCommand>,
    /// What it prints, if that is known: `echo` and `printf` of constants, `base64 -d` of known text.
    pub prints: Option<String>,
    /// What is known of what it prints, where the text is not.
    pub shape: Option<OutputShape>,
}

/// What is known of a text that a program prints.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum OutputShape {
    /// Names of files, and nothing else.
    Names(PrintedNames),
    /// This word, if the program succeeds; it stands for one name.
    Word(Word),
    /// This word: a number, a time, or the name of a commit.
    Text(Word),
    /// The name of the branch that is checked out in this folder.
    Branch(PathBuf),
}

/// Names of files that a program prints.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct PrintedNames {
    /// The names: each word stands for many.
    pub names: Vec<Word>,
    /// The folders from which they are seen.
    pub from: Vec<PathBuf>,
    /// Whether a NUL stands behind each, which the shell leaves out: two names become one.
    pub zeros: bool,
    /// Whether git tells them: each is then in its index, on the disk or not, or among what git does not keep.
    pub tracked: bool,
    /// Whether each is in the index of git, or in one of the commits.
    pub indexed: bool,
    /// Commits of which names may be among them.
    pub commits: Vec<String>,
    /// The folders, all of them absolute, in which or below which the names are; none for names of other things.
    pub below: Vec<PathBuf>,
}

/// A folder of this disk that a container has.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ContainerMount {
    /// Its name in the container.
    pub there: PathBuf,
    /// Where it is on this disk.
    pub here: PathBuf,
}

/// Something that a program runs in turn.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum NestedCommand {
    /// Another command: what follows `sudo`, `env`, `xargs`, `find -exec`.
    Command(ShellCommand),
    /// Text that a shell reads: `sh -c TEXT`, `eval TEXT`.
    Shell {
        /// The text; `Word::unknown()` where it cannot be read.
        text: Word,
        /// The positional parameters, `$0` first.
        arguments: Vec<Word>,
        /// The folders it runs in.
        folders: Vec<PathBuf>,
    },
    /// A script in a file, read where it is there and belongs to the project: `sh FILE`, `./FILE`, `source FILE`.
    File {
        /// The file.
        file: Word,
        /// Whether a shell reads it (`sh x`), whatever its first line says.
        shell: bool,
        /// Its arguments.
        arguments: Vec<Word>,
        /// The folders it runs in.
        folders: Vec<PathBuf>,
    },
    /// What runs on another machine or in a container: its files are not those of this disk, but for the folders of this
    /// disk that are seen there under another name.
    Elsewhere {
        /// What runs there.
        inner: Box<Self>,
        /// The folders that are seen there.
        mounts: Vec<ContainerMount>,
    },
    /// A file that a program loads as code, which counts where the line itself wrote it: `sed -f FILE`, `python -m NAME`.
    Loaded {
        /// The file.
        file: Word,
        /// The folders it may stand in.
        folders: Vec<PathBuf>,
    },
    /// Code of another language, inline: `python -c TEXT`, `perl -e TEXT`, `node -e TEXT`.
    Code {
        /// The interpreter's family: `python`, `perl`, `ruby`, `node`, `awk`, `sed`, …
        language: &'static str,
        /// The text; `Word::unknown()` where it cannot be read.
        text: Word,
        /// The folders it runs in.
        folders: Vec<PathBuf>,
    },
}
