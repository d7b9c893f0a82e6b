//! An event that a host never sends.

use super::Note;
use super::linted::Linted;

pub(super) fn find(linted: &Linted<'_>) -> Vec<Note> {
    let mut notes = Vec::new();
    for host in &linted.how.hosts {
        for group in &linted.manifest.groups {
            let Some(spec) = group.spec.filter(|spec| host.row(spec.name).is_none()) else {
                continue;
            };
            let name = spec.universal.unwrap_or(spec.name);
            let message = format!(
                "`{}` never tells of `{name}`: these hooks do not run there",
                host.id()
            );
            let events = host.rows().iter().map(|row| format!("`{}`", row.name));
            let mut events: Vec<String> = events.collect();
            events.truncate(8);
            let help = format!("it tells of {}", events.join(", "));
            notes.push(Note::new(group.at.clone(), message).help(help));
        }
    }
    notes
}
