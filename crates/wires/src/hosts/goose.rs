//! Goose: its payloads, its rows, and its answers. Experimental.
//!
//! Only two of its events are known to honour a refusal: before a tool, and when the agent wants to stop. Its source also
//! fires events before a file is read, before a shell command, and for a prompt; whether those can be blocked is not
//! settled, so nothing is claimed about the last, and the others, which double `PreToolUse`, have no row: a call is
//! decided about once, where a refusal is sure to count. An answer that is neither empty nor one of its two words would be
//! a failure, and a failure lets the tool run, so nothing else is ever written.
//! What a hook of its own files refuses under another agent counts wherever something can still be prevented.

mod settings;

use std::time::Duration;

use anyhook_core::can::{Can, Shown};
use anyhook_core::event::{Event, EventName, Map};
use anyhook_core::fault::Fault;
use anyhook_core::handler::Said;
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::taxonomy::Class;
use anyhook_core::transcript::Transcript;
use serde_json::{Value, json};

use super::relative::row::{CALL, ONLY_REFUSES, TELLS};
use crate::answer::{NO_REASON, given, invalid, notices, trimmed};
use crate::dialects::{BLOCK, SUCCESS, code, failed};
use crate::payload::{self, Incoming, Mcp, Tool, Tools};
use crate::{DecodeError, Host, HostFacts, Maturity, NativeEvent, Neutral, Reply, Wire};

/// The id of this host.
pub const ID: &str = "goose";

const NAME: &str = "event";

/// Fields with a name of their own: the host's, and the canonical one.
const FIELDS: &[(&str, &str)] = &[
    ("working_dir", "cwd"),
    ("tool_output", "tool_result"),
    ("message", "prompt"),
];

/// The event whose payload says in its result why a tool failed.
const FAILURE: &str = "tool:error";

/// The agent Goose.
#[derive(Debug, Clone, Copy)]
pub struct Goose;

const fn row(name: &'static str, event: &'static str, can: Can) -> NativeEvent {
    NativeEvent {
        name,
        event,
        can,
        neutral: Neutral::Silent,
        timeout: Duration::from_secs(30),
    }
}

static ROWS: &[NativeEvent] = &[
    row("PreToolUse", "tool:pre", ONLY_REFUSES),
    row(
        "PreToolUseResult",
        "goose:pre-tool-use-result",
        Can::NOTHING,
    ),
    row("PostToolUse", "tool:post", Can::NOTHING),
    row("PostToolUseFailure", FAILURE, Can::NOTHING),
    // A banner, which the person sees.
    row("SessionStart", "session:start", TELLS),
    row("SessionEnd", "session:end", Can::NOTHING),
    row("UserPromptSubmit", "prompt:submit", Can::NOTHING),
    row("Stop", "stop", ONLY_REFUSES),
];

const PATH: &[(&str, &str)] = &[("path", "file_path")];

/// Its tools. `developer__text_editor` reads, writes and edits, so it keeps its name; every other name with two
/// underscores is an extension's, which is an MCP server.
static TOOLS: Tools = Tools {
    rows: &[
        Tool::new("developer__shell", "Bash", &[]),
        Tool::new("shell", "Bash", &[]),
        Tool::new("write", "Write", PATH),
        Tool::new("edit", "Edit", PATH),
        Tool::new(
            "developer__text_editor",
            "developer__text_editor",
            &[
                ("path", "file_path"),
                ("file_text", "content"),
                ("old_str", "old_string"),
                ("new_str", "new_string"),
            ],
        ),
    ],
    mcp: Some(Mcp {
        prefix: "",
        between: "__",
    }),
};

impl Wire for Goose {
    fn id(&self) -> &'static str {
        ID
    }

    fn read_event(&self, bytes: &[u8], hint: Option<&str>) -> Result<Event, DecodeError> {
        let mut data = payload::object(self, bytes, &[NAME], hint)?;
        let native = payload::native_name(self, &mut data, &[NAME], hint)?;
        let event = self.row(&native).map(|row| row.event);
        if event == Some("tool:pre") {
            payload::check(&data, CALL).map_err(|error| DecodeError {
                event: Some(native.clone()),
                ..error
            })?;
        }
        for (native, canonical) in FIELDS {
            payload::rename(&mut data, native, canonical);
        }
        if event == Some(FAILURE)
            && let Some(why) = data.get("tool_result").cloned()
        {
            data.entry("error").or_insert(why);
        }
        let incoming = Incoming {
            host: ID,
            native,
            event,
            subject: event.and_then(|event| EventName::new(event).spec()?.subject),
            tools: &TOOLS,
            bytes,
        };
        payload::event(incoming, data)
    }

    fn write_event(&self, event: &Event) -> Value {
        let mut data = payload::fields(event, ID, &TOOLS);
        if event.name.as_str() == FAILURE && !came_with_an_error(event) {
            failure(&mut data);
        }
        for (native, canonical) in FIELDS {
            payload::rename(&mut data, canonical, native);
        }
        let native = payload::name_of(event, ID, self.row(event.name.as_str()));
        data.insert(NAME.to_owned(), Value::from(native));
        Value::Object(data)
    }

    /// Reads an answer: a decision to block counts at every exit code, and 2 blocks without one.
    fn read_result(&self, raw: &Transcript, event: &Event) -> Said {
        let row = self.row(event.name.as_str());
        let refusing = match row {
            Some(row) if !row.can.says(Kind::Deny) => Refusing::Nothing,
            Some(_) | None => Refusing::Counts,
        };
        decode(raw, row, refusing)
    }

    fn write_result(&self, event: &Event, result: &HookResult) -> Reply {
        self.row(event.name.as_str())
            .map_or_else(Reply::default, |row| encode(row, result))
    }
}
static FACTS: HostFacts = HostFacts {
    maturity: Maturity::Experimental,
    covers: "crates/goose/src/hooks, source read 2026-11-20",
    files: &["~/.agents/plugins/", ".agents/plugins/"],
    settings: Some(&settings::SETTINGS),
    executables: &["goose", "goosed"],
    tools: &TOOLS,
    ..HostFacts::BARE
};

impl Host for Goose {
    fn facts(&self) -> &'static HostFacts {
        &FACTS
    }

    fn rows(&self) -> &'static [NativeEvent] {
        ROWS
    }

    fn can(&self, event: &Event) -> Can {
        self.row(event.name.as_str())
            .map_or(Can::NOTHING, |row| row.can)
    }

    fn refuse_unread(&self, row: Option<&'static NativeEvent>, reason: &str) -> Reply {
        match row {
            Some(row) if !row.is_gate() || !row.can.says(Kind::Deny) => Reply::default(),
            _ => Reply::exit_2(reason),
        }
    }

    /// Whether its prompts can be refused is not settled: a hook of its own files that refuses one is heard.
    fn read_as(&self, raw: &Transcript, event: &Event, _native: &str) -> Said {
        if event.name.class() == Class::Gate {
            return decode(raw, self.row(event.name.as_str()), Refusing::Counts);
        }
        self.read_result(raw, event)
    }

    /// Its events about shells and files double a call: a hook on one of those reads that name, and what it is about.
    fn write_as(&self, event: &Event, native: &str) -> Value {
        let own = event.origin.as_deref();
        let mut written = payload::renamed(self.write_event(event), event, ID, (NAME, native));
        if let (Value::Object(data), false) = (&mut written, own.is_some_and(|own| own.host == ID))
        {
            let about = subject(native, data).unwrap_or_default();
            data.entry("matcher_context").or_insert(about);
        }
        written
    }

    /// Its payloads name the event in a field that Amplifier has too, with the data around it and not below it.
    fn speaks(&self, payload: &Map) -> bool {
        payload::names_one_of(self.rows(), payload, NAME)
            && payload.contains_key("session_id")
            && !payload.contains_key("hook_event_name")
    }
}

/// Which refusals count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Refusing {
    /// None: the event tells only.
    Nothing,
    /// A decision to block, and exit code 2.
    Counts,
}

/// Hears what a hook left behind.
fn decode(raw: &Transcript, row: Option<&NativeEvent>, refusing: Refusing) -> Said {
    let blocks = refusing == Refusing::Counts;
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
        (BLOCK, _) if blocks => Ok(HookResult::deny(stderr(raw))),
        (SUCCESS, _) if wrong.is_some() => Err(unknown().into()),
        (SUCCESS, Some("allow")) => Ok(HookResult::proceed()),
        (SUCCESS, _) if trimmed(&stdout).is_empty() => Ok(HookResult::proceed()),
        (SUCCESS, _) => match said("banner") {
            Some(banner) if row.is_some_and(|row| row.can.notify == Shown::Yes) => {
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

/// Tells whether this host sent the event with an error of its own: then that stays where it was.
fn came_with_an_error(event: &Event) -> bool {
    let own = event.origin.as_deref().filter(|origin| origin.host == ID);
    let raw = own.and_then(|own| crate::json::object(own.raw.as_deref()?).ok());
    raw.is_some_and(|raw| raw.contains_key("error"))
}

/// What failed stands in the result here: what we put beside it is taken away again, and what another host said of a
/// failure takes its place.
fn failure(data: &mut Map) {
    let Some(error) = data.shift_remove("error") else {
        return;
    };
    if data.get("tool_result").is_none() {
        let text = error.get("message").unwrap_or(&error);
        let text = text
            .as_str()
            .map_or_else(|| text.to_string(), str::to_owned);
        data.insert("tool_result".to_owned(), text.into());
    } else if data.get("tool_result") != Some(&error) {
        data.insert("error".to_owned(), error);
    }
}

fn stderr(raw: &Transcript) -> String {
    let stderr = raw.stderr.text();
    given(stderr.trim()).to_owned()
}

fn unknown() -> Fault {
    invalid("it printed something that is neither a decision to allow nor one to block")
}

/// Writes a fitted result: a decision to block, a banner, or nothing.
fn encode(row: &NativeEvent, result: &HookResult) -> Reply {
    let answer = if result.verdict.kind() >= Kind::Ask && row.can.says(Kind::Deny) {
        json!({"decision": "block", "reason": given(&result.verdict.text())})
    } else if let Some(banner) = notices(&row.can, result) {
        json!({"banner": banner})
    } else {
        return Reply::default();
    };
    Reply {
        stdout: format!("{answer}\n"),
        ..Reply::default()
    }
}
