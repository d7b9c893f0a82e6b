//! Which files a patch changes: `git apply x.patch` and `patch -p1 < x.patch` name none, so the patch is read for its names.
//!
//! The answer is a superset: each end of a name counts, however many folders at its front are left out. A patch that makes links,
//! or in which a name or a form stands that programs read in more than one way, stays what the reader of lines says.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhook_effects::command::{Input, ShellCommand};
use anyhook_effects::word::Word;

use super::MOST;
use super::git::follows_renames;
use crate::files;
use crate::lists::PATCHING;

/// The longest patch that is read.
const LONGEST: u64 = 1 << 20;

/// A command that applies one patch.
pub(super) struct Patch {
    /// The name of the command, as effects have it.
    pub(super) through: &'static str,
    file: PathBuf,
    /// The folders from which its names may be seen.
    folders: Vec<PathBuf>,
}

impl Patch {
    pub(super) fn of(command: &ShellCommand) -> Option<Self> {
        let words = Word::all_known(&command.words)?;
        let words: Vec<&str> = words.iter().map(|word| &**word).collect();
        let ([at], true) = (&*command.folders, command.assigned.is_empty()) else {
            return None;
        };
        let (through, rest) = match &*words {
            ["git", "apply", rest @ ..] => ("git apply", rest),
            ["git", "am", rest @ ..] => ("git am", rest),
            ["patch", rest @ ..] => ("patch", rest),
            _ => return None,
        };
        let is_told = |word: &&&str| !PATCHING.contains(*word) && !is_strip(word);
        let mut others = rest.iter().filter(is_told).copied();
        let operand = match (through, others.next()) {
            ("patch", Some("-i")) => others.next(),
            ("patch", Some(word)) => word.strip_prefix("--input="),
            (_, word) => word,
        };
        let input = match &command.input {
            Input::File(word) => word.known(),
            _ => None,
        };
        let file = operand.or(input.filter(|_| rest.iter().all(|it| it.starts_with('-'))));
        let is_one = others.next().is_none() && !file?.starts_with('-');
        // Git counts from the top of the repository, and `patch` from where it runs.
        let top = at.ancestors().find(|folder| folder.join(".git").exists());
        let top = top.filter(|top| through != "patch" && top != at);
        is_one.then_some(Self {
            through,
            file: at.join(file?),
            folders: [Some(at.as_path()), top]
                .into_iter()
                .flatten()
                .map(Path::to_owned)
                .collect(),
        })
    }

    /// The files that it may change; nothing if they cannot be told.
    pub(super) fn files(&self) -> Option<Vec<PathBuf>> {
        let follows = self.through == "git am" && follows_renames(self.folders.first()?);
        let bytes = files::read_up_to(&self.file, LONGEST).ok()?;
        let text = String::from_utf8(bytes).ok()?;
        let names = names(&text)?;
        let ends = names.iter().flat_map(|name| {
            let cuts = name.match_indices('/').map(|(at, _)| at + 1);
            std::iter::once(0)
                .chain(cuts)
                .filter_map(|at| name.get(at..))
        });
        let ends: BTreeSet<&str> = ends.filter(|end| !end.is_empty()).collect();
        let all = self
            .folders
            .iter()
            .flat_map(|folder| ends.iter().map(|end| folder.join(end)));
        let all: Vec<PathBuf> = all.collect();
        (!follows && !all.is_empty() && all.len() <= MOST).then_some(all)
    }
}

/// `-p1`: so many folders are left out.
fn is_strip(word: &str) -> bool {
    word.strip_prefix("-p")
        .is_some_and(|count| count.parse::<u8>().is_ok())
}

/// The names in the heads of a patch; nothing where there are others, or may be.
fn names(text: &str) -> Option<BTreeSet<&str>> {
    const HEADS: [&str; 7] = [
        "--- ",
        "+++ ",
        "Index:",
        "rename from ",
        "rename to ",
        "copy from ",
        "copy to ",
    ];
    // A link or a repository, mail in another coding, and a head that is quoted as mail quotes it.
    let odd = [
        "120000",
        "160000",
        "base64",
        "quoted-printable",
        "- ---",
        // A list of other patches.
        "# this series applies on git commit",
        "\0",
    ];
    let small = text.to_lowercase();
    if odd.iter().any(|odd| small.contains(odd)) {
        return None;
    }
    let mut all = BTreeSet::new();
    // `patch` looks behind these letters too.
    let lines = text
        .lines()
        .map(|line| line.trim_start_matches([' ', '\t', 'X']));
    for line in lines {
        let heads = HEADS.iter().find_map(|head| line.strip_prefix(head));
        let name = heads.map(|name| name.split('\t').next().unwrap_or_default().trim());
        if let Some(both) = line.strip_prefix("diff --git ") {
            let (one, other) = both.trim().split_once(' ')?;
            all.extend([plain(one)?, plain(other)?]);
        } else if let Some(name) = name {
            all.insert(plain(name)?);
        } else if ["*** ", "rename ", "copy "]
            .iter()
            .any(|it| line.starts_with(it))
            || is_edit(line)
        {
            return None;
        }
    }
    all.remove("/dev/null");
    Some(all)
}

/// A name that each program reads alike.
fn plain(name: &str) -> Option<&str> {
    let is_odd =
        |letter: char| letter.is_whitespace() || letter.is_control() || "\"\\".contains(letter);
    (!name.is_empty() && !name.contains(is_odd) && !name.contains("..")).then_some(name)
}

/// A line of a form without names, which an editor carries out: `3,5d`.
fn is_edit(line: &str) -> bool {
    let line = line.trim();
    line.starts_with(|letter: char| letter.is_ascii_digit())
        && line.contains(['a', 'c', 'd'])
        && line
            .chars()
            .all(|letter| letter.is_ascii_digit() || ",acd".contains(letter))
}
