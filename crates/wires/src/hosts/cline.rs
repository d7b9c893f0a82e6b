//! What the table of Cline does not say.

mod commands;
mod payloads;

use anyhook_core::event::{Event, Map};
use anyhook_core::fault::Fault;
use anyhook_core::handler::Said;
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::transcript::Transcript;

use super::relative::encode::refuse;
use super::relative::row::HostRow;
use super::relative::{Host, Oddities};
use crate::answer::{self, NO_REASON, context, given, invalid};
use crate::dialects::{SUCCESS, code, failed};
use crate::{Reply, payload};
use table::TOOLS;

include!(concat!(env!("OUT_DIR"), "/cline.rs"));

const ODD: Oddities = Oddities {
    open: |row, data| {
        payloads::open(row, data);
        Ok(())
    },
    close: payloads::close,
    lower: payloads::lower,
    decode: read_answer,
    can: |host, event| match host.row_of(event) {
        Some(HostRow { kit: Some(kit), .. }) if payloads::is_of_kit(event) => *kit,
        row => row.map_or(host.unknown, |row| row.can),
    },
    reply: encode,
    value: |_, event, _, value| payloads::overriding(event, value),
    // Exit codes refuse nothing, so even an unknown event is refused in words.
    refuse: |host, row, reason| match row {
        None => cancelled(reason),
        row => refuse(host, row, reason),
    },
    ..Oddities::NONE
};

const CANCEL: &str = "cancel";
const CONTEXT: &str = "contextModification";
const ERROR: &str = "errorMessage";
const OVERRIDE: &str = "overrideInput";

/// The text before an answer in a line among others.
const CONTROL: &str = "HOOK_CONTROL\t";

/// JSON counts at every exit code; without any, a code that is not 0 is a failure. Of several answers all count.
fn read_answer(_: &Host, raw: &Transcript, event: &Event, _: Option<&HostRow>) -> Said {
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
        match document(answer::trimmed(text), raw, event) {
            Ok(more) => said = said.then(more),
            Err(wrong) => fault = Some(wrong),
        }
    }
    match fault {
        Some(fault) if said.verdict.kind() < Kind::Ask => Err(fault),
        Some(_) | None => Ok(said),
    }
}

/// Reads one document.
fn document(text: &str, raw: &Transcript, event: &Event) -> Said {
    let (object, problem) = answer::document(text, raw)?;
    decode(object, problem, event).map_err(Box::new)
}

/// Reads an answer. A cancelled run is stopped; a text for the model counts beside it all the same.
fn decode(mut object: Map, problem: Option<String>, event: &Event) -> Result<HookResult, Fault> {
    let mut problems: Vec<String> = problem.into_iter().collect();
    let error = answer::text(&mut object, ERROR, &mut problems);
    let context = answer::text(&mut object, CONTEXT, &mut problems);
    let cancels = answer::flag(&mut object, CANCEL, &mut problems) == Some(true);
    let mut said = if cancels {
        HookResult::halt(error.unwrap_or_else(|| NO_REASON.to_owned()))
    } else {
        HookResult::proceed()
    };
    if let Some(mut input) = object.shift_remove(OVERRIDE) {
        if let Some(list) = input.as_object_mut()
            && event.text("tool_name").as_deref() == Some("Bash")
        {
            commands::join(list);
        }
        match payload::canonical_input(event, ID, &TOOLS, input) {
            Ok(input) => said = said.modify("tool_input", input),
            Err(error) => problems.push(error.what),
        }
    }
    said = context.into_iter().fold(said, HookResult::inject);
    match problems.is_empty() {
        true => Ok(said),
        false if said.verdict.kind() >= Kind::Ask => {
            Ok(said.notifying(crate::answer::warning(problems.join("; "))))
        }
        false => Err(invalid(problems.join("; "))),
    }
}

/// Writes a fitted result. A rewrite that was not fitted away is a refusal: the host would run what was there before.
fn encode(host: &Host, row: &HostRow, event: Option<&Event>, result: &HookResult) -> Reply {
    let can = event.map_or(row.can, |event| host.can(event));
    let kind = result.verdict.kind();
    let gate = can.says(Kind::Deny);
    let rewrite = result.effects.rewrite("tool_input");
    let is_heard = can.rewrite.contains(&"tool_input");
    let rewrite = event.zip(rewrite.filter(|_| is_heard && kind < Kind::Ask));
    let input = rewrite.and_then(|(event, rewrite)| {
        payloads::overriding(event, rewrite.value.as_ref()?.json()).ok()
    });
    let refuses =
        gate && (kind >= Kind::Ask || (!result.effects.patch().is_empty() && input.is_none()));
    let cancels = refuses || (kind == Kind::Halt && can.says(Kind::Halt));
    let mut top = Map::from_iter([(CANCEL.to_owned(), cancels.into())]);
    if cancels {
        let text = result.verdict.text();
        top.insert(ERROR.to_owned(), given(&text).into());
    }
    top.extend(input.map(|input| (OVERRIDE.to_owned(), input)));
    if let Some(text) = context(&can, result) {
        top.insert(CONTEXT.to_owned(), text.into());
    }
    Reply::object(top)
}

fn cancelled(reason: &str) -> Reply {
    let cancel = (CANCEL.to_owned(), true.into());
    Reply::object(Map::from_iter([
        cancel,
        (ERROR.to_owned(), given(reason).into()),
    ]))
}
