//! Programs that pack and unpack.

use super::call::Call;
use crate::word::Word;

/// The letters in front may stand without a dash, and their values follow in their order: `tar xzf FILE`.
fn spread(call: &mut Call<'_>) {
    const LETTERS: &str = "Acdrtuxfzjvpka0123456789JZhCTXbgOPmMSWwoiInUlFLKNVGs";
    let words = &call.command.words;
    let first = words.get(1).and_then(Word::known).unwrap_or_default();
    let is_bundle = first.chars().all(|letter| LETTERS.contains(letter));
    if !is_bundle || !first.contains(['c', 'x', 't', 'r', 'u', 'd', 'A']) {
        return;
    }
    let mut spread: Vec<Word> = words.iter().take(1).cloned().collect();
    let mut rest = words.iter().skip(2);
    for letter in first.chars() {
        spread.push(Word::text(format!("-{letter}")));
        if "fCTXbgIFLKNVsH".contains(letter) {
            spread.extend(rest.next().cloned());
        }
    }
    spread.extend(rest.cloned());
    let done = std::mem::replace(&mut call.reading, call.row.options.read(&spread, 1)).given;
    for given in call.reading.given.clone() {
        let is_new = given.sure && !done.contains(&given);
        if let Some(value) = given.value.as_ref().filter(|_| is_new) {
            call.does(given.option.of_value, value);
        }
    }
}

pub(super) fn tar(call: &mut Call<'_>) {
    spread(call);
    for action in call.values("checkpoint-action") {
        match action.head().strip_prefix("exec=") {
            Some(_) => call.shell(action.without("exec=".len()), Vec::new()),
            None if action.known().is_none() => call.may_run_code(),
            None => {}
        }
    }
    let makes = call.has("c r u A delete");
    let (unpacks, lists) = (call.has("x"), call.has("t d"));
    let is_read = !makes && (unpacks || lists);
    for archive in call.values("f") {
        match super::net::is_remote(&archive) {
            Some(true) => call.does("n", &archive),
            _ => call.does(if is_read { "r" } else { "w" }, &archive),
        }
    }
    let base = call.folders.clone();
    let folders = call.values("C");
    for folder in &folders {
        call.goes_to(Some(folder));
    }
    if makes {
        packs(call, folders.len() > 1);
    }
    if (unpacks && !call.has("O")) || !(makes || unpacks || lists) {
        call.likely("W", &Word::text("."));
        if call.has("P") {
            call.unknown("w");
        }
    }
    call.folders = base;
}

/// What goes into an archive. Of several `-C` each has its own files: they count from all.
fn packs(call: &mut Call<'_>, from_many: bool) {
    if call.may("T") || from_many {
        call.unknown("r");
    }
    for word in &call.words() {
        call.does("R", word);
        if call.has("remove-files") {
            call.does("D", word);
        }
    }
}

/// `zip x` writes `x.zip`, and reads it if it is there.
pub(super) fn named_zip(call: &mut Call<'_>) {
    if call.may("@") {
        call.unknown(if call.may("m") { "rd" } else { "r" });
    }
    let first = call.reading.text(0).unwrap_or_default();
    if !first.is_empty() && !first.rsplit('/').next().unwrap_or_default().contains('.') {
        call.likely("u", &Word::text(format!("{first}.zip")));
    }
}

/// `gzip x` makes `x.gz` and removes `x`; the other way round with `-d`.
pub(super) fn squeeze(call: &mut Call<'_>) {
    let is = |marks: &[&str]| marks.iter().any(|mark| call.name.contains(mark));
    let unpacks = call.may("d") || call.name.starts_with("un") || is(&["gun", "bun"]);
    let keeps = (call.has("k") || is(&["zst", "lz4", "brotli"])) && !call.may("rm");
    let tree = call.may("r");
    let words = call.words();
    // `lz4 FROM TO`.
    if let (true, [_, to]) = (is(&["lz4"]), &*words) {
        call.likely("w", to);
    }
    for word in words {
        call.does(if tree { "R" } else { "r" }, &word);
        if call.has("c l t") {
            continue;
        }
        if !keeps {
            call.does(if tree { "D" } else { "d" }, &word);
        }
        if call.has("o") {
            continue;
        }
        if tree {
            call.likely("W", &word);
        }
        let stem = word.known().filter(|_| unpacks);
        let stem = stem.map(|text| Word::text(text.rsplit_once('.').map_or("", |(stem, _)| stem)));
        call.likely("w", &stem.unwrap_or_else(|| word.with_pattern(".*")));
    }
}
