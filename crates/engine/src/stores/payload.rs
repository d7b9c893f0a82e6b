//! A report without its values: what was decided, by whom and why, but no file's content.

use anyhook_core::effects::Effects;
use anyhook_core::event::{Datum, Map};
use anyhook_core::fit::Lost;
use anyhook_core::report::{Became, Report};
use anyhook_core::result::{HookResult, Reason, Verdict};
use serde_json::{Value, json};

/// Copies a report; the values of rewrites, native answers and replies, and the details of reasons, become their size.
///
/// The reason of a rewrite that could not be said repeats the value in its text, so that text goes too. Other texts of
/// hooks are what `why` is asked for, and stay.
///
/// A value becomes `{"omitted": <bytes as JSON>}`. Of the event's data only what says which call, tool and folder it was
/// stays.
pub fn without_payload(report: &Report) -> Report {
    let mut report = report.clone();
    if let Some(action) = &mut report.action {
        action
            .data
            .retain(|name, value| is_named(name) && value.is_string());
    }
    let unsaid = report
        .losses
        .iter()
        .any(|loss| matches!(loss.what, Lost::Rewrite(_) | Lost::BareRewrite));
    strip(&mut report.result);
    if let Some(said) = &mut report.said {
        if unsaid {
            shorten(&mut said.verdict);
        }
        strip(said);
    }
    for step in &mut report.steps {
        match &mut step.became {
            Became::Said(Some(result)) | Became::Would(result) => strip(result),
            Became::Said(None) | Became::Failed { .. } | Became::NotAsked(_) => {}
        }
    }
    report
}

/// Tells whether a field of the data says which call it is, and not what it does.
fn is_named(field: &str) -> bool {
    const NAMED: &[&str] = &[
        "session_id",
        "cwd",
        "tool_name",
        "tool_use_id",
        "permission_mode",
        "agent_id",
        "agent_type",
        "model",
        "hook_event_name",
        "transcript_path",
        "timestamp",
    ];
    NAMED.contains(&field)
}

/// Copies the data of an event with its names and types, and without its values.
pub(super) fn shaped(data: &Value) -> Value {
    let Value::Object(fields) = data else {
        return shape(data);
    };
    let kept = |(name, value): (&String, &Value)| {
        let is_told = is_named(name) && value.is_string();
        let value = if is_told { value.clone() } else { shape(value) };
        (name.clone(), value)
    };
    fields.iter().map(kept).collect::<Map>().into()
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

fn strip(result: &mut HookResult) {
    for reason in reasons(&mut result.verdict) {
        if let Some(detail) = &mut reason.detail {
            *detail = omitted(detail);
        }
    }
    effects(&mut result.effects);
}

fn effects(effects: &mut Effects) {
    if effects.is_empty() {
        return;
    }
    let given = effects.edit();
    for value in given.patch.iter_mut().filter_map(|r| r.value.as_mut()) {
        *value = Datum::Json(omitted(&value.json()));
    }
    if let Some(reply) = &mut given.reply {
        *reply = Datum::Json(omitted(&reply.json()));
    }
    for native in &mut given.native {
        let fields = std::mem::take(&mut native.fields);
        let sizes = fields.iter().map(|(k, v)| (k.clone(), omitted(v)));
        native.fields = sizes.collect::<Map>();
    }
}

/// A reason with a detail is one that a rewrite became: its text holds the value from the last colon on.
fn shorten(verdict: &mut Verdict) {
    for reason in reasons(verdict).iter_mut().filter(|r| r.detail.is_some()) {
        if let Some((words, value)) = reason.text.split_once(": ") {
            reason.text = format!("{words}: ({} bytes omitted)", value.len()).into();
        }
    }
}

fn reasons(verdict: &mut Verdict) -> &mut [Reason] {
    match verdict {
        Verdict::Allow { reasons } | Verdict::Deny { reasons } | Verdict::Halt { reasons } => {
            reasons
        }
        Verdict::Continue | Verdict::Ask { .. } => &mut [],
    }
}

fn omitted(value: &Value) -> Value {
    json!({ "omitted": value.to_string().len() })
}

#[cfg(test)]
mod tests {
    use anyhook_core::can::Can;
    use anyhook_core::fit::Later;
    use anyhook_core::result::Kind;
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
        let can = Can {
            verdicts: &[Kind::Deny],
            later: Later::Never,
            ..Can::NOTHING
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
        let kept = without_payload(&report);
        let text = serde_json::to_string(&kept).unwrap();
        assert!(!text.contains(secret), "{text}");
        assert!(text.contains("lint: 2 errors"));
        assert_eq!(
            kept.result.effects.patch()[0].value,
            Some(Datum::from(json!({"omitted": 21})))
        );
    }
}
