//! Answers that only Claude Code has: passed on verbatim, and never instead of our own fields.

use serde_json::Value;

use super::table::{OURS, OURS_WITHIN, OWN_FIELDS};
use super::{BESIDE, ID};
use crate::answer::SPECIFIC;
use crate::hosts::relative::encode::AnswerEncoder;

/// Writes them, and the path of a worktree.
pub(super) fn write(answer: &mut AnswerEncoder<'_>) {
    if !answer.can.native.is_empty() {
        let result = answer.result;
        let natives = result.effects.native().iter();
        for (key, value) in natives.filter(|it| it.wire == ID).flat_map(|it| &it.fields) {
            field(answer, key, value);
        }
    }
}

fn field(answer: &mut AnswerEncoder<'_>, key: &str, value: &Value) {
    match value {
        Value::Object(fields) if key == SPECIFIC => {
            for (key, value) in fields {
                within(answer, key, value);
            }
        }
        value if OWN_FIELDS.contains(&key) && key != BESIDE => within(answer, key, value),
        value if !OURS.contains(&key) => answer.say(key, value.clone()),
        _ => {}
    }
}

fn within(answer: &mut AnswerEncoder<'_>, key: &str, value: &Value) {
    match (key, value) {
        ("decision", Value::Object(fields)) => {
            for (key, value) in fields {
                decided(answer, key, value);
            }
        }
        ("updatedPermissions" | "interrupt", value) => decided(answer, key, value),
        (key, value) if !OURS_WITHIN.contains(&key) => answer.within(key, value.clone()),
        _ => {}
    }
}

/// New permissions come with an approval, an interruption with a refusal; neither makes one.
fn decided(answer: &mut AnswerEncoder<'_>, key: &str, value: &Value) {
    let Some(Value::Object(decision)) = answer.specific.get_mut("decision") else {
        return;
    };
    let behavior = decision.get("behavior").and_then(Value::as_str);
    if let ("updatedPermissions", Some("allow")) | ("interrupt", Some("deny")) = (key, behavior) {
        decision.insert(key.to_owned(), value.clone());
    }
}
