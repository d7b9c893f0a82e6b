//! A server that is reached over the network: each message is posted, and the answer to a request is JSON or a stream of events
//! (MCP's "streamable HTTP").

use std::io::{BufReader, Read, Take};
use std::time::Duration;

use anyhook::remote::{Peer, RemoteRequest, ServerAnswer};
use anyhook::world::World;
use serde_json::Value;

use super::{MOST, Messenger, line};

/// How long the end of a session may take, which no answer should wait for.
const END: Duration = Duration::from_secs(1);
const SESSION: &str = "mcp-session-id";

/// A server with its session, which ends with this value.
pub(super) struct RemoteServer {
    peer: Peer,
    session: Option<String>,
    /// The version that the server speaks.
    version: Option<String>,
    coming: Option<PendingReply>,
}

/// The answer to a request, while it arrives.
struct PendingReply {
    is_stream: bool,
    body: BufReader<Take<Box<dyn Read>>>,
}

impl RemoteServer {
    pub(super) fn of(sending: &RemoteRequest) -> Result<Self, String> {
        let peer = Peer::of(&World::real(), sending).map_err(|error| error.to_string())?;
        Ok(Self {
            peer,
            session: None,
            version: None,
            coming: None,
        })
    }

    fn headers(&self) -> Vec<(&str, &str)> {
        let session = self.session.as_deref().map(|id| (SESSION, id));
        let version = self.version.as_deref();
        let version = version.map(|version| ("mcp-protocol-version", version));
        let accept = ("accept", "application/json, text/event-stream");
        [Some(accept), session, version]
            .into_iter()
            .flatten()
            .collect()
    }
}

impl Messenger for RemoteServer {
    fn send(&mut self, message: &Value) -> Result<(), String> {
        let posted = self
            .peer
            .post(&self.headers(), message.to_string().as_bytes());
        let answer = posted.map_err(|error| error.to_string())?;
        if self.session.is_none() {
            self.session = answer.header(SESSION).map(str::to_owned);
        }
        // What is no request has no answer.
        if message.get("id").is_some() && message.get("method").is_some() {
            self.coming = Some(PendingReply::of(answer));
        }
        Ok(())
    }

    fn receive(&mut self, method: &str) -> Result<Value, String> {
        let ended = || format!("it ended before it answered `{method}`");
        let coming = self.coming.as_mut().ok_or_else(ended)?;
        let text = if coming.is_stream {
            event(&mut coming.body, method)?
        } else {
            let text = whole(&mut coming.body)?;
            self.coming = None;
            text
        };
        serde_json::from_slice(&text)
            .map_err(|error| format!("its answer to `{method}` is no JSON: {error}"))
    }

    fn greeted(&mut self, hello: &Value) {
        let version = hello.get("protocolVersion").and_then(Value::as_str);
        self.version = version.map(str::to_owned);
    }
}

impl Drop for RemoteServer {
    fn drop(&mut self) {
        if self.session.is_some() {
            // The tool has said what it says: a session that cannot be ended ends at the server some time.
            let within = END.min(self.peer.left() / 2);
            let _ = self.peer.delete(&self.headers(), within);
        }
    }
}

impl PendingReply {
    fn of(answer: ServerAnswer) -> Self {
        let kind = answer.header("content-type").unwrap_or_default();
        let is_stream = kind.to_ascii_lowercase().starts_with("text/event-stream");
        let body: Box<dyn Read> = Box::new(answer.reader());
        Self {
            is_stream,
            body: BufReader::new(body.take(MOST)),
        }
    }
}

fn whole(body: &mut BufReader<Take<Box<dyn Read>>>) -> Result<Vec<u8>, String> {
    let mut text = Vec::new();
    let read = body.read_to_end(&mut text);
    read.map_err(|error| format!("it cannot be read: {error}"))?;
    match body.get_ref().limit() {
        0 => Err("it said more than 4 MiB".to_owned()),
        _ => Ok(text),
    }
}

/// Reads the data of the next event that has some.
fn event(body: &mut BufReader<Take<Box<dyn Read>>>, method: &str) -> Result<Vec<u8>, String> {
    let mut data = Vec::new();
    loop {
        let line = line(body, method)?;
        let line = line.trim_ascii_end();
        match line.strip_prefix(b"data:") {
            Some(part) => data.extend_from_slice(&[part, b"\n"].concat()),
            None if line.is_empty() && !data.trim_ascii().is_empty() => return Ok(data),
            None => {}
        }
    }
}
