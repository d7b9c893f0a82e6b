//! Programs that search, compare and edit text.

use super::call::Call;
use super::words;
use crate::command::Input;
use crate::effect::{Certainty, Kind, Object};
use crate::patch;
use crate::word::{Part, Word};

/// Two arguments behind each name.
pub(super) fn jq(call: &mut Call<'_>) {
    let words = &call.command.words;
    let mut files = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let is_file = matches!(
            word.known().as_deref(),
            Some("--slurpfile" | "--rawfile" | "--argfile")
        );
        if let (true, Some(file)) = (is_file, words.get(at + 2)) {
            files.push(file.clone());
        }
    }
    for file in files {
        call.act_path(Kind::Read, &file, Certainty::Exact, false);
    }
}

/// With `-r` its own folder is searched where no other is named.
pub(super) fn patterns(call: &mut Call<'_>) {
    let sources = searched(call, &["e", "f"]);
    if call.may("r") && sources.is_empty() {
        call.act_path(Kind::Read, &Word::text("."), Certainty::Exact, true);
    }
    if call.may("r") {
        names_of_files(call, &sources);
    }
}

/// Searches its own folder where no other is named, and prints what options and settings of a folder make of it.
pub(super) fn here(call: &mut Call<'_>) {
    in_folders(call);
}

/// Searches like [`here`], and prints names where it is asked for them.
pub(super) fn here_by_name(call: &mut Call<'_>) {
    let sources = in_folders(call);
    names_of_files(call, &sources);
}

fn in_folders(call: &mut Call<'_>) -> Vec<Word> {
    let sources = searched(call, &["e", "f", "files"]);
    if sources.is_empty() {
        call.act_path(Kind::Read, &Word::text("."), Certainty::Likely, true);
    }
    sources
}

/// The operands behind the pattern, which an option may give instead.
fn searched(call: &Call<'_>, patterns: &[&str]) -> Vec<Word> {
    let named = patterns.iter().any(|name| call.may(name));
    call.words().into_iter().skip(usize::from(!named)).collect()
}

/// Options that choose where and for what is searched, and `-l`: with these alone nothing else is printed.
const CHOOSING: &str = "e E F G P f w x i y v s S u U a I n H h r R l Z 0 m d D g iglob t T include exclude exclude-dir exclude-from \
    ignore-file max-filesize";

/// With `-l` it prints the names of the files in which something was found, and nothing else.
fn names_of_files(call: &mut Call<'_>, searched: &[Word]) {
    let mut given = call.reading.given.iter();
    let is_other = given.any(|given| {
        !given
            .option
            .names
            .iter()
            .any(|name| CHOOSING.split(' ').any(|own| own == *name))
    });
    // Without a folder in front of it a name may be an option.
    let is_bare = searched.is_empty();
    let unsure = call.reading.unreadable || !call.reading.unlisted.is_empty();
    if !call.has("l") || is_other || is_bare || unsure {
        return;
    }
    let below = |word: &Word| {
        let mut all = word.clone();
        all.parts.push(Part::Text("/".to_owned()));
        all.parts.push(Part::Glob("**".to_owned()));
        [word.clone(), all]
    };
    let names = searched.iter().flat_map(below).collect();
    call.lists(searched, names);
}

/// An editor writes the file that it opens, and does what its input says.
pub(super) fn edited(call: &mut Call<'_>) {
    for word in call.words() {
        if word.head().starts_with('+') {
            call.opaque = true;
            continue;
        }
        call.act_path(Kind::Read, &word, Certainty::Exact, false);
        call.act_path(Kind::Write, &word, Certainty::Likely, false);
    }
    if call.command.input != Input::Inherited || call.row.name() == "ed" {
        call.opaque = true;
        call.effect(Kind::Write, Object::Unknown, Certainty::Unknown);
    }
}

/// The patch of an agent, as its argument or its input. Codex carries such a line out itself, without a program of this name.
pub(super) fn agents_patch(call: &mut Call<'_>) {
    let mut texts = call.words();
    if let (true, Input::Text(text)) = (texts.is_empty(), &call.command.input) {
        texts.push(Word::text(text));
    }
    let known: Option<Vec<_>> = texts.iter().map(Word::known).collect();
    let mut is_read = false;
    for text in known.into_iter().flatten() {
        let changes = patch::changes(&text);
        is_read |= !changes.is_empty();
        for (kind, path, sure) in changes {
            call.act_path(kind, &Word::text(path), sure, false);
        }
    }
    if !is_read {
        for kind in [Kind::Write, Kind::Delete] {
            call.effect(kind, Object::Unknown, Certainty::Unknown);
        }
    }
}

/// A patch names its files itself: those of a known text, or any. What it cannot apply it leaves beside them.
pub(super) fn patched(call: &mut Call<'_>) {
    if call.has("dry-run") || call.has("o") {
        return;
    }
    let Input::Text(text) = call.command.input.clone() else {
        match call.words().first() {
            Some(file) => patched_file(call, file, true),
            None => patched_folder(call),
        }
        return;
    };
    let removes = call.may("E") || words::PATCH_REMOVES.iter().any(|mark| text.contains(mark));
    if let Some(file) = call.words().first() {
        patched_file(call, file, removes);
        return;
    }
    let strip = call
        .reading
        .values("p")
        .last()
        .and_then(|word| word.known()?.parse::<usize>().ok());
    let names = names_of(&text);
    if names.iter().any(|name| name.starts_with('"')) {
        // Letters of a name in quotes may be written as numbers.
        call.anything();
    }
    if names.is_empty() {
        patched_folder(call);
    }
    for name in names {
        let from = name.split('/').collect::<Vec<_>>();
        let parts = from
            .get(strip.unwrap_or(from.len().saturating_sub(1))..)
            .unwrap_or_default();
        patched_file(call, &Word::text(parts.join("/")), removes);
    }
}

/// It writes and removes below its folder: names from the root on, and those with `..`, it refuses.
fn patched_folder(call: &mut Call<'_>) {
    for kind in [Kind::Write, Kind::Delete] {
        call.act_path(kind, &Word::text("."), Certainty::Likely, true);
    }
}

fn patched_file(call: &mut Call<'_>, file: &Word, removes: bool) {
    call.act_path(Kind::Write, file, Certainty::Likely, false);
    if removes {
        call.act_path(Kind::Delete, file, Certainty::Likely, false);
    }
    for end in [".orig", ".rej"] {
        call.keeps_copy(file, &Word::text(end));
    }
}

/// The names that a patch may mean: a blank ends one only where no tab does, so both readings of it count.
fn names_of(text: &str) -> Vec<String> {
    let heads = [
        "+++ ",
        "--- ",
        "*** ",
        "Index: ",
        "rename from ",
        "rename to ",
        "copy from ",
        "copy to ",
    ];
    let mut names = Vec::new();
    for line in text.lines() {
        if let Some(both) = line.strip_prefix("diff --git ") {
            names.extend(both.split_whitespace());
        }
        let rest = heads.iter().find_map(|head| line.strip_prefix(head));
        let Some(rest) = rest.map(str::trim) else {
            continue;
        };
        let until = |end: fn(char) -> bool| rest.split(end).next().unwrap_or(rest);
        names.push(until(|letter| letter == '\t'));
        if !rest.contains('\t') {
            names.push(until(char::is_whitespace));
        }
    }
    names.retain(|name| *name != "/dev/null");
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(str::to_owned).collect()
}
