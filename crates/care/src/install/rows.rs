//! Values that we put into a file of settings and take out again: all else in it stays as it was written.

use anyhook_wires::native_files::Syntax;
use anyhook_wires::settings::edit::value_at;
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstNode, CstObject, CstRootNode};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A value, and the fields that lead to it; `+` at the end is an element of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SettingRow {
    pub(super) at: Vec<String>,
    pub(super) value: Value,
}

/// A text with rows in it.
pub(super) struct RowInsertion {
    pub(super) text: String,
    /// The rows that are ours.
    pub(super) rows: Vec<SettingRow>,
    /// The places at which something else stands, which stays.
    pub(super) kept: Vec<String>,
}

/// Puts rows into a JSON text in the place of those that we put there earlier; nothing where it is no object.
pub(super) fn put(
    text: &str,
    earlier: &[SettingRow],
    wanted: &[SettingRow],
) -> Option<RowInsertion> {
    let stale = earlier.iter().filter(|row| !wanted.contains(row));
    let text = take(text, stale)?;
    let (mark, body) = split(&text);
    let root = parse(if body.trim().is_empty() {
        "{\n}\n"
    } else {
        body
    })?;
    let top = root.object_value()?;
    let (mut rows, mut kept) = (Vec::new(), Vec::new());
    for row in wanted {
        match add(&top, row) {
            Some(is_new) if is_new || earlier.contains(row) => rows.push(row.clone()),
            Some(_) => {}
            None => kept.push(row.at.join(".")),
        }
    }
    let text = format!("{mark}{root}");
    Some(RowInsertion { text, rows, kept })
}

/// Takes rows out of a JSON text; nothing where it is not understood.
pub(super) fn take<'r>(text: &str, rows: impl Iterator<Item = &'r SettingRow>) -> Option<String> {
    let (mark, body) = split(text);
    if body.trim().is_empty() {
        return Some(text.to_owned());
    }
    let root = parse(body)?;
    for row in rows {
        remove(&root.object_value()?, &row.at, &row.value);
    }
    Some(format!("{mark}{root}"))
}

fn split(text: &str) -> (&str, &str) {
    text.split_at(text.len() - text.trim_start_matches('\u{feff}').len())
}

fn parse(text: &str) -> Option<CstRootNode> {
    CstRootNode::parse(text, &ParseOptions::default()).ok()
}

/// Adds a row, and tells whether it was not there; nothing where something else stands there.
fn add(top: &CstObject, row: &SettingRow) -> Option<bool> {
    let (last, mut above) = row.at.split_last()?;
    let mut name = last;
    if last == "+" {
        (name, above) = above.split_last()?;
    }
    let mut inner = top.clone();
    for name in above {
        inner = inner.object_value_or_create(name)?;
    }
    let there = inner.get(name);
    if last == "+" {
        let array = inner.array_value_or_create(name)?;
        if array.elements().iter().any(|one| is(one, &row.value)) {
            return Some(false);
        }
        if there.is_none() {
            array.ensure_multiline();
        }
        array.append(input(&row.value));
        return Some(true);
    }
    if let Some(there) = there {
        return is(&there.value()?, &row.value).then_some(false);
    }
    inner.append(name, input(&row.value));
    Some(true)
}

/// Removes a value, and the lists and objects around it that are left with nothing in them.
fn remove(object: &CstObject, at: &[String], value: &Value) {
    let Some((name, rest)) = at.split_first() else {
        return;
    };
    let Some(property) = object.get(name) else {
        return;
    };
    let is_left_empty = if let Some(inner) = property.object_value() {
        remove(&inner, rest, value);
        inner.properties().is_empty()
    } else if let Some(list) = property.array_value() {
        let ours = list.elements().into_iter().find(|one| is(one, value));
        ours.map(CstNode::remove).is_some() && list.elements().is_empty()
    } else {
        property.value().is_some_and(|there| is(&there, value))
    };
    if is_left_empty {
        property.remove();
    }
}

/// Tells whether a node is a text, a number or a truth value of ours.
fn is(node: &CstNode, value: &Value) -> bool {
    serde_json::from_str::<Value>(&node.to_string()).is_ok_and(|there| there == *value)
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Bool(is) => CstInputValue::Bool(*is),
        Value::String(text) => CstInputValue::String(text.clone()),
        other => CstInputValue::Number(other.to_string()),
    }
}

/// Puts rows into a TOML text, all or none: nothing where what we put there earlier was changed.
pub(super) fn put_toml(
    text: &str,
    earlier: &[SettingRow],
    wanted: &[SettingRow],
) -> Option<RowInsertion> {
    let text = take_toml(text, earlier)?;
    let stands = |row: &&SettingRow| {
        let at: Vec<&str> = row.at.iter().map(String::as_str).collect();
        value_at(&text, Syntax::Toml, &at).is_some()
    };
    if let Some(row) = wanted.iter().find(stands) {
        let (rows, kept) = (Vec::new(), vec![row.at.join(".")]);
        return Some(RowInsertion { text, rows, kept });
    }
    let wanted = wanted.iter().filter(|row| !row.value.is_null());
    let rows: Vec<SettingRow> = wanted.cloned().collect();
    let (head, tables) = toml(&rows);
    let (mark, body) = split(&text);
    let is_open = !body.is_empty() && !body.ends_with('\n');
    let end = if is_open { "\n" } else { "" };
    let text = format!("{mark}{head}{body}{end}{tables}");
    let kept = Vec::new();
    Some(RowInsertion { text, rows, kept })
}

/// Takes rows out of a TOML text; nothing where they do not stand there as we wrote them.
pub(super) fn take_toml(text: &str, rows: &[SettingRow]) -> Option<String> {
    let (head, tables) = toml(rows);
    let (before, after) = text.split_once(&head)?;
    let rest = format!("{before}{after}");
    let (before, after) = rest.split_once(&tables)?;
    Some(format!("{before}{after}"))
}

/// Writes rows as the lines in front of all tables, and as tables. A text of JSON is one of TOML too.
fn toml(rows: &[SettingRow]) -> (String, String) {
    let mut head = String::new();
    let mut tables: Vec<(String, String)> = Vec::new();
    for row in rows {
        let names: Vec<String> = row.at.iter().map(|name| key(name)).collect();
        let Some((name, table)) = names.split_last() else {
            continue;
        };
        let line = format!("{name} = {}\n", row.value);
        let table = table.join(".");
        match tables.iter_mut().find(|(there, _)| *there == table) {
            _ if table.is_empty() => head.push_str(&line),
            Some((_, lines)) => lines.push_str(&line),
            None => tables.push((table, line)),
        }
    }
    let tables = tables
        .iter()
        .map(|(name, lines)| format!("\n[{name}]\n{lines}"));
    (head, tables.collect())
}

fn key(name: &str) -> String {
    let is_bare = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    if name.chars().all(is_bare) {
        return name.to_owned();
    }
    Value::from(name).to_string()
}
