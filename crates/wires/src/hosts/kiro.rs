//! Kiro: its payloads, its rows, and its answers. Experimental.
//!
//! A hook answers by its exit code and a text; only when the agent wants to stop there is an answer in JSON. What is not
//! settled about this host, and how it is read here:
//!
//! - Its editor ignores a refusal to stop, its command line honours it, and a payload does not tell one from the other.
//!   The refusal is said: where it is ignored nothing opens, because a stop is no gate.
//! - Its pages disagree about exit codes other than 2. We never leave with one, and a hook written for Kiro that does is
//!   taken to refuse, as in the editor.
//! - On Windows, exit code 2 did not block in version 2.2.2 of the command line.
//! - The editor may send a prompt hook no prompt.
//! - The arguments of its tools are not documented; `path` is what its examples have.

mod settings;

use std::time::Duration;

use anyhook_core::can::Can;
use anyhook_core::event::{Event, EventName, Map};
use anyhook_core::handler::Said;
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::transcript::{End, Transcript};
use serde_json::{Value, json};

use super::relative::NAME;
use super::relative::row::{CALL, ONLY_REFUSES, UNLESS_REFUSED};
use crate::answer::{NO_REASON, context, given, trimmed};
use crate::dialects::{SUCCESS, code, failed};
use crate::payload::{self, Incoming, Mcp, Tool, Tools};
use crate::{
    DecodeError, Host, HostFacts, Maturity, NativeEvent, Neutral, Reply, Wire, json as read_json,
};

/// The id of this host.
pub const ID: &str = "kiro";

/// The agent Kiro.
#[derive(Debug, Clone, Copy)]
pub struct Kiro;

const INFORMS: Can = Can {
    inject: Some(UNLESS_REFUSED),
    ..Can::NOTHING
};

const REFUSES: Can = Can {
    inject: Some(UNLESS_REFUSED),
    ..ONLY_REFUSES
};

const fn row(name: &'static str, event: &'static str, can: Can) -> NativeEvent {
    NativeEvent {
        name,
        event,
        can,
        neutral: Neutral::Silent,
        timeout: Duration::from_mins(1),
    }
}

static ROWS: &[NativeEvent] = &[
    row("SessionStart", "session:start", INFORMS),
    row("SessionEnd", "session:end", Can::NOTHING),
    row("UserPromptSubmit", "prompt:submit", REFUSES),
    row("PreToolUse", "tool:pre", REFUSES),
    row("PostToolUse", "tool:post", INFORMS),
    row("PreTaskExec", "kiro:pre-task-exec", ONLY_REFUSES),
    row("PostTaskExec", "kiro:post-task-exec", Can::NOTHING),
    row("Stop", "stop", ONLY_REFUSES),
];

const PATH: &[(&str, &str)] = &[("path", "file_path")];

/// Its tools. `fs_write` writes and edits, so it keeps its name.
static TOOLS: Tools = Tools {
    rows: &[
        Tool::new("execute_bash", "Bash", &[]),
        Tool::new("shell", "Bash", &[]),
        Tool::new("read", "Read", PATH),
        Tool::new("fs_read", "Read", PATH),
        Tool::new("write", "Write", PATH),
        Tool::new(
            "fs_write",
            "fs_write",
            &[
                ("path", "file_path"),
                ("file_text", "content"),
                ("old_str", "old_string"),
                ("new_str", "new_string"),
            ],
        ),
    ],
    mcp: Some(Mcp {
        prefix: "@",
        between: "/",
    }),
};

impl Wire for Kiro {
    fn id(&self) -> &'static str {
        ID
    }

    fn read_event(&self, bytes: &[u8], hint: Option<&str>) -> Result<Event, DecodeError> {
        let mut data = payload::object(self, bytes, &[NAME], hint)?;
        let native = payload::native_name(self, &mut data, &[NAME], hint)?;
        let row = self.row(&native);
        if row.is_some_and(|row| row.event == "tool:pre") {
            payload::check(&data, CALL).map_err(|error| DecodeError {
                event: Some(native.clone()),
                ..error
            })?;
        }
        payload::rename(&mut data, "tool_response", "tool_result");
        let event = row.map(|row| row.event);
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
        payload::rename(&mut data, "tool_result", "tool_response");
        let native = payload::name_of(event, ID, self.row(event.name.as_str()));
        data.insert(NAME.to_owned(), Value::from(native));
        Value::Object(data)
    }

    /// Reads an answer as the stricter of Kiro's two faces does: before something happens every failure refuses.
    fn read_result(&self, raw: &Transcript, event: &Event) -> Said {
        let row = self.row(event.name.as_str());
        let is_gate = row.is_none_or(NativeEvent::is_gate);
        match &raw.end {
            End::Code(SUCCESS) => Ok(success(&raw.stdout.text(), row)),
            End::Code(_) | End::NotStarted(_) if is_gate => Ok(HookResult::deny(why(raw))),
            End::Code(code) => Err(failed(*code, raw).into()),
            End::NotStarted(_) | End::Signal(_) | End::TimedOut => {
                code(raw).map(|_| HookResult::proceed())
            }
        }
    }

    fn write_result(&self, event: &Event, result: &HookResult) -> Reply {
        self.row(event.name.as_str())
            .map_or_else(Reply::default, |row| encode(row, result))
    }
}

static FACTS: HostFacts = HostFacts {
    maturity: Maturity::Experimental,
    covers: "IDE 1.x and CLI 3, pages of 2026-11-12",
    // The agents' own files held hooks in version 2 of the command line.
    files: &[
        "~/.kiro/hooks/",
        "~/.kiro/agents/",
        ".kiro/hooks/",
        ".kiro/agents/",
    ],
    settings: Some(&settings::SETTINGS),
    executables: &["kiro", "kiro-cli"],
    tools: &TOOLS,
    ..HostFacts::BARE
};

impl Host for Kiro {
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
        if row.is_some_and(|row| !row.is_gate()) {
            return Reply::default();
        }
        Reply::exit_2(reason)
    }

    /// Its editor tells of files, its command line of a session by another name: a hook on one of those reads that name.
    fn write_as(&self, event: &Event, native: &str) -> Value {
        payload::renamed(self.write_event(event), event, ID, (NAME, native))
    }

    /// Its names are Claude Code's too, but it sends no transcript.
    fn speaks(&self, payload: &Map) -> bool {
        let others = ["hookEventName", "transcript_path", "timestamp"];
        payload::names_one_of(self.rows(), payload, NAME)
            && !others.iter().any(|field| payload.contains_key(*field))
    }
}

/// Why a hook refused: its standard error, else why it never started.
fn why(raw: &Transcript) -> String {
    let stderr = raw.stderr.text();
    match (stderr.trim(), &raw.end) {
        ("", End::NotStarted(why)) => why.clone(),
        ("", _) => NO_REASON.to_owned(),
        (text, _) => text.to_owned(),
    }
}

fn success(stdout: &str, row: Option<&NativeEvent>) -> HookResult {
    let text = trimmed(stdout);
    let said = HookResult::proceed();
    if text.is_empty() {
        return said;
    }
    if row.is_some_and(|row| row.event == "stop") {
        let answer = read_json::almost(text).map(|(answer, _)| answer);
        let answer = answer.unwrap_or_default();
        let reason = answer.get("reason").and_then(Value::as_str);
        return match answer.get("decision").and_then(Value::as_str) {
            Some("block") => HookResult::deny(reason.unwrap_or(NO_REASON)),
            _ => said,
        };
    }
    match row {
        Some(row) if row.can.inject.is_some() => said.inject(text),
        _ => said,
    }
}

/// Writes a fitted result: a text on standard output, a refusal on standard error with exit code 2, or the one decision
/// in JSON.
fn encode(row: &NativeEvent, result: &HookResult) -> Reply {
    let reason = result.verdict.text();
    if result.verdict.kind() >= Kind::Ask && row.can.says(Kind::Deny) {
        if row.is_gate() {
            return Reply::exit_2(&reason);
        }
        let answer = json!({"decision": "block", "reason": given(&reason)});
        return Reply {
            stdout: format!("{answer}\n"),
            ..Reply::default()
        };
    }
    context(&row.can, result).map_or_else(Reply::default, |text| Reply {
        stdout: format!("{text}\n"),
        ..Reply::default()
    })
}
