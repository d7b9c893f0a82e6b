//! A server of a model, as a script: each connection gets the next answer, and what was asked is kept.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use serde_json::{Value, json};

/// What one connection gets.
pub(crate) enum Reply {
    /// These bytes, and the end.
    Bytes(Vec<u8>),
    /// These bytes, and no end before the other side goes away.
    Forever(Vec<u8>),
}

impl Reply {
    pub(crate) fn http(status: &str, headers: &[&str], body: &str) -> Self {
        let mut head = format!(
            "HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n",
            body.len()
        );
        for header in headers {
            head.push_str(header);
            head.push_str("\r\n");
        }
        Self::Bytes(format!("{head}\r\n{body}").into_bytes())
    }

    pub(crate) fn json(body: &Value) -> Self {
        Self::http(
            "200 OK",
            &["content-type: application/json"],
            &body.to_string(),
        )
    }

    pub(crate) fn error(status: &str, message: &str) -> Self {
        let body = json!({"error": {"message": message}}).to_string();
        // A caller that is told to wait for no time at all does not wait.
        Self::http(
            status,
            &["content-type: application/json", "retry-after: 0"],
            &body,
        )
    }
}

/// One request.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) head: String,
    pub(crate) body: Value,
}

impl Request {
    pub(crate) fn line(&self) -> &str {
        self.head.lines().next().unwrap_or_default()
    }

    pub(crate) fn header(&self, name: &str) -> Option<String> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let found = lines.find(|(key, _)| key.eq_ignore_ascii_case(name))?;
        Some(found.1.to_owned())
    }
}

/// The server. It listens on this machine alone, and ends with its owner.
pub(crate) struct Server {
    at: std::net::SocketAddr,
    over: Arc<AtomicBool>,
    asked: Arc<Mutex<Vec<Request>>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Answers each connection with the next reply, and the last one again and again.
    pub(crate) fn says(replies: Vec<Reply>) -> Self {
        Self::says_when(1, replies)
    }

    /// Answers no caller before so many have asked, and then all of them.
    pub(crate) fn says_when(together: usize, replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let at = listener.local_addr().unwrap();
        let (over, asked) = (
            Arc::<AtomicBool>::default(),
            Arc::<Mutex<Vec<Request>>>::default(),
        );
        let (end, kept) = (Arc::clone(&over), Arc::clone(&asked));
        let thread = std::thread::spawn(move || {
            let mut waiting = Vec::new();
            for (at, stream) in listener.incoming().enumerate() {
                if end.load(Ordering::SeqCst) {
                    return;
                }
                let mut stream = stream.unwrap();
                let Some(request) = read(&mut stream) else {
                    continue;
                };
                kept.lock().unwrap().push(request);
                waiting.push((stream, &replies[at.min(replies.len() - 1)]));
                if waiting.len() == together {
                    waiting
                        .drain(..)
                        .for_each(|(stream, reply)| answer(stream, reply));
                }
            }
        });
        Self {
            at,
            over,
            asked,
            thread: Some(thread),
        }
    }

    pub(crate) fn base(&self) -> String {
        format!("http://{}", self.at)
    }

    pub(crate) fn asked(&self) -> Vec<Request> {
        self.asked.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        // The thread waits for a caller to come.
        drop(TcpStream::connect(self.at));
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(
                ended.is_ok() || std::thread::panicking(),
                "the server failed"
            );
        }
    }
}

fn answer(mut stream: TcpStream, reply: &Reply) {
    let (Reply::Bytes(bytes) | Reply::Forever(bytes)) = reply;
    // A caller that has read enough goes away in the middle.
    let written = stream.write_all(bytes);
    if let (Reply::Forever(_), Ok(())) = (reply, written) {
        let _ = stream.read_to_end(&mut Vec::new());
    }
    let _ = stream.shutdown(Shutdown::Write);
    let _ = stream.read_to_end(&mut Vec::new());
}

fn read(stream: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
            let lower = head.to_lowercase();
            let length = lower
                .lines()
                .find_map(|line| line.strip_prefix("content-length: "));
            let length: usize = length.map_or(0, |length| length.trim().parse().unwrap());
            if bytes.len() >= end + 4 + length {
                let body = serde_json::from_slice(&bytes[end + 4..end + 4 + length]).unwrap();
                return Some(Request { head, body });
            }
        }
        let read = stream.read(&mut buffer).ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&buffer[..read]);
    }
}

/// What the Messages API answers when the model calls its tool with this.
pub(crate) fn anthropic(input: &Value) -> Value {
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m",
        "content": [{"type": "tool_use", "id": "toolu_1", "name": "judge", "input": input}],
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 400, "output_tokens": 20},
    })
}

/// What chat completions answer when the model says this.
pub(crate) fn openai(text: &str) -> Value {
    json!({
        "id": "c-1", "object": "chat.completion", "model": "m",
        "choices": [{
            "index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop",
        }],
        "usage": {"prompt_tokens": 400, "completion_tokens": 20, "total_tokens": 420},
    })
}
