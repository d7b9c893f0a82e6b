//! A provider that plays a script, for tests and demonstrations.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhook::core::event::Map;
use serde::Deserialize;

use super::{Provider, ProviderError, Reply, Request, Usage};
use crate::message::Call;

/// One line of a script: a text, or a reply in full.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum Line {
    Text(String),
    Reply(Said),
}

/// A reply in full.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Said {
    text: String,
    calls: Vec<Wanted>,
    usage: Option<(u64, u64)>,
    error: Option<String>,
}

/// A call of a reply.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    #[serde(default)]
    id: Option<String>,
    name: String,
    #[serde(default)]
    input: Map,
}

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
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug)]
pub struct Scripted {
    lines: Vec<Line>,
    asked: Mutex<Vec<Request>>,
}

impl Scripted {
    /// Reads a script.
    pub fn read(script: &str) -> Result<Self, serde_json::Error> {
        Ok(Self {
            lines: serde_json::from_str(script)?,
            asked: Mutex::default(),
        })
    }

    /// Returns what it was asked, in order.
    pub fn asked(&self) -> Vec<Request> {
        self.heard().clone()
    }

    fn heard(&self) -> MutexGuard<'_, Vec<Request>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
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
            let mut asked = self.heard();
            asked.push(request.clone());
            asked.len() - 1
        };
        self.line(at)
    }
}
