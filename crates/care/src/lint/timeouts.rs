//! How long hooks may take: units that look mixed up, no time at all, and a default that is too short for a process.

use std::time::Duration;

use anyhook_core::hook::WaitMode;
use anyhook_core::manifest::{Action, DEADLINE};
use anyhook_wires::native_files::NativeFormat;
use anyhook_wires::settings::TimeUnit;

use super::Note;
use super::linted::{HookSite, LintTarget};

/// Below this a process may not even have started.
const SHORT: Duration = Duration::from_secs(3);

/// In a host's own file: what is in seconds and counts in thousands, and what is in milliseconds and takes none of them.
pub(super) fn units(linted: &LintTarget<'_>, format: &NativeFormat) -> Vec<Note> {
    let notes = linted.sites().filter_map(|site| {
        let mut fields = format.timeout.fields.iter();
        let at = &site.entry.at;
        let (field, count) =
            fields.find_map(|field| Some((field, linted.document.number(at, field)?)))?;
        let (unit, other) = match format.timeout.unit {
            TimeUnit::Seconds if count >= 1000.0 => (
                "seconds",
                format!("{count} milliseconds are {}", count / 1000.0),
            ),
            TimeUnit::Millis if count > 0.0 && count < 100.0 => (
                "milliseconds",
                format!("{count} seconds are {}", count * 1000.0),
            ),
            // Some hosts take small numbers for the one and large ones for the other.
            TimeUnit::Seconds | TimeUnit::Millis | TimeUnit::SecondsBelow(_) => return None,
        };
        let message = format!(
            "`{field}` of `{}` counts in {unit}, and {count} looks like another unit",
            format.host
        );
        Some(Note::new(linted.at(site, field), message).help(other))
    });
    notes.collect()
}

/// Hooks that may take as long as the agent likes: once for the file, because a line for each would hide other findings.
pub(super) fn none(linted: &LintTarget<'_>) -> Vec<Note> {
    let fields = linted
        .format
        .map_or(&["timeout"][..], |format| format.timeout.fields);
    // It cannot be said in a file of a host that has no word for it.
    let Some(field) = fields.first() else {
        return Vec::new();
    };
    let takes = |site: &HookSite<'_>| site.entry.timeout.unwrap_or(DEADLINE);
    let long = linted.sites().filter(|site| {
        let spawns = match &site.entry.action {
            Action::Command(_) | Action::Prompt(_) | Action::Http(_) => true,
            Action::Rule(_) | Action::Builtin(_) | Action::Broken(_) => false,
        };
        // The agent does not wait for a hook in the background.
        let is_waited = site.entry.pace == WaitMode::Waited;
        spawns && is_waited && !linted.has_any(*site, fields) && takes(site) >= SHORT
    });
    let long: Vec<HookSite<'_>> = long.collect();
    let Some(first) = long.first() else {
        return Vec::new();
    };
    let of = match long.len() {
        1 => "this hook".to_owned(),
        many => format!("each of {many} hooks, of which this is the first"),
    };
    let longest = long.iter().map(takes).max().unwrap_or_default();
    let seconds = longest.as_secs_f64();
    let message = format!("no timeout: the agent waits up to {seconds} seconds for {of}");
    let note = Note::new(first.entry.at.clone(), message);
    vec![note.help(format!("say how long it may take, as `\"{field}\"`"))]
}

pub(super) fn short(linted: &LintTarget<'_>, format: &NativeFormat) -> Vec<Note> {
    let cut = linted.commands().map(|(site, _)| site).filter(|site| {
        let says = linted.has_any(*site, format.timeout.fields);
        format.timeout.of(site.event()) < SHORT && (!says || linted.is_plugin())
    });
    let notes = cut.map(|site| {
        let seconds = format.timeout.of(site.event()).as_secs_f64();
        let message = format!("`{}` ends this hook after {seconds} seconds", format.host);
        let help = if linted.is_plugin() {
            "in a plugin no `timeout` changes that: let the hook start in the background what takes longer"
        } else {
            "say how long it may take, as `\"timeout\"`"
        };
        Note::new(site.entry.at.clone(), message).help(help)
    });
    notes.collect()
}
