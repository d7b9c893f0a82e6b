//! `anyhook log stats`: how many events, refusals, questions and faults, and how slow each hook is.

use std::collections::BTreeMap;

use anyhook::record::{self, Counts, EventCounts};
use anyhook::stores::Filter;

use super::log::{self, LogFilter};
use crate::error::CliError;
use crate::exit::Exit;
use crate::form::JsonFlag;
use crate::ui::{self, paint};

/// Counts what a part of the record says.
pub(super) fn run(part: &LogFilter, form: JsonFlag) -> Result<Exit, CliError> {
    let filter = part.filter()?;
    let counted = record::count(&log::store()?, &filter).map_err(log::unreadable)?;
    let is_empty = counted.events == 0 && filter == Filter::default();
    form.say_or(is_empty.then_some(log::NOTHING), &counted, page)
}

fn page(stats: &Counts) -> String {
    let mut text = paint(ui::BOLD, &ui::many(stats.events, "event")) + "\n";
    let open = stats.asked.saturating_sub(stats.yes);
    text.push_str(&format!(
        "  {} refused   {} asked about ({} then ran, {open} did not or are unknown)   {} faults of hooks\n",
        stats.refused, stats.asked, stats.yes, stats.faults
    ));
    text += &ui::counts(
        "  ",
        &[
            (stats.imported, "imported calls are not among them"),
            (stats.unreadable, "lines could not be read"),
        ],
    );
    for (title, all) in [
        ("day", &stats.days),
        ("agent", &stats.hosts),
        ("project", &stats.projects),
    ] {
        text.push_str(&tallies(title, all));
    }
    text + &hooks(stats)
}

/// Counts the events of each name, and the refused ones among them.
fn tallies(what: &str, all: &BTreeMap<String, EventCounts>) -> String {
    if all.is_empty() {
        return String::new();
    }
    let rows = all.iter().map(|(name, tally)| {
        let events = tally.events.to_string();
        [ui::line(name), events, count(tally.refused)]
    });
    format!("\n{}", ui::table(&format!("{what}|events|refused"), rows))
}

/// Writes a count; none is nothing to read.
fn count(count: u64) -> String {
    match count {
        0 => String::new(),
        count => count.to_string(),
    }
}

fn hooks(stats: &Counts) -> String {
    let millis = |us: u32| format!("{:.1}", f64::from(us) / 1000.0);
    let (idle, mut asked): (Vec<_>, Vec<_>) =
        stats.hooks.iter().partition(|(_, hook)| hook.is_idle());
    asked.sort_by_key(|(_, hook)| std::cmp::Reverse(hook.times.percentiles()));
    let rows = asked.iter().map(|(name, hook)| {
        let counts = [
            hook.answered,
            hook.refused,
            hook.asked,
            hook.would,
            hook.faults,
        ];
        let times = hook.times.percentiles().map(millis);
        [&[ui::line(name)][..], &counts.map(count), &times].concat()
    });
    let mut text = String::new();
    if !asked.is_empty() {
        let head = "hook|answered|refused|asked|would refuse|faults|p50 ms|p95|p99";
        text = format!("\n{}", ui::table(head, rows));
    }
    if !idle.is_empty() {
        let names: Vec<String> = idle.iter().map(|(name, _)| ui::line(name)).collect();
        let title = paint(ui::BOLD, "never fired:");
        text.push_str(&format!("\n{title} {}\n", names.join(", ")));
    }
    text
}
