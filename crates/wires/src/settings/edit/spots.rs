//! Where the entries of a text stand.

use std::ops::Range;

use anyhook_core::manifest::kind;
use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;

use super::found::timeout;
use super::{EditError, FoundEntry, SettingsForm, printed, tables};
use crate::settings::json::{self, Container, JsonTree, span};
use crate::settings::{EntryValue, Settings, SettingsEntry, SettingsLayout, command};

/// An entry, and where it stands.
pub(super) struct EntrySpan {
    pub(super) found: FoundEntry,
    /// The place of the event's own item: a group, or the entry itself.
    pub(super) item: Range<usize>,
    /// The place of the entry.
    pub(super) entry: Range<usize>,
    /// The event's item as it is.
    pub(super) value: serde_json::Value,
}

impl EntrySpan {
    pub(super) fn is(&self, entry: &SettingsEntry, settings: &Settings) -> bool {
        self.found.event == entry.event && self.value == printed::wrapped(settings, entry)
    }

    /// What the event's item says, and for which event.
    pub(super) fn meaning(self) -> (String, serde_json::Value) {
        (self.found.event, self.value)
    }
}

/// Finds every entry of a text.
pub(super) fn spots(text: &str, form: SettingsForm<'_>) -> Result<Vec<EntrySpan>, EditError> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    if form.file.is_toml() {
        return tables::spots(text, form);
    }
    let tree = json::parse(text)?;
    let Some(inner) = value_of(text, &tree.root, form.file.at)? else {
        return Ok(Vec::new());
    };
    let mut spots = Vec::new();
    if form.settings.shape == SettingsLayout::List {
        let Value::Array(list) = inner else {
            return Err(shape(text, inner, "the hooks", "a list"));
        };
        let all = list.elements.iter();
        spots.extend(all.map(|entry| spot(text, form, None, entry, entry)));
        return Ok(spots);
    }
    let events = object(text, inner, "the hooks")?;
    for event in &events.properties {
        let name = event.name.as_str();
        property(text, events, name)?;
        // What is no list is not ours, and stays: the host knows what it means.
        let list = event.value.as_array();
        for item in list.into_iter().flat_map(|list| &list.elements) {
            let group = item.as_object().and_then(|group| group.get_array("hooks"));
            let entries = group.map_or(std::slice::from_ref(item), |group| &group.elements);
            spots.extend(
                entries
                    .iter()
                    .map(|entry| spot(text, form, Some(name), item, entry)),
            );
        }
    }
    Ok(spots)
}

fn spot(
    text: &str,
    form: SettingsForm<'_>,
    event: Option<&str>,
    item: &Value<'_>,
    entry: &Value<'_>,
) -> EntrySpan {
    let value = json::value(item);
    let line = EditError::at(text, entry.start(), String::new()).line;
    EntrySpan {
        found: found(form, event, [&value, &json::value(entry)], line),
        item: span(item),
        entry: span(entry),
        value,
    }
}

/// Reads an entry that stands below the name of its event, or names it.
pub(super) fn found(
    form: SettingsForm<'_>,
    event: Option<&str>,
    [group, entry]: [&serde_json::Value; 2],
    line: usize,
) -> FoundEntry {
    let action = entry.get("action").unwrap_or(entry);
    let text =
        |holder: &serde_json::Value, field: &str| Some(holder.get(field)?.as_str()?.to_owned());
    let mut parts = form.settings.entry.iter();
    let names_event = parts.find(|(_, part)| matches!(part, EntryValue::Event));
    let named = || text(entry, names_event?.0);
    let fields = form.settings.commands.iter();
    // One agent names the event so.
    let kind = text(action, "type").filter(|_| names_event.is_none_or(|(name, _)| *name != "type"));
    let posted = text(action, "url").filter(|url| command::is_ours(url));
    FoundEntry {
        event: event.map(str::to_owned).or_else(named).unwrap_or_default(),
        commands: fields
            .filter_map(|field| text(action, field))
            .chain(posted)
            .collect(),
        kind: kind.unwrap_or_else(|| "command".to_owned()),
        line,
        matcher: text(entry, "matcher").or_else(|| text(group, "matcher")),
        timeout: timeout(form.settings.entry, entry),
    }
}

/// Cuts out what stands at a range, and whatever around it would be left with nothing in it.
pub(super) fn cut(
    text: &str,
    form: SettingsForm<'_>,
    range: &Range<usize>,
) -> Result<String, EditError> {
    if form.file.is_toml() {
        return Ok(tables::cut(text, range));
    }
    let tree = &json::parse(text)?;
    let mut steps = way(tree, range).into_iter().rev();
    let Some(mut pick) = steps.next() else {
        return Ok(text.to_owned());
    };
    for next in steps {
        let (inner, outer) = (pick.0.child(pick.1), next.0.child(next.1));
        let around = [outer.start..inner.start, inner.end..outer.end];
        let has_comment = around.into_iter().any(|gap| tree.has_comment(gap));
        if !pick.0.is_alone(tree, pick.1) || has_comment {
            break;
        }
        pick = next;
    }
    Ok(pick.0.remove(tree, pick.1))
}

/// The objects and lists around a range from the outermost, each with the child that leads on.
fn way(tree: &JsonTree<'_>, range: &Range<usize>) -> Vec<(Container, usize)> {
    let mut way = Vec::new();
    let mut inner = Some(&tree.root);
    while let Some(value) = inner {
        let container = Container::of(value);
        let Some(at) = container.child_around(range) else {
            break;
        };
        inner = match value {
            _ if container.child(at) == *range => None,
            Value::Object(object) => object.properties.get(at).map(|property| &property.value),
            Value::Array(list) => list.elements.get(at),
            _ => None,
        };
        way.push((container, at));
    }
    way
}

pub(super) fn object<'v, 'a>(
    text: &str,
    value: &'v Value<'a>,
    what: &str,
) -> Result<&'v Object<'a>, EditError> {
    value
        .as_object()
        .ok_or_else(|| shape(text, value, what, "an object"))
}

pub(super) fn shape(text: &str, value: &Value<'_>, what: &str, wanted: &str) -> EditError {
    let found = kind(value);
    EditError::at(
        text,
        value.start(),
        format!("{what} must be {wanted}, found {found}"),
    )
}

/// Finds a value by the fields that lead to it.
pub(super) fn value_of<'v, 'a>(
    text: &str,
    root: &'v Value<'a>,
    at: &[&str],
) -> Result<Option<&'v Value<'a>>, EditError> {
    let mut inner = root;
    for name in at {
        let outer = object(text, inner, "the settings")?;
        let index = property(text, outer, name)?;
        let Some(property) = index.and_then(|index| outer.properties.get(index)) else {
            return Ok(None);
        };
        inner = &property.value;
    }
    Ok(Some(inner))
}

/// Finds a property. One that is written twice is refused: which of the two holds depends on who reads.
pub(super) fn property(
    text: &str,
    object: &Object<'_>,
    name: &str,
) -> Result<Option<usize>, EditError> {
    let named = object.properties.iter().enumerate();
    let mut named = named.filter(|(_, property)| property.name.as_str() == name);
    let first = named.next();
    match named.next() {
        Some((_, second)) => {
            let what = format!("`{}` stands here twice", name.escape_debug());
            Err(EditError::at(text, second.start(), what))
        }
        None => Ok(first.map(|(index, _)| index)),
    }
}
