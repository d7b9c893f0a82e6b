//! The terminal of a person: the questions of one event in one dialog, with the exact action.
//!
//! It opens the terminal itself and never reads standard input, which may be anybody's. Where an agent is above it puts no
//! question: that terminal is the agent's to draw on, and the agent could answer. What was typed before a question stood
//! there is no answer to it.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhook_core::event::Event;
use anyhook_core::ports::{Approver, Dialog};
use anyhook_core::question::{Answer, Question};
use anyhook_wires::hosts::HOSTS;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{QueueSelector, tcflush, tcgetpgrp};

use crate::lock;
use crate::processes::{ancestors, below_an_agent};

mod dialog;

use dialog::{Screen, TerminalInput, put};

/// The longest answer that is read, in bytes.
const LONGEST: usize = 4096;

/// Asks on a terminal, one dialog at a time.
#[derive(Debug)]
pub struct Terminal {
    path: PathBuf,
    drawing: Mutex<()>,
}

impl Default for Terminal {
    fn default() -> Self {
        Self::at("/dev/tty")
    }
}

impl Terminal {
    /// Asks on the terminal at this path. One that cannot be opened, is no terminal, or is not this process's to read puts
    /// no question.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            drawing: Mutex::new(()),
        }
    }

    /// Tells whether a question could be put here now: a person is at this terminal, and no agent is above this process.
    ///
    /// ```
    /// use anyhook_engine::approvers::Terminal;
    /// assert!(!Terminal::at("/dev/null").can_ask());
    /// ```
    pub fn can_ask(&self) -> bool {
        !is_below_an_agent() && self.open().is_some()
    }

    fn open(&self) -> Option<Tty> {
        let options = File::options().read(true).write(true).clone();
        let file = options.open(&self.path).ok()?;
        // A process in the background would be stopped for reading, and so would wait for ever.
        let foreground = tcgetpgrp(&file).ok()?;
        (foreground == rustix::process::getpgrp()).then_some(Tty { file })
    }
}

impl Approver for Terminal {
    fn answer(&self, event: &Event, question: &Question) -> Answer {
        super::answer_one(self, event, question)
    }

    fn answer_all(&self, dialog: &Dialog<'_>) -> Vec<Answer> {
        if is_below_an_agent() {
            return Vec::new();
        }
        let _one = lock(&self.drawing);
        self.open()
            .map_or_else(Vec::new, |mut tty| put(&mut tty, dialog))
    }
}

/// An agent draws on the terminal above its own processes, and could answer there.
fn is_below_an_agent() -> bool {
    let agents: Vec<&str> = HOSTS
        .iter()
        .flat_map(|host| host.facts().executables)
        .copied()
        .collect();
    below_an_agent(&ancestors(), &agents).is_some()
}

/// An open terminal.
struct Tty {
    file: File,
}

impl Screen for Tty {
    fn say(&mut self, text: &str) -> io::Result<()> {
        self.file.write_all(text.as_bytes())?;
        self.file.flush()
    }

    fn hear(&mut self, within: Duration) -> io::Result<TerminalInput> {
        let began = Instant::now();
        // What was typed before the question stood there answers nothing. What is no terminal has nothing to forget.
        let _ = tcflush(&self.file, QueueSelector::IFlush);
        let mut line = Vec::new();
        loop {
            let left = within.saturating_sub(began.elapsed());
            if left.is_zero() || !self.is_ready(left)? {
                return Ok(TerminalInput::Late);
            }
            let mut bytes = [0; 256];
            let count = self.file.read(&mut bytes)?;
            if count == 0 {
                return Ok(TerminalInput::Gone);
            }
            line.extend_from_slice(bytes.get(..count).unwrap_or_default());
            if let Some(end) = line.iter().position(|byte| *byte == b'\n') {
                line.truncate(end);
                return Ok(TerminalInput::Line(
                    String::from_utf8_lossy(&line).into_owned(),
                ));
            }
            if line.len() > LONGEST {
                return Ok(TerminalInput::Line(String::new()));
            }
        }
    }
}

impl Tty {
    fn is_ready(&self, within: Duration) -> io::Result<bool> {
        let time = Timespec::try_from(within).map_err(io::Error::other)?;
        let mut waited = [PollFd::new(&self.file, PollFlags::IN)];
        match poll(&mut waited, Some(&time)) {
            Ok(count) => Ok(count > 0),
            // A signal came; the caller looks at the time, and waits on.
            Err(rustix::io::Errno::INTR) => Ok(true),
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;

    use super::*;

    fn tty() -> (Tty, UnixStream) {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let file = File::from(OwnedFd::from(ours));
        (Tty { file }, theirs)
    }

    #[test]
    fn a_line_is_heard_to_its_end_and_silence_is_late() {
        let (mut tty, mut person) = tty();
        person.write_all(b"allow on").unwrap();
        person.write_all(b"ce\nand more").unwrap();
        let heard = tty.hear(Duration::from_mins(1)).unwrap();
        assert_eq!(heard, TerminalInput::Line("allow once".into()));
        assert_eq!(tty.hear(Duration::ZERO).unwrap(), TerminalInput::Late);
    }

    #[test]
    fn an_answer_that_never_ends_is_none_and_a_closed_terminal_is_gone() {
        let (mut tty, mut person) = tty();
        person.write_all(&[b'y'; 2 * LONGEST]).unwrap();
        let heard = tty.hear(Duration::from_mins(1)).unwrap();
        assert_eq!(heard, TerminalInput::Line(String::new()));
        let (mut tty, person) = self::tty();
        drop(person);
        assert_eq!(
            tty.hear(Duration::from_mins(1)).unwrap(),
            TerminalInput::Gone
        );
    }

    #[test]
    fn a_file_that_is_no_terminal_puts_no_question() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let event = Event::new("tool:pre", serde_json::json!({}));
        let question = Question::new("push?");
        let terminal = Terminal::at(file.path());
        assert_eq!(terminal.answer(&event, &question), Answer::Defer);
        assert_eq!(std::fs::read(file.path()).unwrap(), b"");
    }
}
