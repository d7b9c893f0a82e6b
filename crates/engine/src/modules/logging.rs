//! `logging`: every event of a session as one line of JSON, after redaction and after the decision.

use std::sync::Arc;

use anyhook_core::event::{Event, EventName, Map, TIMESTAMP};
use anyhook_core::handler::Said;
use anyhook_core::hook::Role;
use anyhook_core::redact;
use anyhook_core::result::HookResult;
use serde_json::{Value, json};

use super::config::{ConfigErrors, Reading, Setting};
use super::{Around, BuiltIn, Module, Stand, failed, lines};
use crate::files::with_causes;
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
    settings: &[
        Setting {
            name: "session_log_template",
            summary: "Where the lines go; `{project}`, `{session_id}` and `{state}` stand for what they say.",
            form: || json!({"type": "string", "default": TEMPLATE}),
        },
        Setting {
            name: "exclude_events",
            summary: "Events that are not written; a name may have a `*`.",
            form: || json!({"type": "array", "items": {"type": "string"}, "default": EXCLUDED}),
        },
        Setting {
            name: "auto_discover",
            summary: "Whether events are written that only a module knows.",
            form: || json!({"type": "boolean", "default": true}),
        },
        Setting {
            name: "additional_events",
            summary: "Events that are written though only a module knows them, without discovery.",
            form: || json!({"type": "array", "items": {"type": "string"}}),
        },
        Setting {
            name: "strip_raw",
            summary: "Whether fields that are called `raw` are left out.",
            form: || json!({"type": "boolean", "default": false}),
        },
    ],
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

struct Logging {
    template: String,
    excluded: Vec<EventName>,
    /// Which events outside of the catalogue are written; nothing means all.
    known: Option<Vec<EventName>>,
    raw: Raw,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Raw {
    Kept,
    Stripped,
}

fn make(config: &Map) -> Result<Arc<dyn BuiltIn>, ConfigErrors> {
    let mut reading = Reading::new(config, ROW.settings);
    let names = |names: Vec<String>| names.iter().map(|name| EventName::new(name)).collect();
    let template = reading.text("session_log_template");
    let template = template.unwrap_or_else(|| TEMPLATE.to_owned());
    if !template.contains("{session_id}") {
        let message = "`session_log_template` must have `{session_id}` in it";
        let help = "without it every session would write to one file".to_owned();
        reading.wrong("session_log_template", message, Some(help));
    }
    let excluded = reading.texts("exclude_events");
    let additional: Vec<EventName> = names(reading.texts("additional_events").unwrap_or_default());
    let discovers = reading.flag("auto_discover").unwrap_or(true);
    let strips = reading.flag("strip_raw").unwrap_or(false);
    let logging = Logging {
        template,
        excluded: names(excluded.unwrap_or_else(|| EXCLUDED.map(str::to_owned).to_vec())),
        known: (!discovers).then_some(additional),
        raw: if strips { Raw::Stripped } else { Raw::Kept },
    };
    reading.done(Arc::new(logging))
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
        let Some(path) = lines::path(&self.template, around.world, &given) else {
            return Err(Box::new(failed("the log has no folder: there is no home")));
        };
        let record = self.record(event, session, around);
        lines::append(&path, &record).map_err(|error| {
            let why = with_causes(&error);
            Box::new(failed(format!("the log could not be written: {why}")))
        })?;
        Ok(HookResult::proceed())
    }
}

impl Logging {
    fn is_written(&self, event: &EventName) -> bool {
        let is_excluded = self.excluded.iter().any(|name| name.covers(event));
        let known = self.known.as_ref();
        let is_known = event.spec().is_some()
            || known.is_none_or(|known| known.iter().any(|name| name.covers(event)));
        !is_excluded && is_known
    }

    fn record(&self, event: &Event, session: &str, around: &Around<'_>) -> Value {
        let mut data = event.data.json().into_owned();
        data.shift_remove(TIMESTAMP);
        if self.raw == Raw::Stripped {
            strip(&mut data);
        }
        let mut record = Map::new();
        record.insert("ts".into(), moment(event, around));
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

/// When it was emitted; of an event without a time, when it was written down.
fn moment(event: &Event, around: &Around<'_>) -> Value {
    let mut stamped = event.clone();
    stamped.at = event.at.or(Some(around.world.clock.now()));
    let moment = stamped.get(TIMESTAMP);
    moment.map_or(Value::Null, std::borrow::Cow::into_owned)
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
