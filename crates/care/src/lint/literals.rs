//! The answers that a script writes as they stand in its text: JSON objects without anything to fill in.

use std::ops::Range;

use serde_json::{Map, Value};

/// Words that make an object an answer of a hook, of any form.
pub(super) const OF_ANSWERS: &[&str] = &[
    "decision",
    "permissionDecision",
    "permission_decision",
    "permissionDecisionReason",
    "hookSpecificOutput",
    "additionalContext",
    "additional_context",
    "systemMessage",
    "stopReason",
    "updatedInput",
    "updated_input",
    "suppressOutput",
    "followup_message",
    "block",
    "blocked",
    "feedback",
    "permission",
];

/// What prints an answer.
const PRINTS: &[&str] = &[
    "echo",
    "printf",
    "print(",
    "cat",
    "dumps",
    "console.",
    "write(",
    "jq",
    "stringify",
];

/// Words beside which an object is a payload for another program.
const SENT: &[&str] = &[
    "curl",
    "wget",
    "fetch(",
    "requests.",
    "--data",
    "==",
    "grep",
];

/// An answer and its place in the text.
#[derive(Debug)]
pub(super) struct Literal {
    pub(super) object: Map<String, Value>,
    pub(super) at: Range<usize>,
}

/// Finds the answers in a script.
pub(super) fn answers(script: &str) -> Vec<Literal> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = script
        .get(from..)
        .and_then(|rest| rest.find('{'))
        .map(|at| from + at)
    {
        from = at + 1;
        let Some(rest) = script.get(at..) else { break };
        let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<Map<String, Value>>();
        let Some(Ok(object)) = stream.next() else {
            continue;
        };
        let end = at + stream.byte_offset();
        from = end;
        if is_answer(&object)
            && is_whole(&object)
            && is_said(script, at)
            && goes_out(script, at, end)
        {
            found.push(Literal {
                object,
                at: at..end,
            });
        }
    }
    found
}

fn is_answer(object: &Map<String, Value>) -> bool {
    let has = |object: &Map<String, Value>| OF_ANSWERS.iter().any(|key| object.contains_key(*key));
    has(object) || object.values().filter_map(Value::as_object).any(has)
}

/// Tells whether an answer stands there as it will be printed, its texts aside: what a script fills in is not known here.
fn is_whole(object: &Map<String, Value>) -> bool {
    let is_text = |key: &str| {
        ["eason", "essage", "ontext"]
            .iter()
            .any(|end| key.ends_with(end))
    };
    object.iter().all(|(key, value)| match value {
        Value::String(text) => is_text(key) || !text.contains(['$', '%', '`', '{']),
        Value::Object(inner) => is_whole(inner),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => true,
    })
}

/// Tells whether an object goes to standard output: its line sends it nowhere else, and a variable that holds it is printed.
fn goes_out(script: &str, at: usize, end: usize) -> bool {
    let after = script.get(end..).unwrap_or_default();
    let rest = after.lines().next().unwrap_or_default();
    let command = rest.split("||").next().unwrap_or_default();
    let command = command.split("&&").next().unwrap_or_default();
    if command.contains('>') || command.contains('|') && !command.contains("| jq") {
        return false;
    }
    let before = script.get(..at).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    let Some(name) = assigned(line) else {
        return true;
    };
    let elsewhere = || before.lines().chain(after.lines().skip(1));
    let prints = |line: &str| PRINTS.iter().any(|word| line.contains(word));
    elsewhere().any(|line| names(line, name) && prints(line) && !line.contains("$("))
}

/// Returns the variable that what stands behind this is given to.
fn assigned(line: &str) -> Option<&str> {
    let line = line.trim_end_matches(['\'', '"', '(']);
    let name = line.trim_end().strip_suffix('=')?.trim_end();
    let name = name.rsplit(char::is_whitespace).next()?;
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (!name.is_empty() && is_name).then_some(name)
}

fn names(line: &str, name: &str) -> bool {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    line.match_indices(name).any(|(at, _)| {
        let before = line.get(..at).unwrap_or_default();
        let after = line.get(at + name.len()..).unwrap_or_default();
        !before.ends_with(is_of_name) && !after.starts_with(is_of_name)
    })
}

/// Tells whether an object is said, as far as its line tells: it is no comment, is compared with nothing and sent nowhere.
fn is_said(script: &str, at: usize) -> bool {
    let before = script.get(..at).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default().trim_start();
    let is_comment = ["#", "//", "*"].iter().any(|mark| line.starts_with(mark));
    !is_comment && !SENT.iter().any(|word| line.contains(word))
}
