//! Samples of what an event may hold: what it should, nothing, and what it should not.

use anyhook_core::event::Map;
use anyhook_core::taxonomy::{Field, FieldKind, find};
use serde_json::{Value, json};

/// Data of an event to ask a handler about.
#[derive(Clone)]
pub(super) struct EventSample {
    pub(super) event: String,
    /// What a person calls it.
    pub(super) label: &'static str,
    pub(super) data: Map,
}

/// Returns the samples of an event.
pub(super) fn of(event: &str) -> [EventSample; 3] {
    let fields = find(event).map_or(&[][..], |row| row.fields);
    let of = |value: fn(&Field) -> Value| {
        let all = fields.iter();
        all.map(|field| (field.name.to_owned(), value(field)))
            .collect()
    };
    let right = |field: &Field| field.sample("Bash", "/srv/sample");
    [
        ("with the fields that it should have", of(right)),
        ("without any field", Map::new()),
        ("with fields of other types", of(wrong)),
    ]
    .map(|(label, data)| EventSample {
        event: event.to_owned(),
        label,
        data,
    })
}

fn wrong(field: &Field) -> Value {
    match field.kind {
        FieldKind::String | FieldKind::Enum(_) => Value::Null,
        FieldKind::Number | FieldKind::Integer | FieldKind::Boolean => "a text".into(),
        FieldKind::Object | FieldKind::Any => json!([null]),
        FieldKind::Array => json!({"deep": [[[[null]]]]}),
    }
}
