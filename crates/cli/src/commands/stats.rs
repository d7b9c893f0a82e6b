//! `anyhook log stats`: how many events, refusals, questions and faults, and how slow each hook is.

use anyhook::record::{self, Counted, OfHook, Tally, Wanted};
use serde_json::json;

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
    if form.is_json() {
        ui::raw(&format!("{}\n", as_json(&counted)))?;
    } else if counted.events == 0 && wanted == Wanted::default() {
        ui::err(log::NOTHING);
    } else {
        ui::out(&page(&counted))?;
    }
    Ok(Exit::Done)
}

fn as_json(counted: &Counted) -> serde_json::Value {
    let hooks = counted.hooks.iter().map(|(name, hook)| {
        let [p50, p95, p99] = hook.percentiles();
        json!({
            "name": name, "answered": hook.answered, "refused": hook.refused, "asked": hook.asked, "faults": hook.faults,
            "would_refuse": hook.would, "p50_us": p50, "p95_us": p95, "p99_us": p99, "never_fired": hook.is_idle(),
        })
    });
    json!({
        "events": counted.events, "refused": counted.refused, "asked": counted.asked, "answered_yes": counted.yes,
        "faults": counted.faults, "unreadable": counted.unreadable, "imported": counted.imported,
        "days": counted.days, "hosts": counted.hosts, "projects": counted.projects,
        "hooks": hooks.collect::<Vec<_>>(),
    })
}

fn page(counted: &Counted) -> String {
    let mut text = paint(ui::BOLD, &ui::many(counted.events, "event")) + "\n";
    let open = counted.asked.saturating_sub(counted.yes);
    text.push_str(&format!(
        "  {} refused   {} asked about ({} then ran, {open} did not or are unknown)   {} faults of hooks\n",
        counted.refused, counted.asked, counted.yes, counted.faults
    ));
    for (count, what) in [
        (counted.imported, "imported calls are not among them"),
        (counted.unreadable, "lines could not be read"),
    ] {
        if count > 0 {
            text.push_str(&format!("  {count} {what}\n"));
        }
    }
    for (title, all) in [
        ("by day", &counted.days),
        ("by agent", &counted.hosts),
        ("by project", &counted.projects),
    ] {
        text.push_str(&bars(title, all));
    }
    text + &hooks(counted)
}

/// Draws a bar for each name: its events, and the refused ones among them.
fn bars(title: &str, all: &std::collections::BTreeMap<String, Tally>) -> String {
    if all.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{}\n", paint(ui::BOLD, title));
    let most = all
        .values()
        .map(|tally| tally.events)
        .max()
        .unwrap_or(1)
        .max(1);
    let widest = all
        .keys()
        .map(|name| name.chars().count())
        .max()
        .unwrap_or_default()
        .min(40);
    let room = ui::width().saturating_sub(widest + 30).clamp(10, 60) as u64;
    for (name, tally) in all {
        let long = |count: u64| usize::try_from((count * room).div_ceil(most)).unwrap_or_default();
        let (refused, all) = (long(tally.refused), long(tally.events));
        let bar = paint(ui::DENY, &"█".repeat(refused)) + &"░".repeat(all.saturating_sub(refused));
        let name = ui::short(name, widest);
        text.push_str(&format!(
            "  {name:widest$}  {bar} {} ({} refused)\n",
            tally.events, tally.refused
        ));
    }
    text
}

fn hooks(counted: &Counted) -> String {
    let mut all: Vec<(&String, &OfHook)> = counted.hooks.iter().collect();
    all.sort_by_key(|(_, hook)| std::cmp::Reverse(hook.percentiles()));
    let millis = |us: u32| format!("{:.1}", f64::from(us) / 1000.0);
    let rows: Vec<Vec<String>> = all
        .iter()
        .filter(|(_, hook)| !hook.is_idle())
        .map(|(name, hook)| {
            let [p50, p95, p99] = hook.percentiles().map(millis);
            let counts = [
                hook.answered,
                hook.refused,
                hook.asked,
                hook.would,
                hook.faults,
            ];
            let counts = counts.map(|count| {
                if count == 0 {
                    String::new()
                } else {
                    count.to_string()
                }
            });
            [vec![ui::line(name)], counts.to_vec(), vec![p50, p95, p99]].concat()
        })
        .collect();
    let mut text = String::new();
    if !rows.is_empty() {
        text.push('\n');
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
        text.push_str(&ui::table(&head, &rows));
    }
    let idle: Vec<String> = all
        .iter()
        .filter(|(_, hook)| hook.is_idle())
        .map(|(name, _)| ui::line(name))
        .collect();
    if !idle.is_empty() {
        text.push_str(&format!(
            "\n{} {}\n",
            paint(ui::BOLD, "never fired:"),
            idle.join(", ")
        ));
    }
    text
}
