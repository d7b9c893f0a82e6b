//! Plots of the counts, as SVG that loads nothing.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::count::Tally;
use super::short;

/// As wide as a date with a space behind it.
const LABEL: usize = 76;

/// Draws a column for each day.
pub fn columns(days: &BTreeMap<String, Tally>) -> String {
    if days.is_empty() {
        return String::new();
    }
    let most = days
        .values()
        .map(|tally| tally.events)
        .max()
        .unwrap_or(1)
        .max(1);
    let high = |count: u64| count * 180 / most;
    let wide = (900 / days.len().max(1)).clamp(2, 60);
    // A date is wider than a column, and must not run into the next one.
    let every = LABEL.div_ceil(wide);
    // Few days do not become giants.
    let across = (wide * days.len() + LABEL).max(900);
    let mut text = format!(
        "<h2>Days</h2>\n<svg viewBox=\"0 0 {across} 215\" role=\"img\" aria-label=\"events by day\">\n"
    );
    for (at, (day, tally)) in days.iter().enumerate() {
        let (x, all, no) = (at * wide, high(tally.events), high(tally.refused));
        let told = format!("{day}: {} events, {} refused", tally.events, tally.refused);
        let _ = writeln!(
            text,
            "<g><title>{}</title><rect class=\"all\" x=\"{x}\" y=\"{}\" width=\"{}\" height=\"{all}\"/><rect class=\"no\" \
             x=\"{x}\" y=\"{}\" width=\"{}\" height=\"{no}\"/></g>",
            safe(&told),
            190 - all,
            wide - 1,
            190 - no,
            wide - 1
        );
        if at % every == 0 {
            let _ = writeln!(text, "<text x=\"{x}\" y=\"206\">{}</text>", safe(day));
        }
    }
    text + "</svg>\n"
}

/// Draws a bar for each name.
pub fn bars(title: &str, all: &BTreeMap<String, Tally>) -> String {
    if all.is_empty() {
        return String::new();
    }
    let most = all
        .values()
        .map(|tally| tally.events)
        .max()
        .unwrap_or(1)
        .max(1);
    // The rest of the width is for the counts of the longest bar.
    let long = |count: u64| count * 430 / most;
    let title = safe(title);
    let mut text = format!(
        "<h2>{title}</h2>\n<svg viewBox=\"0 0 900 {}\" role=\"img\" aria-label=\"{title}\">\n",
        all.len() * 22
    );
    for (at, (name, tally)) in all.iter().enumerate() {
        let y = at * 22;
        let _ = writeln!(
            text,
            "<text x=\"0\" y=\"{}\">{}</text><rect class=\"all\" x=\"300\" y=\"{}\" width=\"{}\" height=\"14\"/><rect class=\"no\" \
             x=\"300\" y=\"{}\" width=\"{}\" height=\"14\"/><text x=\"{}\" y=\"{}\">{} ({} refused)</text>",
            y + 15,
            safe(&short(name, 46)),
            y + 4,
            long(tally.events),
            y + 4,
            long(tally.refused),
            308 + long(tally.events),
            y + 15,
            tally.events,
            tally.refused
        );
    }
    text + "</svg>\n"
}

/// Makes a text safe to stand in a page.
fn safe(text: &str) -> String {
    let text = text
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\'', "&#39;")
}
