//! `anyhook log stats`: how many events, refusals, questions and faults, and how slow each hook is.

use std::collections::BTreeMap;

use anyhook::record::{self, Counted, Tally, Wanted};
use serde::Serialize;

use super::log::{self, Part};
use crate::error::Problem;
use crate::exit::Exit;
use crate::form::Form;
use crate::ui::{self, paint};

/// Counts what a part of the record says.
pub(super) fn run(part: &Part, form: Form) -> Result<Exit, Problem> {
    let filter = part.filter()?;
    let wanted = Wanted {
        since: filter.since,
        host: filter.host,
        project: part.folder(),
    };
    let counted = record::count(&log::store()?, &wanted).map_err(log::unreadable)?;
    if counted.events == 0 && wanted == Wanted::default() && !form.is_json() {
        ui::err(log::NOTHING);
        return Ok(Exit::Done);
    }
    form.say(&Stats::of(&counted), page)?;
    Ok(Exit::Done)
}

/// What a part of the record says, as programs read it.
#[derive(Serialize)]
struct Stats<'c> {
    events: u64,
    refused: u64,
    asked: u64,
    answered_yes: u64,
    faults: u64,
    unreadable: u64,
    imported: u64,
    days: &'c BTreeMap<String, Tally>,
    hosts: &'c BTreeMap<String, Tally>,
    projects: &'c BTreeMap<String, Tally>,
    /// The slowest first.
    hooks: Vec<HookStats<'c>>,
}

/// What one hook did.
#[derive(Serialize)]
struct HookStats<'c> {
    name: &'c str,
    answered: u64,
    refused: u64,
    asked: u64,
    would_refuse: u64,
    faults: u64,
    p50_us: u32,
    p95_us: u32,
    p99_us: u32,
    never_fired: bool,
}

impl<'c> Stats<'c> {
    fn of(counted: &'c Counted) -> Self {
        let hooks = counted.hooks.iter().map(|(name, hook)| {
            let [p50_us, p95_us, p99_us] = hook.percentiles();
            HookStats {
                name,
                answered: hook.answered,
                refused: hook.refused,
                asked: hook.asked,
                would_refuse: hook.would,
                faults: hook.faults,
                p50_us,
                p95_us,
                p99_us,
                never_fired: hook.is_idle(),
            }
        });
        let mut hooks: Vec<_> = hooks.collect();
        hooks.sort_by_key(|hook| std::cmp::Reverse((hook.p50_us, hook.p95_us, hook.p99_us)));
        Self {
            events: counted.events,
            refused: counted.refused,
            asked: counted.asked,
            answered_yes: counted.yes,
            faults: counted.faults,
            unreadable: counted.unreadable,
            imported: counted.imported,
            days: &counted.days,
            hosts: &counted.hosts,
            projects: &counted.projects,
            hooks,
        }
    }
}

fn page(stats: &Stats<'_>) -> String {
    let mut text = paint(ui::BOLD, &ui::many(stats.events, "event")) + "\n";
    let open = stats.asked.saturating_sub(stats.answered_yes);
    text.push_str(&format!(
        "  {} refused   {} asked about ({} then ran, {open} did not or are unknown)   {} faults of hooks\n",
        stats.refused, stats.asked, stats.answered_yes, stats.faults
    ));
    for (count, what) in [
        (stats.imported, "imported calls are not among them"),
        (stats.unreadable, "lines could not be read"),
    ] {
        if count > 0 {
            text.push_str(&format!("  {count} {what}\n"));
        }
    }
    for (title, all) in [
        ("day", stats.days),
        ("agent", stats.hosts),
        ("project", stats.projects),
    ] {
        text.push_str(&tallies(title, all));
    }
    text + &hooks(stats)
}

/// Counts the events of each name, and the refused ones among them.
fn tallies(what: &str, all: &BTreeMap<String, Tally>) -> String {
    let rows = all.iter().map(|(name, tally)| {
        [
            ui::line(name),
            tally.events.to_string(),
            count(tally.refused),
        ]
        .into()
    });
    match rows.collect::<Vec<_>>() {
        none if none.is_empty() => String::new(),
        rows => format!("\n{}", ui::table(&[what, "events", "refused"], &rows)),
    }
}

/// Writes a count; none is nothing to read.
fn count(count: u64) -> String {
    match count {
        0 => String::new(),
        count => count.to_string(),
    }
}

fn hooks(stats: &Stats<'_>) -> String {
    let millis = |us: u32| format!("{:.1}", f64::from(us) / 1000.0);
    let (idle, asked): (Vec<_>, Vec<_>) = stats.hooks.iter().partition(|hook| hook.never_fired);
    let rows = asked.iter().map(|hook| {
        let counts = [
            hook.answered,
            hook.refused,
            hook.asked,
            hook.would_refuse,
            hook.faults,
        ];
        let times = [hook.p50_us, hook.p95_us, hook.p99_us].map(millis);
        [
            vec![ui::line(hook.name)],
            counts.map(count).to_vec(),
            times.to_vec(),
        ]
        .concat()
    });
    let mut text = String::new();
    if !asked.is_empty() {
        let head = [
            "hook",
            "answered",
            "refused",
            "asked",
            "would refuse",
            "faults",
            "p50 ms",
            "p95",
            "p99",
        ];
        text = format!("\n{}", ui::table(&head, &rows.collect::<Vec<_>>()));
    }
    if !idle.is_empty() {
        let names: Vec<String> = idle.iter().map(|hook| ui::line(hook.name)).collect();
        let title = paint(ui::BOLD, "never fired:");
        text.push_str(&format!("\n{title} {}\n", names.join(", ")));
    }
    text
}
