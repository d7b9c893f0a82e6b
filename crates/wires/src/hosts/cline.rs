//! What the table of Cline does not say.

mod commands;
mod payloads;

use anyhook_core::event::Map;
use anyhook_core::handler::HandlerResult;
use anyhook_core::result::{HookResult, Kind};

use super::relative::HostFunctions;
use super::relative::decode::HookRun;
use super::relative::encode::refuse;
use crate::answer::{self, NO_REASON, ParsedAnswer};
use crate::dialects::{SUCCESS, code, failed};
use crate::payload;

include!(concat!(env!("OUT_DIR"), "/cline.rs"));

const ODD: HostFunctions = HostFunctions {
    open: |row, data| {
        payloads::open(row, data);
        Ok(())
    },
    close: payloads::close,
    lower: payloads::lower,
    decode: read_answer,
    before,
    value: |_, event, _, value| payloads::overriding(event, value),
    // Exit codes refuse nothing, so even an unknown event is refused in words.
    refuse: |host, row, reason| refuse(host, row.or_else(|| host.row("PreToolUse")), reason),
    ..HostFunctions::BARE
};

/// The text before an answer in a line among others.
const CONTROL: &str = "HOOK_CONTROL\t";

/// JSON counts at every exit code; without any, a code that is not 0 is a failure. Of several answers all count.
fn read_answer(run: HookRun<'_>) -> HandlerResult {
    let raw = run.raw;
    let code = code(raw)?;
    let stdout = raw.stdout.text();
    let lines = stdout.lines().filter_map(|line| line.strip_prefix(CONTROL));
    let mut texts: Vec<&str> = lines.collect();
    if texts.is_empty() && answer::trimmed(&stdout).starts_with('{') {
        texts.push(&stdout);
    }
    if texts.is_empty() && code != SUCCESS {
        return Err(failed(code, raw).into());
    }
    let (mut said, mut fault) = (HookResult::proceed(), None);
    for text in texts {
        match run
            .document(answer::trimmed(text))
            .and_then(ParsedAnswer::settled)
        {
            Ok(more) => said = said.then(more),
            Err(wrong) => fault = Some(wrong),
        }
    }
    match fault {
        Some(fault) if said.verdict.kind() < Kind::Ask => Err(fault),
        Some(_) | None => Ok(said),
    }
}

/// A cancelled run is stopped; a text for the model counts beside it all the same. Nothing else means anything to the host.
fn before(run: HookRun<'_>, object: &mut Map, problems: &mut Vec<String>) -> HookResult {
    let HookRun { host, event, .. } = run;
    let mut object = std::mem::take(object);
    let error = answer::text(&mut object, "errorMessage", problems);
    let context = answer::text(&mut object, "contextModification", problems);
    let mut said = match answer::flag(&mut object, "cancel", problems) {
        Some(true) => HookResult::halt(error.unwrap_or_else(|| NO_REASON.to_owned())),
        _ => HookResult::proceed(),
    };
    if let Some(mut input) = object.shift_remove("overrideInput") {
        if let Some(list) = input.as_object_mut()
            && event.text("tool_name").as_deref() == Some("Bash")
        {
            commands::join(list);
        }
        match payload::canonical_input(event, host.id, host.facts.tools, input) {
            Ok(input) => said = said.modify("tool_input", input),
            Err(error) => problems.push(error.what),
        }
    }
    context.into_iter().fold(said, HookResult::inject)
}
