//! A default that is too short for a process.

use std::time::Duration;

use anyhook_core::manifest::Action;

use super::Note;
use super::linted::Linted;

/// Below this a process may not even have started.
pub(super) const SHORT: Duration = Duration::from_secs(3);

pub(super) fn find(linted: &Linted<'_>) -> Vec<Note> {
    let Some(format) = linted.format else {
        return Vec::new();
    };
    let commands = linted
        .sites()
        .filter(|site| matches!(site.entry.action, Action::Command(_)));
    let cut = commands.filter(|site| {
        let mut fields = format.timeout.fields.iter();
        let says = fields.any(|field| linted.document.field(&site.entry.at, field).is_some());
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
