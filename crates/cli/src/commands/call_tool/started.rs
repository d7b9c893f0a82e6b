//! A server that is started for one call: lines of JSON over its standard input and output.

use std::ffi::OsString;
use std::io::{BufReader, Read as _, Take, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::Value;

use super::{MOST, Messenger, line};

/// A server that was started, and is ended with this value.
pub(super) struct LocalServer {
    child: Child,
    input: ChildStdin,
    output: BufReader<Take<ChildStdout>>,
}

impl LocalServer {
    pub(super) fn start(command: &[OsString]) -> Result<Self, String> {
        let (program, args) = command.split_first().ok_or("no command")?;
        let mut starting = std::process::Command::new(program);
        starting
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        // What a server logs is no part of the answer, and would stand before the reason of a failure.
        starting.stderr(Stdio::null());
        let mut child = starting
            .spawn()
            .map_err(|error| format!("`{}` does not start: {error}", program.display()))?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(input), Some(output)) => Ok(Self {
                child,
                input,
                output: BufReader::new(output.take(MOST)),
            }),
            (_, _) => Err("it has no standard input or output".to_owned()),
        }
    }
}

impl Messenger for LocalServer {
    fn send(&mut self, message: &Value) -> Result<(), String> {
        let line = format!("{message}\n");
        let sent = self.input.write_all(line.as_bytes());
        sent.map_err(|error| format!("it does not read: {error}"))
    }

    /// Lines that are no message are passed over.
    fn receive(&mut self, method: &str) -> Result<Value, String> {
        loop {
            if let Ok(message) = serde_json::from_slice(&line(&mut self.output, method)?) {
                return Ok(message);
            }
        }
    }
}

impl Drop for LocalServer {
    fn drop(&mut self) {
        // One that has ended already cannot be ended, and that is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
