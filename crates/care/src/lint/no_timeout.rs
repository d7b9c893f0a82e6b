//! A hook that may take as long as it likes.

use std::time::Duration;

use anyhook_core::hook::Pace;
use anyhook_core::manifest::{Action, DEADLINE};

use super::Note;
use super::linted::{Linted, Site};

/// How long a hook that does not say it may take.
pub(super) fn default_of(site: &Site<'_>) -> Duration {
    site.entry.timeout.unwrap_or(DEADLINE)
}

pub(super) fn find(linted: &Linted<'_>) -> Vec<Note> {
    let fields = linted
        .format
        .map_or(&["timeout"][..], |format| format.timeout.fields);
    // It cannot be said in a file of a host that has no word for it.
    if fields.is_empty() {
        return Vec::new();
    }
    let spawns = linted.sites().filter(|site| match &site.entry.action {
        Action::Command(_) | Action::Prompt(_) | Action::Http(_) => true,
        Action::Rule(_) | Action::Builtin(_) | Action::Broken(_) => false,
    });
    // The agent does not wait for a hook in the background.
    let waited = spawns.filter(|site| site.entry.pace == Pace::Waited);
    let silent = waited.filter(|site| {
        let mut fields = fields.iter();
        !fields.any(|field| linted.document.field(&site.entry.at, field).is_some())
    });
    let long = silent.filter(|site| default_of(site) >= super::short_time::SHORT);
    let long: Vec<Site<'_>> = long.collect();
    let Some(first) = long.first() else {
        return Vec::new();
    };
    // Once for the file: a line for each hook would hide the other findings.
    let longest = long.iter().map(default_of).max().unwrap_or_default();
    let of = match long.len() {
        1 => "this hook".to_owned(),
        many => format!("each of {many} hooks, of which this is the first"),
    };
    let seconds = longest.as_secs_f64();
    let message = format!("no timeout: the agent waits up to {seconds} seconds for {of}");
    let field = fields.first().copied().unwrap_or("timeout");
    let note = Note::new(first.entry.at.clone(), message);
    vec![note.help(format!("say how long it may take, as `\"{field}\"`"))]
}
