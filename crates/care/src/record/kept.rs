//! What was counted in the files of a record to which nothing is added any more: beside each, and made again where it is not there.
//!
//! Without such a file time is lost and nothing else. It holds names of hooks, agents and projects, and no action; it goes
//! with its file of the record, and a purge of that file removes it.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use anyhook_core::ports::StoreError;
use anyhook_engine::files::{self, Durable};
use serde::{Deserialize, Serialize};

use super::count::{Counted, Wanted, in_file};

/// The version of this form: what another one wrote is counted anew.
const FORM: u32 = 1;
/// Longer counts are none of ours.
const LONGEST: u64 = 16 << 20;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    form: u32,
    /// What the file of the record was when it was counted.
    of: Stamp,
    counted: Counted,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    file: u64,
    length: u64,
    changed: (i64, i64),
}

impl Stamp {
    fn of(segment: &Path) -> Option<Self> {
        let meta = segment.symlink_metadata().ok()?;
        Some(Self {
            file: meta.ino(),
            length: meta.len(),
            changed: (meta.mtime(), meta.mtime_nsec()),
        })
    }
}

/// Counts all records of a file, or reads what was counted before.
pub(super) fn counts(segment: &Path) -> Result<Counted, StoreError> {
    let (stamp, beside) = (Stamp::of(segment), segment.with_extension("counts"));
    let bytes = files::read(&beside, LONGEST).ok().flatten();
    let kept = bytes.and_then(|bytes| serde_json::from_slice::<Kept>(&bytes).ok());
    if let Some(kept) = kept.filter(|kept| kept.form == FORM && Some(kept.of) == stamp) {
        return Ok(kept.counted);
    }
    let counted = in_file(segment, &Wanted::default())?;
    let Some(of) = stamp else {
        return Ok(counted);
    };
    let kept = Kept {
        form: FORM,
        of,
        counted,
    };
    // Where it cannot be kept, it is counted again the next time.
    if let Ok(bytes) = serde_json::to_vec(&kept) {
        let _ = files::replace(&beside, &bytes, Durable::No);
    }
    Ok(kept.counted)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use anyhook_core::ports::Store as _;
    use anyhook_core::report::Report;
    use anyhook_engine::stores::{Jsonl, Keep, Purge};
    use serde_json::json;

    use super::super::count;
    use super::*;

    fn report(number: i64, project: &str) -> Report {
        let value = json!({
            "version": 1, "id": format!("r{number}"), "at": number, "event": {"name": "tool:pre", "host": "codex-cli", "session": "s"},
            "result": {"verdict": "continue"}, "hooks": [{"name": "lint", "priority": 0, "guard": true, "shadow": false}],
            "steps": [{"hook": 0, "became": {"said": null}, "took_us": number}],
            "action": {"project": project, "data": {"tool_use_id": "t"}},
        });
        Report::from_json(value).unwrap()
    }

    fn beside(store: &Jsonl) -> Vec<PathBuf> {
        let all = store.segments().into_iter();
        let all = all.map(|segment| segment.with_extension("counts"));
        all.filter(|file| file.exists()).collect()
    }

    #[test]
    fn what_was_counted_is_the_same_with_and_without_what_is_kept_and_a_purge_removes_it() {
        let home = tempfile::tempdir().unwrap();
        let store = Jsonl::new(home.path(), Keep::Payload).limit(2048);
        for number in 0..40 {
            let project = if number < 20 { "/shop" } else { "/bank" };
            store.append(&report(number, project)).unwrap();
        }
        let count = |since: Option<i64>| {
            let wanted = Wanted {
                since,
                ..Wanted::default()
            };
            count(&store, &wanted).unwrap()
        };
        let whole = count(None);
        assert_eq!((whole.events, whole.projects["/shop"].events), (40, 20));
        let kept = beside(&store);
        assert_eq!(
            kept.len(),
            store.segments().len() - 1,
            "the newest one grows"
        );
        assert_eq!(count(None), whole);
        for since in [0, 1, 19, 39, 40] {
            assert_eq!(
                count(Some(since)).events,
                40 - u64::try_from(since).unwrap(),
                "{since}"
            );
        }

        // Whatever stands there instead is no count of ours.
        fs::write(&kept[0], "{}").unwrap();
        fs::copy(&kept[1], &kept[2]).unwrap();
        fs::remove_file(&kept[1]).unwrap();
        assert_eq!(count(None), whole);

        let purge = Purge {
            project: Some("/shop".to_owned()),
            ..Purge::default()
        };
        assert_eq!(store.purge(&purge, 99, "p1".into()).unwrap(), 20);
        let is_told = |file: &PathBuf| fs::read_to_string(file).unwrap().contains("/shop");
        assert!(
            !beside(&store).iter().any(is_told),
            "what was purged is gone"
        );
        let left = count(None);
        assert_eq!((left.events, left.projects.get("/shop")), (21, None));
        assert_eq!(left.projects["/bank"].events, 20);
    }
}
