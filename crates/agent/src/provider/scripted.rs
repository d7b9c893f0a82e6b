//! A provider that plays a script, for tests and demonstrations.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhook::core::event::Map;
use serde::Deserialize;

use super::{Provider, ProviderError, ProviderReply, ProviderRequest, TokenUsage};
use crate::message::ToolUse;

/// One line of a script: a text, or a reply in full.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum ScriptLine {
    Text(String),
    Reply(ScriptedReply),
}

/// A reply in full.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ScriptedReply {
    text: String,
    calls: Vec<ScriptedCall>,
    usage: (u64, u64),
    error: Option<String>,
}

/// A call of a reply.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptedCall {
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
/// use anyhook_agent::provider::scripted::ScriptedProvider;
/// use anyhook_agent::provider::{Provider, ProviderError, ProviderRequest};
///
/// let script = r#"["hello", {"calls": [{"name": "read", "input": {}}]}, {"error": "too_long"}]"#;
/// let script = ScriptedProvider::read(script)?;
/// let request = ProviderRequest::default();
/// assert_eq!(script.answer(&request).unwrap().text, "hello");
/// assert_eq!(script.answer(&request).unwrap().calls[0].name, "read");
/// assert_eq!(script.answer(&request), Err(ProviderError::TooLong));
/// assert_eq!(script.answer(&request).unwrap().text, "done");
/// assert_eq!(script.asked().len(), 4);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug)]
pub struct ScriptedProvider {
    lines: Vec<ScriptLine>,
    asked: Mutex<Vec<ProviderRequest>>,
}

impl ScriptedProvider {
    /// Reads a script.
    pub fn read(script: &str) -> Result<Self, serde_json::Error> {
        Ok(Self {
            lines: serde_json::from_str(script)?,
            asked: Mutex::default(),
        })
    }

    /// Returns what it was asked, in order.
    pub fn asked(&self) -> Vec<ProviderRequest> {
        self.heard().clone()
    }

    fn heard(&self) -> MutexGuard<'_, Vec<ProviderRequest>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the line that follows so many others.
    fn line(&self, at: usize) -> Result<ProviderReply, ProviderError> {
        let only = |text: &str| ScriptedReply {
            text: text.to_owned(),
            ..ScriptedReply::default()
        };
        let said = match self.lines.get(at) {
            None => only("done"),
            Some(ScriptLine::Text(text)) => only(text),
            Some(ScriptLine::Reply(said)) => said.clone(),
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
        let call = |(index, wanted): (usize, ScriptedCall)| ToolUse {
            id: wanted
                .id
                .unwrap_or_else(|| format!("call-{}-{}", at + 1, index + 1)),
            name: wanted.name,
            input: wanted.input,
        };
        let (input, output) = said.usage;
        Ok(ProviderReply {
            text: said.text,
            calls: said.calls.into_iter().enumerate().map(call).collect(),
            usage: TokenUsage { input, output },
        })
    }
}

impl Provider for ScriptedProvider {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn answer(&self, request: &ProviderRequest) -> Result<ProviderReply, ProviderError> {
        let at = {
            let mut asked = self.heard();
            asked.push(request.clone());
            asked.len() - 1
        };
        self.line(at)
    }
}
