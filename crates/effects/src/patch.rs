//! What a patch does to files: the heads of its parts name them.

use crate::effect::{Certainty, EffectKind};

/// A file that a patch names, and what happens to it.
pub(crate) type PatchChange<'p> = (EffectKind, &'p str, Certainty);

/// The heads of files, each with the word for what happens to the file.
const HEADS: &[(&str, &str)] = &[
    ("*** Add File:", "add"),
    ("*** Update File:", "update"),
    ("*** Delete File:", "delete"),
    ("*** Move to:", "move"),
    ("--- ", "update"),
    ("+++ ", "update"),
    ("rename from ", "move"),
    ("rename to ", "move"),
    ("copy to ", "add"),
];

/// Returns what a patch does to each file; nothing where none is named.
pub(crate) fn changes(text: &str) -> Vec<PatchChange<'_>> {
    let mut all: Vec<PatchChange<'_>> = Vec::new();
    let mut above = None;
    for line in text.lines() {
        for (mark, word) in HEADS {
            let Some(name) = line.trim_start().strip_prefix(mark) else {
                continue;
            };
            let name = name.split('\t').next().unwrap_or_default().trim();
            let inside = name
                .strip_prefix("a/")
                .or_else(|| name.strip_prefix("b/"))
                .filter(|_| mark.len() == 4);
            let name = inside.unwrap_or(name);
            if !name.is_empty() && name != "/dev/null" && !name.starts_with("***") {
                // What is moved goes from its old name.
                if let (true, Some(above)) = (mark.contains("Move to"), above) {
                    all.extend(change(above, word));
                }
                above = Some(name);
                all.extend(change(name, word));
            }
        }
    }
    all
}

/// Returns what happens to a file, by the word for it.
pub(crate) fn change<'p>(name: &'p str, word: &str) -> Vec<PatchChange<'p>> {
    match word {
        "delete" => vec![(EffectKind::Delete, name, Certainty::Exact)],
        // It stands there under its old name and its new one.
        "move" => vec![
            (EffectKind::Write, name, Certainty::Likely),
            (EffectKind::Delete, name, Certainty::Likely),
        ],
        _ => vec![(EffectKind::Write, name, Certainty::Exact)],
    }
}
