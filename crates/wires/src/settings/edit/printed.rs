//! What we put into a text: one line per entry, so that a person can read the file.

use std::io;

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use serde_json::{Value, json};

use super::Form;
use crate::settings::{Entry, Settings, Shape};

/// Returns an entry with the group that the host wants around it.
pub(super) fn wrapped(settings: &Settings, entry: &Entry) -> Value {
    if settings.groups(entry.event) {
        return json!({"hooks": [entry.value]});
    }
    entry.value.clone()
}

/// Writes the items of an event's list.
pub(super) fn item(settings: &Settings, entry: &Entry) -> String {
    line(&wrapped(settings, entry))
}

/// Writes a text as JSON.
pub(super) fn string(text: &str) -> String {
    Value::from(text).to_string()
}

/// Writes a file that holds these items as they are, each under its event.
pub(super) fn all(form: Form<'_>, items: &[(String, String)]) -> String {
    let mut events: Vec<(&str, Vec<&str>)> = Vec::new();
    for (event, item) in items {
        match events.iter_mut().find(|(name, _)| name == event) {
            Some((_, items)) => items.push(item),
            None => events.push((event, vec![item])),
        }
    }
    let hooks = if form.settings.shape == Shape::List {
        let items: Vec<&str> = items.iter().map(|(_, item)| item.as_str()).collect();
        format!("[\n{}\n]", items.join(",\n"))
    } else {
        let lists = events
            .iter()
            .map(|(event, items)| format!("{}: [\n{}\n]", string(event), items.join(",\n")));
        format!("{{\n{}\n}}", lists.collect::<Vec<_>>().join(",\n"))
    };
    let around = form.file.at.iter().rev();
    let text = around.fold(hooks, |inner, name| {
        format!("{{\n{}: {inner}\n}}", string(name))
    });
    format!("{text}\n")
}

/// Writes a value on one line.
pub(super) fn line(value: &Value) -> String {
    let mut bytes = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut bytes, OneLine);
    // Writing a value to memory cannot fail.
    let _ = value.serialize(&mut serializer);
    String::from_utf8(bytes).unwrap_or_default()
}

/// A space behind each comma and colon.
struct OneLine;

impl Formatter for OneLine {
    fn begin_array_value<W: io::Write + ?Sized>(
        &mut self,
        to: &mut W,
        first: bool,
    ) -> io::Result<()> {
        if first { Ok(()) } else { to.write_all(b", ") }
    }

    fn begin_object_key<W: io::Write + ?Sized>(
        &mut self,
        to: &mut W,
        first: bool,
    ) -> io::Result<()> {
        if first { Ok(()) } else { to.write_all(b", ") }
    }

    fn begin_object_value<W: io::Write + ?Sized>(&mut self, to: &mut W) -> io::Result<()> {
        to.write_all(b": ")
    }
}
