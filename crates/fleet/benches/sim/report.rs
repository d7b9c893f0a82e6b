//! What came of it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use crate::Sizes;

/// A refusal is queryable, and a policy holds, within these at 99 of 100.
const QUERYABLE: Duration = Duration::from_secs(10);
const HOLDS: Duration = Duration::from_secs(5);

pub(crate) struct Outcome {
    pub(crate) page: String,
    pub(crate) is_good: bool,
}

/// What was found.
pub(crate) struct Found {
    pub(crate) is_apart: bool,
    pub(crate) expected: HashSet<String>,
    pub(crate) stored: Vec<String>,
    /// When each refusal was made, how long it took until a query found it, and how many there were.
    pub(crate) queryable: Vec<(Duration, Duration)>,
    pub(crate) refusals: usize,
    /// How long each machine took until the new policy held, and how many there are.
    pub(crate) held: Vec<Duration>,
    pub(crate) machines: usize,
    /// What must be so, and is it.
    pub(crate) must: BTreeMap<&'static str, bool>,
    pub(crate) notes: Vec<String>,
}

fn percentile(times: &[Duration], of: f64) -> Duration {
    let mut times = times.to_vec();
    times.sort();
    let at = (times.len() as f64 * of).ceil() as usize;
    times
        .get(at.saturating_sub(1))
        .copied()
        .unwrap_or(Duration::MAX)
}

impl Found {
    /// Writes how late refusals and policies were, and tells whether all came, and in time where that counts.
    fn in_time(&self, sizes: &Sizes, page: &mut String) -> bool {
        let mut is_good = true;
        let queryable: Vec<Duration> = self.queryable.iter().map(|(_, late)| *late).collect();
        for (what, times, all, bound) in [
            ("refusals queryable", &queryable, self.refusals, QUERYABLE),
            (
                "machines obey a new policy",
                &self.held,
                self.machines,
                HOLDS,
            ),
        ] {
            let [p50, p95, p99] = [0.5, 0.95, 0.99].map(|of| percentile(times, of).as_secs_f64());
            let is_met = times.len() == all && percentile(times, 0.99) <= bound;
            is_good &= times.len() == all && (is_met || !sizes.is_timed);
            let is_met = if is_met { "met" } else { "NOT MET" };
            let _ = writeln!(
                page,
                "{what}: {} of {all}; p50 {p50:.1} s, p95 {p95:.1} s, p99 {p99:.1} s (p99 within {} s: {is_met})",
                times.len(),
                bound.as_secs()
            );
        }
        let part = Duration::from_secs_f64(sizes.minutes * 60.0 / 12.0);
        let slowest = (0..12).map(|number| {
            let is_in = |at: &Duration| *at >= part * number && *at < part * (number + 1);
            let late = self.queryable.iter().filter(|(at, _)| is_in(at));
            let late = late.map(|(_, late)| late.as_secs_f64()).fold(0.0, f64::max);
            format!("{late:.0}")
        });
        let slowest: Vec<String> = slowest.collect();
        let _ = writeln!(
            page,
            "the slowest refusal of each twelfth of the time, in seconds: {}",
            slowest.join(" ")
        );
        is_good
    }

    pub(crate) fn judged(self, sizes: &Sizes) -> Outcome {
        let mut times: HashMap<&str, u32> = HashMap::new();
        for id in &self.stored {
            *times.entry(id).or_default() += 1;
        }
        let lost = self.expected.iter();
        let lost: Vec<&String> = lost.filter(|id| !times.contains_key(id.as_str())).collect();
        let twice = times.values().filter(|count| **count > 1).count();
        let strange = times
            .keys()
            .filter(|id| !self.expected.contains(**id))
            .count();
        let mut page = format!(
            "{} developers ({} of them processes), {} events a second for {} minutes; three servers {}\n",
            sizes.developers,
            sizes.processes,
            sizes.rate,
            sizes.minutes,
            if self.is_apart {
                "in network namespaces"
            } else {
                "on ports of this machine: no namespaces can be had, so no disk became full"
            },
        );
        let _ = writeln!(
            page,
            "events: {}, in the store: {}; lost {}, twice {twice}, from no honest developer {strange}",
            self.expected.len(),
            self.stored.len(),
            lost.len()
        );
        for id in lost.iter().take(10) {
            let _ = writeln!(page, "lost: {id}");
        }
        let mut is_good = lost.len() + twice + strange == 0;
        is_good &= self.in_time(sizes, &mut page);
        for (what, is_so) in &self.must {
            is_good &= is_so;
            let _ = writeln!(page, "{}  {what}", if *is_so { "yes" } else { "NO " });
        }
        for note in &self.notes {
            let _ = writeln!(page, "{note}");
        }
        page.push_str(if is_good { "good" } else { "NOT GOOD" });
        Outcome { page, is_good }
    }
}

/// The most memory that a process had, in kB.
pub(crate) fn memory(pid: u32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse().ok());
    number.unwrap_or_default()
}

/// How many bytes the files of a folder have.
pub(crate) fn bytes(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let one = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(meta) if meta.is_dir() => bytes(&entry.path()),
        Ok(meta) => meta.len(),
        Err(_) => 0,
    };
    entries.map(one).sum()
}
