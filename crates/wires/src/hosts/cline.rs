//! What the table of Cline does not say.

mod commands;
mod payloads;
mod row;

use anyhook_core::can::Can;
use anyhook_core::event::{Event, EventName, Map};
use anyhook_core::fault::Fault;
use anyhook_core::handler::Said;
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::transcript::Transcript;
use serde_json::Value;

use crate::answer::{self, NO_REASON, context, given, invalid};
use crate::dialects::{SUCCESS, code, failed};
use crate::{DecodeError, Host, HostFacts, NativeEvent, Overlooked, Reply, Wire, json, payload};
use row::ClineRow;
use table::{EVENTS, ROWS, TOOLS};

include!(concat!(env!("OUT_DIR"), "/cline.rs"));

const NAME: &str = "hookName";

const CANCEL: &str = "cancel";
const CONTEXT: &str = "contextModification";
const ERROR: &str = "errorMessage";
const OVERRIDE: &str = "overrideInput";

/// The text before an answer in a line among others.
const CONTROL: &str = "HOOK_CONTROL\t";

/// The agent Cline.
#[derive(Debug, Clone, Copy)]
pub struct Cline;

impl Wire for Cline {
    fn id(&self) -> &'static str {
        ID
    }

    fn read_event(&self, bytes: &[u8], hint: Option<&str>) -> Result<Event, DecodeError> {
        payloads::read(bytes, hint)
    }

    fn write_event(&self, event: &Event) -> Value {
        let row = row_of(event);
        payload::as_it_came(self, event, row.map(|row| &row.native), |event| {
            payloads::write(event, row)
        })
    }

    /// JSON counts at every exit code; without any, a code that is not 0 is a failure. Of several answers all count.
    fn read_result(&self, raw: &Transcript, event: &Event) -> Said {
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

    fn write_result(&self, event: &Event, result: &HookResult) -> Reply {
        encode(Some(event), &self.can(event), result)
    }
}

impl Host for Cline {
    fn facts(&self) -> &'static HostFacts {
        &table::FACTS
    }

    fn rows(&self) -> &'static [NativeEvent] {
        &ROWS
    }

    fn can(&self, event: &Event) -> Can {
        match row_of(event) {
            Some(row) if payloads::is_of_kit(event) => row.kit,
            Some(row) => row.native.can,
            None => Can::NOTHING,
        }
    }

    fn overlooks(&self, event: &Event, result: &HookResult) -> Option<Overlooked> {
        let value = result.effects.rewrite("tool_input")?.value.as_ref()?;
        let why = payloads::overriding(event, value.json()).err();
        Some(Overlooked {
            field: "tool_input".to_owned(),
            why: why.filter(|_| result.verdict.kind() < Kind::Deny)?,
        })
    }

    /// Exit codes refuse nothing, so even an unknown event is refused in words.
    fn refuse_unread(&self, row: Option<&'static NativeEvent>, reason: &str) -> Reply {
        if row.is_none_or(NativeEvent::is_gate) {
            let can = row.map_or(table::REFUSES, |row| row.can);
            return encode(None, &can, &HookResult::deny(reason));
        }
        Reply::default()
    }

    fn row(&self, name: &str) -> Option<&'static NativeEvent> {
        find(name).map(|row| &row.native)
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
    let mut text = |key: &str, problems: &mut Vec<String>| match object.shift_remove(key)? {
        Value::String(text) => Some(text).filter(|text| !text.is_empty()),
        Value::Null => None,
        other => {
            let found = json::kind(&other);
            problems.push(format!("`{key}` must be a string, and is {found}"));
            None
        }
    };
    let error = text(ERROR, &mut problems);
    let context = text(CONTEXT, &mut problems);
    let cancels = match object.shift_remove(CANCEL) {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(Value::Bool(true)) => true,
        Some(other) => {
            let found = json::kind(&other);
            problems.push(format!("`{CANCEL}` must be true or false, and is {found}"));
            other == "true"
        }
    };
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
fn encode(event: Option<&Event>, can: &Can, result: &HookResult) -> Reply {
    let mut top = Map::new();
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
    top.insert(CANCEL.to_owned(), cancels.into());
    if cancels {
        let text = result.verdict.text();
        top.insert(ERROR.to_owned(), given(&text).into());
    }
    top.extend(input.map(|input| (OVERRIDE.to_owned(), input)));
    if let Some(text) = context(can, result) {
        top.insert(CONTEXT.to_owned(), text.into());
    }
    Reply::object(top)
}

/// Finds the row of a name as Cline spells it, else in any other spelling.
fn find(name: &str) -> Option<&'static ClineRow> {
    let exact = EVENTS
        .iter()
        .find(|row| row.native.name == name || row.kit_names.contains(&name));
    exact.or_else(|| by_event(&EventName::new(name)))
}

fn by_event(name: &EventName) -> Option<&'static ClineRow> {
    EVENTS
        .iter()
        .find(|row| row.native.event == name.as_str() || row.failed == Some(name.as_str()))
}

/// One event of ours may be two of Cline's: one that it sent is the one that it was.
fn row_of(event: &Event) -> Option<&'static ClineRow> {
    let own = event.origin.as_deref().filter(|origin| origin.host == ID);
    let sent = own.and_then(|origin| find(&origin.native));
    sent.filter(|row| {
        row.native.event == event.name.as_str() || row.failed == Some(event.name.as_str())
    })
    .or_else(|| by_event(&event.name))
}
