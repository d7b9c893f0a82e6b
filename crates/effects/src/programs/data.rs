//! Databases and keys.

use super::call::Call;
use super::words;
use crate::command::Input;
use crate::effect::{Certainty, Kind, Object};
use crate::word::Word;

/// Text that a client of a database reads: in these options, and from its input. What it reads from a file is not known here.
fn statements(call: &mut Call<'_>, options: &str) -> Vec<Word> {
    let mut texts = call.values(options);
    match &call.command.input {
        Input::Inherited => {}
        Input::Text(text) => texts.push(Word::text(text.clone())),
        Input::File(_) | Input::Unknown { .. } => texts.push(Word::unknown()),
    }
    texts
}

/// Commands of the shell of sqlite that write or run.
pub(super) fn sqlite(call: &mut Call<'_>) {
    // `-A`, also with letters of its command behind it: `-Acf`. It packs or unpacks files.
    let packs = |word: &Word| word.head().starts_with("-A") || word.head().starts_with("--A");
    if call.may("A") || call.command.words.iter().any(packs) {
        call.unknown("rw");
    }
    let mut texts: Vec<Word> = call.words().into_iter().skip(1).collect();
    texts.extend(statements(call, "cmd c"));
    for text in texts {
        let Some(text) = text.known() else {
            call.unknown("w");
            call.may_run_code();
            continue;
        };
        for line in text.lines() {
            sqlite_line(call, line.trim());
        }
        let lower = text.to_lowercase();
        if lower.contains("copy ") || words::SQL_WRITES.iter().any(|mark| lower.contains(mark)) {
            call.unknown("w");
        }
        if lower.contains("readfile") {
            call.unknown("r");
        }
    }
}

fn sqlite_line(call: &mut Call<'_>, line: &str) {
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim().trim_matches(['"', '\'']);
    if matches!(word, ".shell" | ".system" | ".sh" | ".sy") {
        call.shell(Word::text(rest), Vec::new());
    } else if words::SQLITE_WRITES.contains(&word) {
        match rest.strip_prefix('|') {
            Some(line) => call.shell(Word::text(line), Vec::new()),
            None => call.does("w", &Word::text(rest.rsplit(' ').next().unwrap_or(rest))),
        }
    } else if words::SQLITE_READS.contains(&word) {
        call.opaque = true;
        call.does("r", &Word::text(rest.split(' ').next().unwrap_or_default()));
    }
}

/// Text for a server: `\!` runs a command, `\o` and `\copy` write.
pub(super) fn database(call: &mut Call<'_>) {
    if !call.may("h") {
        call.effect(
            Kind::Net,
            Object::Host("localhost".to_owned()),
            Certainty::Likely,
        );
    }
    if call.row.name() == "psql" {
        for file in call.values("f") {
            call.opaque = true;
            let reads = matches!(&*call.name, "psql" | "pg_restore");
            call.does(if reads { "r" } else { "w" }, &file);
        }
        if call.may("f") && !call.has("f") {
            call.opaque = true;
            call.unknown("rw");
        }
    }
    let is_hidden = matches!(call.command.input, Input::File(_) | Input::Unknown { .. });
    call.opaque |= is_hidden;
    for text in statements(call, "c e init-command") {
        let Some(text) = text.known() else {
            call.may_run_code();
            continue;
        };
        for line in text.lines().flat_map(|line| line.split(';')).map(str::trim) {
            let behind = line.split_once("\\!").map(|(_, line)| line);
            if let Some(line) = behind.or_else(|| line.strip_prefix("system ")) {
                call.shell(Word::text(line.trim()), Vec::new());
            }
        }
        let lower = text.to_lowercase();
        let loads = words::SQL_LOADS.iter().any(|mark| lower.contains(mark));
        call.opaque |= loads;
        if loads
            || words::CLIENT_WRITES
                .iter()
                .any(|mark| text.contains(&format!("{mark} ")))
        {
            call.unknown("w");
        }
    }
}

/// `openssl VERB -in FILE -out FILE`.
pub(super) fn openssl(call: &mut Call<'_>) {
    let words = call.words_from(0);
    for (at, word) in words.iter().enumerate() {
        let value = words.get(at + 1).cloned().unwrap_or_else(Word::unknown);
        let Some(option) = word.known() else {
            call.unknown("rw");
            continue;
        };
        for (list, letter) in [
            (words::OPENSSL_WRITES, "w"),
            (words::OPENSSL_READS, "r"),
            (words::OPENSSL_FOLDERS, "W"),
            (words::OPENSSL_CONNECTS, "n"),
            (words::OPENSSL_LOADS, "x"),
        ] {
            if list.contains(&&*option) {
                call.does(letter, &value);
            }
        }
    }
    if let (Some("dgst"), Some(last)) = (call.reading.text(0).as_deref(), words.last()) {
        call.likely("r", last);
    }
}
