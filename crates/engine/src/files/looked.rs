//! The files that a piece of work read or looked for: its result is valid as long as they are unchanged.
//!
//! Code that may run under [`noted`] says so at each look: `file.looked().canonicalize()`, `folder.listed().read_dir()`. Outside of
//! [`noted`] that costs nothing. A look is noted with every step on the way to it, links and what they lead to included.
//!
//! Of a file counts all that the system says of it: size, times, inode, device, mode, owner. A folder on the way counts as that
//! folder, whatever is in it; one whose names were read counts with its times, which change with each name.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use foldhash::fast::RandomState;
use rustix::fs::{FileType, Stat};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

/// More links than any system follows on the way to a file.
const MOST_LINKS: usize = 64;
/// More looks than are worth to be compared at each event.
const MOST: usize = 4000;
/// A file that was changed so shortly before it was looked at may be changed again without another time, in nanoseconds. The
/// clock of a kernel stands still for up to 10 ms.
pub(crate) const SETTLED: i64 = 50_000_000;
/// The same where the file system keeps whole seconds, or every second one.
pub(crate) const SETTLED_COARSE: i64 = 2_100_000_000;

thread_local! {
    static NOTES: RefCell<Option<Looks>> = const { RefCell::new(None) };
}

/// A path at which the disk is looked at.
pub(crate) trait Look {
    /// Notes that it counts what stands there, or that nothing does.
    fn looked(&self) -> &Path;
    /// Notes that it counts which names are in this folder.
    fn listed(&self) -> &Path;
}

impl<P: AsRef<Path> + ?Sized> Look for P {
    fn looked(&self) -> &Path {
        note(|looks| looks.look(self.as_ref(), false));
        self.as_ref()
    }

    fn listed(&self) -> &Path {
        note(|looks| looks.look(self.as_ref(), true));
        self.as_ref()
    }
}

/// Notes that the value of a variable counts, and returns it.
pub(crate) fn variable<'v>(name: &OsStr, value: Option<&'v OsStr>) -> Option<&'v OsStr> {
    note(|looks| {
        let value = value.map(OsStr::to_owned);
        looks.variables.insert(name.to_owned(), value);
    });
    value
}

fn note(noted: impl FnOnce(&mut Looks)) {
    NOTES.with_borrow_mut(|notes| {
        if let Some(looks) = notes {
            noted(looks);
        }
    });
}

/// Does a piece of work, and returns what it looked at; nothing where that is part of another piece whose looks are noted.
pub(crate) fn noted<T>(work: impl FnOnce() -> T) -> (T, Option<Looks>) {
    /// Ends the noting also where the work panics.
    struct End;
    impl Drop for End {
        fn drop(&mut self) {
            NOTES.set(None);
        }
    }
    if NOTES.with_borrow(Option::is_some) {
        return (work(), None);
    }
    NOTES.set(Some(Looks::default()));
    let end = End;
    let done = work();
    let looks = NOTES.take();
    drop(end);
    (done, looks)
}

/// What was looked at, and how it stood.
#[derive(Debug, Default)]
pub(crate) struct Looks {
    /// What stood at each step, and what it was.
    seen: HashMap<PathBuf, (Stamp, Stands), RandomState>,
    /// The folders of which the names count.
    listed: BTreeMap<PathBuf, Stamp>,
    /// What is in none of the folders whose names were read before: the times of the folder say so.
    absent: HashSet<PathBuf, RandomState>,
    variables: BTreeMap<OsString, Option<OsString>>,
    /// Whether something may change without another stamp.
    is_doubtful: bool,
}

impl Looks {
    /// Writes down what was looked at; nothing where a later change could go unseen.
    pub(crate) fn list(&self) -> Option<List<'_>> {
        if self.is_doubtful {
            return None;
        }
        let seen = self
            .seen
            .iter()
            .map(|(path, (stamp, _))| (path, *stamp, false));
        let listed = self.listed.iter().map(|(path, stamp)| (path, *stamp, true));
        let looks = seen.chain(listed).map(|(path, stamp, is_listed)| Looked {
            path: path.as_os_str().as_bytes(),
            stamp,
            is_listed,
        });
        let variables = self.variables.iter().map(|(name, value)| {
            let value = value.as_ref().map(|value| value.as_bytes());
            (name.as_bytes(), value)
        });
        Some(List {
            looks: looks.collect(),
            variables: variables.collect(),
        })
    }

    fn look(&mut self, path: &Path, is_listed: bool) {
        match std::path::absolute(path) {
            Ok(path) => self.walk(&path, is_listed, 0),
            Err(_) => self.is_doubtful = true,
        }
    }

    /// Notes each step of a path, and of what its links lead to.
    fn walk(&mut self, path: &Path, is_listed: bool, links: usize) {
        if links > MOST_LINKS || self.seen.len() > MOST {
            self.is_doubtful = true;
            return;
        }
        let mut at = PathBuf::new();
        let mut parts = path.components();
        while let Some(part) = parts.next() {
            if part == Component::ParentDir {
                // What is above a link is above what it leads to.
                let above = at.canonicalize().unwrap_or_else(|_| at.clone());
                let above = above.parent().unwrap_or(Path::new("/"));
                return self.walk(&above.join(parts.as_path()), is_listed, links + 1);
            }
            at.push(part);
            match self.step(&at) {
                Stands::Other => {}
                Stands::Nothing => return,
                Stands::Link => {
                    let Ok(target) = std::fs::read_link(&at) else {
                        self.is_doubtful = true;
                        return;
                    };
                    let above = at.parent().unwrap_or(Path::new("/"));
                    let to = above.join(target).join(parts.as_path());
                    return self.walk(&to, is_listed, links + 1);
                }
            }
        }
        if is_listed && !self.listed.contains_key(&at) {
            let stat = rustix::fs::lstat(&at);
            self.is_doubtful |= !stat.as_ref().is_ok_and(is_settled);
            self.listed.insert(at, Stamp::of(stat, true));
        }
    }

    fn step(&mut self, at: &Path) -> Stands {
        // What was seen first counts: another state later is a change.
        if let Some((_, stands)) = self.seen.get(at) {
            return *stands;
        }
        if self.absent.contains(at) {
            return Stands::Nothing;
        }
        let stat = rustix::fs::lstat(at);
        let kind = stat.as_ref().ok();
        let kind = kind.map(|stat| FileType::from_raw_mode(stat.st_mode));
        let is_way = kind.is_none_or(|kind| kind == FileType::Directory);
        self.is_doubtful |= !is_way && !stat.as_ref().is_ok_and(is_settled);
        let stands = match kind {
            None => Stands::Nothing,
            Some(FileType::Symlink) => Stands::Link,
            Some(_) => Stands::Other,
        };
        let is_listed = || {
            at.parent()
                .is_some_and(|above| self.listed.contains_key(above))
        };
        if matches!(stat, Err(Errno::NOENT)) && is_listed() {
            self.absent.insert(at.to_owned());
        } else {
            let stamp = Stamp::of(stat, false);
            self.seen.insert(at.to_owned(), (stamp, stands));
        }
        stands
    }
}

/// What was looked at, as it is written.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct List<'l> {
    #[serde(borrow)]
    looks: Vec<Looked<'l>>,
    #[serde(borrow)]
    variables: Vec<(&'l [u8], Option<&'l [u8]>)>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Looked<'l> {
    is_listed: bool,
    stamp: Stamp,
    path: &'l [u8],
}

impl List<'_> {
    /// Tells whether everything stands as it did.
    pub(crate) fn holds<'v>(&self, variable: impl Fn(&OsStr) -> Option<&'v OsStr>) -> bool {
        let mut variables = self.variables.iter();
        let mut looks = self.looks.iter();
        let is_same = |name: &[u8], was: Option<&[u8]>| {
            variable(OsStr::from_bytes(name)).map(OsStr::as_bytes) == was
        };
        variables.all(|(name, was)| is_same(name, *was))
            && looks
                .all(|look| Stamp::of(rustix::fs::lstat(look.path), look.is_listed) == look.stamp)
    }
}

/// What kind of thing stands at a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stands {
    Nothing,
    Link,
    Other,
}

/// How something stands: what the system says of it, or why it says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Stamp {
    Nothing(i32),
    /// Device, inode, mode, and the owners.
    Way(u64, u64, u32, u32, u32),
    /// The same, the size, and the times when it was written and changed.
    Full(u64, u64, u32, u32, u32, i64, (i64, u64), (i64, u64)),
}

impl Stamp {
    fn of(stat: rustix::io::Result<Stat>, is_listed: bool) -> Self {
        let Stat {
            st_dev,
            st_ino,
            st_mode,
            st_uid,
            st_gid,
            st_size,
            st_mtime,
            st_mtime_nsec,
            st_ctime,
            st_ctime_nsec,
            ..
        } = match stat {
            Ok(stat) => stat,
            Err(error) => return Self::Nothing(error.raw_os_error()),
        };
        let is_folder = FileType::from_raw_mode(st_mode) == FileType::Directory;
        if is_folder && !is_listed {
            return Self::Way(st_dev, st_ino, st_mode, st_uid, st_gid);
        }
        let (written, changed) = ((st_mtime, st_mtime_nsec), (st_ctime, st_ctime_nsec));
        Self::Full(
            st_dev, st_ino, st_mode, st_uid, st_gid, st_size, written, changed,
        )
    }
}

/// Tells whether each change from now on gives another stamp.
fn is_settled(stat: &Stat) -> bool {
    let of = |seconds, part: u64| nanos(seconds, i64::try_from(part).unwrap_or_default());
    let written = of(stat.st_mtime, stat.st_mtime_nsec);
    let changed = of(stat.st_ctime, stat.st_ctime_nsec);
    let margin = margin(i64::try_from(stat.st_ctime_nsec).unwrap_or_default());
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |now| i64::try_from(now.as_nanos()).unwrap_or_default());
    written.max(changed).saturating_add(margin) <= now
}

/// How long a file system may give the same time to two changes, of which the first has this part of a second.
pub(crate) fn margin(part: i64) -> i64 {
    if part == 0 { SETTLED_COARSE } else { SETTLED }
}

/// Returns a time in nanoseconds.
pub(crate) fn nanos(seconds: i64, part: i64) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(part)
}
