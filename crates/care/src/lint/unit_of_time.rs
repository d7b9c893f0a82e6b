//! Seconds and milliseconds mixed up.

use anyhook_wires::settings::Unit;

use super::Note;
use super::linted::Linted;

/// In a host's own file: what is in seconds and counts in thousands, and what is in milliseconds and takes none of them.
pub(super) fn find(linted: &Linted<'_>) -> Vec<Note> {
    let Some(format) = linted.format else {
        return Vec::new();
    };
    let notes = linted.sites().filter_map(|site| {
        let mut fields = format.timeout.fields.iter();
        let at = &site.entry.at;
        let (field, count) =
            fields.find_map(|field| Some((field, linted.document.number(at, field)?)))?;
        let (unit, other) = match format.timeout.unit {
            Unit::Seconds => (count >= 1000.0).then_some((
                "seconds",
                format!("{count} milliseconds are {}", count / 1000.0),
            ))?,
            Unit::Millis => (count > 0.0 && count < 100.0).then_some((
                "milliseconds",
                format!("{count} seconds are {}", count * 1000.0),
            ))?,
            // The host itself takes small numbers for the one and large ones for the other.
            Unit::SecondsBelow(_) => return None,
        };
        let message = format!(
            "`{field}` of `{}` counts in {unit}, and {count} looks like another unit",
            format.host
        );
        Some(Note::new(linted.at(site, field), message).help(other))
    });
    notes.collect()
}
