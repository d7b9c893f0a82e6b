//! Asking a model: the judge behind `type: prompt`.
//!
//! Which model is for the person to say, or for whoever manages the machine, never for a file that came with a project
//! ([`Configured`]). How a server is spoken to is a row of [`PROVIDERS`](providers::PROVIDERS). The hook's own prompt is the
//! instruction; the event is data, and travels in a place of its own that nothing in it can leave ([`instruct`]). What the
//! model answers is never more than "no objection" ([`answer`]).
//!
//! The asking itself (`ask`, with the feature `net`) runs in a process of its own, so that the driver ends it like any
//! other hook, and the process that answers the agent never holds a key or a connection.
//!
//! ```
//! use anyhook::models::{Chosen, Configured, Settings, Whose};
//! use anyhook::world::World;
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
//! let chosen = Chosen { managed: None, user: None };
//! let configured = Configured::read(&chosen, &world);
//! let Settings { provider, model, key, whose, .. } = configured.settings?;
//! assert_eq!((provider.id, &*model, key.is_none()), ("openai", "qwen3:8b", true));
//! assert_eq!(whose, Whose::Environment);
//! # Ok::<(), anyhook::models::SettingsError>(())
//! ```

#[cfg(feature = "net")]
mod account;
pub mod answer;
#[cfg(feature = "net")]
mod ask;
mod budget;
#[cfg(feature = "net")]
mod http;
pub mod instruct;
pub mod providers;
mod settings;

#[cfg(feature = "net")]
pub use ask::{AskError, ask};
pub use budget::{BudgetError, CALLS, TOKENS};
#[cfg(feature = "net")]
pub use http::{Posted, post};
pub use settings::{Chosen, Configured, KEY, Key, Settings, SettingsError, Whose, findings};

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::state::SessionKey;

/// The hidden verb of our own program that asks a model.
///
/// ```
/// assert_eq!(anyhook::models::VERB, "ask-model");
/// ```
pub const VERB: &str = "ask-model";

/// How long asking a model may take where its hook does not say so (D43).
///
/// ```
/// assert_eq!(anyhook::models::DEADLINE.as_secs(), 20);
/// ```
pub const DEADLINE: Duration = Duration::from_secs(20);

/// What is asked about an event: everything but the event itself, which is read from the standard input.
///
/// ```
/// use anyhook::models::Judging;
///
/// let judging = Judging { prompt: "Is it safe?".into(), session: None, millis: 20_000 };
/// let word = serde_json::to_string(&judging)?;
/// assert_eq!(serde_json::from_str::<Judging>(&word)?, judging);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judging {
    /// The hook's own prompt.
    pub prompt: String,
    /// The session whose calls are counted; without one, those of the day are.
    pub session: Option<SessionKey>,
    /// How long it may take, in milliseconds.
    pub millis: u64,
}
