//! A server on threads of its own, which ends when it is dropped.

use std::io::{self, Read as _};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use serde_json::Value;
use tiny_http::{Header, Listener, Request, Response, Server};

/// A request is no longer than this; the longest that an agent was seen to send has 300 KiB.
const LONGEST: u64 = 64 * 1024 * 1024;

/// What a request is answered with.
pub(crate) struct HttpReply {
    pub(crate) status: u16,
    /// The type of the content.
    pub(crate) kind: &'static str,
    pub(crate) text: String,
}

impl HttpReply {
    /// Answers with JSON.
    pub(crate) fn json(status: u16, value: &Value) -> Self {
        Self {
            status,
            kind: "application/json",
            text: value.to_string(),
        }
    }
}

/// A server that runs.
pub(crate) struct RunningServer {
    server: Arc<Server>,
    thread: Option<JoinHandle<()>>,
}

impl std::fmt::Debug for RunningServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RunningServer")
    }
}

impl RunningServer {
    /// Answers the path and the body of each request, on a thread of its own, until this is dropped. The end waits for no answer.
    pub(crate) fn start<A>(name: &str, listener: impl Into<Listener>, answer: A) -> io::Result<Self>
    where
        A: Fn(&str, &[u8]) -> HttpReply + Send + Sync + 'static,
    {
        let server = Server::from_listener(listener, None).map_err(io::Error::other)?;
        let server = Arc::new(server);
        let answer = Arc::new(answer);
        let serving = Arc::clone(&server);
        let thread = thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || {
                for request in serving.incoming_requests() {
                    let answer = Arc::clone(&answer);
                    thread::spawn(move || reply(request, &*answer));
                }
            })?;
        Ok(Self {
            server,
            thread: Some(thread),
        })
    }
}

/// A client that went away is its own affair.
fn reply(mut request: Request, answer: &dyn Fn(&str, &[u8]) -> HttpReply) {
    let mut body = Vec::new();
    let _ = request.as_reader().take(LONGEST).read_to_end(&mut body);
    let HttpReply { status, kind, text } = answer(request.url(), &body);
    let mut response = Response::from_string(text).with_status_code(status);
    if let Ok(kind) = Header::from_bytes("Content-Type", kind) {
        response = response.with_header(kind);
    }
    let _ = request.respond(response);
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        self.server.unblock();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
