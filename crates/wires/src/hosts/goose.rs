//! What the table of Goose does not say.

use anyhook_core::can::Visibility;
use anyhook_core::event::{Event, Map};
use anyhook_core::fault::Fault;
use anyhook_core::handler::HandlerResult;
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::taxonomy::Class;
use serde_json::Value;

use super::relative::decode::HookRun;
use super::relative::row::ONLY_REFUSES;
use super::relative::{Host, HostFunctions, write_as as write_as_family};
use crate::answer::{NO_REASON, given, invalid, trimmed};
use crate::dialects::{BLOCK, SUCCESS, code, failed};

include!(concat!(env!("OUT_DIR"), "/goose.rs"));

const ODD: HostFunctions = HostFunctions {
    write_as,
    decode: read_answer,
    ..HostFunctions::BARE
};

/// Its events about shells and files double a call: a hook on one of those reads that name, and what it is about.
fn write_as(host: &Host, event: &Event, native: &str) -> Value {
    let mut written = write_as_family(host, event, native);
    if let (Value::Object(data), None) = (&mut written, host.origin_of(event)) {
        let about = subject(native, data).unwrap_or_default();
        data.entry("matcher_context").or_insert(about);
    }
    written
}

/// Reads an answer: a decision to block counts at every exit code, and 2 blocks without one. Whether its prompts can be refused
/// is not settled: a hook that refuses one is heard.
fn read_answer(
    HookRun {
        raw, event, row, ..
    }: HookRun<'_>,
) -> HandlerResult {
    let can = row.map_or(ONLY_REFUSES, |row| row.can);
    let blocks = can.says(Kind::Deny) || event.name.class() == Class::Gate;
    let stdout = raw.stdout.text();
    let (answer, wrong) = match crate::json::almost(trimmed(&stdout)) {
        Ok((answer, wrong)) => (Some(answer), wrong),
        Err(_) => (None, None),
    };
    let said = |field: &str| answer.as_ref()?.get(field)?.as_str().map(str::to_owned);
    let decision = said("decision");
    if blocks && decision.as_deref() == Some("block") {
        return Ok(HookResult::deny(
            said("reason").unwrap_or_else(|| NO_REASON.to_owned()),
        ));
    }
    match (code(raw)?, decision.as_deref()) {
        (BLOCK, _) if blocks => Ok(HookResult::deny(given(raw.stderr.text().trim()))),
        (SUCCESS, _) if wrong.is_some() => Err(unknown().into()),
        (SUCCESS, Some("allow")) => Ok(HookResult::proceed()),
        (SUCCESS, _) if trimmed(&stdout).is_empty() => Ok(HookResult::proceed()),
        (SUCCESS, _) => match said("banner") {
            Some(banner) if can.notify == Visibility::Yes => {
                Ok(HookResult::proceed().notify(banner))
            }
            _ => Err(unknown().into()),
        },
        (code, _) => Err(failed(code, raw).into()),
    }
}

/// What a matcher of an event looks at.
fn subject(native: &str, data: &Map) -> Option<Value> {
    let input = |name: &str| data.get("tool_input")?.get(name);
    let about = match native {
        "BeforeShellExecution" | "AfterShellExecution" => input("command"),
        "BeforeReadFile" | "AfterFileEdit" => input("path"),
        "UserPromptSubmit" => data.get("message"),
        _ => data.get("tool_name"),
    };
    about.cloned()
}

fn unknown() -> Fault {
    invalid("it printed something that is neither a decision to allow nor one to block")
}
