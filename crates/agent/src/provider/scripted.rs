//! A provider that plays a script, for tests and demonstrations.

mod script;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::{Provider, ProviderError, Reply, Request, Usage};
use crate::message::Call;
pub use script::ScriptError;
use script::{Line, Said, Wanted};

/// Says one reply after the other, and remembers what it was asked.
///
/// A script is a JSON list. Each item is a text, or an object with `text`, `calls` (each `name` and `input`, with an `id`
/// if it matters), `usage` (tokens in and out), or an `error`: `too_long`, `again`, or any other text. At its end it says
/// that it is done.
///
/// ```
/// use anyhook_agent::provider::scripted::Scripted;
/// use anyhook_agent::provider::{Provider, ProviderError, Request};
///
/// let script = r#"["hello", {"calls": [{"name": "read", "input": {}}]}, {"error": "too_long"}]"#;
/// let script = Scripted::read(script)?;
/// let request = Request::default();
/// assert_eq!(script.answer(&request).unwrap().text, "hello");
/// assert_eq!(script.answer(&request).unwrap().calls[0].name, "read");
/// assert_eq!(script.answer(&request), Err(ProviderError::TooLong));
/// assert_eq!(script.answer(&request).unwrap().text, "done");
/// assert_eq!(script.asked().len(), 4);
///
/// let long = Scripted::read("[]")?.forgetting();
/// let _ = long.answer(&request);
/// assert!(long.asked().is_empty());
/// # Ok::<(), anyhook_agent::provider::scripted::ScriptError>(())
/// ```
#[derive(Debug)]
pub struct Scripted {
    lines: Vec<Line>,
    heard: Mutex<Heard>,
    remembers: bool,
}

#[derive(Debug, Default)]
struct Heard {
    count: usize,
    asked: Vec<Request>,
}

impl Scripted {
    /// Reads a script.
    pub fn read(script: &str) -> Result<Self, ScriptError> {
        Ok(Self {
            lines: serde_json::from_str(script)?,
            heard: Mutex::default(),
            remembers: true,
        })
    }

    /// Remembers nothing of what it is asked: for long conversations.
    pub fn forgetting(mut self) -> Self {
        self.remembers = false;
        self
    }

    /// Returns what it was asked, in order.
    pub fn asked(&self) -> Vec<Request> {
        self.heard().asked.clone()
    }

    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the line that follows so many others.
    fn line(&self, at: usize) -> Result<Reply, ProviderError> {
        let only = |text: &str| Said {
            text: text.to_owned(),
            ..Said::default()
        };
        let said = match self.lines.get(at) {
            None => only("done"),
            Some(Line::Text(text)) => only(text),
            Some(Line::Reply(said)) => said.clone(),
        };
        match said.error.as_deref() {
            None => {}
            Some("too_long") => return Err(ProviderError::TooLong),
            Some("again") => {
                let what = "the script says to ask again".into();
                let wait = Some(Duration::ZERO);
                return Err(ProviderError::Again { what, wait });
            }
            Some(other) => return Err(ProviderError::Finally(other.to_owned())),
        }
        let call = |(index, wanted): (usize, Wanted)| Call {
            id: wanted
                .id
                .unwrap_or_else(|| format!("call-{}-{}", at + 1, index + 1)),
            name: wanted.name,
            input: wanted.input,
        };
        let (input, output) = said.usage.unwrap_or((0, 0));
        Ok(Reply {
            text: said.text,
            calls: said.calls.into_iter().enumerate().map(call).collect(),
            usage: Usage { input, output },
        })
    }
}

impl Provider for Scripted {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn answer(&self, request: &Request) -> Result<Reply, ProviderError> {
        let at = {
            let mut heard = self.heard();
            if self.remembers {
                heard.asked.push(request.clone());
            }
            heard.count += 1;
            heard.count - 1
        };
        self.line(at)
    }
}
