//! Programs that pack and unpack.

use super::call::Call;
use crate::effect::{Certainty, Kind, Object};
use crate::word::{Part, Word};

/// `jar tf FILE` lists, `jar cf FILE …` makes, all others may write here.
pub(super) fn jar(call: &mut Call<'_>) {
    let words = call.command.words.get(1..).unwrap_or_default();
    let first = words.first().map(Word::head).unwrap_or_default();
    let letters = first.trim_start_matches('-').to_owned();
    let lists = !first.starts_with("--")
        && letters.contains('t')
        && !letters.contains(['c', 'u', 'x', 'i']);
    for word in words.get(1..).unwrap_or_default().to_vec() {
        call.act_path(Kind::Read, &word, Certainty::Likely, true);
    }
    if let Some(file) = words.get(1).filter(|_| !lists) {
        call.act_path(Kind::Write, &file.clone(), Certainty::Likely, false);
        call.act_path(Kind::Write, &Word::text("."), Certainty::Likely, true);
    }
}

/// The letters in front may stand without a dash: `tar xzf FILE`.
pub(super) fn tar(call: &mut Call<'_>) {
    let words = call.command.words.clone();
    let first = words
        .get(1)
        .and_then(Word::known)
        .map(std::borrow::Cow::into_owned)
        .unwrap_or_default();
    let bundled = !first.is_empty()
        && !first.starts_with('-')
        && first
            .chars()
            .all(|c| "Acdrtuxfzjvpka0123456789JZhCTXbgOPmMSWwoiInUlFLKNVGs".contains(c))
        && first.contains(['c', 'x', 't', 'r', 'u', 'd', 'A']);
    let mut reading = call.reading.clone();
    let mut letters = first.clone();
    if bundled {
        // Its values follow in the order of its letters.
        let mut spread: Vec<Word> = vec![words.first().cloned().unwrap_or_default()];
        let mut rest = words.iter().skip(2);
        for letter in first.chars() {
            spread.push(Word::text(format!("-{letter}")));
            if "fCTXbgIFLKNVsH".contains(letter) {
                spread.extend(rest.next().cloned());
            }
        }
        spread.extend(rest.cloned());
        reading = call.row.options.read(&spread, 1);
        let done = call.reading.given.clone();
        let new = |given: &&crate::options::Given| given.sure && !done.contains(given);
        for given in reading.given.clone().iter().filter(new) {
            for letter in given.option.of_value.chars() {
                call.letter(letter, given.value.as_ref(), Certainty::Exact);
            }
        }
    } else {
        letters.clear();
    }
    call.reading = reading;
    let actions: Vec<Word> = call.reading.values("checkpoint-action").cloned().collect();
    for action in actions {
        match action.head().strip_prefix("exec=") {
            Some(_) => call.shell(action.without("exec=".len()), Vec::new()),
            None if action.known().is_none() => call.may_run_code(),
            None => {}
        }
    }
    tar_mode(call);
}

fn tar_mode(call: &mut Call<'_>) {
    let archives: Vec<Word> = call.reading.values("f").cloned().collect();
    let base = call.folders.clone();
    let makes = ["c", "r", "u", "A", "delete"]
        .iter()
        .any(|name| call.has(name));
    let unpacks = call.has("x");
    let lists = call.has("t") || call.has("d");
    let kind = if makes || !(unpacks || lists) {
        Kind::Write
    } else {
        Kind::Read
    };
    for archive in &archives {
        match super::net::is_remote(archive) {
            Some(true) => call.connect(archive, Certainty::Exact),
            _ => call.act_path(kind, archive, Certainty::Exact, false),
        }
    }
    let folders: Vec<Word> = call.reading.values("C").cloned().collect();
    for folder in &folders {
        let found = folder.known();
        call.folders = match found {
            Some(folder) => call
                .folders
                .iter()
                .map(|base| base.join(&*folder))
                .collect(),
            None => Vec::new(),
        };
    }
    if makes {
        packs(call, folders.len() > 1);
    }
    if (unpacks && !call.has("O")) || !(makes || unpacks || lists) {
        let whole = Word::text(".");
        call.act_path(Kind::Write, &whole, Certainty::Likely, true);
        if call.has("P") {
            call.effect(
                Kind::Write,
                crate::effect::Object::Unknown,
                Certainty::Unknown,
            );
        }
    }
    call.folders = base;
}

/// What goes into an archive. Of several `-C` each has its own files: they count from all.
fn packs(call: &mut Call<'_>, from_many: bool) {
    if call.may("T") {
        call.act_path(Kind::Read, &Word::unknown(), Certainty::Unknown, true);
    }
    let sure = if from_many {
        Certainty::Likely
    } else {
        Certainty::Exact
    };
    for word in &call.words() {
        call.act_path(Kind::Read, word, sure, true);
        if from_many && !word.head().starts_with('/') {
            call.act_path(Kind::Read, &Word::unknown(), Certainty::Unknown, true);
        }
        if call.has("remove-files") {
            call.act_path(Kind::Delete, word, Certainty::Exact, true);
        }
    }
}

/// `zip x` writes `x.zip`, and reads it if it is there.
pub(super) fn named_zip(call: &mut Call<'_>) {
    // `-TT` is one option, which names a command: the archive stands behind it.
    let mut words = call.command.words.iter();
    if words.any(|word| word.head().starts_with("-TT")) {
        call.opaque = true;
        for word in &call.words() {
            call.act_path(Kind::Write, word, Certainty::Likely, false);
        }
    }
    if call.may("@") {
        call.effect(Kind::Read, Object::Unknown, Certainty::Unknown);
        if call.may("m") {
            call.effect(Kind::Delete, Object::Unknown, Certainty::Unknown);
        }
    }
    if let Some(first) = call.words().first()
        && let Some(text) = first.known()
        && !text.rsplit('/').next().unwrap_or_default().contains('.')
    {
        let whole = Word::text(format!("{text}.zip"));
        for kind in [Kind::Read, Kind::Write] {
            call.act_path(kind, &whole, Certainty::Likely, false);
        }
    }
}

pub(super) fn unzip(call: &mut Call<'_>) {
    if ["l", "t", "v", "p", "Z", "c"]
        .iter()
        .any(|name| call.has(name))
    {
        return;
    }
    let folder = call
        .reading
        .values("d")
        .last()
        .cloned()
        .unwrap_or_else(|| Word::text("."));
    call.act_path(Kind::Write, &folder, Certainty::Likely, true);
}

pub(super) fn cpio(call: &mut Call<'_>) {
    if call.may("i") && !call.has("t") {
        call.act_path(Kind::Write, &Word::text("."), Certainty::Likely, true);
    }
    if call.may("o") {
        call.effect(
            Kind::Read,
            crate::effect::Object::Unknown,
            Certainty::Unknown,
        );
    }
}

pub(super) fn seven(call: &mut Call<'_>) {
    let words = call.words();
    let mut rest = words
        .iter()
        .skip(1)
        .filter(|word| !word.head().starts_with('-'));
    let Some(archive) = rest.next() else { return };
    let verb = call.reading.text(0).unwrap_or_default();
    match &*verb {
        "l" | "t" | "i" | "h" | "b" => call.act_path(Kind::Read, archive, Certainty::Exact, false),
        "x" | "e" => {
            call.act_path(Kind::Read, archive, Certainty::Exact, false);
            let folder = words.iter().find(|word| word.head().starts_with("-o"));
            let folder = folder.map_or_else(|| Word::text("."), |word| word.without(2));
            call.act_path(Kind::Write, &folder, Certainty::Likely, true);
        }
        _ => {
            call.act_path(Kind::Write, archive, Certainty::Exact, false);
            let deletes = words.iter().any(|word| word.head().starts_with("-sdel"));
            for file in rest {
                call.act_path(Kind::Read, file, Certainty::Exact, true);
                if deletes {
                    call.act_path(Kind::Delete, file, Certainty::Exact, true);
                }
            }
        }
    }
}

/// `gzip x` makes `x.gz` and removes `x`; the other way round with `-d`.
pub(super) fn squeeze(call: &mut Call<'_>) {
    let unpacks = call.may("d")
        || call.name.starts_with("un")
        || call.name.contains("gun")
        || call.name.contains("bun");
    let keeps = call.has("k")
        || call.name.contains("zst")
        || call.name.contains("lz4")
        || call.name == "brotli";
    let keeps = keeps && !call.may("rm");
    let only_reads = call.has("c") || call.has("l") || call.has("t");
    let tree = call.may("r");
    let words = call.words();
    // `lz4 FROM TO`.
    if let (true, [_, to]) = (call.name.contains("lz4"), &*words) {
        call.act_path(Kind::Write, to, Certainty::Likely, false);
    }
    for word in words {
        call.act_path(Kind::Read, &word, Certainty::Exact, tree);
        if only_reads {
            continue;
        }
        if !keeps {
            call.act_path(Kind::Delete, &word, Certainty::Exact, tree);
        }
        if call.has("o") {
            continue;
        }
        if tree {
            call.act_path(Kind::Write, &word, Certainty::Likely, true);
        }
        let mut made = word.clone();
        match made.parts.last_mut() {
            Some(Part::Text(text)) if unpacks => {
                let stem = text.rsplit_once('.').map(|(stem, _)| stem.to_owned());
                *text = stem.unwrap_or_default();
            }
            _ => made.parts.push(Part::Glob(".*".to_owned())),
        }
        call.act_path(Kind::Write, &made, Certainty::Likely, false);
    }
}
