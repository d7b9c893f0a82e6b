//! `when`: an expression against fixed events, by our evaluator and by a library of CEL.
//!
//! An input is the expression.

use std::path::Path;
use std::sync::LazyLock;

use anyhook::core::event::Event;
use anyhook::rules::{
    CompiledCondition, ConditionError, ConditionEvaluation, FUNCTIONS, Facts, LONGEST,
};
use cel::{Context, Program};
use serde_json::{Value, json};

use crate::corpus::files;

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

pub(super) fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let when = match CompiledCondition::read(&text) {
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
        if let Ok(ConditionEvaluation { clause, .. }) = &decided {
            assert!(text.get(clause.clone()).is_some(), "{clause:?}");
        }
        assert_eq!(when.decide(&facts), decided, "asked again");
        agree(&text, event, &decided);
    }
}

/// What cannot be read has something to say and a place in the text.
fn refused(text: &str, error: &ConditionError) {
    let ConditionError { what, at, .. } = error;
    assert!(!what.is_empty() && !what.contains('\n'), "{what:?}");
    assert!(
        text.get(at.clone()).is_some(),
        "{what}: {at:?} of {} bytes",
        text.len()
    );
}

/// A library of CEL gives the same answer, where it has all that the expression asks.
fn agree(text: &str, event: &Event, ours: &Result<ConditionEvaluation, String>) {
    // Functions that only we have, and what cannot be told from outside.
    let theirs = [
        "has",
        "size",
        "contains",
        "startsWith",
        "endsWith",
        "matches",
        "exists",
        "all",
    ];
    let only_ours = FUNCTIONS
        .iter()
        .map(|function| function.name)
        .filter(|name| !theirs.contains(name));
    let mut only_ours = only_ours.chain(["event", "host", "data"]);
    if only_ours.any(|name| text.contains(name)) {
        return;
    }
    let Some(theirs) = library(text, event) else {
        return;
    };
    let ours = ours.as_ref().ok().map(|decided| decided.holds);
    assert!(
        ours == theirs.clone().ok() || differs_on_purpose(text),
        "{ours:?} {theirs:?}"
    );
}

/// What the library answers, if it has all that the expression asks.
///
/// Its parser or its evaluation may end in a panic, which says nothing about us. Its parser takes 150 kB of stack for each
/// parenthesis, so it has a stack of its own: what we read stays on one of the usual size.
fn library(text: &str, event: &Event) -> Option<Result<bool, String>> {
    const STACK: usize = 64 << 20;
    let asked = || {
        let program = Program::compile(text).ok()?;
        let mut context = Context::default();
        for (name, value) in event.data.json().iter() {
            context.add_variable(name.as_str(), value).ok()?;
        }
        Some(match program.execute(&context) {
            Ok(cel::Value::Bool(holds)) => Ok(holds),
            Ok(other) => Err(format!("{other:?} is neither true nor false")),
            Err(error) => Err(error.to_string()),
        })
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        let thread = thread.spawn_scoped(scope, asked);
        thread.ok()?.join().ok().flatten()
    })
}

/// Where we and the library are known to differ.
fn differs_on_purpose(text: &str) -> bool {
    let signs: String = text.split_whitespace().collect();
    // `has` of what stands in nothing is no error to us; `!!'a'` is no text to us, but an error.
    text.contains("has") || signs.contains("!!")
}

pub(super) fn fixtures() -> Vec<Vec<u8>> {
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
