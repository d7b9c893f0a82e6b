//! A report without its values: what was decided, by whom and why, but no file's content.

use anyhook_core::event::Map;
use anyhook_core::fit::LossKind;
use anyhook_core::report::Report;
use serde_json::{Value, json};

use super::RecordDetail;

use crate::lists::NAMED_FIELDS;

/// Takes the values out of a report that is JSON: those of rewrites, native answers and replies, and the details of reasons,
/// become their size, as `{"omitted": <bytes as JSON>}`.
///
/// The reason of a rewrite that could not be said repeats the value in its text, so that text goes too. Other texts of hooks are
/// what `why` is asked for, and stay. Of the event's data only what says which call, tool and folder it was stays, and the shape
/// of the rest if that is kept.
pub(super) fn omit_values(report: &Report, value: &mut Value, keep: RecordDetail) {
    let is_rewrite = |lost: &LossKind| matches!(lost, LossKind::Rewrite(_) | LossKind::BareRewrite);
    if report.losses.iter().any(|loss| is_rewrite(&loss.what)) {
        each(value.pointer_mut("/said/reasons"), shorten);
    }
    strip(value);
    if let Some(Value::Object(data)) = value.pointer_mut("/action/data") {
        match keep {
            RecordDetail::Shape => shape_all(data),
            RecordDetail::Verdicts => {
                data.retain(|name, value| is_named(name) && value.is_string());
            }
            RecordDetail::Payload => {}
        }
    }
}

/// Tells whether a field of the data says which call it is, and not what it does.
fn is_named(field: &str) -> bool {
    NAMED_FIELDS.contains(&field)
}

/// Leaves the names and types of an event's data, without the values.
fn shape_all(data: &mut Map) {
    for (name, value) in data {
        if !(is_named(name) && value.is_string()) {
            *value = shape(value);
        }
    }
}

fn shape(value: &Value) -> Value {
    match value {
        Value::Null | Value::Bool(_) => value.clone(),
        Value::Number(_) => "(number)".into(),
        Value::String(text) => format!("({} bytes)", text.len()).into(),
        Value::Array(list) => list.iter().map(shape).collect(),
        Value::Object(fields) => {
            let shapes = fields
                .iter()
                .map(|(name, value)| (name.clone(), shape(value)));
            shapes.collect::<Map>().into()
        }
    }
}

/// Omits what reasons and effects hold, wherever in a report they stand but in its action.
fn strip(value: &mut Value) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(strip),
        Value::Object(fields) => {
            for (name, value) in fields {
                match name.as_str() {
                    "action" => {}
                    "reasons" => each(Some(value), |reason| omit(reason.get_mut("detail"))),
                    "patch" => each(Some(value), |rewrite| omit(rewrite.get_mut("value"))),
                    "native" => each(Some(value), |native| {
                        let fields = native.get_mut("fields").and_then(Value::as_object_mut);
                        fields
                            .into_iter()
                            .flatten()
                            .for_each(|(_, value)| omit(Some(value)));
                    }),
                    "reply" => omit(Some(value)),
                    _ => strip(value),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn each(list: Option<&mut Value>, change: impl FnMut(&mut Value)) {
    let list = list.and_then(Value::as_array_mut);
    list.into_iter().flatten().for_each(change);
}

fn omit(value: Option<&mut Value>) {
    if let Some(value) = value.filter(|value| !value.is_null()) {
        *value = json!({ "omitted": value.to_string().len() });
    }
}

/// A reason with a detail is one that a rewrite became: its text holds the value from the last colon on.
fn shorten(reason: &mut Value) {
    let text = reason.get("text").and_then(Value::as_str);
    let parts = text.and_then(|text| text.split_once(": "));
    if let (Some((words, value)), Some(_)) = (parts, reason.get("detail")) {
        let text = format!("{words}: ({} bytes omitted)", value.len());
        if let Some(old) = reason.get_mut("text") {
            *old = text.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use anyhook_core::can::Capabilities;
    use anyhook_core::event::Datum;
    use anyhook_core::fit::Deferral;
    use anyhook_core::result::{HookResult, Kind};
    use anyhook_core::taxonomy::Class;

    use super::*;

    #[test]
    fn no_value_of_a_rewrite_survives_in_any_place() {
        let secret = "hunter2";
        let mut result = HookResult::proceed()
            .modify("tool_input", json!({"content": secret}))
            .native("claude-code", Map::from_iter([("x".into(), json!(secret))]))
            .inject("lint: 2 errors");
        result.effects.edit().reply = Some(Datum::from(secret));
        let can = Capabilities {
            verdicts: &[Kind::Deny],
            later: Deferral::Never,
            ..Capabilities::NOTHING
        };
        let (said, losses) = result.clone().fit(Class::Gate, &["tool_input"], &can);
        assert!(said.verdict.text().contains(secret));
        let report = json!({
            "version": 1,
            "event": {"name": "tool:pre"},
            "result": result,
            "said": said,
            "hooks": [],
            "steps": [],
            "losses": losses,
        });
        let report: Report = serde_json::from_value(report).unwrap();
        let mut value = serde_json::to_value(&report).unwrap();
        omit_values(&report, &mut value, RecordDetail::Verdicts);
        let text = value.to_string();
        let kept: Report = serde_json::from_value(value).unwrap();
        assert!(!text.contains(secret), "{text}");
        assert!(text.contains("lint: 2 errors"));
        assert_eq!(
            kept.result.effects.patch()[0].value,
            Some(Datum::from(json!({"omitted": 21})))
        );
    }
}
