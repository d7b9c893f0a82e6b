//! `logging`: every event of a session as one line of JSON, after redaction and after the decision.

use std::sync::Arc;

use anyhook_core::event::{Event, EventName, Map, TIMESTAMP};
use anyhook_core::handler::Said;
use anyhook_core::hook::Role;
use anyhook_core::redact;
use anyhook_core::result::HookResult;
use serde::Deserialize;
use serde_json::{Value, json};

use super::config::{ConfigErrors, read};
use super::{Around, BuiltIn, Module, Stand, lines};
use crate::world::Pass;

/// The row.
pub(super) static ROW: Module = Module {
    name: "logging",
    aliases: &["hooks-logging"],
    summary: "Writes every event of a session as one line of JSON.",
    stand: Stand {
        events: &["*"],
        priority: 90,
        role: Role::Observe,
        guard: false,
    },
    make,
};

const TEMPLATE: &str = "{state}/logs/{project}/{session_id}/events.jsonl";
const EXCLUDED: [&str; 1] = ["llm:stream_*delta"];

/// Fields that stand beside the event's name, and not among its data.
const HOISTED: &[&str] = &[
    "redaction",
    "status",
    "duration_ms",
    "module",
    "component",
    "error",
    "request_id",
    "span_id",
    "parent_span_id",
    "session_id",
];
/// A longer line says only how long its data would be.
const LONGEST: usize = 1024 * 1024;

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Logging {
    #[serde(rename = "session_log_template")]
    template: Template,
    exclude_events: Vec<EventName>,
    auto_discover: bool,
    additional_events: Vec<EventName>,
    strip_raw: bool,
}

impl Default for Logging {
    fn default() -> Self {
        Self {
            template: Template(TEMPLATE.to_owned()),
            exclude_events: EXCLUDED.map(EventName::new).to_vec(),
            auto_discover: true,
            additional_events: Vec::new(),
            strip_raw: false,
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

fn make(config: &Map) -> Result<Arc<dyn BuiltIn>, ConfigErrors> {
    let logging: Logging = read(config)?;
    Ok(Arc::new(logging))
}

impl BuiltIn for Logging {
    fn answer(&self, event: &Event, around: &Around<'_>) -> Said {
        if !self.is_written(&event.name) || around.pass == Pass::Told {
            return Ok(HookResult::proceed());
        }
        let session = event.text("session_id");
        let session = session.as_deref().or(event.session()).unwrap_or("none");
        let project = around.project.to_string_lossy();
        let given = [
            ("project", project.trim_matches('/')),
            ("session_id", session),
        ];
        let record = self.record(event, session, around);
        lines::write("log", &self.template.0, &given, &record, around.world)?;
        Ok(HookResult::proceed())
    }
}

impl Logging {
    fn is_written(&self, event: &EventName) -> bool {
        let is_in = |names: &[EventName]| names.iter().any(|name| name.covers(event));
        let is_known = self.auto_discover || event.spec().is_some();
        !is_in(&self.exclude_events) && (is_known || is_in(&self.additional_events))
    }

    fn record(&self, event: &Event, session: &str, around: &Around<'_>) -> Value {
        let mut data = event.data.json().into_owned();
        data.shift_remove(TIMESTAMP);
        if self.strip_raw {
            strip(&mut data);
        }
        let mut record = Map::new();
        record.insert("ts".into(), lines::moment(event, around.world));
        record.insert("lvl".into(), level(event, &data).into());
        record.insert(
            "schema".into(),
            json!({"name": "amplifier.log", "ver": "1.0.0"}),
        );
        record.insert("event".into(), event.name.as_str().into());
        record.insert("session_id".into(), session.into());
        for name in HOISTED {
            if let Some(value) = data.shift_remove(*name)
                && *name != "session_id"
            {
                record.insert((*name).into(), value);
            }
        }
        record.insert("data".into(), Value::Object(data));
        let mut record = Value::Object(record);
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
}

fn level(event: &Event, data: &Map) -> &'static str {
    let failed = data.get("status").and_then(Value::as_str) == Some("error")
        || data.get("error").is_some_and(|error| !error.is_null())
        || event.name.as_str().contains("error");
    if failed { "ERROR" } else { "INFO" }
}

/// Leaves out every field that is called `raw`.
fn strip(fields: &mut Map) {
    fields.retain(|name, _| name != "raw");
    let mut rest: Vec<&mut Value> = fields.values_mut().collect();
    while let Some(value) = rest.pop() {
        match value {
            Value::Object(fields) => {
                fields.retain(|name, _| name != "raw");
                rest.extend(fields.values_mut());
            }
            Value::Array(list) => rest.extend(list),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

#[cfg(test)]
mod tests;
