//! One HTTP request to the server of a model, and its result.

use std::time::Duration;

use anyhook_core::event::Map;
use anyhook_wires::json;
use serde_json::Value;
use ureq::http::Request;

use super::AskError;
use super::answer::Unread;
use super::settings::Settings;
use crate::remote::{self, Answer, SendError};
use crate::text::plain;

/// What a request came to that is no answer.
///
/// ```
/// use anyhook_engine::models::{AskError, Failed};
///
/// let failed = Failed::Again(AskError::Homeless, None);
/// assert!(matches!(failed, Failed::Again(AskError::Homeless, None)));
/// ```
#[derive(Debug)]
pub enum Failed {
    /// The next one may go better, not before this time.
    Again(AskError, Option<Duration>),
    /// The server does not know this form of a request.
    Form(AskError),
    /// Nothing will change.
    Finally(AskError),
}

impl Failed {
    pub(super) fn is_refusal(&self) -> bool {
        let (Self::Again(error, _) | Self::Form(error) | Self::Finally(error)) = self;
        matches!(error, AskError::Send(SendError::Status(..)))
    }
}

/// Posts a body to the configured server, with its key; once, within a time. What leads elsewhere is not followed. Returns
/// the answer in the protocol's own words.
///
/// ```
/// use anyhook_engine::config::Config;
/// use anyhook_engine::models::{Configured, Failed, post};
/// use anyhook_engine::world::World;
/// use serde_json::json;
/// use std::time::Duration;
///
/// // A server that is not there.
/// let env = [
///     ("ANYHOOK_MODEL".into(), "m".into()),
///     ("ANYHOOK_MODEL_BASE_URL".into(), "http://127.0.0.1:9".into()),
/// ];
/// let world = World { env: env.into(), places: None, ..World::real() };
/// let settings = Configured::read(&Config::read([None, None]), &world).settings?;
/// let posted = post(&settings, &json!({"model": "m"}), Duration::from_secs(5));
/// assert!(matches!(posted, Err(Failed::Finally(_))));
/// # Ok::<(), anyhook_engine::models::ModelError>(())
/// ```
pub fn post(settings: &Settings, body: &Value, within: Duration) -> Result<Map, Failed> {
    let Settings {
        provider,
        base,
        key,
        ..
    } = settings;
    let mut request = Request::post(format!("{base}{}", provider.path))
        .header("content-type", "application/json")
        .header("accept", "application/json");
    for (name, value) in provider.headers {
        request = request.header(*name, *value);
    }
    if let Some(key) = key {
        let (name, before) = provider.key;
        request = request.header(name, format!("{before}{}", key.reveal()));
    }
    let unread =
        |what: String| Failed::Finally(Unread::new(format!("the server sent {what}")).into());
    let request = request.body(body.to_string());
    let request = request.map_err(|error| unread(error.to_string()))?;
    let answer = Answer::to(&remote::agent(base, within), request);
    let mut answer = answer.map_err(|error| refused(settings, error))?;
    let kind = answer.header("content-type").unwrap_or("nothing");
    if !kind.starts_with("application/json") {
        return Err(unread(format!("`{}` instead of JSON", plain(kind))));
    }
    let bytes = answer.read().map_err(|error| refused(settings, error))?;
    json::object(&bytes).map_err(|error| unread(format!("broken JSON: {error}")))
}

/// Tells what an error means for the next request. What a server says about a key may quote it.
fn refused(settings: &Settings, mut error: SendError) -> Failed {
    let SendError::Status(_, refusal) = &mut error else {
        return Failed::Finally(error.into());
    };
    if let Some(key) = &settings.key {
        refusal.said = key.erased_from(&refusal.said);
    }
    let wait = refusal.wait;
    match refusal.code {
        401 | 403 => {
            "it does not accept the key".clone_into(&mut refusal.said);
            Failed::Finally(error.into())
        }
        429 | 500..=599 => Failed::Again(error.into(), wait),
        400 | 415 | 422 => Failed::Form(error.into()),
        _ => Failed::Finally(error.into()),
    }
}
