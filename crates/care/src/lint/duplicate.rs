//! The same hook twice.

use anyhook_engine::load::hooks;

use super::Note;
use super::linted::Linted;

pub(super) fn find(linted: &Linted<'_>) -> Vec<Note> {
    let hooks = hooks(linted.manifest, linted.file);
    let sites: Vec<_> = linted.sites().filter(|site| site.entry.enabled).collect();
    let all: Vec<_> = hooks.iter().zip(&sites).collect();
    let mut notes = Vec::new();
    for (at, (hook, site)) in all.iter().enumerate() {
        let mut before = all.iter().take(at);
        let only = linted.document.text(&site.entry.at, "if");
        let twin = before.find(|(other, first)| {
            let same_if = only == linted.document.text(&first.entry.at, "if");
            hook.is_same(other) && hook.when == other.when && same_if
        });
        if let Some((_, first)) = twin {
            let message = format!(
                "the same hook stands in line {} already",
                first.entry.at.line
            );
            notes.push(
                Note::new(site.entry.at.clone(), message).help("keep one of them: they run once"),
            );
        }
    }
    notes
}
