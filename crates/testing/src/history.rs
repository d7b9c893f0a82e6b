//! A history: what five people's agents did in two weeks, the same for the same seed, as records that the real line made.
//!
//! Sessions of five agents, from the payloads of their protocols and from the recorded session, go through the hooks of
//! [`HOOKS`] by the line that agents call. Some calls are refused, some are asked about and answered, some hooks fail, one is in
//! shadow mode. Each payload is decided once; its report then gets the id, the time and the session of each event that has it.
//!
//! ```no_run
//! use std::path::Path;
//!
//! use anyhook_testing::history::{self, Plan};
//!
//! let events = history::write(&Plan::default(), Path::new("fixtures"), Path::new("/tmp/reports"))?;
//! assert!(events >= 5_000);
//! assert!(history::reports(&Plan::default(), Path::new("fixtures"))?.len() == events);
//! assert!(history::HOOKS.contains("ask-before-push"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod agents;
mod decided;
mod lives;

use std::error::Error;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use anyhook::core::report::Report;
use anyhook::stores::{Jsonl, Keep, Retention};

use agents::Payloads;
use decided::Deciding;
use lives::Lives;

/// The manifest of the hooks that held.
pub const HOOKS: &str = include_str!("history/hooks.json");

/// Which history.
///
/// ```
/// use anyhook_testing::history::Plan;
/// assert_eq!(Plan { seed: 7, ..Plan::default() }.days, 14);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Another seed is another history.
    pub seed: u64,
    /// At least so many events: the last session is told to its end.
    pub events: usize,
    /// Over so many days.
    pub days: u32,
    /// The end, in milliseconds since 1970.
    pub until: i64,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            seed: 1,
            events: 5_000,
            days: 14,
            // 2026-11-20, 18:00 UTC.
            until: 1_795_197_600_000,
        }
    }
}

/// Returns the records of a history, the oldest first, made from the payloads below the folder `fixtures`.
pub fn reports(plan: &Plan, fixtures: &Path) -> Result<Vec<Report>, Box<dyn Error>> {
    let payloads = Payloads::read(fixtures)?;
    let mut deciding = Deciding::new()?;
    let mut lives = Lives::new(plan, &payloads);
    let mut all = Vec::with_capacity(plan.events);
    while all.len() < plan.events {
        all.append(&mut lives.session(&mut deciding)?);
    }
    all.sort_by_key(|report| report.at);
    Ok(all)
}

/// Writes a history as a record into a folder, by the writer of every record, and returns how many events it has.
///
/// The key of the digests is a fixed one, so that the files are the same for the same plan.
pub fn write(plan: &Plan, fixtures: &Path, folder: &Path) -> Result<usize, Box<dyn Error>> {
    let all = reports(plan, fixtures)?;
    fs::create_dir_all(folder)?;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    let key = folder.join("key");
    fs::write(&key, [7; 32])?;
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600))?;
    let store = Jsonl::new(folder, Keep::Payload).retaining(Retention {
        total: u64::MAX,
        days: u32::MAX,
        ..Retention::default()
    });
    for some in all.chunks(256) {
        store.append_all(some)?;
    }
    Ok(all.len())
}

/// Numbers that look random and are the same for the same seed (`SplitMix64`).
#[derive(Debug, Clone)]
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below another one.
    fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    /// Takes one of a list.
    fn of<'l, T>(&mut self, list: &'l [T]) -> Option<&'l T> {
        let at = self.below(list.len() as u64);
        list.get(usize::try_from(at).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use anyhook::core::report::Became;
    use anyhook::core::result::Kind;

    use super::*;

    fn fixtures() -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
    }

    #[test]
    fn a_history_is_the_same_for_the_same_seed_and_its_record_is_whole() {
        let [one, two, other] = [(); 3].map(|()| tempfile::tempdir().unwrap());
        let plan = Plan {
            events: 800,
            ..Plan::default()
        };
        let events = write(&plan, &fixtures(), one.path()).unwrap();
        write(&plan, &fixtures(), two.path()).unwrap();
        write(&Plan { seed: 2, ..plan }, &fixtures(), other.path()).unwrap();
        let text = |place: &tempfile::TempDir| {
            let segments = Jsonl::new(place.path(), Keep::Payload).segments();
            let texts = segments.iter().map(fs::read_to_string);
            texts.map(Result::unwrap).collect::<String>()
        };
        for (one, two) in text(&one).lines().zip(text(&two).lines()) {
            assert_eq!(one, two);
        }
        assert!(text(&one) == text(&two) && text(&one) != text(&other));
        let is_ours = |text: &str| text.contains("NNNN") || text.contains("nnnn");
        assert!(!is_ours(&text(&one)), "no placeholder is left");
        assert!(
            !text(&one).contains("/.tmp"),
            "nothing of this run is in it"
        );
        let verified = Jsonl::new(one.path(), Keep::Payload).verify().unwrap();
        assert_eq!(verified.broken, vec![]);
        assert_eq!((verified.records, verified.torn), (events as u64, 0));
        assert_eq!(verified.unlinked, 0);
    }

    #[test]
    fn a_history_has_refusals_questions_with_both_answers_faults_and_shadows_of_many() {
        let all = reports(&Plan::default(), &fixtures()).unwrap();
        let count = |is: &dyn Fn(&Report) -> bool| all.iter().filter(|report| is(report)).count();
        let kind = |report: &Report| report.result.verdict.kind();
        let set =
            |of: &dyn Fn(&Report) -> String| all.iter().map(of).collect::<BTreeSet<_>>().len();
        let action = |report: &Report| report.action.clone().unwrap();
        assert!(all.len() >= 5_000);
        assert!(count(&|report| kind(report) == Kind::Deny) > 100);
        assert!(count(&|report| kind(report) == Kind::Ask) > 200);
        assert!(count(&|report| report.faults().next().is_some()) > 20);
        assert!(count(&|report| !action(report).approval.is_empty()) > 20);
        let would = |report: &Report| {
            report
                .steps
                .iter()
                .any(|step| matches!(step.became, Became::Would(_)))
        };
        assert!(count(&would) > 20);
        assert!(set(&|report| report.event.host.to_string()) >= 5);
        assert!(set(&|report| action(report).project.unwrap().into()) >= 5);
        assert!(set(&|report| (report.at.unwrap() / 86_400_000).to_string()) >= 10);
        assert!(set(&|report| report.event.name.to_string()) >= 20);
        assert_eq!(
            set(&|report| report.id.to_string()),
            all.len(),
            "each has its own id"
        );
    }
}
