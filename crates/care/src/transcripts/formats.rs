//! How each agent writes its transcripts: one row for each, with what takes a line apart.
// no row: the formats are rows of `FORMATS`.

use std::path::Path;

use anyhook_core::report::Outcome;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::{Call, Session};

/// How one agent keeps what it did.
pub(super) struct Format {
    /// The agent.
    pub(super) host: &'static str,
    /// The folder, below the person's home.
    pub(super) folder: &'static str,
    /// Tells whether a file of that folder is a transcript.
    pub(super) is_one: fn(&Path) -> bool,
    /// Takes one line apart.
    pub(super) read: fn(&mut Session, &Value),
    /// The agent's own event before a tool.
    pub(super) gate: &'static str,
    /// Writes a call as the agent would tell a hook of it.
    pub(super) payload: fn(&Session, &Call) -> Value,
}

/// Every format that is read.
pub(super) static FORMATS: &[Format] = &[
    Format {
        host: "claude-code",
        folder: ".claude/projects",
        is_one: |file| ends(file, ".jsonl"),
        read: claude,
        gate: "PreToolUse",
        payload: snake,
    },
    Format {
        host: "codex-cli",
        folder: ".codex/sessions",
        is_one: |file| ends(file, ".jsonl"),
        read: codex,
        gate: "PreToolUse",
        payload: snake,
    },
    Format {
        host: "gemini-cli",
        folder: ".gemini/tmp",
        is_one: |file| {
            file.parent()
                .is_some_and(|folder| folder.ends_with("chats"))
                && (ends(file, ".jsonl") || ends(file, ".json"))
        },
        read: gemini,
        gate: "BeforeTool",
        payload: |session, call| {
            let mut payload = snake(session, call);
            if let Some(name) = payload.get_mut("hook_event_name") {
                *name = "BeforeTool".into();
            }
            payload
        },
    },
    Format {
        host: "copilot-cli",
        folder: ".copilot/session-state",
        is_one: |file| file.file_name().is_some_and(|name| name == "events.jsonl"),
        read: copilot,
        gate: "preToolUse",
        payload: |session, call| {
            json!({
                "sessionId": session.id, "timestamp": call.at, "cwd": call.cwd, "toolName": call.tool, "toolArgs": call.input,
            })
        },
    },
];

fn ends(file: &Path, with: &str) -> bool {
    file.file_name()
        .is_some_and(|name| name.to_string_lossy().ends_with(with))
}

fn snake(session: &Session, call: &Call) -> Value {
    json!({
        "session_id": session.id, "transcript_path": "", "cwd": call.cwd, "hook_event_name": "PreToolUse",
        "permission_mode": call.mode.as_deref().unwrap_or("default"), "tool_name": call.tool, "tool_input": call.input,
        "tool_use_id": call.id,
    })
}

fn text<'v>(value: &'v Value, path: &str) -> Option<&'v str> {
    value.pointer(path)?.as_str()
}

fn list<'v>(value: &'v Value, path: &str) -> impl Iterator<Item = &'v Value> {
    value
        .pointer(path)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

fn moment(value: &Value) -> Option<i64> {
    let at: Timestamp = text(value, "/timestamp")?.parse().ok()?;
    Some(at.as_millisecond())
}

/// Returns a result as text: the text itself, or the parts of one.
fn told(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => Some(
            parts
                .iter()
                .filter_map(|part| text(part, "/text"))
                .collect::<Vec<_>>()
                .join("\n"),
        ),
        Value::Null => None,
        other => Some(other.to_string()),
    }
}

/// Returns where a session keeps something that is told of it.
type Place = fn(&mut Session) -> &mut Option<String>;

impl Session {
    /// Takes over what a line says about the session, where it says so.
    fn about(&mut self, value: &Value, fields: [(&str, Place); 3]) {
        self.at = moment(value).or(self.at);
        for (path, place) in fields {
            if let Some(told) = text(value, path) {
                *place(self) = Some(told.to_owned());
            }
        }
    }
}

fn claude(session: &mut Session, line: &Value) {
    if let Some(id) = text(line, "/sessionId") {
        id.clone_into(&mut session.id);
    }
    session.about(
        line,
        [
            ("/cwd", |of| &mut of.cwd),
            ("/version", |of| &mut of.version),
            ("/permissionMode", |of| &mut of.mode),
        ],
    );
    let is_side = line.get("isSidechain").and_then(Value::as_bool) == Some(true);
    session.agent = is_side.then(|| text(line, "/agentId").unwrap_or("subagent").to_owned());
    for part in list(line, "/message/content") {
        match text(part, "/type") {
            Some("tool_use") => {
                let input = part.get("input").cloned().unwrap_or_default();
                session.call(
                    text(part, "/id").unwrap_or_default(),
                    text(part, "/name").unwrap_or_default(),
                    input,
                );
            }
            Some("tool_result") => claude_result(session, line, part),
            Some(_) | None => {}
        }
    }
}

fn claude_result(session: &mut Session, line: &Value, part: &Value) {
    let denied = text(line, "/toolDenialKind");
    let decision = text(line, "/permissionDecision/decision");
    let is_error = part.get("is_error").and_then(Value::as_bool) == Some(true);
    let result = told(part.get("content"));
    let by_hook = result
        .as_deref()
        .is_some_and(|text| is_error && text.starts_with("PreToolUse:"));
    let outcome = match (
        denied.is_some() || decision == Some("reject") || by_hook,
        is_error,
    ) {
        (true, _) => Outcome::Refused,
        (false, true) => Outcome::Failed,
        (false, false) => Outcome::Ran,
    };
    let approval = denied.map(|kind| format!("refused: {kind}")).or_else(|| {
        let source = text(line, "/permissionDecision/source").unwrap_or("unknown");
        decision.map(|decision| format!("{decision} by {source}"))
    });
    if let Some(call) = session.result(
        text(part, "/tool_use_id").unwrap_or_default(),
        outcome,
        result,
    ) {
        call.approval = approval;
    }
}

fn codex(session: &mut Session, line: &Value) {
    session.about(
        line,
        [
            ("/payload/cwd", |of| &mut of.cwd),
            ("/payload/cli_version", |of| &mut of.version),
            ("/payload/approval_policy", |of| &mut of.mode),
        ],
    );
    let Some(payload) = line.get("payload") else {
        return;
    };
    let id = text(payload, "/call_id").unwrap_or_default();
    match (text(line, "/type"), text(payload, "/type")) {
        (Some("session_meta"), _) => {
            let told = text(payload, "/id").or(text(payload, "/session_id"));
            told.unwrap_or_default().clone_into(&mut session.id);
            let source = payload.get("source").filter(|source| source.is_object());
            session.agent = source.map(|_| "subagent".to_owned());
        }
        (_, Some("function_call")) => {
            let input =
                text(payload, "/arguments").and_then(|text| serde_json::from_str(text).ok());
            let (tool, input) = shell(
                text(payload, "/name").unwrap_or_default(),
                input.unwrap_or_default(),
            );
            session.call(id, &tool, input);
        }
        (_, Some("custom_tool_call")) => {
            let input = json!({"command": payload.get("input")});
            session.call(id, text(payload, "/name").unwrap_or_default(), input);
        }
        (_, Some("local_shell_call")) => {
            let (tool, input) = shell("shell", payload.get("action").cloned().unwrap_or_default());
            session.call(id, &tool, input);
        }
        (_, Some("function_call_output" | "custom_tool_call_output")) => {
            let result = told(payload.get("output"));
            let outcome = codex_outcome(result.as_deref().unwrap_or_default());
            session.result(id, outcome, result);
        }
        (_, _) => {}
    }
}

/// Codex tells hooks of all its shells as of one tool.
fn shell(tool: &str, input: Value) -> (String, Value) {
    let command = ["cmd", "command"].iter().find_map(|name| input.get(*name));
    match (tool, command) {
        ("exec_command" | "shell" | "shell_command" | "local_shell", Some(Value::String(text))) => {
            ("Bash".to_owned(), json!({"command": text}))
        }
        ("exec_command" | "shell" | "shell_command" | "local_shell", Some(Value::Array(words))) => {
            // A shell that is given one line as its last word runs that line.
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            let line = match &*words {
                [_, "-lc" | "-c", line] => (*line).to_owned(),
                words => words.join(" "),
            };
            ("Bash".to_owned(), json!({"command": line}))
        }
        (_, _) => (tool.to_owned(), input),
    }
}

fn codex_outcome(result: &str) -> Outcome {
    let head: String = result.chars().take(400).collect();
    let is_refused = [
        "Command blocked by",
        "blocked by PreToolUse hook",
        "rejected by user",
        "exec command rejected",
    ];
    if is_refused.iter().any(|text| head.contains(text)) {
        return Outcome::Refused;
    }
    let code = head
        .split_once("exited with code ")
        .and_then(|(_, rest)| rest.chars().next());
    if code.is_some_and(|code| code != '0') {
        Outcome::Failed
    } else {
        Outcome::Ran
    }
}

fn gemini(session: &mut Session, line: &Value) {
    if let Some(id) = text(line, "/sessionId") {
        id.clone_into(&mut session.id);
    }
    session.at = moment(line).or(session.at);
    let is_sub = text(line, "/kind").is_some_and(|kind| kind != "main");
    if is_sub {
        session.agent = Some("subagent".to_owned());
    }
    // A whole file of one document has its messages in it, and so has a line that sets them again.
    for message in list(line, "/messages").chain(list(line, "/$set/messages")) {
        gemini_calls(session, message);
    }
    gemini_calls(session, line);
}

fn gemini_calls(session: &mut Session, message: &Value) {
    for call in list(message, "/toolCalls") {
        let id = text(call, "/id").unwrap_or_default();
        let at = session.at;
        session.at = moment(call).or(at);
        session.call(
            id,
            text(call, "/name").unwrap_or_default(),
            call.get("args").cloned().unwrap_or_default(),
        );
        session.at = at;
        let answer = list(call, "/result").next();
        let error = answer.and_then(|answer| text(answer, "/functionResponse/response/error"));
        let output = answer.and_then(|answer| text(answer, "/functionResponse/response/output"));
        let outcome = match text(call, "/status") {
            Some("success") => Outcome::Ran,
            Some("cancelled") => Outcome::Refused,
            Some("error")
                if error.is_some_and(|text| {
                    text.contains("(anyhook why ") || text.contains("blocked by hook")
                }) =>
            {
                Outcome::Refused
            }
            Some("error") => Outcome::Failed,
            Some(_) | None => continue,
        };
        session.result(id, outcome, error.or(output).map(str::to_owned));
    }
}

fn copilot(session: &mut Session, line: &Value) {
    session.about(
        line,
        [
            ("/data/context/cwd", |of| &mut of.cwd),
            ("/data/copilotVersion", |of| &mut of.version),
            ("/data/mode", |of| &mut of.mode),
        ],
    );
    let Some(data) = line.get("data") else { return };
    let id = text(data, "/toolCallId").unwrap_or_default();
    match text(line, "/type") {
        Some("session.start") => text(data, "/sessionId")
            .unwrap_or_default()
            .clone_into(&mut session.id),
        Some("tool.execution_start") => {
            session.agent = text(data, "/parentToolCallId").map(|_| "subagent".to_owned());
            session.call(
                id,
                text(data, "/toolName").unwrap_or_default(),
                data.get("arguments").cloned().unwrap_or_default(),
            );
        }
        Some("tool.execution_complete") => {
            let is_denied = text(data, "/error/code") == Some("denied");
            let code = data
                .pointer("/shellExecution/exitCode")
                .and_then(Value::as_i64)
                .unwrap_or_default();
            let worked = data.get("success").and_then(Value::as_bool) == Some(true);
            let outcome = match (is_denied, worked && code == 0) {
                (true, _) => Outcome::Refused,
                (false, true) => Outcome::Ran,
                (false, false) => Outcome::Failed,
            };
            let result = text(data, "/result/content").or(text(data, "/error/message"));
            session.result(id, outcome, result.map(str::to_owned));
        }
        Some("permission.completed") => {
            let kind = text(data, "/result/kind").unwrap_or_default().to_owned();
            let place = session.places.get(id).copied();
            if let Some(call) = place.and_then(|at| session.calls.get_mut(at)) {
                call.approval = Some(kind);
            }
        }
        Some(_) | None => {}
    }
}
