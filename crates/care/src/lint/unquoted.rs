//! A placeholder that a shell would split.

use anyhook_core::manifest::Spells;
use anyhook_engine::words;

use super::linted::Linted;
use super::script::is_for_a_shell;
use super::{Fix, Note};

pub(super) fn find(linted: &Linted<'_>) -> Vec<Note> {
    let mut notes = Vec::new();
    for (site, command) in linted.commands() {
        let line = &command.command;
        // PowerShell hands a variable on as one argument, and `cmd` gets none.
        let splits = command
            .shell
            .is_none_or(|shell| shell.spells == Spells::AsWritten);
        if !is_for_a_shell(linted, command) || !splits {
            continue;
        }
        let whole = linted.command_at(site);
        for span in words::unquoted_placeholders(line) {
            let name = line.get(span.clone()).unwrap_or_default();
            if !may_hold_spaces(line, name) {
                continue;
            }
            let at = whole.within(line, &span);
            // Quotes go around all of the word: `"${ROOT}/a.sh"` reads better than `"${ROOT}"/a.sh`.
            let word = word_around(line, &span);
            let fix = (at != whole).then(|| {
                let word = whole.within(line, &word).span;
                let quote = || r#"\""#.to_owned();
                let edits = vec![
                    (word.start..word.start, quote()),
                    (word.end..word.end, quote()),
                ];
                Fix {
                    what: "add quotes".to_owned(),
                    edits,
                    executable: None,
                }
            });
            let message =
                format!("`{name}` stands outside of quotes, so a shell splits what it holds");
            let note = Note::new(at, message).help("put it in double quotes");
            // A home with a space is rare: what breaks there works nearly everywhere.
            let is_home = name.trim_matches(['$', '{', '}']) == "HOME";
            let note = if is_home { note.warning() } else { note };
            notes.push(note.fix(fix));
        }
    }
    notes
}

/// Tells whether a variable may hold a space at which the author wants no split. A placeholder may; a variable of the shell may
/// where its name says that it holds a path: `$FLAGS` is split on purpose, and `$status` holds none.
fn may_hold_spaces(line: &str, placeholder: &str) -> bool {
    const PATHS: &[&str] = &[
        "file", "path", "dir", "root", "folder", "cwd", "home", "pwd",
    ];
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name = placeholder.trim_start_matches(['$', '{']);
    let name = name.split(|c| !is_of_name(c)).next().unwrap_or_default();
    let sets = |before: &str| {
        let mut found = line.match_indices(name);
        found.any(|(at, _)| {
            let (head, tail) = (line.get(..at), line.get(at + name.len()..));
            match before {
                "" => tail.is_some_and(|tail| tail.starts_with('=')),
                before => head.is_some_and(|head| head.ends_with(before)),
            }
        })
    };
    let is_own = ["", "for ", "read ", "read -r "].into_iter().any(sets);
    let lower = name.to_lowercase();
    // Several are split on purpose.
    let is_path = !lower.ends_with('s') && PATHS.iter().any(|word| lower.contains(word));
    is_path || (placeholder.starts_with("${") && !is_own)
}

/// The word that a placeholder is a part of, as far as it is plain on both sides.
fn word_around(line: &str, span: &std::ops::Range<usize>) -> std::ops::Range<usize> {
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || "/._-".contains(*c);
    let before = line.get(..span.start).unwrap_or_default();
    let after = line.get(span.end..).unwrap_or_default();
    let before = before.chars().rev().take_while(is_plain).count();
    let after = after.chars().take_while(is_plain).count();
    span.start - before..span.end + after
}
