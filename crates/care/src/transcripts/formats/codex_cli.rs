//! Codex CLI: a line for each item, with all its shells as one tool.

use anyhook_core::report::Outcome;
use serde_json::{Value, json};

use super::{Form, Format, ends, snake, text, told};
use crate::transcripts::Session;

/// The row.
pub(super) const ROW: Format = Format {
    host: "codex-cli",
    folder: ".codex/sessions",
    is_one: |file| ends(file, ".jsonl"),
    read: codex,
    gate: "PreToolUse",
    payload: snake,
    form: Form::Lines,
};

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
