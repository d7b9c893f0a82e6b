//! The rules by which Codex CLI drops an answer: every field that its event's schema lacks, and some that it has.

use anyhook_core::event::Map;
use serde_json::Value;

use super::table::PERMISSION;
use crate::answer::SPECIFIC;
use crate::hosts::relative::row::{Form, HaltMeaning, HostRow};

const UNIVERSAL: &[&str] = &["continue", "stopReason", "suppressOutput", "systemMessage"];

/// Names everything for which the host would drop the answer, and go on as if the hook had failed.
pub(super) fn wrong(row: &HostRow, top: &Map) -> Vec<String> {
    let mut found = Vec::new();
    let mut keys = UNIVERSAL.to_vec();
    if matches!(row.form, Form::Permission | Form::Block | Form::Result) {
        keys.extend(["decision", "reason"]);
    }
    let nested = within(row);
    if !nested.is_empty() {
        keys.push(SPECIFIC);
    }
    unknown(&mut found, top, &keys, "");
    let empty = Map::new();
    let specific = top.get(SPECIFIC).and_then(Value::as_object);
    if let Some(specific) = specific {
        unknown(&mut found, specific, nested, "hookSpecificOutput.");
        let name = row.name;
        if specific.get("hookEventName") != Some(&name.into()) {
            found.push(format!("`hookEventName` must be `{name}`"));
        }
    }
    let specific = specific.unwrap_or(&empty);
    common(&mut found, row, top);
    block(&mut found, top);
    match row.form {
        Form::Permission => permission(&mut found, specific),
        Form::Behavior => behavior(&mut found, specific),
        _ => {}
    }
    found
}

/// The keys of `hookSpecificOutput`; none where it may not stand at all.
fn within(row: &HostRow) -> &'static [&'static str] {
    match row.form {
        Form::Permission => PERMISSION,
        Form::Behavior => &["hookEventName", "decision"],
        _ if row.can.inject.is_some() => &["hookEventName", "additionalContext"],
        _ => &[],
    }
}

fn unknown(found: &mut Vec<String>, object: &Map, keys: &[&str], place: &str) {
    let strange = object.keys().filter(|key| !keys.contains(&key.as_str()));
    found.extend(strange.map(|key| format!("`{place}{key}` is unknown to Codex CLI here")));
}

fn common(found: &mut Vec<String>, row: &HostRow, top: &Map) {
    let rejects = matches!(row.form, Form::Permission | Form::Behavior | Form::Result);
    if rejects && top.get("suppressOutput") == Some(&Value::Bool(true)) {
        found.push("Codex CLI takes no `suppressOutput` here".to_owned());
    }
    let stops = top.get("continue") == Some(&Value::Bool(false)) || is_given(top, "stopReason");
    if row.halt == HaltMeaning::Rejected && stops {
        found.push("Codex CLI takes no `continue: false` here".to_owned());
    }
}

/// A block has a reason, and a reason a block.
fn block(found: &mut Vec<String>, top: &Map) {
    match top.get("decision").filter(|word| !word.is_null()) {
        None if is_given(top, "reason") => found.push("`reason` without `decision`".to_owned()),
        None => {}
        Some(word) if word == "block" && has_words(top, "reason") => {}
        Some(word) if word == "block" => found.push("`block` without `reason`".to_owned()),
        Some(word) => found.push(format!("Codex CLI takes no `decision` of `{word}`")),
    }
}

/// A refusal has a reason, an approval new arguments; there is nothing else.
fn permission(found: &mut Vec<String>, specific: &Map) {
    let word = specific.get("permissionDecision").and_then(Value::as_str);
    let has_input = is_given(specific, "updatedInput");
    match word {
        Some("allow") if has_input => {}
        Some("deny") if has_words(specific, "permissionDecisionReason") => {}
        Some("deny") => found.push("`deny` without `permissionDecisionReason`".to_owned()),
        Some("allow") => found.push("`allow` without `updatedInput`".to_owned()),
        Some(word) => found.push(format!(
            "Codex CLI takes no `permissionDecision` of `{word}`"
        )),
        None if is_given(specific, "permissionDecisionReason") => {
            found.push("`permissionDecisionReason` without `permissionDecision`".to_owned());
        }
        None => {}
    }
    if has_input && word != Some("allow") {
        found.push("`updatedInput` without `allow`".to_owned());
    }
}

fn behavior(found: &mut Vec<String>, specific: &Map) {
    let Some(decision) = specific.get("decision").and_then(Value::as_object) else {
        return;
    };
    unknown(
        found,
        decision,
        &["behavior", "message", "interrupt"],
        "decision.",
    );
    if decision.get("interrupt") == Some(&Value::Bool(true)) {
        found.push("Codex CLI takes no `interrupt`".to_owned());
    }
}

fn is_given(map: &Map, key: &str) -> bool {
    map.get(key).is_some_and(|value| !value.is_null())
}

fn has_words(map: &Map, key: &str) -> bool {
    let text = map.get(key).and_then(Value::as_str);
    text.is_some_and(|text| !text.trim().is_empty())
}
