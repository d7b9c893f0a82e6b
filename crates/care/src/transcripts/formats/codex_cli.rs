//! Codex CLI: a line for each item, with all its shells as one tool.

use anyhook_core::report::Outcome;
use jsonc_parser::{CollectOptions, ParseOptions};
use serde_json::{Value, json};

use super::{outcome, text, told};
use crate::transcripts::TranscriptSession;
use crate::transcripts::known::INNER;

pub(super) fn read(session: &mut TranscriptSession, line: &Value) {
    let Some(payload) = line.get("payload") else {
        return;
    };
    let id = text(payload, "/call_id").unwrap_or_default();
    match (text(line, "/type"), text(payload, "/type")) {
        (Some("session_meta"), _) => {
            let source = payload.get("source").filter(|source| source.is_object());
            session.next.agent = source.map(|_| "subagent".to_owned());
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
        (_, Some("custom_tool_call")) if text(payload, "/name") == Some("exec") => {
            let script = text(payload, "/input").unwrap_or_default();
            for (at, (tool, input)) in nested(script).into_iter().enumerate() {
                session.call(&inner(id, at), &tool, input);
            }
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
            let mut all = (0..).map(|at| inner(id, at));
            while all
                .next()
                .is_some_and(|id| session.result(&id, outcome, result.clone()).is_some())
            {
            }
            session.result(id, outcome, result);
        }
        (_, _) => {}
    }
}

/// Names a call that a script made: hooks are asked about it, and about the script they are not.
fn inner(id: &str, at: usize) -> String {
    format!("{id}{INNER}{at}")
}

/// Returns the calls that stand in a script of the code mode, as its text has them. Arguments that are no plain values are
/// not known.
fn nested(script: &str) -> Vec<(String, Value)> {
    let called = |piece: &str| {
        let (tool, rest) = piece.split_once('(')?;
        let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
        let argument = argument(rest)?.trim();
        let value = match argument
            .strip_prefix('`')
            .and_then(|rest| rest.strip_suffix('`'))
        {
            Some(text) if !text.contains("${") => text.into(),
            Some(_) => Value::Null,
            None => plain(argument),
        };
        let input = match value {
            Value::String(_) => json!({"command": value}),
            other => other,
        };
        tool.chars().all(is_name).then(|| shell(tool, input))
    };
    script.split("tools.").skip(1).filter_map(called).collect()
}

/// Returns the text up to the bracket that ends it.
fn argument(text: &str) -> Option<&str> {
    let (mut depth, mut quote, mut escaped) = (0_u32, None, false);
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            _ if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), _) if open == letter => quote = None,
            (None, '"' | '\'' | '`') => quote = Some(letter),
            (None, '(' | '{' | '[') => depth += 1,
            (None, ')' | '}' | ']') if depth == 0 => return text.get(..at),
            (None, ')' | '}' | ']') => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Reads a text or an object of texts as a script writes them.
fn plain(argument: &str) -> Value {
    use jsonc_parser::ast::Value as Parsed;
    let parsed = jsonc_parser::parse_to_ast(
        argument,
        &CollectOptions::default(),
        &ParseOptions::default(),
    );
    match parsed.ok().and_then(|parsed| parsed.value) {
        Some(Parsed::StringLit(text)) => text.value.as_ref().into(),
        Some(Parsed::Object(object)) => {
            let texts = object
                .properties
                .iter()
                .filter_map(|property| match &property.value {
                    Parsed::StringLit(text) => Some((
                        property.name.as_str().to_owned(),
                        text.value.as_ref().into(),
                    )),
                    _ => None,
                });
            Value::Object(texts.collect())
        }
        _ => Value::Null,
    }
}

/// What Codex calls its shells.
const SHELLS: [&str; 4] = ["exec_command", "shell", "shell_command", "local_shell"];

/// Codex tells hooks of all its shells as of one tool.
fn shell(tool: &str, input: Value) -> (String, Value) {
    let command = ["cmd", "command"].iter().find_map(|name| input.get(*name));
    let line = match command.filter(|_| SHELLS.contains(&tool)) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(words)) => {
            // A shell that is given one line as its last word runs that line.
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            match &*words {
                [_, "-lc" | "-c", line] => (*line).to_owned(),
                words => words.join(" "),
            }
        }
        _ => return (tool.to_owned(), input),
    };
    ("Bash".to_owned(), json!({"command": line}))
}

/// How Codex says that a command did not run.
const REFUSED: [&str; 4] = [
    "Command blocked by",
    "blocked by PreToolUse hook",
    "rejected by user",
    "exec command rejected",
];

fn codex_outcome(result: &str) -> Outcome {
    let head: String = result.chars().take(400).collect();
    let code = head.split_once("exited with code ");
    let is_failed = code.is_some_and(|(_, code)| !code.is_empty() && !code.starts_with('0'));
    outcome(REFUSED.iter().any(|text| head.contains(text)), is_failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_calls_of_a_script_are_those_that_hooks_are_asked_about() {
        let mut session = TranscriptSession::default();
        let line = json!({"type": "response_item", "payload": {"type": "custom_tool_call", "call_id": "c1", "name": "exec",
            "input": "const a = await tools.exec_command({cmd: \"ls ')'\", tty: true});\ntools.apply_patch(`*** Begin Patch`);\n\
                      await tools.write_stdin({session_id: 7, chars: 'touch x\\n'}); tools.exec_command({cmd: a})"}});
        read(&mut session, &line);
        let calls: Vec<(&str, &Value)> = session
            .calls
            .iter()
            .map(|call| (&*call.tool, &call.input))
            .collect();
        let expected = [
            ("Bash", json!({"command": "ls ')'"})),
            ("apply_patch", json!({"command": "*** Begin Patch"})),
            ("write_stdin", json!({"chars": "touch x\n"})),
            ("exec_command", Value::Null),
        ];
        assert_eq!(
            calls,
            expected.each_ref().map(|(tool, input)| (*tool, input))
        );
        let done = json!({"type": "response_item", "payload": {"type": "custom_tool_call_output", "call_id": "c1", "output": "ok"}});
        read(&mut session, &done);
        assert!(
            session
                .calls
                .iter()
                .all(|call| call.outcome == Some(Outcome::Ran))
        );
    }
}
