//! Puts our entries into a text of settings and takes them out again.
//!
//! A text goes in, a text comes out; the caller reads and writes the file. A text that is not understood is refused as
//! it is: nothing is ever half done.
//!
//! ```
//! use anyhook_wires::host;
//! use anyhook_wires::settings::command::Program;
//! use anyhook_wires::settings::edit::{
//!     EditError, Form, Found, Taken, add, find, is_empty, put_back, remove, take,
//! };
//! use anyhook_wires::settings::entries;
//!
//! let claude = host("claude-code").unwrap();
//! let settings = claude.facts().settings.unwrap();
//! let form = Form { settings, file: &settings.files[0] };
//! let entries = entries(claude, settings, Program::At("/opt/anyhook"));
//!
//! // In, twice, and out again: what a person wrote stays as it was, comments included.
//! let own = "{\n  // mine\n  \"model\": \"opus\"\n}\n";
//! let with = add(own, form, &entries)?;
//! assert_eq!(add(&with, form, &entries)?, with);
//! assert!(find(&with, form)?.iter().all(Found::is_ours));
//! assert_eq!(remove(&with, form)?, own);
//! assert!(is_empty("{}", form) && !is_empty(own, form));
//!
//! // Hooks of another author can be taken out, and put back.
//! let foreign = r#"{"hooks": {"Stop": [{"hooks": [{"command": "./done.sh"}]}]}}"#;
//! let Taken { rest, taken } = take(foreign, form, &[31..55])?;
//! assert!(find(&rest, form)?.is_empty());
//! assert_eq!(find(&put_back(&rest, form, &taken.unwrap())?, form)?, find(foreign, form)?);
//!
//! let EditError { line, .. } = add("{\n  'x\n}", form, &entries).unwrap_err();
//! assert_eq!(line, 2);
//! # Ok::<(), EditError>(())
//! ```

use std::ops::Range;

use anyhook_core::manifest::Lines;
use jsonc_parser::cst::{CstInputValue, CstNode, CstRootNode};
use serde_json::{Map, Value, json as object_of};

use super::command::is_ours;
use super::{Entry, Settings, SettingsFile, Shape, json};
use spots::{Spot, field, object, shape, spots};

mod spots;
mod standing;
mod tables;
pub use standing::toml_at;
pub use standing::{Standing, standing, value_at};

/// A text that cannot be edited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {what}")]
pub struct EditError {
    /// What is wrong with it: lowercase, no period.
    pub what: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl EditError {
    pub(super) fn at(text: &str, place: usize, what: String) -> Self {
        // A carriage return ends a line here as it does for the parser.
        let at = Lines::new(0, text).place(place..place);
        Self {
            what,
            line: usize::try_from(at.line).unwrap_or(usize::MAX),
            column: usize::try_from(at.column).unwrap_or(usize::MAX),
        }
    }
}

/// The form of one file.
#[derive(Debug, Clone, Copy)]
pub struct Form<'a> {
    /// How its host writes hooks.
    pub settings: &'a Settings,
    /// Where they stand in this file.
    pub file: &'a SettingsFile,
}

/// One entry that stands in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The host's name for the event.
    pub event: String,
    /// Its command lines, or the address of ours to which it posts; none where it is neither.
    pub commands: Vec<String>,
    /// What it is: `command`, `http`, `prompt` and the like.
    pub kind: String,
}

impl Found {
    /// Tells whether this is an entry of ours.
    pub fn is_ours(&self) -> bool {
        !self.commands.is_empty() && self.commands.iter().all(|command| is_ours(command))
    }
}

/// Entries of others that were taken out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// The text without them.
    pub rest: String,
    /// They alone, as settings of the same host; nothing where there were none.
    pub taken: Option<String>,
}

/// Puts our entries into a text. One that stands there already is left as it is, one that says something else is replaced.
/// Adding twice changes nothing.
pub fn add(text: &str, form: Form<'_>, entries: &[Entry]) -> Result<String, EditError> {
    let (mark, body) = split(text);
    if form.file.is_toml() {
        return Ok(format!("{mark}{}", tables::put(body, form, entries)?));
    }
    let start = begun(body, form);
    let mut body = start.clone();
    let there = spots(&start, &json::parse(&start)?, form)?;
    for entry in entries {
        if !there.iter().any(|spot| spot.is(entry, form.settings)) {
            let item = line(&wrapped(form.settings, entry));
            // What cannot hold it is told with its place in the text that came.
            insert(&start, form, entry.event, &item)?;
            body = insert(&body, form, entry.event, &item)?;
        }
    }
    Ok(format!("{mark}{}", strip(&body, form, entries)?))
}

/// Takes our entries out of a text, with the lists and objects that nothing else stands in.
pub fn remove(text: &str, form: Form<'_>) -> Result<String, EditError> {
    let (mark, body) = split(text);
    if body.trim().is_empty() {
        return Ok(text.to_owned());
    }
    if form.file.is_toml() {
        return Ok(format!("{mark}{}", tables::put(body, form, &[])?));
    }
    Ok(format!("{mark}{}", strip(body, form, &[])?))
}

/// Tells whether nothing stands in a text but what a new file begins with.
pub fn is_empty(text: &str, form: Form<'_>) -> bool {
    let (_, body) = split(text);
    let is_new = || {
        let root = json::parse(body).ok();
        let value = root.as_ref().and_then(CstRootNode::value);
        value.is_some_and(|value| {
            let is_same = json::value_of(&value) == Value::Object(top(form.settings));
            is_same
                && !root
                    .iter()
                    .flat_map(CstRootNode::children)
                    .any(|one| json::has_comment(&one))
        })
    };
    body.trim().is_empty() || !form.file.is_toml() && is_new()
}

/// Lists the entries of a text.
pub fn find(text: &str, form: Form<'_>) -> Result<Vec<Found>, EditError> {
    let all = standing(text, form)?.into_iter();
    Ok(all.map(|standing| standing.found).collect())
}

/// Takes entries of others out of a text: those at these places. The entries of one group stay together; those of a file in TOML
/// stay where they are.
pub fn take(text: &str, form: Form<'_>, places: &[Range<usize>]) -> Result<Taken, EditError> {
    let (mark, body) = split(text);
    let mut taken = Taken {
        rest: text.to_owned(),
        taken: None,
    };
    if body.trim().is_empty() || form.file.is_toml() {
        return Ok(taken);
    }
    let root = json::parse(body)?;
    let spots = spots(body, &root, form)?;
    let goes = |spot: &Spot| {
        let entry = spot.place();
        let place = entry.start + mark.len()..entry.end + mark.len();
        places.contains(&place) && !spot.found.is_ours()
    };
    let item = |spot: &Spot| spot.way_to_item().last().map(json::start);
    let whole = |spot: &&Spot| {
        let mut beside = spots.iter().filter(|other| item(other) == item(spot));
        beside.all(goes)
    };
    let mut items: Vec<&Spot> = spots.iter().filter(whole).collect();
    items.dedup_by_key(|spot| item(spot));
    let mut alone: Option<String> = None;
    for spot in &items {
        let raw = spot.way_to_item().last().map(ToString::to_string);
        let text = alone.unwrap_or_else(|| begun("", form));
        alone = Some(insert(
            &text,
            form,
            &spot.found.event,
            &raw.unwrap_or_default(),
        )?);
    }
    for spot in items {
        json::cut(spot.way_to_item());
    }
    taken.rest = format!("{mark}{root}");
    taken.taken = alone;
    Ok(taken)
}

/// Puts entries that [`take`] took out back into a text, behind the entries there. One that is there already is not added twice.
pub fn put_back(text: &str, form: Form<'_>, taken: &str) -> Result<String, EditError> {
    let (mark, body) = split(text);
    let mut body = begun(body, form);
    let (_, taken) = split(taken);
    let there = spots(&body, &json::parse(&body)?, form)?;
    let mut there: Vec<_> = there.iter().map(Spot::meaning).collect();
    for spot in spots(taken, &json::parse(taken)?, form)? {
        let raw = spot.way_to_item().last().map(ToString::to_string);
        let meaning = spot.meaning();
        if !there.contains(&meaning) {
            body = insert(&body, form, &meaning.0, &raw.unwrap_or_default())?;
            there.push(meaning);
        }
    }
    Ok(format!("{mark}{body}"))
}

fn split(text: &str) -> (&str, &str) {
    match text.strip_prefix('\u{feff}') {
        Some(body) => ("\u{feff}", body),
        None => ("", text),
    }
}

/// Takes out every entry of ours except one of each of these.
fn strip(body: &str, form: Form<'_>, keep: &[Entry]) -> Result<String, EditError> {
    let root = json::parse(body)?;
    let mut kept = Vec::new();
    for spot in spots(body, &root, form)? {
        let mut wanted = keep.iter();
        let is_wanted = wanted.any(|entry| spot.is(entry, form.settings));
        if is_wanted && !kept.contains(&spot.found.event) {
            kept.push(spot.found.event);
        } else if spot.found.is_ours() {
            json::cut(spot.way());
        }
    }
    Ok(root.to_string())
}

/// Puts an item behind what stands in an event's list; what leads there is made where it is missing.
fn insert(text: &str, form: Form<'_>, event: &str, item: &str) -> Result<String, EditError> {
    let root = json::parse(text)?;
    let is_list = form.settings.shape == Shape::List;
    let mut inner = root.value();
    for (at, name) in form.file.at.iter().enumerate() {
        let outer = object(text, inner.as_ref(), "the settings")?;
        inner = field(text, &outer, name)?.or_else(|| {
            let made = if is_list && at + 1 == form.file.at.len() {
                CstInputValue::Array(Vec::new())
            } else {
                CstInputValue::Object(Vec::new())
            };
            outer.append(name, made).value()
        });
    }
    let list = |node: Option<CstNode>, what: &str| {
        let list = node.as_ref().and_then(CstNode::as_array);
        list.ok_or_else(|| shape(text, node.as_ref(), what, "a list"))
    };
    if is_list {
        let list = list(inner, "the hooks")?;
        list.ensure_multiline();
        list.append(json::raw(item));
        return Ok(root.to_string());
    }
    let events = object(text, inner.as_ref(), "the hooks")?;
    match field(text, &events, event)? {
        Some(entries) => {
            list(Some(entries), &format!("`{event}`"))?.append(json::raw(item));
        }
        None => {
            events.append(event, json::raw(&format!("[{item}]")));
        }
    }
    Ok(root.to_string())
}

/// Returns an entry with the group that the host wants around it.
fn wrapped(settings: &Settings, entry: &Entry) -> Value {
    if settings.groups(entry.event) {
        return object_of!({"hooks": [entry.value]});
    }
    entry.value.clone()
}

/// What a new file begins with.
fn top(settings: &Settings) -> Map<String, Value> {
    let fields = settings.top.iter();
    fields
        .map(|(name, value)| ((*name).to_owned(), (*value).into()))
        .collect()
}

/// Returns a text as it is, or a new one where nothing stands in it yet.
fn begun(body: &str, form: Form<'_>) -> String {
    let top = top(form.settings);
    if !body.trim().is_empty() {
        return body.to_owned();
    }
    if top.is_empty() {
        return "{\n}\n".to_owned();
    }
    // Writing to a string cannot fail.
    let text = serde_json::to_string_pretty(&top).unwrap_or_default();
    format!("{text}\n")
}

/// Writes a value on one line, with a space behind each comma and colon, so that a person can read it.
fn line(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(line).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(fields) => {
            let fields = fields.iter();
            let fields = fields
                .map(|(name, value)| format!("{}: {}", Value::from(name.as_str()), line(value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests;
