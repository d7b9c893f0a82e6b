//! `anyhook call-tool`: calls one tool of an MCP server that it starts, or that it reaches over the network. Not for people: a
//! hook of type `mcp_tool` is this process.
//!
//! It speaks a greeting, one call, no more: in lines of JSON over the server's standard input and output, or by requests of
//! HTTP. What the tool says in text goes to the standard output. Whatever else happens is a failure with the exit code 1, which no
//! agent takes for a refusal or for a pass of a guard. The deadline is that of the hook.

mod reached;
mod started;

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, Read, Take};

use anyhook::remote::RemoteRequest;
use anyhook_testing::texts;
use serde_json::{Value, json};

use super::internal::ended;
use crate::exit::Exit;
use crate::payload;
use reached::RemoteServer;
use started::LocalServer;

/// What such a process is called by.
pub(super) const VERB: &str = "call-tool";

/// A server that says more than this is ended.
const MOST: u64 = 4 * 1024 * 1024;
/// The version of the protocol that is offered. A server answers with its own, and the calls made here are in all of them.
const PROTOCOL: &str = "2025-06-18";

/// What is called.
struct ToolRequest {
    server: String,
    tool: String,
    input: Value,
    place: ServerLocation,
}

/// Where its server is.
enum ServerLocation {
    /// This command starts it.
    Here(Vec<OsString>),
    Elsewhere(RemoteRequest),
}

pub(super) fn run(args: Vec<OsString>) -> Exit {
    ended(called(args).map_err(|why| (why, Exit::Negative)))
}

fn called(args: Vec<OsString>) -> Result<String, String> {
    let call = read(args).ok_or("this command is called by hooks of type `mcp_tool` alone")?;
    let event = payload::stdin().map_err(|problem| problem.to_string());
    let said = event.and_then(|event| said(&call, &event));
    said.map_err(|why| format!("the server `{}`: {why}", call.server))
}

fn read(args: Vec<OsString>) -> Option<ToolRequest> {
    let mut words = args.into_iter();
    let mut word = || words.next()?.into_string().ok();
    let (server, tool, input, last) = (word()?, word()?, word()?, word()?);
    let command: Vec<OsString> = words.collect();
    let place = match &*last {
        "--" if !command.is_empty() => ServerLocation::Here(command),
        sending => ServerLocation::Elsewhere(serde_json::from_str(sending).ok()?),
    };
    Some(ToolRequest {
        server,
        tool,
        input: serde_json::from_str(&input).ok()?,
        place,
    })
}

/// Starts or reaches the server, calls the tool and returns what it said in text.
fn said(call: &ToolRequest, event: &[u8]) -> Result<String, String> {
    let event: Value = serde_json::from_slice(event)
        .map_err(|error| format!("the event cannot be read: {error}"))?;
    let mut server: Box<dyn Messenger> = match &call.place {
        ServerLocation::Here(command) => Box::new(LocalServer::start(command)?),
        ServerLocation::Elsewhere(sending) => Box::new(RemoteServer::of(sending)?),
    };
    let client = json!({"name": "anyhook", "version": env!("CARGO_PKG_VERSION")});
    let hello = json!({"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client});
    let hello = ask(&mut *server, 1, "initialize", &hello)?;
    server.greeted(&hello);
    server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
    let input = texts(&call.input, &|text| filled_text(text, &event));
    let params = json!({"name": call.tool, "arguments": input});
    let result = ask(&mut *server, 2, "tools/call", &params)?;
    let content = result.get("content").and_then(Value::as_array);
    let texts = content.into_iter().flatten();
    let texts: Vec<&str> = texts
        .filter_map(|part| part.get("text")?.as_str())
        .collect();
    let text = texts.join("\n");
    match result.get("isError") {
        None | Some(Value::Bool(false)) => Ok(text),
        Some(_) => Err(format!("the tool `{}` failed: {text}", call.tool)),
    }
}

/// Fills the placeholders of a text by values of the event; a value that is not there is an empty text. What a value holds
/// is text and no placeholder.
fn filled_text(text: &str, event: &Value) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((path, tail)) = after.split_once('}') else {
            break;
        };
        filled.push_str(before);
        let at = format!("/{}", path.replace('.', "/"));
        match event.pointer(&at) {
            None | Some(Value::Null) => {}
            Some(Value::String(value)) => filled.push_str(value),
            Some(value) => filled.push_str(&value.to_string()),
        }
        rest = tail;
    }
    filled.push_str(rest);
    filled
}

/// How messages go to a server, and come from it.
trait Messenger {
    fn send(&mut self, message: &Value) -> Result<(), String>;

    /// Returns the next message, while the answer to a method is waited for.
    fn receive(&mut self, method: &str) -> Result<Value, String>;

    /// Hears how the server greets.
    fn greeted(&mut self, _hello: &Value) {}
}

/// Sends a request and returns the result that answers it.
fn ask(server: &mut dyn Messenger, id: u64, method: &str, params: &Value) -> Result<Value, String> {
    server.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
    loop {
        let message = server.receive(method)?;
        let is_answer = message.get("method").is_none();
        match (message.get("id"), is_answer) {
            (Some(of), true) if *of == json!(id) => return answered(&message, method),
            (Some(of), false) => server.send(&declined(of, &message))?,
            (Some(_) | None, _) => {}
        }
    }
}

/// Answers a request of the server: who asks lives, and offers nothing.
fn declined(id: &Value, request: &Value) -> Value {
    if request.get("method").and_then(Value::as_str) == Some("ping") {
        return json!({"jsonrpc": "2.0", "id": id, "result": {}});
    }
    let error = json!({"code": -32601, "message": "not offered"});
    json!({"jsonrpc": "2.0", "id": id, "error": error})
}

/// Reads a line with its end.
fn line(output: &mut BufReader<Take<impl Read>>, method: &str) -> Result<Vec<u8>, String> {
    let mut line = Vec::new();
    let read = output.read_until(b'\n', &mut line);
    read.map_err(|error| format!("it cannot be read: {error}"))?;
    if line.ends_with(b"\n") {
        return Ok(line);
    }
    Err(match output.get_ref().limit() {
        0 => "it said more than 4 MiB".to_owned(),
        _ => format!("it ended before it answered `{method}`"),
    })
}

fn answered(message: &Value, method: &str) -> Result<Value, String> {
    if let Some(result) = message.get("result") {
        return Ok(result.clone());
    }
    let error = message.get("error").and_then(|error| error.get("message"));
    let error = error.and_then(Value::as_str).unwrap_or("without a reason");
    Err(format!("it refuses `{method}`: {error}"))
}
