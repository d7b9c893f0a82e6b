//! Providers of the model's answers: your own, or a script.
//!
//! ```
//! use anyhook_agent::provider::{Provider, ProviderError, ProviderReply, ProviderRequest, TokenUsage};
//!
//! /// Says the same to everybody.
//! struct Parrot;
//! impl Provider for Parrot {
//!     fn name(&self) -> &str {
//!         "parrot"
//!     }
//!     fn answer(&self, request: &ProviderRequest) -> Result<ProviderReply, ProviderError> {
//!         let text = request.model.clone();
//!         Ok(ProviderReply { text, calls: Vec::new(), usage: TokenUsage { input: 1, output: 1 } })
//!     }
//! }
//! let request = ProviderRequest { model: "hello".into(), ..ProviderRequest::default() };
//! assert_eq!(Parrot.answer(&request)?.text, "hello");
//! assert_eq!((Parrot.name(), TokenUsage { input: 1, output: 2 }.tokens()), ("parrot", 3));
//! # Ok::<(), ProviderError>(())
//! ```

use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use crate::message::{ChatMessage, ToolUse};
pub mod scripted;

/// Answers a conversation.
pub trait Provider: Send + Sync {
    /// Returns its name.
    fn name(&self) -> &str;
    /// Answers. It may block, and keeps to its own deadline.
    fn answer(&self, request: &ProviderRequest) -> Result<ProviderReply, ProviderError>;
}

/// What is sent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProviderRequest {
    /// The model.
    pub model: String,
    /// The conversation.
    pub messages: Vec<ChatMessage>,
    /// The tools that may be called.
    pub tools: Vec<ToolSpec>,
    /// How many tokens the answer may have.
    pub max_tokens: u64,
    /// Where in between it is sampled; nothing leaves it to the server.
    pub temperature: Option<f64>,
}

/// A tool, as a model reads it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub schema: Value,
}

/// What a model answered.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProviderReply {
    /// What it said.
    pub text: String,
    /// What it wants to be done; nothing ends the turn.
    pub calls: Vec<ToolUse>,
    /// What it took.
    pub usage: TokenUsage,
}

/// Tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TokenUsage {
    /// Read.
    pub input: u64,
    /// Written.
    pub output: u64,
}

impl TokenUsage {
    /// Adds what was taken after that.
    pub(crate) fn add(&mut self, more: Self) {
        self.input = self.input.saturating_add(more.input);
        self.output = self.output.saturating_add(more.output);
    }

    /// Returns both together.
    pub fn tokens(self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// The conversation does not fit; a shorter one may.
    #[error("the conversation is too long for the model")]
    TooLong,
    /// The next try may go better.
    #[error("{what}")]
    Again {
        /// What happened.
        what: String,
        /// How long the server asks to wait.
        wait: Option<Duration>,
    },
    /// Nothing will change.
    #[error("{0}")]
    Finally(String),
}
