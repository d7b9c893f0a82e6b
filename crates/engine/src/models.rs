//! Asking a model: the code behind `type: prompt`.
//!
//! Which model is for the person to say, or for the administrator, never for a file that came with a project
//! ([`ConfiguredModel`]). How a server is spoken to is a row of [`PROVIDERS`](providers::PROVIDERS). The hook's own prompt is the
//! instruction; the event is data, and travels in a place of its own that nothing in it can leave ([`instruct`]). What the
//! model answers is never more than "no objection" ([`answer`]).
//!
//! The asking itself (`ask`) runs in a process of its own, so that the driver ends it like any
//! other hook, and the process that answers the agent never holds a key or a connection.
//!
//! ```
//! use anyhook_engine::config::Config;
//! use anyhook_engine::models::{ConfiguredModel, ModelSettings, SettingsSource};
//! use anyhook_engine::world::World;
//!
//! let world = World {
//!     env: [
//!         ("ANYHOOK_MODEL".into(), "qwen3:8b".into()),
//!         ("ANYHOOK_MODEL_BASE_URL".into(), "http://localhost:11434/v1".into()),
//!     ]
//!     .into(),
//!     places: None,
//!     ..World::real()
//! };
//! let configured = ConfiguredModel::read(&Config::read([None, None]), &world);
//! let ModelSettings { provider, model, key, whose, .. } = configured.settings?;
//! assert_eq!((provider.id, &*model, key.is_none()), ("openai", "qwen3:8b", true));
//! assert_eq!(whose, SettingsSource::Environment);
//! # Ok::<(), anyhook_engine::models::ModelError>(())
//! ```
pub mod answer;
mod ask;
mod http;
pub mod instruct;
pub mod providers;
mod settings;
pub use ask::{AskError, ask};
pub use http::{RequestFailure, post};
pub use settings::{
    ApiKey, ConfiguredModel, KEY, ModelError, ModelSettings, SettingsSource, findings,
};

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::answer::ModelOutput;
use crate::state::SessionKey;

/// The hidden verb of our own program that asks a model.
///
/// ```
/// assert_eq!(anyhook_engine::models::VERB, "ask-model");
/// ```
pub const VERB: &str = "ask-model";

/// How long asking a model may take where its hook does not say so.
///
/// ```
/// assert_eq!(anyhook_engine::models::DEADLINE.as_secs(), 20);
/// ```
pub const DEADLINE: Duration = Duration::from_secs(20);

/// What is asked about an event: everything but the event itself, which is read from the standard input.
///
/// ```
/// use anyhook_engine::config::Config;
/// use anyhook_engine::models::JudgeRequest;
///
/// let judging =
///     JudgeRequest { prompt: "Is it safe?".into(), session: None, millis: 20_000, stand_in: None };
/// let word = serde_json::to_string(&judging)?;
/// assert_eq!(serde_json::from_str::<JudgeRequest>(&word)?, judging);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeRequest {
    /// The hook's own prompt.
    pub prompt: String,
    /// The session whose calls are counted; without one, those of the day are.
    pub session: Option<SessionKey>,
    /// How long it may take, in milliseconds.
    pub millis: u64,
    /// What a test has in the place of the model; then none is asked, and none is needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stand_in: Option<StandIn>,
}

/// What a test has in the place of a model.
///
/// It comes with a [`Context`](crate::event::Context) and no other way: neither a file nor a variable can bring one, so no one
/// talks a real event past its judge.
///
/// ```
/// use anyhook_engine::config::Config;
/// use anyhook_engine::models::StandIn;
/// use serde_json::json;
///
/// let says = StandIn::Says(json!({"ok": false, "reason": "no test ran"}));
/// assert_eq!(says.answer()?, json!({"decision": "block", "reason": "no test ran"}));
/// let refuses = StandIn::Refuses(429);
/// assert!(says.is_answer() && !refuses.is_answer());
/// assert_eq!(refuses.answer().unwrap_err(), "the server of the model answered 429");
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StandIn {
    /// The model says this: text, or an object as the arguments of its tool.
    Says(Value),
    /// Its server answers with this status, however often it is asked.
    Refuses(u16),
    /// Its server does not answer in time.
    Late,
}

impl StandIn {
    /// Returns the answer as a hook would print it, read by the reader of real ones, or what went wrong.
    pub fn answer(&self) -> Result<Value, String> {
        let said = match self {
            Self::Says(Value::Object(object)) => ModelOutput::Object(object.clone()),
            Self::Says(Value::String(text)) => ModelOutput::Text(text.clone()),
            Self::Says(other) => ModelOutput::Text(other.to_string()),
            Self::Refuses(status) => {
                return Err(format!("the server of the model answered {status}"));
            }
            Self::Late => return Err("the server of the model did not answer in time".to_owned()),
        };
        answer::read(&said).map_err(|unread| unread.to_string())
    }

    /// Tells whether the model answered, whatever it said.
    pub fn is_answer(&self) -> bool {
        matches!(self, Self::Says(_))
    }
}
