//! The parts that every host's payload has in some form: an event's name, a tool's name and arguments, ids.
//!
//! A payload is read into canonical fields and written back as it came. Names of tools and arguments are data, a
//! table per host ([`HostTool`]); where a payload has two arguments that both stand for one canonical argument, and they
//! differ, it is unknown which of them the host will obey, so the payload counts as unreadable.

mod parts;
mod patch;
pub(crate) mod tool;

use std::borrow::Cow;

use anyhook_core::event::{Data, Event, EventName, Map, Origin};
use serde_json::Value;

use crate::{DecodeError, Host, HostRow, json, tools};

pub use parts::{parts, with_absolute_paths};
pub use tool::{HostTool, Mcp, Tools, named_files};
pub(crate) use tool::{list_files, serve, served};

/// The fields of a call, and the folder in which it is made.
pub(crate) const TOOL: &str = "tool_name";
pub(crate) const INPUT: &str = "tool_input";
pub(crate) const RESULT: &str = "tool_result";
pub(crate) const CWD: &str = "cwd";

/// A field without which a hook would decide about something that it cannot see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequiredField {
    /// A string of this name; a dot leads into an object.
    Text(&'static str),
    /// An object of this name.
    Object(&'static str),
}

/// Takes the event's name out of the payload: the first of `names` that is there. Where the command line names an event
/// that this host has, that one holds: it is what the host's settings say, and a payload must not talk its way into
/// another event; one that names another gate cannot be read. Where several events of the host are one of ours, a command line that names ours leaves it to the payload
/// which of those it is.
pub(crate) fn native_name(
    host: &Host,
    data: &mut Map,
    names: &[&str],
    hint: Option<&str>,
) -> Result<String, DecodeError> {
    let found = names.iter().find(|name| data.contains_key(**name));
    let told = found.and_then(|name| Some((name, data.shift_remove(*name)?)));
    if let Some(row) = hint.and_then(|hint| host.row(hint)) {
        let told = told.as_ref().and_then(|(_, told)| told.as_str());
        let own = told.and_then(|told| host.row(told));
        let is_ours = own.is_some_and(|own| own.event == row.event);
        // The guards of an action are not left out because an entry stands below another event.
        if let Some(own) = own.filter(|own| !is_ours && own.is_gate()) {
            let (line, own) = (row.name, own.name);
            let what = format!("the command line names `{line}`, and the payload `{own}`");
            return Err(DecodeError::new(what).about(own));
        }
        let name = told.filter(|_| is_ours && hint != Some(row.name));
        return Ok(name.unwrap_or(row.name).to_owned());
    }
    match told {
        Some((_, Value::String(name))) => Ok(name),
        Some((field, other)) => Err(DecodeError::wrong(field, "a string", Some(&other))),
        None => (hint.map(str::to_owned)).ok_or_else(|| DecodeError::nameless(names)),
    }
}

/// Refuses a payload that hides what a hook would decide about: a tool whose name is no text, arguments that are no
/// object. A hook would look at something that is not there, and find nothing wrong with it.
pub(crate) fn check(data: &Map, needs: &[RequiredField]) -> Result<(), DecodeError> {
    for need in needs {
        let (field, fits, wanted): (_, fn(&Value) -> bool, _) = match *need {
            RequiredField::Text(field) => (field, Value::is_string, "a string"),
            RequiredField::Object(field) => (field, Value::is_object, "an object"),
        };
        let found = match field.split_once('.') {
            Some((outer, inner)) => data.get(outer).and_then(|outer| outer.get(inner)),
            None => data.get(field),
        };
        if !found.is_some_and(fits) {
            return Err(DecodeError::wrong(field, wanted, found));
        }
    }
    Ok(())
}

/// Renames a field in its place. Where the new name is taken the two values change places: the field under the new name
/// is the one that this host reads, and renaming it back gives the payload as it came. A dot in a name leads into an object.
pub(crate) fn rename(data: &mut Map, from: &str, to: &str) {
    if from.contains('.') || to.contains('.') {
        let (moved, back) = (take(data, from), take(data, to));
        put(data, to, moved);
        put(data, from, back);
        return;
    }
    if !data.contains_key(from) && !data.contains_key(to) {
        return;
    }
    let old = std::mem::take(data);
    for (key, value) in old {
        let key = match key {
            key if key == from => to.to_owned(),
            key if key == to => from.to_owned(),
            key => key,
        };
        data.insert(key, value);
    }
}

/// Takes the first of the folders that a field lists for the one of the event, where it names none itself.
pub(crate) fn enter(data: &mut Map, folders: &str) {
    let root = data.get(folders).and_then(|roots| roots.get(0));
    if let Some(root) = root.filter(|root| root.is_string()).cloned() {
        data.entry(CWD).or_insert(root);
    }
}

/// Takes a field out, and an object that it leaves empty.
fn take(data: &mut Map, name: &str) -> Option<Value> {
    let Some((outer, inner)) = name.split_once('.') else {
        return data.shift_remove(name);
    };
    let object = data.get_mut(outer)?.as_object_mut()?;
    let value = object.shift_remove(inner)?;
    if object.is_empty() {
        data.shift_remove(outer);
    }
    Some(value)
}

/// Puts a field where its name leads. What stands in the way stays, so the field is lost: no agent sends both.
fn put(data: &mut Map, name: &str, value: Option<Value>) {
    let Some(value) = value else { return };
    let Some((outer, inner)) = name.split_once('.') else {
        data.insert(name.to_owned(), value);
        return;
    };
    let object = data.entry(outer).or_insert_with(|| Map::new().into());
    if let Value::Object(object) = object {
        object.insert(inner.to_owned(), value);
    }
}

/// What is known of an event before its data is looked at.
pub(crate) struct IncomingEvent<'a> {
    /// The host.
    pub(crate) host: &'static str,
    /// The host's own name for the event.
    pub(crate) native: String,
    /// The canonical name, if the host has a row for it.
    pub(crate) event: Option<&'static str>,
    /// The field that matchers look at, in canonical data.
    pub(crate) subject: Option<&'static str>,
    /// The host's tools.
    pub(crate) tools: &'a Tools,
    /// The bytes as they came.
    pub(crate) bytes: &'a [u8],
}

/// Makes the event: `data` has its canonical field names already (`session_id`, `tool_name`, `tool_input`, ...), and
/// still the host's own tool and arguments.
pub(crate) fn event(incoming: IncomingEvent<'_>, mut data: Map) -> Result<Event, DecodeError> {
    let text = |data: &Map, field: &str| data.get(field).and_then(Value::as_str).map(Box::from);
    let subject: Option<Box<str>> = incoming.subject.and_then(|field| text(&data, field));
    let is_tool = incoming.subject == Some("tool_name") && !data.contains_key("mcp_server");
    let tool = incoming
        .tools
        .read(&mut data)
        .map_err(|error| error.about(&incoming.native))?;
    let also = match &subject {
        Some(tool) if is_tool => {
            let canonical = data.get("tool_name").and_then(Value::as_str);
            tools::also_as(tool, canonical.unwrap_or(tool))
        }
        Some(_) | None => &[],
    };
    let name = incoming.event.map_or_else(
        || EventName::new(&unknown(incoming.host, &incoming.native)),
        EventName::new,
    );
    let origin = Origin {
        host: Cow::Borrowed(incoming.host),
        session: text(&data, "session_id"),
        project: None,
        raw: Some(incoming.bytes.into()),
        native: incoming.native.into(),
        tool: tool.map(Box::new),
    };
    Ok(Event {
        name,
        origin: Some(Box::new(origin)),
        subject,
        also,
        data: Data::from(data),
        at: None,
    })
}

/// Makes an event of a host that has no names of its own: for tools, for fields, or for what a program made up.
pub(crate) fn under_its_name(host: &'static str, native: String, data: Map, bytes: &[u8]) -> Event {
    let text = |field: &str| data.get(field).and_then(Value::as_str);
    let session = text("session_id").map(Box::from);
    let also = text("tool_name").map_or(&[][..], tools::also);
    let mut event = Event::new(&native, Value::Object(data));
    event.also = if event.subject.is_some() { also } else { &[] };
    event.origin = Some(Box::new(Origin {
        host: Cow::Borrowed(host),
        native: native.into(),
        session,
        project: None,
        raw: Some(bytes.into()),
        tool: None,
    }));
    event
}

/// Returns where an event came from, if this host sent it.
pub(crate) fn own<'e>(event: &'e Event, host: &str) -> Option<&'e Origin> {
    let origin = event.origin.as_deref();
    origin.filter(|origin| origin.host == host)
}

/// Returns an event's data with the host's own tool name and arguments: those that it came with, if this host sent it,
/// else those that this host has for the same tool. The other fields have their canonical names.
pub(crate) fn fields(event: &Event, host: &str, tools: &Tools) -> Map {
    let mut data = event.data.json().into_owned();
    tools.write(
        &mut data,
        own(event, host).and_then(|own| own.tool.as_deref()),
    );
    data
}

/// Writes an event of this host as its payload came, with what has changed since; one of another host as it is written.
///
/// What changed and stands nowhere in what came is written anew with all around it, so that no hook sees the old beside the
/// new.
pub(crate) fn as_it_came(
    host: &Host,
    event: &Event,
    row: Option<&HostRow>,
    write: impl Fn(&Event) -> Value,
) -> Value {
    let now = write(event);
    let own = event.origin.as_deref();
    let own = own.filter(|own| {
        let row_of_own = host.row(&own.native).map(|row| row.name);
        own.host == host.id() && row_of_own == row.map(|row| row.name)
    });
    let Some((own, raw)) = own.and_then(|own| Some((own, own.raw.as_deref()?))) else {
        return now;
    };
    match (json::object(raw), host.read_event(raw, Some(&own.native))) {
        (Ok(came), Ok(before)) => named(changed(came.into(), &write(&before), now.clone()), &now),
        (Err(_), _) | (_, Err(_)) => now,
    }
}

/// Puts the event's name where none came as a text: a hook asks for it.
fn named(mut written: Value, now: &Value) -> Value {
    const KEYS: [&str; 2] = ["hook_event_name", "hookEventName"];
    let has = |value: &Value, key: &&str| value.get(*key).is_some_and(Value::is_string);
    let key = KEYS.into_iter().find(|key| has(now, key));
    let is_under = |key: &str, other: &str| written.get(other) == now.get(key);
    let is_there = |key: &&str| has(&written, key) || KEYS.iter().any(|other| is_under(key, other));
    let key = key.filter(|key| !is_there(key));
    if let (Some(key), Value::Object(written)) = (key, &mut written) {
        written.insert(key.to_owned(), now.get(key).cloned().unwrap_or_default());
    }
    written
}

/// Puts into what came what is otherwise now than it was.
pub(crate) fn changed(came: Value, was: &Value, now: Value) -> Value {
    match (came, was, now) {
        (came, was, now) if *was == now => came,
        (Value::Object(came), Value::Object(was), Value::Object(now)) => {
            changed_fields(came, was, now).into()
        }
        // Arguments that came as the text of an object go back as one.
        (Value::String(came), Value::Object(was), Value::Object(now))
            if json::object(came.as_bytes()).is_ok_and(|came| came == *was) =>
        {
            Value::Object(now).to_string().into()
        }
        (_, _, now) => now,
    }
}

fn changed_fields(mut came: Map, was: &Map, mut now: Map) -> Map {
    let added = now.keys().filter(|name| !was.contains_key(*name));
    let names = was.keys().chain(added);
    let differ: Vec<String> = names
        .filter(|name| was.get(*name) != now.get(*name))
        .cloned()
        .collect();
    let is_elsewhere = |name: &String| was.contains_key(name) && !came.contains_key(name);
    if differ.iter().any(is_elsewhere) {
        return now;
    }
    for name in differ {
        let (old, new) = (came.get(&name).cloned(), now.shift_remove(&name));
        let Some(new) = new else {
            came.shift_remove(&name);
            continue;
        };
        let was = was.get(&name).unwrap_or(&Value::Null);
        came.insert(name, changed(old.unwrap_or_default(), was, new));
    }
    came
}

/// Returns arguments that a hook rewrote as this host's tool has them.
pub(crate) fn native_input(event: &Event, host: &str, tools: &Tools, input: Value) -> Value {
    let mut data = Map::new();
    if let Some(tool) = event.get("tool_name") {
        data.insert("tool_name".to_owned(), tool.into_owned());
    }
    data.insert("tool_input".to_owned(), input);
    tools.write(
        &mut data,
        own(event, host).and_then(|own| own.tool.as_deref()),
    );
    data.shift_remove("tool_input").unwrap_or_default()
}

/// Returns arguments that a hook of this host rewrote, as canonical ones. Two of them for one thing are an error.
pub(crate) fn canonical_input(
    event: &Event,
    host: &str,
    tools: &Tools,
    input: Value,
) -> Result<Value, DecodeError> {
    let mut data = fields(event, host, tools);
    data.insert("tool_input".to_owned(), input);
    tools.read(&mut data)?;
    Ok(data.shift_remove("tool_input").unwrap_or_default())
}

/// Names an event that a host's table does not know: the host, and its name in kebab-case.
pub(crate) fn unknown(host: &str, native: &str) -> String {
    let mut name = format!("{host}:");
    let mut was_lower = false;
    for letter in native.chars() {
        if letter.is_ascii_uppercase() && was_lower {
            name.push('-');
        }
        was_lower = !letter.is_ascii_uppercase();
        name.push(letter.to_ascii_lowercase());
    }
    name
}

#[cfg(test)]
mod tests;
