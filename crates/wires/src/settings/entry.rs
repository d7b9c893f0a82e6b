//! Our entries for one host: one per row.

use anyhook_core::result::Kind;
use serde_json::{Map, Value};

use super::command::{self, ProgramReference};
use super::{EntryValue, Settings, posted};
use crate::{Host, HostRow};

/// An entry of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsEntry {
    /// The host's name for the event.
    pub event: &'static str,
    /// What stands in the host's list, without a group around it.
    pub value: Value,
}

/// Makes one entry per event that this host has and that is not left out.
pub fn entries(
    host: &Host,
    settings: &Settings,
    program: ProgramReference<'_>,
) -> Vec<SettingsEntry> {
    let wanted = host.rows().iter().filter(|row| settings.has(row.name));
    wanted
        .map(|row| {
            let posts = host
                .facts()
                .posts
                .filter(|posts| posts.events.contains(&row.name));
            let posted = posts.zip(program.server).map(|(posts, server)| {
                (
                    posts.entry,
                    posted::address(host.id(), row, server, program.is_strict),
                )
            });
            let (fields, line) = posted.unwrap_or_else(|| {
                let line = command::line(host, row, settings.shell, program);
                (settings.entry, line)
            });
            let value = Value::Object(object(fields, row, &line));
            SettingsEntry {
                event: row.name,
                value,
            }
        })
        .collect()
}

fn object(fields: &[(&'static str, EntryValue)], row: &HostRow, line: &str) -> Map<String, Value> {
    let fields = fields.iter();
    fields
        .filter_map(|(name, part)| Some(((*name).to_owned(), value(part, row, line)?)))
        .collect()
}

fn value(part: &EntryValue, row: &HostRow, line: &str) -> Option<Value> {
    Some(match part {
        EntryValue::Text(text) => Value::from(*text),
        EntryValue::Texts(texts) => Value::from(texts.to_vec()),
        EntryValue::True => Value::Bool(true),
        EntryValue::Command => Value::from(line),
        // Several hosts reject a fraction, and with it the whole file.
        EntryValue::Timeout(unit) => Some(unit.number(row.timeout)).filter(Value::is_u64)?,
        EntryValue::Event => Value::from(row.name),
        EntryValue::Title => Value::from(format!("anyhook {}", row.name)),
        EntryValue::Object(fields) => Value::Object(object(fields, row, line)),
        EntryValue::OnGates(part) if row.is_gate() && row.can.says(Kind::Deny) => {
            return value(part, row, line);
        }
        EntryValue::OnGates(_) => return None,
    })
}
