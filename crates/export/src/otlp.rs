//! Records as logs and spans in the JSON of OTLP, in the words of the conventions for generative AI.
//!
//! A session is a trace, and a record a span of it: the ids of both come from the ids of the session and of the record, so what
//! is sent twice has the same ids. Numbers of 64 bits are texts in this JSON, and ids are hexadecimal.

use anyhook::core::report::{ActionRecord, Report, Step, StepOutcome};
use anyhook::core::result::Kind;
use anyhook::files;
use serde_json::{Value, json};

/// The number of a span's status that failed, and of a span within one process.
const FAILED: u8 = 2;
const INTERNAL: u8 = 1;

/// Returns the bodies for `/v1/logs` and `/v1/traces`.
pub(crate) fn bodies(reports: &[Report], head: Option<&str>) -> [Value; 2] {
    let scope = json!({"name": "anyhook", "version": env!("CARGO_PKG_VERSION")});
    let resource = json!({"attributes": attributes(&[
        ("service.name", Some("anyhook")),
        ("service.version", Some(env!("CARGO_PKG_VERSION"))),
        // The head of the chain leaves the machine with its records.
        ("anyhook.record.head", head),
    ])});
    let logs: Vec<Value> = reports.iter().map(log).collect();
    let spans: Vec<Value> = reports.iter().map(span).collect();
    [
        json!({"resourceLogs": [{"resource": resource, "scopeLogs": [{"scope": scope, "logRecords": logs}]}]}),
        json!({"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": scope, "spans": spans}]}]}),
    ]
}

fn log(report: &Report) -> Value {
    // The numbers are those of OTLP.
    let (number, severity) = match report.answer().verdict.kind() {
        _ if report.faults().next().is_some() => (17, "ERROR"),
        Kind::Deny | Kind::Halt => (13, "WARN"),
        Kind::Continue | Kind::Allow | Kind::Ask => (9, "INFO"),
    };
    let action = report.action.as_deref();
    let attempted = action.and_then(ActionRecord::telling);
    let at = nanos(report.at.unwrap_or_default(), 0);
    json!({
        "timeUnixNano": at, "observedTimeUnixNano": at,
        "severityNumber": number, "severityText": severity,
        "eventName": format!("anyhook.{}", report.event.name),
        "body": {"stringValue": attempted.unwrap_or_else(|| report.event.name.to_string())},
        "attributes": told(report), "traceId": trace(report), "spanId": span_id(report),
    })
}

fn span(report: &Report) -> Value {
    let began = report.at.unwrap_or_default();
    let took = report.took.map_or(0, |took| took.as_nanos());
    let called = report.event.subject.as_deref().unwrap_or_default();
    let name = if operation(report).is_some() {
        format!("execute_tool {called}")
    } else {
        report.event.name.to_string()
    };
    let failed = report.faults().next().map(|(_, fault)| fault.to_string());
    let status = failed.map_or(json!({}), |why| json!({"code": FAILED, "message": why}));
    let hooks = report.steps.iter();
    let hooks = hooks.filter_map(|step| hook(report, step, began));
    let hooks: Vec<Value> = hooks.collect();
    json!({
        "traceId": trace(report), "spanId": span_id(report), "name": name, "kind": INTERNAL,
        "startTimeUnixNano": nanos(began, 0), "endTimeUnixNano": nanos(began, took),
        "attributes": told(report), "events": hooks, "status": status,
    })
}

/// Says what a hook did, if it was asked.
fn hook(report: &Report, step: &Step, began: i64) -> Option<Value> {
    let verdict = match &step.became {
        StepOutcome::Said(Some(said)) => said.verdict.kind().as_str(),
        StepOutcome::Said(None) => "continue",
        StepOutcome::Would(_) => "would",
        StepOutcome::Failed { .. } => "failed",
        StepOutcome::NotAsked(_) => return None,
    };
    let took = step.took.map_or(0, |took| took.as_micros()).to_string();
    let name = report.hook(step.hook).map(|hook| &*hook.name);
    let verdict = ("anyhook.hook.verdict", Some(verdict));
    let mut all = attributes(&[("anyhook.hook.name", name), verdict]);
    all.push(json!({"key": "anyhook.hook.took_us", "value": {"intValue": took}}));
    Some(json!({"timeUnixNano": nanos(began, 0), "name": "anyhook.hook", "attributes": all}))
}

/// Returns the operation of the conventions, where the event is one.
fn operation(report: &Report) -> Option<&'static str> {
    let is_call = report.event.name.as_str().starts_with("tool:");
    (is_call && report.event.subject.is_some()).then_some("execute_tool")
}

/// Returns the attributes of a record.
fn told(report: &Report) -> Vec<Value> {
    let action = report.action.as_deref();
    let of = |take: fn(&ActionRecord) -> Option<&str>| action.and_then(take);
    let call = operation(report);
    let verdict = &report.answer().verdict;
    let reason = verdict.text();
    let hook = report.decided_by().and_then(|id| report.hook(id));
    let input = action.and_then(|action| action.data.get("tool_input"));
    let input = input.filter(|_| call.is_some()).map(Value::to_string);
    let tool = report.event.subject.as_deref().filter(|_| call.is_some());
    let version = of(|action| action.agent_version.as_deref());
    attributes(&[
        ("log.record.uid", Some(&report.id)),
        ("anyhook.record.id", Some(&report.id)),
        ("anyhook.event", Some(report.event.name.as_str())),
        ("anyhook.decision", Some(verdict.kind().as_str())),
        ("anyhook.decision.reason", some(&reason)),
        ("anyhook.decision.hook", hook.map(|hook| &*hook.name)),
        ("anyhook.project", of(|action| action.project.as_deref())),
        ("anyhook.policy", of(|action| action.policy.as_deref())),
        ("user.name", of(|action| action.person.as_deref())),
        ("gen_ai.operation.name", call),
        ("gen_ai.agent.name", some(&report.event.host)),
        ("gen_ai.agent.version", version),
        ("gen_ai.conversation.id", report.event.session.as_deref()),
        ("gen_ai.request.model", of(|action| action.text("model"))),
        ("gen_ai.tool.name", tool),
        (
            "gen_ai.tool.call.id",
            of(|action| action.text("tool_use_id")),
        ),
        ("gen_ai.tool.call.arguments", input.as_deref()),
    ])
}

fn some(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

fn attributes(all: &[(&str, Option<&str>)]) -> Vec<Value> {
    let one = |(key, text): &(&str, Option<&str>)| {
        text.map(|text| json!({"key": key, "value": {"stringValue": text}}))
    };
    all.iter().filter_map(one).collect()
}

/// A moment in nanoseconds since 1970.
fn nanos(millis: i64, more: u128) -> String {
    (u128::from(millis.unsigned_abs()) * 1_000_000 + more).to_string()
}

fn trace(report: &Report) -> String {
    let session = report.event.session.as_deref().unwrap_or(&report.id);
    digest(session, 32)
}

fn span_id(report: &Report) -> String {
    digest(&report.id, 16)
}

fn digest(text: &str, letters: usize) -> String {
    let mut digest = files::digest(text.as_bytes());
    digest.truncate(letters);
    digest
}
