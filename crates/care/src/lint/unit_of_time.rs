//! Seconds and milliseconds mixed up.

use anyhook_core::manifest::Severity;
use anyhook_wires::settings::Unit;

use super::linted::Linted;
use super::{File, Lint, Note, Sample};

/// The row.
pub(super) static LINT: Lint = Lint {
    code: "AH012",
    slug: "unit-of-time",
    severity: Severity::Warning,
    about: "A timeout looks like it counts in another unit.",
    page: "`timeout` is in seconds here, in Claude Code, Codex, Copilot and Cursor, and in milliseconds in Gemini CLI. \
           Qwen Code takes a number below 1000 for seconds, and any other for milliseconds. Taken for the other unit, a hook either fails at once, or holds the agent for hours. More than ten minutes \
           is longer than any agent waits by itself.",
    bad: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"session-start": [{"hooks": [
  {"type": "command", "command": "date", "timeout": 5000}
]}]}}"#,
    )]),
    good: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"session-start": [{"hooks": [
  {"type": "command", "command": "date", "timeout": 5}
]}]}}"#,
    )]),
    says: &[
        ("`timeout` is longer than ", ""),
        ("`timeout` is raised to ", ""),
    ],
    find,
};

/// In a host's own file: what is in seconds and counts in thousands, and what is in milliseconds and takes none of them.
fn find(linted: &Linted<'_>) -> Vec<Note> {
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
