//! `when`: an expression against fixed events, by the common forms and by the library.
//!
//! An input is the expression.

use std::path::Path;
use std::sync::LazyLock;

use anyhook::core::event::Event;
use anyhook::rules::{Decided, Facts, LONGEST, When, WhenError};
use cel::parser::PrattParser;
use serde_json::{Value, json};

use super::Target;
use crate::corpus::files;

pub(super) const TARGET: Target = Target {
    name: "when",
    about: "an expression is read or refused with its place, and both ways of answering it agree",
    run,
    fixtures,
    words: &[
        "tool_name",
        "tool_input",
        "tool_input.command",
        "tool_input.file_path",
        "tool_input.timeout",
        "event",
        "host",
        "data",
        "cwd",
        "has(",
        "size(",
        "contains(",
        "startsWith(",
        "endsWith(",
        "matches(",
        "touches(",
        "stays_in(",
        "runs(",
        "only_runs(",
        "on_branch(",
        "glob(",
        "in",
        "&&",
        "||",
        "!",
        "==",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "?",
        ":",
        "true",
        "false",
        "null",
        "'Bash'",
        "\"Write\"",
        "'rm'",
        "'-rf'",
        "'**/.env*'",
        "['a', 'b']",
        ".exists(x, x)",
        ".all(x, x)",
        ".map(x, x)",
        "1",
        "5.0",
        "-3",
        "2u",
        "b'a'",
        "r'\\d'",
        "'''",
        "duration('1s')",
        "timestamp(",
    ],
};

static EVENTS: LazyLock<Vec<Event>> = LazyLock::new(|| {
    let call = |input: Value, name: &str| json!({"cwd": "/no/such/project", "session_id": "s", "tool_name": name, "tool_input": input});
    vec![
        Event::new(
            "tool:pre",
            call(
                json!({"command": "cd src && rm -rf 'a b' && git push --force", "timeout": 5}),
                "Bash",
            ),
        ),
        Event::new(
            "tool:pre",
            call(
                json!({"file_path": "../.env", "content": "", "n": [1, 2.5], "no": null}),
                "Write",
            ),
        ),
        Event::new("stop", json!({})),
    ]
});

fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let when = match When::read(&text) {
        Ok(when) => when,
        Err(error) => return refused(&text, &error),
    };
    assert!(text.len() <= LONGEST, "{} bytes were read", text.len());
    for event in EVENTS.iter() {
        let facts = Facts::new(
            event,
            Path::new("/no/such/project"),
            Some(Path::new("/no/such/home")),
        );
        let decided = when.decide(&facts);
        if let Ok(Decided { clause, .. }) = &decided {
            assert!(text.get(clause.clone()).is_some(), "{clause:?}");
        }
        assert_eq!(when.decide(&facts), decided, "asked again");
        if when.is_common() {
            agree(&text, &facts, &decided);
        }
    }
    // Of several lines only the older one is asked.
    if !when.is_common() && !text.contains(['\n', '\r']) {
        same_language(&text);
    }
}

/// What is carried out was read by the newer parser of the library. Whatever the older one reads, it reads alike; beyond
/// that it takes several signs in a row, and more brackets around one thing.
fn same_language(text: &str) {
    let newer = PrattParser::new().parse(text);
    let older = std::panic::catch_unwind(|| cel::Program::compile(text));
    let newer = newer.unwrap_or_else(|errors| panic!("it was read, and now it is not: {errors}"));
    let Ok(Ok(older)) = older else {
        let is_more = text.contains(['!', '-']) || text.matches(['(', '[', '{']).count() > 60;
        assert!(is_more, "the older parser does not read it");
        return;
    };
    let words = |mut names: Vec<&str>| {
        // Which signs stand for which operator is the parsers' own business.
        names.retain(|name| name.starts_with(|letter: char| letter.is_ascii_alphabetic()));
        names.sort_unstable();
        names.join(" ")
    };
    let (newer, older) = (newer.references(), older.references());
    assert_eq!(words(newer.variables()), words(older.variables()));
    assert_eq!(words(newer.functions()), words(older.functions()));
}

/// What cannot be read has something to say and a place in the text.
fn refused(text: &str, error: &WhenError) {
    let WhenError { what, at, .. } = error;
    assert!(!what.is_empty() && !what.contains('\n'), "{what:?}");
    assert!(
        text.get(at.clone()).is_some(),
        "{what}: {at:?} of {} bytes",
        text.len()
    );
}

/// The library answers a common form alike: `[true].all(…)` keeps it from being read as one.
fn agree(text: &str, facts: &Facts<'_>, ours: &Result<Decided, String>) {
    let general = format!("({text}\n) && [true].all(yes, yes)");
    if general.len() > LONGEST {
        return;
    }
    let theirs = match When::read(&general) {
        Ok(theirs) => theirs,
        // One bracket more may be one too many.
        Err(error) if error.what.contains("nested") => return,
        Err(error) => panic!("the library cannot read it: {error}"),
    };
    assert!(!theirs.is_common());
    let theirs = theirs.decide(facts);
    let holds =
        |decided: &Result<Decided, String>| decided.as_ref().ok().map(|decided| decided.holds);
    // `has` of what stands in nothing is no error to us; to the library it is one, which refuses.
    let asks = theirs.is_err() && text.contains("has");
    assert!(asks || holds(ours) == holds(&theirs), "{ours:?} {theirs:?}");
}

fn fixtures() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    let manifests = files("fixtures/broken")
        .into_iter()
        .chain(files("examples"))
        .chain(files("fixtures/manifests"));
    for file in manifests.filter(|file| file.extension().is_some_and(|ending| ending == "json")) {
        let bytes = std::fs::read(file).unwrap_or_default();
        let value: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        whens(&value, &mut all);
    }
    all.sort();
    all.dedup();
    all
}

fn whens(value: &Value, found: &mut Vec<Vec<u8>>) {
    match value {
        Value::Object(fields) => {
            let when = fields.get("when").and_then(Value::as_str);
            found.extend(when.map(|when| when.as_bytes().to_vec()));
            fields.values().for_each(|value| whens(value, found));
        }
        Value::Array(items) => items.iter().for_each(|value| whens(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
