//! `logging`: every event of a session as one line of JSON, after redaction and after the decision.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use anyhook_core::event::{Event, EventName, Map, TIMESTAMP};
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::handler::HandlerResult;
use anyhook_core::hook::HookRole;
use anyhook_core::redact;
use anyhook_core::result::HookResult;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{BuiltInModule, Module, ModuleContext, of_settings};
use crate::files::{self, FileError, with_causes};
use crate::lists::HOISTED;
use crate::stores::{is_torn, once};
use crate::world::{RunMode, World};

/// The row.
pub(super) static ROW: Module = Module {
    name: "logging",
    aliases: &["hooks-logging"],
    summary: "Writes every event of a session as one line of JSON.",
    events: &["*"],
    priority: 90,
    role: HookRole::Observe,
    guard: false,
    make: of_settings::<Logging>,
};

const TEMPLATE: &str = "{state}/logs/{project}/{session_id}/events.jsonl";
const EXCLUDED: [&str; 1] = ["llm:stream_*delta"];

/// The longest name of a file or folder that is made of an id.
const LONGEST_NAME: usize = 100;
/// A longer line says only how long its data would be.
const LONGEST: usize = 1024 * 1024;

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Logging {
    #[serde(rename = "session_log_template")]
    template: Template,
    exclude_events: Vec<EventName>,
}

impl Default for Logging {
    fn default() -> Self {
        Self {
            template: Template(TEMPLATE.to_owned()),
            exclude_events: EXCLUDED.map(EventName::new).to_vec(),
        }
    }
}

/// Where the lines go. Without the session in it every session would write to one file.
#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Template(String);

impl TryFrom<String> for Template {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if text.contains("{session_id}") {
            Ok(Self(text))
        } else {
            Err("it must have `{session_id}` in it")
        }
    }
}

impl BuiltInModule for Logging {
    fn answer(&self, event: &Event, around: &ModuleContext<'_>) -> HandlerResult {
        let mut excluded = self.exclude_events.iter();
        let is_excluded = excluded.any(|name| name.covers(&event.name));
        if is_excluded || around.pass == RunMode::Told {
            return Ok(HookResult::proceed());
        }
        let session = event.text("session_id");
        let session = session.as_deref().or(event.session()).unwrap_or("none");
        let project = around.project.to_string_lossy();
        let given = [
            ("project", project.trim_matches('/')),
            ("session_id", session),
        ];
        let record = record(event, session, around);
        let path = path(&self.template.0, around.world, &given)
            .ok_or_else(|| failed("the log has no folder: there is no home".into()))?;
        append(&path, &record).map_err(|error| {
            let why = with_causes(&error);
            failed(format!("the log could not be written: {why}"))
        })?;
        Ok(HookResult::proceed())
    }
}

fn record(event: &Event, session: &str, around: &ModuleContext<'_>) -> Value {
    let mut data = event.data.json().into_owned();
    data.shift_remove(TIMESTAMP);
    let mut record = json!({
        "ts": moment(event, around.world),
        "lvl": level(event, &data),
        "schema": {"name": "amplifier.log", "ver": "1.0.0"},
        "event": event.name.as_str(),
        "session_id": session,
    });
    data.shift_remove("session_id");
    if let Value::Object(record) = &mut record {
        let hoisted = HOISTED.iter().copied();
        let hoisted = hoisted.filter_map(|name| Some((name.to_owned(), data.shift_remove(name)?)));
        record.extend(hoisted);
        record.insert("data".into(), Value::Object(data));
    }
    redact::value(&mut record);
    let length = record.to_string().len();
    if length > LONGEST
        && let Value::Object(record) = &mut record
    {
        record.retain(|name, _| matches!(&**name, "ts" | "lvl" | "schema" | "event"));
        record.insert("session_id".into(), session.into());
        record.insert("data".into(), json!({"omitted": length}));
    }
    record
}

fn level(event: &Event, data: &Map) -> &'static str {
    let failed = data.get("status").and_then(Value::as_str) == Some("error")
        || data.get("error").is_some_and(|error| !error.is_null())
        || event.name.as_str().contains("error");
    if failed { "ERROR" } else { "INFO" }
}

fn failed(why: String) -> Fault {
    Fault::new(FaultKind::Errored, why)
}

/// Returns when an event was emitted; of one without a time, when it is written down.
fn moment(event: &Event, world: &World) -> Value {
    let mut stamped = event.clone();
    stamped.at = event.at.or(Some(world.clock.now()));
    let moment = stamped.get(TIMESTAMP);
    moment.map_or(Value::Null, Cow::into_owned)
}

/// Appends one line to a private file, in one call. Folders that are missing are made, for this user only.
fn append(path: &Path, record: &Value) -> Result<(), FileError> {
    if let Some(folder) = path.parent().filter(|folder| !folder.is_dir()) {
        files::private_dir(folder)?;
    }
    let mut line = record.to_string().into_bytes();
    line.push(b'\n');
    let mut file = files::appending(path)?;
    if is_torn(&file) {
        line.insert(0, b'\n');
    }
    once(&mut file, &line).map_err(FileError::io("append to", path))
}

/// Makes a path of a template: `{state}` is the folder of what we remember and `~` the home; everything else in braces is
/// given, and cleaned. Nothing where a folder is needed that is not there.
fn path(template: &str, world: &World, given: &[(&str, &str)]) -> Option<PathBuf> {
    let places = world.places.as_ref();
    let mut text = template.to_owned();
    for (name, value) in given {
        text = text.replace(&format!("{{{name}}}"), &cleaned(value));
    }
    let path = match (text.strip_prefix("{state}/"), text.strip_prefix("~/")) {
        (Some(rest), _) => places?.state.join(rest),
        (None, Some(rest)) => places?.home.join(rest),
        (None, None) => PathBuf::from(text),
    };
    Some(world.absolute(&path))
}

/// Makes one name of a file out of any text: it cannot lead to another folder, and two texts never share one.
fn cleaned(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let tame = |c: char| if is_plain(c) { c } else { '-' };
    let plain: String = text.chars().map(tame).take(LONGEST_NAME).collect();
    let plain = plain.trim_start_matches(['.', '-']);
    if plain == text && !plain.is_empty() {
        return plain.to_owned();
    }
    let digest = files::digest(text.as_bytes());
    let short: String = digest.chars().take(8).collect();
    format!("{plain}~{short}")
}

#[cfg(test)]
mod tests;
