//! Puts our entries into a text of settings and takes them out again.
//!
//! A text goes in, a text comes out; the caller reads and writes the file. A text that is not understood is refused as
//! it is: nothing is ever half done.
//!
//! ```
//! use anyhook_wires::host;
//! use anyhook_wires::settings::command::ProgramReference;
//! use anyhook_wires::settings::edit::{
//!     EditError, SettingsForm, FoundEntry, RemovedEntries, add, find, is_empty, put_back, remove, take,
//! };
//! use anyhook_wires::settings::entries;
//!
//! let claude = host("claude-code").unwrap();
//! let settings = claude.facts().settings.unwrap();
//! let form = SettingsForm { settings, file: &settings.files[0] };
//! let entries = entries(claude, settings, ProgramReference::at("/opt/anyhook"));
//!
//! // In, twice, and out again: what a person wrote stays as it was, comments included.
//! let own = "{\n  // mine\n  \"model\": \"opus\"\n}\n";
//! let with = add(own, form, &entries)?;
//! assert_eq!(add(&with, form, &entries)?, with);
//! assert!(find(&with, form)?.iter().all(FoundEntry::is_ours));
//! assert_eq!(remove(&with, form)?, own);
//! assert!(is_empty("{}", form) && !is_empty(own, form));
//!
//! // Hooks of another author can be taken out, and put back.
//! let foreign = r#"{"hooks": {"Stop": [{"hooks": [{"command": "./done.sh"}]}]}}"#;
//! let RemovedEntries { rest, taken } = take(foreign, form, &[31..55])?;
//! assert!(find(&rest, form)?.is_empty());
//! let back = find(&put_back(&rest, form, &taken.unwrap())?, form)?;
//! let FoundEntry { event, commands, .. } = &back[0];
//! assert_eq!((back.len(), &**event, &*commands[0]), (1, "Stop", "./done.sh"));
//!
//! let EditError { line, .. } = add("{\n  'x\n}", form, &entries).unwrap_err();
//! assert_eq!(line, 2);
//! # Ok::<(), EditError>(())
//! ```

use std::ops::Range;

use jsonc_parser::ast::Value;

use super::json::{self, Container};
use super::{Settings, SettingsEntry, SettingsFile, SettingsLayout};
use spots::{EntrySpan, cut, object, property, shape, spots};

mod found;
mod printed;
mod spots;
mod tables;
pub use found::{FoundEntry, find, value_at};

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
        let (line, column) = crate::json::place(text, place);
        Self { what, line, column }
    }
}

/// The form of one file.
#[derive(Debug, Clone, Copy)]
pub struct SettingsForm<'a> {
    /// How its host writes hooks.
    pub settings: &'a Settings,
    /// Where they stand in this file.
    pub file: &'a SettingsFile,
}

/// Entries of others that were taken out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemovedEntries {
    /// The text without them.
    pub rest: String,
    /// They alone, as settings of the same host; nothing where there were none.
    pub taken: Option<String>,
}

/// Puts our entries into a text. One that stands there already is left as it is, one that says something else is replaced.
/// Adding twice changes nothing.
pub fn add(
    text: &str,
    form: SettingsForm<'_>,
    entries: &[SettingsEntry],
) -> Result<String, EditError> {
    let (mark, body) = split(text);
    let mut body = begun(body, form);
    let there = spots(&body, form)?;
    for entry in entries {
        let mut there = there.iter();
        if there.any(|spot| spot.is(entry, form.settings)) {
            continue;
        }
        body = if form.file.is_toml() {
            tables::append(&body, form, entry)
        } else {
            let item = printed::line(&printed::wrapped(form.settings, entry));
            insert(&body, form, entry.event, &item)?
        };
    }
    body = strip(body, form, entries)?;
    Ok(format!("{mark}{body}"))
}

/// Takes our entries out of a text, with the lists and objects that nothing else stands in.
pub fn remove(text: &str, form: SettingsForm<'_>) -> Result<String, EditError> {
    let (mark, body) = split(text);
    Ok(format!("{mark}{}", strip(body.to_owned(), form, &[])?))
}

/// Tells whether nothing stands in a text but what a new file begins with.
pub fn is_empty(text: &str, form: SettingsForm<'_>) -> bool {
    let (_, body) = split(text);
    let new = form.settings.empty;
    let is_new = || {
        let trees = json::parse(body).ok().zip(json::parse(new).ok());
        trees.is_some_and(|(body, new)| {
            let is_same = json::value(&body.root) == json::value(&new.root);
            is_same && !body.has_comment(0..body.text.len())
        })
    };
    let is_new = || !form.file.is_toml() && is_new();
    body.trim().is_empty() || is_new()
}

/// Takes entries of others out of a text: those at these places. The entries of one group stay together; those of a file in TOML
/// stay where they are.
pub fn take(
    text: &str,
    form: SettingsForm<'_>,
    places: &[Range<usize>],
) -> Result<RemovedEntries, EditError> {
    let (mark, body) = split(text);
    let mut taken = RemovedEntries {
        rest: text.to_owned(),
        taken: None,
    };
    if form.file.is_toml() {
        return Ok(taken);
    }
    let spots = spots(body, form)?;
    let goes = |spot: &EntrySpan| {
        let place = spot.entry.start + mark.len()..spot.entry.end + mark.len();
        places.contains(&place) && !spot.found.is_ours()
    };
    let whole = |spot: &&EntrySpan| {
        let mut beside = spots.iter().filter(|other| other.item == spot.item);
        beside.all(goes)
    };
    let mut items: Vec<&EntrySpan> = spots.iter().filter(whole).collect();
    items.dedup_by_key(|spot| &spot.item);
    let mut alone = begun("", form);
    for spot in &items {
        let raw = json::part(body, spot.item.clone());
        alone = insert(&alone, form, &spot.found.event, raw)?;
    }
    let mut rest = body.to_owned();
    // From the last to the first: what stands before a cut stays where it is.
    for spot in items.iter().rev() {
        rest = cut(&rest, form, &spot.item)?;
    }
    taken.rest = format!("{mark}{rest}");
    taken.taken = (!items.is_empty()).then_some(alone);
    Ok(taken)
}

/// Puts entries that [`take`] took out back into a text, behind the entries there. One that is there already is not added twice.
pub fn put_back(text: &str, form: SettingsForm<'_>, taken: &str) -> Result<String, EditError> {
    let (mark, body) = split(text);
    let mut body = begun(body, form);
    let (_, taken) = split(taken);
    let there = spots(&body, form)?;
    let mut there: Vec<_> = there.into_iter().map(EntrySpan::meaning).collect();
    for spot in spots(taken, form)? {
        let raw = json::part(taken, spot.item.clone());
        let meaning = spot.meaning();
        if !there.contains(&meaning) {
            body = insert(&body, form, &meaning.0, raw)?;
            there.push(meaning);
        }
    }
    Ok(format!("{mark}{body}"))
}

/// A file that is new or blank begins with what its host wants in every file.
fn begun(body: &str, form: SettingsForm<'_>) -> String {
    if body.trim().is_empty() && !form.file.is_toml() {
        form.settings.empty.to_owned()
    } else {
        body.to_owned()
    }
}

fn split(text: &str) -> (&str, &str) {
    match text.strip_prefix('\u{feff}') {
        Some(body) => ("\u{feff}", body),
        None => ("", text),
    }
}

/// Takes out every entry of ours except one of each of these.
fn strip(
    mut body: String,
    form: SettingsForm<'_>,
    keep: &[SettingsEntry],
) -> Result<String, EditError> {
    loop {
        let mut kept = Vec::new();
        let mut spots = spots(&body, form)?.into_iter();
        let superfluous = spots.find(|spot| {
            let mut wanted = keep.iter();
            let is_wanted = wanted.any(|entry| spot.is(entry, form.settings));
            let is_new = is_wanted && !kept.contains(&spot.found.event);
            kept.extend(is_new.then(|| spot.found.event.clone()));
            spot.found.is_ours() && !is_new
        });
        let Some(spot) = superfluous else {
            return Ok(body);
        };
        body = cut(&body, form, &spot.entry)?;
    }
}

/// Puts an item behind what stands in an event's list; what leads there is made where it is missing.
fn insert(
    text: &str,
    form: SettingsForm<'_>,
    event: &str,
    item: &str,
) -> Result<String, EditError> {
    let tree = &json::parse(text)?;
    let mut inner = &tree.root;
    let is_list = form.settings.shape == SettingsLayout::List;
    let mut names = form.file.at.iter().copied().peekable();
    while let Some(name) = names.next() {
        let outer = object(text, inner, "the settings")?;
        let Some(index) = property(text, outer, name)? else {
            let empty = if is_list && names.peek().is_none() {
                "[]"
            } else {
                "{}"
            };
            let child = format!("{}: {empty}", printed::string(name));
            let made = Container::of(inner).append(tree, &child);
            return insert(&made, form, event, item);
        };
        inner = outer
            .properties
            .get(index)
            .map_or(inner, |property| &property.value);
    }
    if is_list {
        return match inner {
            Value::Array(_) => Ok(Container::of(inner).append(tree, item)),
            other => Err(shape(text, other, "the hooks", "a list")),
        };
    }
    let events = object(text, inner, "the hooks")?;
    let Some(index) = property(text, events, event)? else {
        let child = format!("{}: [{item}]", printed::string(event));
        return Ok(Container::of(inner).append(tree, &child));
    };
    match events.properties.get(index).map(|property| &property.value) {
        Some(list @ Value::Array(_)) => Ok(Container::of(list).append(tree, item)),
        Some(other) => Err(shape(text, other, &format!("`{event}`"), "a list")),
        None => Ok(text.to_owned()),
    }
}

#[cfg(test)]
mod tests;
