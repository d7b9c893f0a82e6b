//! A case as text: mappings in lines, everything else as JSON, which is YAML too.

use serde_json::{Map, Value};

use anyhook::yaml;

/// The key below which expectations stand.
const EXPECTED: &str = "expected";

/// Writes a mapping: a line for each field, JSON for what is no mapping.
pub(crate) fn write(map: &Map<String, Value>, depth: usize, text: &mut String) {
    for (key, value) in map {
        text.push_str(&"  ".repeat(depth));
        text.push_str(&word(key));
        match value {
            Value::Object(inner) if !inner.is_empty() && !has_operator(inner) => {
                text.push_str(":\n");
                write(inner, depth + 1, text);
            }
            Value::String(string) => text.push_str(&format!(": {}\n", word(string))),
            other => text.push_str(&format!(": {other}\n")),
        }
    }
}

fn has_operator(map: &Map<String, Value>) -> bool {
    map.keys().any(|key| key.starts_with('$'))
}

/// A text as it may stand in YAML: bare where it can be read in one way only, else as in JSON.
fn word(text: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
    let keyword = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let is_word = begins && text.chars().all(is_bare);
    if is_word && !keyword.contains(&text.to_ascii_lowercase().as_str()) {
        text.to_owned()
    } else {
        Value::from(text).to_string()
    }
}

/// Writes these expectations into the text of a case, with those that it has: their block is written anew. Nothing where
/// the block cannot be told from what stands around it.
pub(crate) fn expecting(text: &str, fields: &[(&'static str, Value)]) -> Option<String> {
    let mut meant: Map<String, Value> = yaml::read(text).ok()?;
    let expected = meant.entry(EXPECTED).or_insert(Value::Null);
    if expected.is_null() {
        *expected = Value::Object(Map::new());
    }
    let wanted = fields.iter().cloned();
    expected
        .as_object_mut()?
        .extend(wanted.map(|(field, value)| (field.to_owned(), value)));
    let block = Map::from_iter([(EXPECTED.to_owned(), expected.clone())]);
    let (mut after, mut is_inside, mut own) = (String::new(), false, String::new());
    write(&block, 0, &mut own);
    for line in text.lines() {
        let is_key = !line.starts_with([' ', '#']) && !line.is_empty();
        if is_key {
            let head = line.strip_prefix("expected:").map(str::trim);
            // An anchor or a tag says something of the block that would be lost.
            let is_plain = |head: &str| head.is_empty() || head.starts_with(['{', '#']);
            head.is_none_or(is_plain).then_some(())?;
            is_inside = head.is_some();
            after.push_str(if is_inside { &own } else { "" });
        }
        if !is_inside || line.starts_with('#') {
            after.push_str(line);
            after.push('\n');
        }
    }
    if !after.contains(&own) {
        after.push_str(&own);
    }
    // Read again, nothing else may have changed.
    let found: Option<Map<String, Value>> = yaml::read(&after).ok();
    (found? == meant).then_some(after)
}

/// Tells whether a case says nothing of what it expects.
pub(crate) fn expects_nothing(text: &str) -> bool {
    let read: Option<Map<String, Value>> = yaml::read(text).ok();
    let expected = read.and_then(|mut case| case.shift_remove(EXPECTED));
    expected.is_none_or(|expected| expected.as_object().is_none_or(Map::is_empty))
}

/// Returns the line of an expectation, the first one being 1: behind the line at which a host's own expectations begin,
/// else behind `expected`.
pub(crate) fn line_of(text: &str, own: Option<u32>, field: &str) -> Option<u32> {
    let is_key = |line: &str, key: &str| {
        let line = line.trim_start().trim_start_matches(['"', '\'', '{']);
        let rest = line.strip_prefix(key);
        rest.is_some_and(|rest| rest.starts_with([':', '"', '\'']))
    };
    let lines = || (1..).zip(text.lines());
    let block = || {
        let mut heads = lines().filter(|(_, line)| is_key(line, EXPECTED));
        heads.next().map(|(at, _)| at)
    };
    let from = own.or_else(block)?;
    let is_folded = |at, line: &str| at == from && line.contains('{') && line.contains(field);
    let is_it = |at, line| is_key(line, field) || is_folded(at, line);
    let mut below = lines().filter(|(at, line)| *at >= from && is_it(*at, line));
    below.next().map(|(at, _)| at)
}
