//! What git keeps in its index: names, on the disk or not, and the times by which it knows that a file is the same.

use std::collections::BTreeSet;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::thread;

use anyhook_effects::places::is_plain;

/// The largest index that is read, in bytes.
const LONGEST: u64 = 2 << 20;
/// What stands in front of the name of an entry: times, numbers, the digest, flags.
const FIXED: usize = 62;
/// The kinds of entries: files, links, other repositories. A folder as a whole stands there where not all is checked out.
const KINDS: &[u32] = &[0o100_644, 0o100_755, LINK, REPOSITORY];
const LINK: u32 = 0o120_000;
const REPOSITORY: u32 = 0o160_000;
/// So many threads look at the files of a large index: most of the time is spent in the kernel.
const THREADS: usize = 4;
/// Fewer files are not worth another thread.
const FEW: usize = 2_000;

/// Tells whether each part of each name is plain that the repository around a folder keeps in its index. Where there is no
/// repository or no index, there is no name; an index that cannot be read tells nothing.
pub(crate) fn has_plain_names(folder: &Path) -> bool {
    let all = folder.ancestors().map(|folder| folder.join(".git"));
    let Some(git) = all.into_iter().find(|git| git.exists()) else {
        return true;
    };
    let index = git.join("index");
    match index.symlink_metadata() {
        Err(_) => git.is_dir(),
        Ok(_) => super::read_up_to(&index, LONGEST).is_ok_and(|bytes| is_read(&bytes).is_some()),
    }
}

/// Returns the files that the repository around a folder keeps in its index; none if that cannot be read.
pub(crate) fn files(folder: &Path) -> Option<Vec<PathBuf>> {
    let top = folder
        .ancestors()
        .find(|folder| folder.join(".git").is_dir())?;
    let bytes = super::read_up_to(&top.join(".git/index"), LONGEST).ok()?;
    let mut all = Vec::new();
    each(&bytes, |_, name| {
        all.push(top.join(name));
        Some(())
    })?;
    Some(all)
}

/// Reads an index whose names are all plain; none if it is another one.
fn is_read(bytes: &[u8]) -> Option<()> {
    let is_plain =
        |name: &str| name.is_ascii() && name.split('/').all(|part| is_plain(part, false));
    each(bytes, |_, name| is_plain(name).then_some(()))
}

/// Returns the files of an index that may be others on the disk, without a look into them. Nothing if a link is one of
/// them, if there is another repository in it, or if the index cannot be read.
pub(crate) fn changed(index: &Path, top: &Path) -> Option<BTreeSet<String>> {
    let Ok(meta) = index.symlink_metadata() else {
        return Some(BTreeSet::new());
    };
    let written = (meta.mtime(), meta.mtime_nsec());
    let bytes = super::read_up_to(index, LONGEST).ok()?;
    let mut entries = Vec::new();
    each(&bytes, |entry, name| {
        entries.push((entry, name));
        Some(())
    })?;
    let look = |entries: &[(&[u8], &str)]| -> Option<Vec<String>> {
        let mut changed = Vec::new();
        for (entry, name) in entries {
            let kind = number(entry, 24)?;
            let file = top.join(name).symlink_metadata();
            let is_same = file.is_ok_and(|file| is_same(entry, &file, written) == Some(true));
            if kind == REPOSITORY || (kind == LINK && !is_same) {
                return None;
            }
            if !is_same {
                changed.push((*name).to_owned());
            }
        }
        Some(changed)
    };
    let parts = entries.chunks(entries.len().div_ceil(THREADS).max(FEW));
    let parts: Option<Vec<_>> = thread::scope(|scope| {
        let looks: Vec<_> = parts.map(|part| scope.spawn(move || look(part))).collect();
        let looks = looks.into_iter();
        looks.map(|look| look.join().ok().flatten()).collect()
    });
    Some(parts?.into_iter().flatten().collect())
}

/// Compares a file with its entry, as git does before it looks into the file. One that was written when the index was, or
/// later, may be another one at the same times.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "git keeps the lower half"
)]
fn is_same(entry: &[u8], file: &Metadata, written: (i64, i64)) -> Option<bool> {
    let times = [
        file.ctime(),
        file.ctime_nsec(),
        file.mtime(),
        file.mtime_nsec(),
    ];
    let kept = [
        number(entry, 0)?,
        number(entry, 4)?,
        number(entry, 8)?,
        number(entry, 12)?,
    ];
    let is_script = number(entry, 24)? & 0o100 != 0;
    let is_kind = match number(entry, 24)? {
        LINK => file.is_symlink(),
        _ => file.is_file() && (file.mode() & 0o100 != 0) == is_script,
    };
    let is_older = (file.mtime(), file.mtime_nsec()) < written;
    Some(
        is_kind
            && is_older
            && times.map(|time| time as u32) == kept
            && file.size() as u32 == number(entry, 36)?,
    )
}

/// Hands on each entry of an index with its name; none if it is written otherwise.
fn each<'b>(bytes: &'b [u8], mut take: impl FnMut(&'b [u8], &'b str) -> Option<()>) -> Option<()> {
    let (b"DIRC", rest) = bytes.split_at_checked(4)? else {
        return None;
    };
    let version = number(rest, 0)?;
    let mut left = number(rest, 4)?;
    let mut rest = rest.get(8..)?;
    // Version 4 shortens the names.
    if !matches!(version, 2 | 3) {
        return None;
    }
    while left > 0 {
        let (name, length) = entry(rest)?;
        take(rest, name)?;
        rest = rest.get(length..)?;
        left -= 1;
    }
    // Behind the entries stand parts that may be left out, unless their names begin with a small letter.
    while rest.len() > 20 {
        let size = usize::try_from(number(rest, 4)?).ok()?;
        if rest.first()?.is_ascii_lowercase() {
            return None;
        }
        rest = rest.get(8 + size..)?;
    }
    (rest.len() == 20).then_some(())
}

/// The name of an entry, and the length of the entry.
fn entry(bytes: &[u8]) -> Option<(&str, usize)> {
    if !KINDS.contains(&number(bytes, 24)?) {
        return None;
    }
    let flags = bytes.get(FIXED - 2)?;
    let begin = if flags & 0x40 == 0 { FIXED } else { FIXED + 2 };
    let name = bytes.get(begin..)?;
    let length = name.iter().position(|byte| *byte == 0)?;
    let name = std::str::from_utf8(name.get(..length)?).ok()?;
    // One to eight zeros fill it up to the next place that eight divides.
    (!name.is_empty()).then_some((name, (begin + length + 8) & !7))
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..)?.first_chunk::<4>()?;
    Some(u32::from_be_bytes(*four))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn git(folder: &Path, words: &[&str]) {
        let done = crate::tests::git(folder, words);
        assert!(done.status.success(), "{words:?}: {done:?}");
    }

    /// A repository in which these names are in the index, and none is on the disk.
    fn kept(names: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        git(folder.path(), &["init", "-q"]);
        let digest = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";
        for name in names {
            let info = format!("100644,{digest},{name}");
            git(
                folder.path(),
                &["update-index", "--add", "--info-only", "--cacheinfo", &info],
            );
        }
        folder
    }

    #[test]
    fn the_names_of_an_index_are_plain_if_each_part_of_each_is() {
        for names in [
            &[][..],
            &["a"],
            &["src/a.rs", "README.md", "12345678/b", ".gitignore"],
        ] {
            assert!(has_plain_names(kept(names).path()), "{names:?}");
        }
        for name in [
            "-exec", "a b", "src/-x", "src/a;b", "of=x", "é", "a\nb", "*",
        ] {
            assert!(!has_plain_names(kept(&["a", name, "z"]).path()), "{name}");
        }
    }

    #[test]
    fn an_index_that_is_written_otherwise_tells_nothing() {
        for words in [
            &["update-index", "--index-version=4"][..],
            &["update-index", "--split-index"],
        ] {
            let folder = kept(&["a", "b"]);
            git(folder.path(), words);
            assert!(!has_plain_names(folder.path()), "{words:?}");
        }
        let folder = kept(&["a"]);
        for bytes in [&b"DIRC\0\0\0\x02\0\0\0\x09"[..], b"", b"DIRC"] {
            std::fs::write(folder.path().join(".git/index"), bytes).unwrap();
            assert!(!has_plain_names(folder.path()), "{bytes:?}");
        }
        std::fs::remove_dir_all(folder.path().join(".git")).unwrap();
        std::fs::write(folder.path().join(".git"), "gitdir: /x").unwrap();
        assert!(!has_plain_names(folder.path()));
    }

    #[test]
    fn an_index_with_notes_of_git_behind_it_is_read() {
        let folder = kept(&["a"]);
        std::fs::write(folder.path().join("b.c"), "").unwrap();
        git(folder.path(), &["add", "-N", "b.c"]);
        git(folder.path(), &["update-index", "--untracked-cache"]);
        git(folder.path(), &["status"]);
        assert!(has_plain_names(folder.path()));
    }
}
