//! Cline: its payloads, its rows, and its answers. Experimental.
//!
//! Two programs go by this name. The rows are those of the extension for VS Code (4.1, as its repository has it); the kit,
//! which is the command line (3.0.65, as it was seen), marks each payload with `agent_id`, and differs:
//! - It waits for no hook at the start of a task and at a prompt, and drops what is said there.
//! - It takes new arguments before a tool (`overrideInput`), in the place of the old ones, and asks its own questions about
//!   them. The extension does not: there a rewrite is a refusal.
//! - A text beside a `cancel` is lost, and so it is not said there.
//!
//! A refusal is `cancel`, which ends the whole run and not only the call: graver than what was meant, and the only one
//! there is. So a hook that cancels is heard as one that stops the agent. Exit codes decide nothing.
//!
//! The tool of a server comes as a call of `use_mcp_tool`, which no document describes: it goes by its server's name for
//! it as well, so that its guards are asked. The kit runs a list of shell commands at once, which is one script for
//! hooks. A shell command that is not where hooks look for it cannot be read, and is refused where anybody guards.
//!
//! Its hooks stand in no file of JSON: each is a program with the name of its event, so there is nothing to read for
//! other agents.

mod commands;
mod payloads;
mod rows;

use anyhook_core::can::Can;
use anyhook_core::event::{Event, EventName, Map};
use anyhook_core::fault::Fault;
use anyhook_core::handler::Said;
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::transcript::Transcript;
use serde_json::Value;

use crate::answer::{self, NO_REASON, context, given, invalid};
use crate::dialects::{SUCCESS, code, failed};
use crate::{DecodeError, Host, HostFacts, Maturity, NativeEvent, Overlooked, Reply, Wire, json, payload};
use crate::settings::{Scope, Settings, SettingsFile, Shape, Shell};
use rows::{ClineRow, EVENTS, ROWS, TOOLS};

/// The id of this host.
pub const ID: &str = "cline";

const NAME: &str = "hookName";

const CANCEL: &str = "cancel";
const CONTEXT: &str = "contextModification";
const ERROR: &str = "errorMessage";
const OVERRIDE: &str = "overrideInput";

/// The text before an answer in a line among others.
const CONTROL: &str = "HOOK_CONTROL\t";

/// Where Cline keeps its hooks: one executable file per event, named after it, and no more than one.
///
/// The extension and the command line look into folders of their own; both get the files. On Windows the files would be
/// called `EVENT.ps1`.
static SETTINGS: Settings = Settings {
    files: &[
        SettingsFile::new(Scope::User, "~/Documents/Cline/Hooks"),
        SettingsFile::new(Scope::User, "~/.cline/hooks"),
        SettingsFile::new(Scope::Project, ".clinerules/hooks"),
        SettingsFile::new(Scope::Project, ".cline/hooks"),
    ],
    found_by: &["~/Documents/Cline", "~/.cline"],
    shape: Shape::Scripts,
    entry: &[],
    commands: &[],
    shell: Shell::Posix,
    next: "switch on Enable Hooks in Cline's settings",
    ..Settings::BARE
};

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
        payloads::write(event, row_of(event))
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

static FACTS: HostFacts = HostFacts {
    maturity: Maturity::Experimental,
    covers: "CLI 3.0.65, seen 2026-11-22; extension 4.1, the repository of 2026-08-22",
    files: &[
        "~/Documents/Cline/Hooks/",
        ".clinerules/hooks/",
        ".cline/hooks/",
        "~/.cline/hooks/",
    ],
    settings: Some(&SETTINGS),
    executables: &["cline"],
    tools: &TOOLS,
    ..HostFacts::BARE
};

impl Host for Cline {
    fn facts(&self) -> &'static HostFacts {
        &FACTS
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
            let can = row.map_or(rows::REFUSES, |row| row.can);
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
