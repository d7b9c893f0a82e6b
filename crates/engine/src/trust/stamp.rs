//! The stamp of a file, which shows that it was not written since it was read, and when that can be believed.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// A file that was changed so shortly before it was looked at may be changed again without another time, in nanoseconds. The
/// clock of a kernel stands still for up to 10 ms.
const SETTLED: i64 = 50_000_000;
/// The same where the file system keeps whole seconds, or every second one.
const SETTLED_COARSE: i64 = 2_100_000_000;

/// Size, times, inode and device of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp(u64, i64, i64, i64, i64, u64, u64);

impl Stamp {
    pub(super) fn of(meta: &Metadata) -> Self {
        let (changed, nanos) = (meta.ctime(), meta.ctime_nsec());
        let (written, part) = (meta.mtime(), meta.mtime_nsec());
        Self(
            meta.size(),
            written,
            part,
            changed,
            nanos,
            meta.ino(),
            meta.dev(),
        )
    }

    /// Looks at what stands at a path, and follows no link.
    pub(super) fn at(path: &Path) -> Option<Self> {
        // Of a folder its times count too.
        let meta = path.symlink_metadata();
        meta.ok().map(|meta| Self::of(&meta))
    }

    /// Tells whether it was taken long enough after the last change that a later change has another time. Only that time
    /// counts which no program can set.
    pub(super) fn is_settled(self, taken: Taken) -> bool {
        let Self(_, _, _, seconds, nanos, _, device) = self;
        // The clock of another file system may go differently.
        let margin = if device == taken.device {
            margin(nanos)
        } else {
            SETTLED_COARSE
        };
        in_nanos(seconds, nanos).saturating_add(margin) <= taken.at
    }
}

/// When stamps began to be taken, before the first file was looked at: in nanoseconds, by the clock of the file system on which
/// they are kept. The default is before everything, and no stamp is believed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Taken {
    at: i64,
    device: u64,
}

impl Taken {
    /// Asks the file system of a folder what time it is.
    pub(super) fn now(folder: &Path) -> Self {
        let made = tempfile::tempfile_in(folder).and_then(|file| file.metadata());
        made.map_or_else(
            |_| Self::default(),
            |meta| Self {
                at: in_nanos(meta.ctime(), meta.ctime_nsec()),
                device: meta.dev(),
            },
        )
    }
}

/// How files stood when they were read last; a file that is not there has no stamp.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Stamps {
    taken: Taken,
    of: BTreeMap<String, Option<Stamp>>,
}

impl Stamps {
    /// Begins a list, before the first file is read: what is written meanwhile has another stamp the next time.
    pub(super) fn begin(folder: &Path) -> Self {
        Self {
            taken: Taken::now(folder),
            of: BTreeMap::new(),
        }
    }

    pub(super) fn note(&mut self, name: &str, stamp: Option<Stamp>) {
        self.of.insert(name.to_owned(), stamp);
    }

    /// Tells whether a file surely is as it was when it was read.
    pub(super) fn knows(&self, name: &str, now: Option<Stamp>) -> bool {
        let is_settled = |known: Stamp| known.is_settled(self.taken);
        self.of
            .get(name)
            .is_some_and(|known| *known == now && known.is_none_or(is_settled))
    }
}

/// How long a file system may give the same time to two changes, of which the first has this part of a second.
fn margin(part: i64) -> i64 {
    if part == 0 { SETTLED_COARSE } else { SETTLED }
}

/// Returns a time in nanoseconds.
fn in_nanos(seconds: i64, part: i64) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_counts_once_the_clock_went_on_and_later_where_it_keeps_seconds_or_is_another_one() {
        let stamp = |nanos| Stamp(4, 900, 0, 1000, nanos, 7, 1);
        let taken = |seconds, nanos, device| Taken {
            at: in_nanos(seconds, nanos),
            device,
        };
        let is_settled = |nanos, taken| stamp(nanos).is_settled(taken);
        assert!(!is_settled(5, taken(1000, 5, 1)));
        assert!(!is_settled(5, taken(1000, 50_000_004, 1)));
        assert!(is_settled(5, taken(1000, 50_000_005, 1)));
        // Whole seconds, or those of FAT, of which there are two at once.
        assert!(!is_settled(0, taken(1002, 0, 1)));
        assert!(is_settled(0, taken(1003, 0, 1)));
        assert!(!is_settled(5, taken(1001, 0, 2)));
        assert!(is_settled(5, taken(1003, 0, 2)));
        assert!(!is_settled(5, Taken::default()));
    }
}
