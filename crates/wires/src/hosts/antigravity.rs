//! What the table of Antigravity CLI does not say.

use anyhook_core::event::Map;
use anyhook_core::handler::HandlerResult;
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::transcript::End;
use serde_json::Value;

use super::relative::HostFunctions;
use super::relative::decode::HookRun;
use super::relative::row::Form;
use crate::answer::{given, trimmed};
use crate::dialects::SUCCESS;

include!(concat!(env!("OUT_DIR"), "/antigravity.rs"));

const ODD: HostFunctions = HostFunctions {
    decode: read,
    before,
    ask: |_| "force_ask",
    ..HostFunctions::BARE
};

/// Reads an answer. Before a tool, what is no decision refuses, and so does a hook that fails or did not start.
fn read(run: HookRun<'_>) -> HandlerResult {
    let (said, raw) = (run.read(), run.raw);
    let is_gate = run.row.is_none_or(|row| row.event == "tool:pre");
    let stdout = raw.stdout.text();
    let is_silent = raw.end == End::Code(SUCCESS) && trimmed(&stdout).is_empty();
    let has_ended = matches!(raw.end, End::Code(_) | End::NotStarted(_));
    match said {
        Ok(said) if said.verdict.kind() >= Kind::Ask => Ok(said),
        _ if !is_gate || is_silent || !has_ended || stdout.contains("\"allow\"") => said,
        _ => Ok(HookResult::deny(given(raw.stderr.text().trim()))),
    }
}

/// Says its own words as the family has them, and takes the steps that are texts.
fn before(run: HookRun<'_>, answer: &mut Map, _: &mut Vec<String>) -> HookResult {
    let is_end = run.has_form(Form::GoesOn);
    let word = match answer.get("decision").and_then(Value::as_str) {
        Some("force_ask") => Some("ask"),
        Some("continue") if is_end => Some("block"),
        _ => None,
    };
    if let Some(word) = word {
        answer.insert("decision".to_owned(), word.into());
    }
    let steps = answer.shift_remove("injectSteps");
    let steps = steps
        .as_ref()
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let text = |step: &Value| {
        let text = step
            .get("ephemeralMessage")
            .or_else(|| step.get("userMessage"))?;
        text.as_str().map(str::to_owned)
    };
    steps
        .filter_map(text)
        .fold(HookResult::proceed(), HookResult::inject)
}
