//! Databases and keys.

use super::call::Call;
use super::words;
use crate::command::Input;
use crate::word::Word;

/// The clients of databases: of a text for the server that may reach files or run a line anything of that counts, and so it does
/// for what they read from a file or from what cannot be known.
pub(super) fn database(call: &mut Call<'_>) {
    let is_sqlite = call.row.name() == "sqlite3";
    if !is_sqlite && !call.may("h") {
        let host = |word: Word| match word.known() {
            Some(text) if text.contains("://") => Some(Word::text(text)),
            Some(text) => text.contains("host").then(Word::unknown),
            None => Some(word),
        };
        let mut named = call.words().into_iter().chain(call.values("d"));
        let host = named
            .find_map(host)
            .unwrap_or_else(|| Word::text("localhost"));
        call.likely("n", &host);
    }
    // `-A`, also with letters of its command behind it: `-Acf`. It packs or unpacks files.
    let packs = |word: &Word| word.head().trim_start_matches('-').starts_with('A');
    if is_sqlite && call.command.words.iter().any(packs) {
        call.unknown("rw");
    }
    if call.row.name() == "psql" && call.may("f") {
        call.opaque = true;
        let reads = matches!(&*call.name, "psql" | "pg_restore");
        let file = call.values("f").pop().unwrap_or_else(Word::unknown);
        call.does(if reads { "r" } else { "w" }, &file);
    }
    let mut texts = Vec::new();
    if is_sqlite {
        texts.extend(call.values("cmd c"));
        texts.extend(call.words().into_iter().skip(1));
    } else {
        texts.extend(call.values("c e init-command"));
    }
    match &call.command.input {
        Input::Inherited => {}
        Input::Text(text) => texts.push(Word::text(text)),
        Input::File(_) | Input::Unknown { .. } if is_sqlite => texts.push(Word::unknown()),
        Input::File(_) | Input::Unknown { .. } => call.opaque = true,
    }
    for text in texts {
        let named = text.known().filter(|_| call.name == "duckdb");
        for name in named.iter().flat_map(|text| quoted(text)) {
            call.likely("r", &name);
        }
        match text.known() {
            None => {
                call.unknown(if is_sqlite { "w" } else { "" });
                call.may_run_code();
            }
            Some(text) if reaches(text, call.row.name()) => call.anything(),
            Some(_) => {}
        }
    }
}

/// Returns what stands in quotes in a text for `duckdb`: a file may be named there in the place of a table.
pub(crate) fn quoted(text: &str) -> Vec<Word> {
    let text = text.replace('"', "'");
    let names = text.split('\'').skip(1).step_by(2);
    let word = |name: &str| match name.find(['*', '?', '[']) {
        Some(at) => {
            let (head, pattern) = name.split_at(at);
            Word::name(head, pattern)
        }
        None => Word::text(name),
    };
    names.map(word).collect()
}

/// Tells whether a text for a database may reach files or run a line, as this client reads it.
pub(crate) fn reaches(text: &str, client: &str) -> bool {
    let is_sqlite = matches!(client, "sqlite3" | "sqlite" | "duckdb");
    let mut lower = text.to_lowercase();
    // It ends a statement there, as `;` does. Others write to a file by it.
    if client == "mysql" {
        lower = lower.replace("\\g", ";");
    }
    let words = ["attach ", "copy ", "system ", "tee "];
    let marks = words.iter().chain(words::SQL_REACHES);
    let first = |line: &str| {
        line.split_whitespace()
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    let acts = |word: &String| word.starts_with('.') && !words::SQLITE_SHOWS.contains(&&**word);
    let mut commands = lower.lines().map(first);
    let mut statements = lower.split([';', '\n']).map(first);
    let has_source = statements.any(|word| word == "source" || word.starts_with("\\."));
    // The name of a function may stand in quotes, and its bracket apart.
    let is_bare = |letter: &char| !letter.is_whitespace() && !"\"`[]".contains(*letter);
    let bare: String = lower.chars().filter(is_bare).collect();
    marks
        .into_iter()
        .any(|mark| lower.contains(mark) || bare.contains(mark))
        || has_source
        || is_sqlite && commands.any(|word| acts(&word))
}
