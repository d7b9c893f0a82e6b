//! A receiver of OTLP over HTTP on this machine.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use serde_json::Value;

/// Returns a text among the attributes of a log, a span or a resource.
pub(crate) fn text(one: &Value, key: &str) -> Option<String> {
    let all = one["attributes"].as_array()?;
    let found = all.iter().find(|attribute| attribute["key"] == key)?;
    Some(found["value"]["stringValue"].as_str().unwrap().to_owned())
}

/// An answer that never comes: what was sent is taken, and the connection is cut.
pub(crate) const CUT: &str = "cut";

/// What came.
#[derive(Default)]
pub(crate) struct Got {
    pub(crate) logs: Vec<Value>,
    pub(crate) spans: Vec<Value>,
    pub(crate) heads: Vec<String>,
    pub(crate) authorization: Option<String>,
    /// The next answers; 200 where there is none.
    pub(crate) answers: VecDeque<&'static str>,
}

/// A receiver that listens until it is ended.
pub(crate) struct Receiver {
    pub(crate) to: String,
    pub(crate) got: Arc<Mutex<Got>>,
    ends: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Receiver {
    pub(crate) fn start() -> Self {
        Self::at("127.0.0.1:0", Arc::default())
    }

    /// Answers so next.
    pub(crate) fn will_answer(&self, answers: &[&'static str]) {
        self.got.lock().unwrap().answers.extend(answers);
    }

    fn at(address: &str, got: Arc<Mutex<Got>>) -> Self {
        let listener = TcpListener::bind(address).unwrap();
        let to = format!("http://{}", listener.local_addr().unwrap());
        let ends = Arc::new(AtomicBool::new(false));
        let (own, over) = (Arc::clone(&got), Arc::clone(&ends));
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if over.load(Ordering::Acquire) {
                    return;
                }
                serve(stream, &own);
            }
        });
        Self {
            to,
            got,
            ends,
            thread: Some(thread),
        }
    }

    /// Ends it; what it got stays.
    #[allow(dead_code, reason = "not each crate with these tests restarts one")]
    pub(crate) fn end(&mut self) {
        self.ends.store(true, Ordering::Release);
        let _ = TcpStream::connect(self.to.trim_start_matches("http://"));
        self.thread.take().unwrap().join().unwrap();
    }

    /// Starts it again where it was.
    #[allow(dead_code, reason = "not each crate with these tests restarts one")]
    pub(crate) fn again(&mut self) {
        let address = self.to.trim_start_matches("http://");
        *self = Self::at(address, Arc::clone(&self.got));
    }
}

/// Answers the requests of one connection.
fn serve(stream: TcpStream, got: &Mutex<Got>) {
    let mut lines = BufReader::new(stream.try_clone().unwrap());
    let mut stream = stream;
    loop {
        let (mut path, mut length, mut authorization) = (String::new(), 0, None);
        loop {
            let mut line = String::new();
            if lines.read_line(&mut line).unwrap_or_default() == 0 {
                return;
            }
            let lower = line.to_ascii_lowercase();
            if let Some(rest) = line.strip_prefix("POST ") {
                rest.split(' ').next().unwrap().clone_into(&mut path);
            } else if let Some(rest) = lower.strip_prefix("content-length:") {
                length = rest.trim().parse().unwrap();
            } else if lower.starts_with("authorization:") {
                authorization = line.split_once(':').map(|(_, text)| text.trim().to_owned());
            } else if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        lines.read_exact(&mut body).unwrap();
        let mut got = got.lock().unwrap();
        let answer = got.answers.pop_front().unwrap_or("200 OK\r\n");
        if answer.starts_with("200") || answer == CUT {
            got.authorization = authorization;
            take(&mut got, &path, &body);
        }
        if answer == CUT {
            return;
        }
        let said = r#"{"partialSuccess": {}}"#;
        let text = format!(
            "HTTP/1.1 {answer}content-length: {}\r\n\r\n{said}",
            said.len()
        );
        if stream.write_all(text.as_bytes()).is_err() {
            return;
        }
    }
}

fn take(got: &mut Got, path: &str, body: &[u8]) {
    let sent: Value = serde_json::from_slice(body).unwrap();
    let all = |value: &Value| value.as_array().unwrap().clone();
    match path {
        "/v1/logs" => {
            for resource in all(&sent["resourceLogs"]) {
                got.heads
                    .extend(text(&resource["resource"], "anyhook.record.head"));
                let scopes = all(&resource["scopeLogs"]).into_iter();
                got.logs
                    .extend(scopes.flat_map(|scope| all(&scope["logRecords"])));
            }
        }
        "/v1/traces" => {
            let resources = all(&sent["resourceSpans"]).into_iter();
            let scopes = resources.flat_map(|resource| all(&resource["scopeSpans"]));
            got.spans
                .extend(scopes.flat_map(|scope| all(&scope["spans"])));
        }
        other => panic!("no such path: {other}"),
    }
}
