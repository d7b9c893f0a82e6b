//! One record as one line: what was attempted, what was said of it, and by whom.

use anyhook::core::report::{Outcome, Report};
use anyhook::core::result::Kind;
use anyhook::record::{self, attempted, said};

use crate::ui::{self, paint, short};
use crate::view;

/// So wide is what stands before the event: the time, the id and the verdict.
const BEFORE: usize = 38;
/// So wide it is on a narrow terminal: no seconds, the mark alone.
const BEFORE_NARROW: usize = 26;
/// A narrower terminal has no room for dates and words beside what was attempted.
const NARROW: usize = 100;

/// Returns the mark and the word for what was said; of an imported call what became of it.
fn verdict(report: &Report) -> (&'static str, &'static str, anstyle::Style) {
    match report.imported().map(|imported| imported.outcome) {
        Some(Outcome::Refused) => ("✗", "refused", view::style(Kind::Deny)),
        Some(outcome) => ("·", outcome.as_str(), view::style(Kind::Continue)),
        None => {
            let kind = view::kind(report);
            (view::mark(kind), kind.as_str(), view::style(kind))
        }
    }
}

/// Writes one record as one line, as wide as the terminal.
pub(crate) fn row(report: &Report) -> String {
    let (mark, word, style) = verdict(report);
    let subject = report.event.subject.as_deref().unwrap_or_default();
    let event = format!("{} {subject}", report.event.name);
    let (hook, said) = said(report);
    let why = [hook, said]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(": ");
    // A narrow terminal keeps its room for what was attempted: the tool stands for its event.
    let is_narrow = ui::columns().is_some() && ui::width() < NARROW;
    let (event, before, wide) = match (is_narrow, subject) {
        (true, "") => (event, BEFORE_NARROW, 12),
        (true, tool) => (tool.to_owned(), BEFORE_NARROW, 12),
        (false, _) => (event, BEFORE, 24),
    };
    let (form, word) = if is_narrow {
        ("%m-%d %H:%M", mark.to_owned())
    } else {
        ("%m-%d %H:%M:%S", format!("{mark} {word:8}"))
    };
    // Behind a pipe there is room for all that a search may look for.
    let room = match ui::columns() {
        Some(_) => ui::width().saturating_sub(before + wide + 2).max(10),
        None => 600,
    };
    let parts = shared(&attempted(report), &why, room, is_narrow);
    let line = format!(
        "{}  {}  {}  {:wide$}  {}",
        paint(ui::DIM, &record::time(report.at, form)),
        paint(ui::DIM, &ui::line(&report.id)),
        paint(style, &word),
        short(&event, wide),
        parts.join("  "),
    );
    line.trim_end().to_owned()
}

/// Shares the room between what was attempted and what was said: neither takes what the other leaves. On a narrow terminal two
/// thirds are for what was attempted.
fn shared(attempted: &str, why: &str, room: usize, is_narrow: bool) -> Vec<String> {
    let part = if is_narrow { room * 2 / 3 } else { room / 2 };
    let beside = room.saturating_sub(why.chars().count() + 2);
    let tried = short(attempted, part.max(beside));
    let left = room.saturating_sub(tried.chars().count() + 2);
    let parts = [tried, short(why, left)];
    parts.into_iter().filter(|part| !part.is_empty()).collect()
}
