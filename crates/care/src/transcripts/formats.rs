//! How each agent writes its transcripts: a row for each, with what takes an object apart. Places in it are JSON pointers.

mod codex_cli;

use std::path::Path;
use std::time::UNIX_EPOCH;

use anyhook_core::report::Outcome;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::{TranscriptCall, TranscriptSession};

/// How one agent keeps what it did.
pub(super) struct TranscriptFormat {
    /// The agent.
    pub(super) host: &'static str,
    /// The folder, below the person's home.
    pub(super) folder: &'static str,
    /// The name of a folder in which transcripts stand below that, if not all files are some.
    within: Option<&'static str>,
    /// How the name of a transcript ends.
    ends: &'static [&'static str],
    /// Whether no line names a call or the session, so that a call is known by what it does.
    pub(super) is_nameless: bool,
    /// Where an object tells the folder, the agent's version and its mode of permissions.
    about: [&'static str; 3],
    /// Where it tells the id of the session, and the type of such an object, where others have another id there.
    session: (&'static [&'static str], Option<&'static str>),
    /// Takes the rest of an object apart.
    read: fn(&mut TranscriptSession, &Value),
    /// The agent's own event before a tool.
    pub(super) gate: &'static str,
    /// Writes a call as the agent would tell a hook of it.
    pub(super) payload: fn(&Self, &TranscriptSession, &TranscriptCall) -> Value,
}

/// What most rows have.
const USUAL: TranscriptFormat = TranscriptFormat {
    host: "",
    folder: "",
    within: None,
    ends: &[".jsonl"],
    is_nameless: false,
    about: ["/cwd", "/version", "/permissionMode"],
    session: (&["/sessionId"], None),
    read: |_, _| {},
    gate: "PreToolUse",
    payload: snake,
};

/// Every format that is read.
pub(super) static FORMATS: &[TranscriptFormat] = &[
    TranscriptFormat {
        host: "claude-code",
        folder: ".claude/projects",
        read: claude,
        ..USUAL
    },
    TranscriptFormat {
        host: "codex-cli",
        folder: ".codex/sessions",
        about: [
            "/payload/cwd",
            "/payload/cli_version",
            "/payload/approval_policy",
        ],
        session: (
            &["/payload/id", "/payload/session_id"],
            Some("session_meta"),
        ),
        read: codex_cli::read,
        ..USUAL
    },
    TranscriptFormat {
        host: "gemini-cli",
        folder: ".gemini/tmp",
        within: Some("chats"),
        ends: &[".jsonl", ".json"],
        read: gemini,
        gate: "BeforeTool",
        ..USUAL
    },
    TranscriptFormat {
        host: "copilot-cli",
        folder: ".copilot/session-state",
        ends: &["events.jsonl"],
        about: ["/data/context/cwd", "/data/copilotVersion", "/data/mode"],
        session: (&["/data/sessionId"], Some("session.start")),
        read: copilot,
        gate: "preToolUse",
        payload: |_, session, call| {
            json!({
                "sessionId": session.id, "timestamp": call.at, "cwd": call.cwd, "toolName": call.tool,
                "toolArgs": call.input,
            })
        },
        ..USUAL
    },
    // Its form is that which several programs that read it describe, and no transcript of it was at hand; so it has no ids,
    // no times, and mostly no results.
    TranscriptFormat {
        host: "cursor",
        folder: ".cursor/projects",
        within: Some("agent-transcripts"),
        is_nameless: true,
        read: cursor,
        gate: "preToolUse",
        payload: |_, session, call| {
            json!({
                "conversation_id": session.id, "hook_event_name": "preToolUse", "tool_name": call.tool,
                "tool_input": call.input,
            })
        },
        ..USUAL
    },
];

/// Tells whether the transcripts of an agent name no call, so that a call is known by what it does.
pub(super) fn is_nameless(host: &str) -> bool {
    let mut formats = FORMATS.iter();
    formats.any(|format| format.host == host && format.is_nameless)
}

impl TranscriptFormat {
    /// Tells whether a file of its folder is a transcript.
    pub(super) fn is_one(&self, file: &Path) -> bool {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let is_within = |folder: &str| file.iter().any(|part| part == folder);
        self.ends.iter().any(|end| name.ends_with(end)) && self.within.is_none_or(is_within)
    }

    /// Takes one object apart: what it says of the session, then of calls.
    pub(super) fn read(&self, session: &mut TranscriptSession, object: &Value) {
        let [cwd, version, mode] = self.about.map(|at| text(object, at).map(str::to_owned));
        session.next.cwd = cwd.or(session.next.cwd.take());
        session.next.version = version.or(session.next.version.take());
        session.next.mode = mode.or(session.next.mode.take());
        session.next.at = moment(object).or(session.next.at);
        let (places, of_type) = self.session;
        if of_type.is_none_or(|of_type| text(object, "/type") == Some(of_type))
            && let Some(id) = places.iter().find_map(|at| text(object, at))
        {
            id.clone_into(&mut session.id);
        }
        (self.read)(session, object);
    }
}

fn snake(format: &TranscriptFormat, session: &TranscriptSession, call: &TranscriptCall) -> Value {
    json!({
        "session_id": session.id, "transcript_path": "", "cwd": call.cwd, "hook_event_name": format.gate,
        "permission_mode": call.mode.as_deref().unwrap_or("default"), "tool_name": call.tool, "tool_input": call.input,
        "tool_use_id": call.id,
    })
}

fn text<'v>(value: &'v Value, path: &str) -> Option<&'v str> {
    value.pointer(path)?.as_str()
}

fn is_true(value: &Value, path: &str) -> bool {
    value.pointer(path).and_then(Value::as_bool) == Some(true)
}

fn list<'v>(value: &'v Value, path: &str) -> impl Iterator<Item = &'v Value> {
    let list = value.pointer(path).and_then(Value::as_array);
    list.into_iter().flatten()
}

fn moment(value: &Value) -> Option<i64> {
    let at: Timestamp = text(value, "/timestamp")?.parse().ok()?;
    Some(at.as_millisecond())
}

/// Returns a result as text: the text itself, or the parts of one.
fn told(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            let parts = parts.iter().filter_map(|part| text(part, "/text"));
            Some(parts.collect::<Vec<_>>().join("\n"))
        }
        Value::Null => None,
        other => Some(other.to_string()),
    }
}

/// What became of a call that was refused, failed, or neither.
fn outcome(is_refused: bool, is_failed: bool) -> Outcome {
    match (is_refused, is_failed) {
        (true, _) => Outcome::Refused,
        (false, true) => Outcome::Failed,
        (false, false) => Outcome::Ran,
    }
}

impl TranscriptSession {
    /// Notes a call that stands in an object at these places: its id, its tool and its input.
    fn call_at(&mut self, of: &Value, [id, tool, input]: [&str; 3]) {
        let input = of.pointer(input).cloned().unwrap_or_default();
        let [id, tool] = [id, tool].map(|at| text(of, at).unwrap_or_default());
        self.call(id, tool, input);
    }
}

fn claude(session: &mut TranscriptSession, line: &Value) {
    let agent = || text(line, "/agentId").unwrap_or("subagent").to_owned();
    session.next.agent = is_true(line, "/isSidechain").then(agent);
    let denied = text(line, "/toolDenialKind");
    let decision = text(line, "/permissionDecision/decision");
    for part in list(line, "/message/content") {
        match text(part, "/type") {
            Some("tool_use") => session.call_at(part, ["/id", "/name", "/input"]),
            Some("tool_result") => {
                let (told, is_error) = (told(part.get("content")), is_true(part, "/is_error"));
                let says = told.as_deref().unwrap_or_default();
                let by_hook = is_error && says.starts_with("PreToolUse:");
                let is_refused = denied.is_some() || decision == Some("reject") || by_hook;
                let id = text(part, "/tool_use_id").unwrap_or_default();
                if let Some(call) = session.result(id, outcome(is_refused, is_error), told) {
                    let source = text(line, "/permissionDecision/source").unwrap_or("unknown");
                    let decided = decision.map(|decision| format!("{decision} by {source}"));
                    call.approval = denied.map(|kind| format!("refused: {kind}")).or(decided);
                }
            }
            Some(_) | None => {}
        }
    }
}

fn copilot(session: &mut TranscriptSession, line: &Value) {
    let id = text(line, "/data/toolCallId").unwrap_or_default();
    match text(line, "/type") {
        Some("tool.execution_start") => {
            session.next.agent =
                text(line, "/data/parentToolCallId").map(|_| "subagent".to_owned());
            session.call_at(
                line,
                ["/data/toolCallId", "/data/toolName", "/data/arguments"],
            );
        }
        Some("tool.execution_complete") => {
            let code = line.pointer("/data/shellExecution/exitCode");
            let is_bad = code.and_then(Value::as_i64).unwrap_or_default() != 0;
            let is_failed = is_bad || !is_true(line, "/data/success");
            let is_denied = text(line, "/data/error/code") == Some("denied");
            let result = text(line, "/data/result/content").or(text(line, "/data/error/message"));
            session.result(id, outcome(is_denied, is_failed), result.map(str::to_owned));
        }
        Some("permission.completed") => {
            if let Some(call) = session.known(id) {
                let kind = text(line, "/data/result/kind").unwrap_or_default();
                call.approval = Some(kind.to_owned());
            }
        }
        Some(_) | None => {}
    }
}

/// A line for each message, or one document for all of them.
fn gemini(session: &mut TranscriptSession, line: &Value) {
    if text(line, "/kind").is_some_and(|kind| kind != "main") {
        session.next.agent = Some("subagent".to_owned());
    }
    // A whole file of one document has its messages in it, and so has a line that sets them again.
    let inner = list(line, "/messages").chain(list(line, "/$set/messages"));
    for call in inner
        .chain([line])
        .flat_map(|message| list(message, "/toolCalls"))
    {
        let at = session.next.at;
        session.next.at = moment(call).or(at);
        session.call_at(call, ["/id", "/name", "/args"]);
        session.next.at = at;
        let error = text(call, "/result/0/functionResponse/response/error");
        let output = text(call, "/result/0/functionResponse/response/output");
        let by_hook = ["(anyhook why ", "blocked by hook"];
        let by_hook = error.is_some_and(|error| by_hook.iter().any(|said| error.contains(said)));
        let outcome = match text(call, "/status") {
            Some("success") => Outcome::Ran,
            Some("cancelled") => Outcome::Refused,
            Some("error") => outcome(by_hook, true),
            Some(_) | None => continue,
        };
        let id = text(call, "/id").unwrap_or_default();
        session.result(id, outcome, error.or(output).map(str::to_owned));
    }
}

/// Takes what the path of a transcript tells that names no call. The name of the file is the conversation, which hooks are told
/// as well. The folder is no name of the project: it is cut, and everything but letters and digits is a dash in it.
pub(super) fn begin(session: &mut TranscriptSession, path: &Path) {
    let name = path.file_stem().unwrap_or_default();
    session.id = name.to_string_lossy().into_owned();
    let folder = path.parent().and_then(Path::file_name);
    session.next.agent = (folder == Some("subagents".as_ref())).then(|| "subagent".to_owned());
    // The last time that something was added is all that is known of the times of calls.
    let changed = path.metadata().and_then(|meta| meta.modified()).ok();
    let since = changed.and_then(|changed| changed.duration_since(UNIX_EPOCH).ok());
    session.next.at = since.and_then(|since| since.as_millis().try_into().ok());
}

fn cursor(session: &mut TranscriptSession, line: &Value) {
    for (at, part) in list(line, "/message/content").enumerate() {
        match text(part, "/type") {
            Some("tool_use") => {
                // Lines are only added, so a call stays where it is.
                let id = format!("line {} part {at}", session.next.line);
                let input = part.get("input").cloned().unwrap_or_default();
                session.call(&id, text(part, "/name").unwrap_or_default(), input);
            }
            Some("tool_result") => {
                // It is that of the oldest call without one: a result names no call.
                let mut calls = session.calls.iter_mut();
                if let Some(call) = calls.find(|call| call.outcome.is_none()) {
                    call.outcome = Some(outcome(false, is_true(part, "/is_error")));
                    call.result = told(part.get("content"));
                }
            }
            Some(_) | None => {}
        }
    }
}
