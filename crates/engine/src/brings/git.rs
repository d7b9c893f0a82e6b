//! Questions to git, by commands that run no code of the repository.
//!
//! The repository is a stranger's, and the agent can write its settings. So only plumbing is asked, from a fixed place, with
//! an environment of our own: no filter, no program for differences, no pager, no hook, no watcher of files, no
//! connection. No question looks at the contents of files on the disk: git would run the filters of the repository for
//! that. Which files are changed is told from the times in its index.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhook_core::transcript::End;

use super::names::GitNames;
use crate::files::links::real;
use crate::lists::{GIT_SETTINGS, GIT_VARIABLES};
use crate::processes::{Job, Pool, PoolLimits, SYSTEM, system_program};

/// How long one question may take, and how many one step may ask.
pub(super) const PATIENCE: Duration = Duration::from_millis(1500);
const MOST_ASKED: usize = 24;
/// The longest answer, in bytes.
pub(super) const LONGEST: usize = 1 << 20;
/// The most commits whose files are looked at one by one.
const MOST_COMMITS: usize = 300;
/// One call of git that runs no code of the repository.
#[derive(Debug)]
pub(crate) struct GitQuery<'q> {
    /// The folder in which git starts.
    pub(crate) folder: &'q Path,
    pub(crate) words: &'q [&'q str],
    /// What the environment has besides.
    pub(crate) variables: Vec<(&'q str, OsString)>,
    pub(crate) input: Arc<[u8]>,
    pub(crate) patience: Duration,
    /// The longest answer, in bytes.
    pub(crate) longest: usize,
}

impl GitQuery<'_> {
    /// Asks; nothing if git fails, takes too long, or says more.
    pub(crate) fn answer(self, program: &Path) -> Option<Vec<u8>> {
        let [answer] = Self::answers([self], program);
        answer
    }

    /// Asks several at the same time.
    pub(crate) fn answers<const N: usize>(
        questions: [Self; N],
        program: &Path,
    ) -> [Option<Vec<u8>>; N] {
        let longest = questions.iter().map(|question| question.longest).max();
        let jobs = questions.map(|question| question.job(program));
        answers(jobs, longest.unwrap_or_default())
    }

    fn job(self, program: &Path) -> Job {
        let settings = GIT_SETTINGS.iter().flat_map(|setting| ["-c", setting]);
        let words = std::iter::once("--no-pager")
            .chain(settings)
            .chain(self.words.iter().copied());
        let own = GIT_VARIABLES.iter().filter_map(|one| one.split_once('='));
        let own = own.chain([("PATH", SYSTEM)]);
        let own = own.map(|(name, value)| (name, value.into()));
        let variables = own.chain(self.variables);
        Job {
            program: program.to_owned(),
            args: words.map(OsString::from).collect(),
            env: variables
                .map(|(name, value)| (name.into(), value))
                .collect(),
            cwd: self.folder.to_owned(),
            stdin: self.input,
            deadline: self.patience,
            confined: None,
        }
    }
}

/// Runs several programs at the same time, and returns what each printed; nothing of one that fails, takes too long, or says more.
pub(super) fn answers<const N: usize>(jobs: [Job; N], longest: usize) -> [Option<Vec<u8>>; N] {
    let mut pool = Pool::new(PoolLimits {
        keep: longest,
        grace: Duration::ZERO,
        linger: Duration::ZERO,
    });
    for (at, job) in jobs.into_iter().enumerate() {
        pool.start(at, job);
    }
    let mut answers = [const { None }; N];
    while !pool.is_idle() {
        for (at, said) in pool.turn(None) {
            let is_whole = said.end == End::Code(0) && said.stdout.dropped == 0;
            if let Some(answer) = answers.get_mut(at).filter(|_| is_whole) {
                *answer = Some(said.stdout.kept);
            }
        }
    }
    answers
}

/// Finds git, wherever the environment says that it is.
pub(crate) fn program() -> Option<PathBuf> {
    system_program("git")
}

/// Tells whether a branch has commits that its remote one lacks; of a branch that is not there none. Nothing if git cannot be
/// asked.
pub(crate) fn has_own_commits(folder: &Path, branch: &str) -> Option<bool> {
    let git = GitRepository::at(folder)?;
    let own = format!("refs/heads/{branch}");
    let remote = git.text("for-each-ref --format=%(refname)%(upstream)", &[&own])?;
    let remote = remote.trim();
    if remote.is_empty() || remote == own {
        return Some(!remote.is_empty());
    }
    let range = format!("{}..{own}", remote.strip_prefix(&own)?);
    let commits = git.text("rev-list --max-count=1", &[&range])?;
    Some(!commits.is_empty())
}

/// Returns the files of the repository around a folder that git neither keeps nor ignores, by the rules of the repository
/// itself: `git add` may take them. Nothing if git cannot be asked.
pub(crate) fn addable(folder: &Path) -> Option<Vec<PathBuf>> {
    let git = GitRepository::at(folder)?;
    let names = git.untracked()?.into_iter();
    Some(names.map(|name| git.top.join(name)).collect())
}

/// Tells whether `git am` here looks for files that seem to be renamed, or may.
pub(super) fn follows_renames(folder: &Path) -> bool {
    let ask = "config --type=bool --default=false --get am.threeWay";
    let told = GitRepository::at(folder).and_then(|git| git.text(ask, &[]));
    told.is_none_or(|told| told.trim() != "false")
}

/// Tells whether a word is the name of one commit, as people write them: no option, no range, no file in a commit.
pub(super) fn is_revision(word: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "_./@{}~^-+#".contains(letter);
    !word.is_empty()
        && !word.starts_with('-')
        && !word.contains("..")
        && word.chars().all(is_letter)
}

/// The repository around a folder.
#[derive(Debug)]
pub(super) struct GitRepository {
    program: PathBuf,
    /// The folder of its files.
    pub(super) top: PathBuf,
    /// Its own folder.
    pub(super) own: PathBuf,
    asked: Cell<usize>,
}

impl GitRepository {
    /// Finds the repository; nothing where there is none, or no git.
    pub(super) fn at(folder: &Path) -> Option<Self> {
        let program = program()?;
        let mut git = Self {
            program,
            top: folder.to_owned(),
            own: PathBuf::new(),
            asked: Cell::new(0),
        };
        let told = git.text("rev-parse --show-toplevel --absolute-git-dir", &[])?;
        let [top, own] = *told.lines().collect::<Vec<_>>() else {
            return None;
        };
        (git.top, git.own) = (real(Path::new(top)), PathBuf::from(own));
        Some(git)
    }

    /// Asks with the words of a line, and with more words, which may have blanks.
    fn ask(&self, line: &str, more: &[&str], input: &[u8]) -> Option<Vec<u8>> {
        self.asked.set(self.asked.get() + 1);
        if self.asked.get() > MOST_ASKED {
            return None;
        }
        let words: Vec<&str> = line.split(' ').chain(more.iter().copied()).collect();
        let question = GitQuery {
            folder: &self.top,
            words: &words,
            variables: Vec::new(),
            input: input.into(),
            patience: PATIENCE,
            longest: LONGEST,
        };
        question.answer(&self.program)
    }

    fn text(&self, line: &str, more: &[&str]) -> Option<String> {
        String::from_utf8(self.ask(line, more, &[])?).ok()
    }

    /// The one commit of this name.
    pub(super) fn commit(&self, name: &str) -> Option<String> {
        let name = format!("{name}^{{commit}}");
        let told = self.text("rev-parse --verify --quiet --end-of-options", &[&name])?;
        Some(told.trim().to_owned())
    }

    /// All commits that a name may mean: of a tag and of branches, also of one that git would make from a remote one.
    pub(super) fn commits(&self, name: &str) -> BTreeSet<String> {
        let mut all: BTreeSet<String> = self.commit(name).into_iter().collect();
        // Else it is no whole name of a branch or a tag.
        if !name.contains(['@', '{', '}', '~', '^']) {
            let places = [
                "refs/heads/",
                "refs/tags/",
                "refs/remotes/",
                "refs/remotes/*/",
            ];
            let places = places.map(|place| format!("{place}{name}"));
            let places = places.each_ref().map(String::as_str);
            let told = self.text("for-each-ref --format=%(objectname)", &places);
            let told = told.unwrap_or_default();
            all.extend(told.lines().map(str::to_owned));
        }
        all
    }

    /// The commits before one; nothing if there is none.
    pub(super) fn parents(&self, commit: &str) -> Option<Vec<String>> {
        let told = self.text("rev-parse --end-of-options", &[&format!("{commit}^@")])?;
        let hexes = told.lines().filter(|line| is_digest(line));
        let all: Vec<String> = hexes.map(str::to_owned).collect();
        (!all.is_empty()).then_some(all)
    }

    /// Adds the names that differ between two commits.
    pub(super) fn differing(&self, one: &str, other: &str, names: &mut GitNames) -> Option<()> {
        let line = "diff-tree -r -z --raw -M -l7000 --no-ext-diff --no-textconv";
        names.add(&self.ask(line, &[one, other, "--"], &[])?)
    }

    /// Adds the names that differ between a commit and the index.
    pub(super) fn staged(&self, commit: &str, names: &mut GitNames) -> Option<()> {
        let line = "diff-index --cached -r -z --raw --no-renames --no-ext-diff --no-textconv";
        names.add(&self.ask(line, &[commit, "--"], &[])?)
    }

    /// Adds the names that each commit changed which only one of two has.
    pub(super) fn history(&self, one: &str, other: &str, names: &mut GitNames) -> Option<()> {
        let range = format!("{one}...{other}");
        let most = format!("--max-count={}", MOST_COMMITS + 1);
        let commits = self.ask("rev-list", &[&most, &range, "--"], &[])?;
        if commits.split(|byte| *byte == b'\n').count() > MOST_COMMITS + 1 {
            return None;
        }
        let line = "diff-tree --stdin -r -m --root --no-commit-id -z --raw -M -l7000 --no-ext-diff --no-textconv";
        names.add(&self.ask(line, &[], &commits)?)?;
        for base in self.bases(one, other)? {
            self.differing(&base, one, names)?;
            self.differing(&base, other, names)?;
        }
        Some(())
    }

    /// The commits from which both come.
    pub(super) fn bases(&self, one: &str, other: &str) -> Option<Vec<String>> {
        let told = self.text("merge-base --all", &[one, other])?;
        Some(told.lines().map(str::to_owned).collect())
    }

    /// Adds the names of all files of a commit.
    pub(super) fn files(&self, commit: &str, names: &mut GitNames) -> Option<()> {
        names.add_tree(&self.ask("ls-tree -r -z --full-tree", &[commit], &[])?)
    }

    /// The files that git neither keeps nor ignores.
    pub(super) fn untracked(&self) -> Option<BTreeSet<String>> {
        let told = self.text("ls-files --others --exclude-standard -z", &[])?;
        Some(told.split_terminator('\0').map(str::to_owned).collect())
    }

    /// The digest that a file in git's own folder holds.
    pub(super) fn noted(&self, file: &str) -> Option<String> {
        let bytes = crate::files::read_up_to(&self.own.join(file), 128).ok()?;
        let text = String::from_utf8(bytes).ok()?.trim().to_owned();
        is_digest(&text).then_some(text)
    }
}

fn is_digest(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.chars().all(|letter| letter.is_ascii_hexdigit())
}
