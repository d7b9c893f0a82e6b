//! A server on this machine: what it answers is the test's to say, and what it was asked is kept.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{JoinHandle, spawn};
use std::time::Duration;

use serde_json::{Value, json};

/// What one connection gets.
#[derive(Clone)]
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
    asked: Arc<(Mutex<Vec<Request>>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Answers each connection with the next reply, and the last one again and again.
    pub(crate) fn says(replies: Vec<Reply>) -> Self {
        Self::says_when(1, replies)
    }

    /// Answers no caller before so many have asked, and then all of them.
    pub(crate) fn says_when(together: usize, replies: Vec<Reply>) -> Self {
        let mut at = 0;
        Self::begin(together, move |_| {
            at += 1;
            replies[(at - 1).min(replies.len() - 1)].clone()
        })
    }

    /// Answers each request as this function says.
    pub(crate) fn answers(reply: impl FnMut(&Request) -> Reply + Send + 'static) -> Self {
        Self::begin(1, reply)
    }

    fn begin(together: usize, mut reply: impl FnMut(&Request) -> Reply + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let at = listener.local_addr().unwrap();
        let (over, asked) = (
            Arc::<AtomicBool>::default(),
            Arc::<(Mutex<Vec<Request>>, Condvar)>::default(),
        );
        let (end, kept) = (Arc::clone(&over), Arc::clone(&asked));
        let thread = spawn(move || {
            let mut waiting = Vec::new();
            for stream in listener.incoming() {
                if end.load(Ordering::SeqCst) {
                    return;
                }
                let mut stream = stream.unwrap();
                let Some(request) = read(&mut stream) else {
                    continue;
                };
                waiting.push((stream, reply(&request)));
                kept.0.lock().unwrap().push(request);
                kept.1.notify_all();
                if waiting.len() == together {
                    // A caller may ask something else before it has read all of an answer.
                    waiting
                        .drain(..)
                        .for_each(|(stream, reply)| drop(spawn(move || answer(stream, &reply))));
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
        self.asked_times(0)
    }

    /// Returns what it was asked as soon as it is this much: no program waits for the end of what it leaves behind.
    pub(crate) fn asked_times(&self, count: usize) -> Vec<Request> {
        let (all, bell) = &*self.asked;
        let is_less = |asked: &mut Vec<Request>| asked.len() < count;
        let all = bell.wait_timeout_while(all.lock().unwrap(), Duration::from_secs(30), is_less);
        all.unwrap().0.clone()
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
                let body =
                    serde_json::from_slice(&bytes[end + 4..end + 4 + length]).unwrap_or_default();
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
