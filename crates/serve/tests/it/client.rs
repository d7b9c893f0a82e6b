//! A client of HTTP/1.1 that can also be wrong: it sends any bytes.

use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// Nothing that a test waits for takes so long.
const PATIENCE: Duration = Duration::from_mins(1);

/// What the server answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut named = self.headers.iter().filter(|(known, _)| known == name);
        named.next().map(|(_, value)| value.as_str())
    }
}

trait Stream: Read + Write + Send {}
impl<S: Read + Write + Send> Stream for S {}

/// A connection that is kept.
pub(crate) struct Connection {
    stream: BufReader<Box<dyn Stream>>,
    host: String,
}

impl Connection {
    pub(crate) fn port(address: &str) -> Self {
        Self::reach(address).unwrap()
    }

    /// Connects, if there is still one who listens.
    pub(crate) fn reach(address: &str) -> std::io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Self {
            stream: BufReader::new(Box::new(stream)),
            host: address.to_owned(),
        })
    }

    pub(crate) fn socket(path: &Path) -> Self {
        let stream = UnixStream::connect(path).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Self {
            stream: BufReader::new(Box::new(stream)),
            host: "localhost".to_owned(),
        }
    }

    /// Posts with a token.
    pub(crate) fn post(&mut self, path: &str, token: &str, body: &[u8]) -> Answer {
        let token = format!("Authorization: Bearer {token}");
        self.send("POST", path, &[&token], body)
    }

    /// Sends a request with these lines of head beside `Host` and the length.
    pub(crate) fn send(&mut self, method: &str, path: &str, head: &[&str], body: &[u8]) -> Answer {
        let named = head
            .iter()
            .any(|line| line.to_ascii_lowercase().starts_with("host:"));
        let host = if named {
            String::new()
        } else {
            format!("Host: {}\r\n", self.host)
        };
        let lines: Vec<String> = head.iter().map(|line| format!("{line}\r\n")).collect();
        let lines = lines.concat();
        let length = body.len();
        let head =
            format!("{method} {path} HTTP/1.1\r\n{host}{lines}Content-Length: {length}\r\n\r\n");
        let mut request = head.into_bytes();
        request.extend_from_slice(body);
        self.write(&request);
        self.answer().unwrap()
    }

    /// Writes bytes; a server that has closed the connection is no error here.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        let _ = self.stream.get_mut().write_all(bytes);
    }

    /// Reads an answer; nothing where the server closed the connection without one.
    pub(crate) fn answer(&mut self) -> Option<Answer> {
        let mut line = || {
            let mut line = String::new();
            let read = self.stream.read_line(&mut line);
            read.is_ok_and(|read| read > 0)
                .then(|| line.trim_end().to_owned())
        };
        let first = line()?;
        let status = first.split(' ').nth(1)?.parse().ok()?;
        let mut headers = Vec::new();
        loop {
            let next = line()?;
            let Some((name, value)) = next.split_once(':') else {
                break;
            };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let length = headers.iter().find(|(name, _)| name == "content-length");
        let length = length.map_or(0, |(_, length)| length.parse().unwrap());
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).ok()?;
        Some(Answer {
            status,
            headers,
            body: String::from_utf8(body).unwrap(),
        })
    }

    /// Waits until the server closes the connection, and returns what it still said.
    pub(crate) fn rest(&mut self) -> String {
        let mut rest = Vec::new();
        let _ = self.stream.read_to_end(&mut rest);
        String::from_utf8_lossy(&rest).into_owned()
    }
}
