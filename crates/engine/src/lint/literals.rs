// no row: answers in scripts.
//! The answers that a script writes as they stand in its text: JSON objects without anything to fill in.

use std::ops::Range;

use serde_json::{Map, Value};

/// Words that make an object an answer of a hook, of any form.
const OF_ANSWERS: &[&str] = &[
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
];

/// Words beside which an object is a payload for somebody else.
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
        if is_answer(&object) && is_said(script, at) {
            found.push(Literal {
                object,
                at: at..end,
            });
        }
    }
    found
}

pub(super) fn is_answer(object: &Map<String, Value>) -> bool {
    let has = |object: &Map<String, Value>| OF_ANSWERS.iter().any(|key| object.contains_key(*key));
    has(object) || object.values().filter_map(Value::as_object).any(has)
}

/// Tells whether an object is said, as far as its line tells: it is no comment, is compared with nothing and sent to nobody.
fn is_said(script: &str, at: usize) -> bool {
    let before = script.get(..at).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default().trim_start();
    let is_comment = ["#", "//", "*"].iter().any(|mark| line.starts_with(mark));
    !is_comment && !SENT.iter().any(|word| line.contains(word))
}
