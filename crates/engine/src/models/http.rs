//! One HTTP request to the server of a model, and its result.

use std::time::Duration;

use anyhook_core::event::Map;
use anyhook_wires::json;
use serde_json::Value;
use ureq::http::Request;

use super::AskError;
use super::answer::UnreadableAnswer;
use super::settings::ModelSettings;
use crate::remote::{self, SendError, ServerAnswer};
use crate::text::plain;

/// What a request came to that is no answer.
///
/// ```
/// use anyhook_engine::models::{AskError, RequestFailure};
///
/// let failed = RequestFailure::Again(AskError::Homeless, None);
/// assert!(matches!(failed, RequestFailure::Again(AskError::Homeless, None)));
/// ```
#[derive(Debug)]
pub enum RequestFailure {
    /// The next one may go better, not before this time.
    Again(AskError, Option<Duration>),
    /// The server does not know this form of a request.
    Form(AskError),
    /// Nothing will change.
    Finally(AskError),
}

impl RequestFailure {
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
/// use anyhook_engine::models::{ConfiguredModel, RequestFailure, post};
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
/// let settings = ConfiguredModel::read(&Config::read([None, None]), &world).settings?;
/// let posted = post(&settings, &json!({"model": "m"}), Duration::from_secs(5));
/// assert!(matches!(posted, Err(RequestFailure::Finally(_))));
/// # Ok::<(), anyhook_engine::models::ModelError>(())
/// ```
pub fn post(
    settings: &ModelSettings,
    body: &Value,
    within: Duration,
) -> Result<Map, RequestFailure> {
    let ModelSettings {
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
    let unread = |what: String| {
        RequestFailure::Finally(UnreadableAnswer::new(format!("the server sent {what}")).into())
    };
    let request = request.body(body.to_string());
    let request = request.map_err(|error| unread(error.to_string()))?;
    let answer = ServerAnswer::to(&remote::agent(base, within), request);
    let mut answer = answer.map_err(|error| refused(settings, error))?;
    let kind = answer.header("content-type").unwrap_or("nothing");
    if !kind.starts_with("application/json") {
        return Err(unread(format!("`{}` instead of JSON", plain(kind))));
    }
    let bytes = answer.read().map_err(|error| refused(settings, error))?;
    json::object(&bytes).map_err(|error| unread(format!("broken JSON: {error}")))
}

/// Tells what an error means for the next request. What a server says about a key may quote it.
fn refused(settings: &ModelSettings, mut error: SendError) -> RequestFailure {
    let SendError::Status(_, refusal) = &mut error else {
        return RequestFailure::Finally(error.into());
    };
    if let Some(key) = &settings.key {
        refusal.said = key.erased_from(&refusal.said);
    }
    let wait = refusal.wait;
    match refusal.code {
        401 | 403 => {
            "it does not accept the key".clone_into(&mut refusal.said);
            RequestFailure::Finally(error.into())
        }
        429 | 500..=599 => RequestFailure::Again(error.into(), wait),
        400 | 415 | 422 => RequestFailure::Form(error.into()),
        _ => RequestFailure::Finally(error.into()),
    }
}
