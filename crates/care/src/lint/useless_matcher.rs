//! A matcher where there is nothing to match.

use anyhook_wires::native_files::Matching;

use super::Note;
use super::linted::Linted;

/// The reader of universal files says it; in a host's own file that host decides what it looks at.
pub(super) fn find(linted: &Linted<'_>) -> Vec<Note> {
    let Some(format) = linted.format else {
        return Vec::new();
    };
    let groups = linted.manifest.groups.iter();
    let notes = groups.filter_map(|group| {
        let native = &group.speaks.as_ref()?.native;
        let form = format.events.iter().find(|form| form.native == &**native);
        let at = linted.document.field(&group.at, "matcher")?;
        // What selects everything says what holds anyway.
        let text = group.matcher_text.as_deref().map(str::trim);
        if matches!(text, Some("" | "*" | "**")) {
            return None;
        }
        let blind = format.matching == Matching::Nothing
            || form.is_some_and(|form| form.at.is_none() && form.tools.is_none());
        let message = format!("`{}` looks at no matcher on `{native}`", format.host);
        let help = "leave it out: the hook runs on every such event";
        blind.then(|| Note::new(at, message).help(help))
    });
    notes.collect()
}
