//! The only machines that a line can reach: listeners on the loopback of its own network.

use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::time::Duration;

/// The ports at which programs of the table ask.
const PORTS: &[u16] = &[80, 443, 22, 21, 3000, 8000, 8080];

/// Listeners, and how many came.
#[derive(Debug)]
pub(super) struct Listeners {
    all: Vec<TcpListener>,
    /// What the machine answers: code that leaves a mark.
    shell: String,
    python: String,
    pub(super) came: usize,
}

impl Listeners {
    pub(super) fn new(mark: &Path) -> io::Result<Self> {
        let mut all = Vec::new();
        for port in PORTS {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, *port))?;
            listener.set_nonblocking(true)?;
            all.push(listener);
        }
        let mark = mark.display();
        Ok(Self {
            all,
            shell: format!(": > '{mark}'\n"),
            python: format!("open('{mark}','w')\n"),
            came: 0,
        })
    }

    /// Answers those who came meanwhile.
    pub(super) fn answer(&mut self) {
        for listener in &self.all {
            while let Ok((mut stream, _)) = listener.accept() {
                self.came += 1;
                // One that says nothing more was connected to all the same.
                let _ = stream.set_nonblocking(false);
                let _ = stream.set_read_timeout(Some(Duration::from_millis(300)));
                let mut asked = [0_u8; 2048];
                let read = stream.read(&mut asked).unwrap_or_default();
                let asked =
                    String::from_utf8_lossy(asked.get(..read).unwrap_or_default()).into_owned();
                let path = asked.split(' ').nth(1).unwrap_or_default();
                let is_python = path.rsplit('.').next() == Some("py");
                let body = if is_python { &self.python } else { &self.shell };
                if asked.contains("HTTP/") {
                    let _ = write!(
                        stream,
                        "HTTP/1.0 200 OK\r\nContent-Length: {}\r\n\r\n{body}",
                        body.len()
                    );
                }
            }
        }
    }
}
