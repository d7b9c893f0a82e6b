//! One HTTP request to the server of a model, and its result.

use std::io;
use std::time::Duration;

use anyhook_core::event::Map;
use anyhook_wires::json;
use serde_json::Value;
use ureq::Body;
use ureq::http::{Response, StatusCode};

use super::AskError;
use super::settings::Settings;
use crate::remote;
use crate::text::plain;

/// How many bytes of a server's answer are read.
const LONGEST_BODY: u64 = 1 << 20;

/// How much of what a server says of its own error is told.
const TOLD: usize = 200;

/// What a request came to that is no answer.
///
/// ```
/// use anyhook_engine::models::{AskError, Failed};
///
/// let failed = Failed::Again(AskError::Status("503".into()), None);
/// assert!(matches!(failed, Failed::Again(error, None) if error.told().ends_with("503")));
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
        matches!(error, AskError::Status(_))
    }
}

/// Posts a body to the configured server, with its key; once, within a time. What leads elsewhere is not followed. Returns
/// the answer in the protocol's own words.
///
/// ```
/// use anyhook_engine::config::{Config, ConfigFiles};
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
/// let settings = Configured::read(&Config::read(ConfigFiles::default()), &world).settings?;
/// let posted = post(&settings, &json!({"model": "m"}), Duration::from_secs(5));
/// assert!(matches!(posted, Err(Failed::Finally(_))));
/// # Ok::<(), anyhook_engine::models::SettingsError>(())
/// ```
pub fn post(settings: &Settings, body: &Value, within: Duration) -> Result<Map, Failed> {
    let Settings {
        provider,
        base,
        key,
        ..
    } = settings;
    let agent = remote::agent(base, within);
    let mut request = agent
        .post(format!("{base}{}", provider.path))
        .content_type("application/json")
        .header("accept", "application/json");
    for (name, value) in provider.headers {
        request = request.header(*name, *value);
    }
    if let Some(key) = key {
        let (name, before) = provider.key;
        request = request.header(name, format!("{before}{}", key.reveal()));
    }
    let answer = request.send(body.to_string().as_bytes());
    read(settings, answer.map_err(unreachable)?)
}

fn read(settings: &Settings, mut answer: Response<Body>) -> Result<Map, Failed> {
    let status = answer.status();
    let wait = wait(&answer);
    let kind = answer.body().mime_type().map(str::to_owned);
    let body = answer.body_mut().with_config().limit(LONGEST_BODY);
    let bytes = body.read_to_vec().map_err(unreachable)?;
    if !status.is_success() {
        return Err(refused(settings, status, wait, &bytes));
    }
    let other = |what: String| Failed::Finally(AskError::NoProtocol(what));
    if kind.as_deref() != Some("application/json") {
        let kind = kind.map_or_else(|| "nothing".to_owned(), |kind| plain(&kind));
        return Err(other(format!("`{kind}` instead of JSON")));
    }
    json::object(&bytes).map_err(|error| other(format!("broken JSON: {error}")))
}

fn refused(settings: &Settings, status: StatusCode, wait: Option<Duration>, body: &[u8]) -> Failed {
    let code = status.as_u16();
    let error = AskError::Status(match code {
        300..=399 => format!("{code}: it redirects to an address that you did not choose"),
        // What a server says about a key may quote it.
        401 | 403 => format!("{code}: it does not accept the key"),
        _ => format!("{code}{}", complaint(settings, body)),
    });
    match code {
        429 | 500..=599 => Failed::Again(error, wait),
        400 | 415 | 422 => Failed::Form(error),
        _ => Failed::Finally(error),
    }
}

/// Quotes what a server says about its error, without the key.
fn complaint(settings: &Settings, body: &[u8]) -> String {
    let said = json::object(body).ok().and_then(|body| complaint_of(&body));
    let Some(said) = said else {
        return String::new();
    };
    let said = match &settings.key {
        Some(key) => key.erased_from(&said),
        None => said,
    };
    let said: String = plain(&said.replace('\n', " ")).chars().take(TOLD).collect();
    format!(": {said}")
}

/// Both protocols say it in `error.message`; some servers in `error`, or `message`.
fn complaint_of(body: &Map) -> Option<String> {
    let error = body.get("error");
    let nested = error.and_then(|error| error.get("message"));
    let text = nested.or(error).or_else(|| body.get("message"))?.as_str()?;
    Some(text.to_owned())
}

/// How long the server asks us to wait; a date is passed over.
fn wait(answer: &Response<Body>) -> Option<Duration> {
    let header = answer.headers().get("retry-after")?.to_str().ok()?;
    header.trim().parse().ok().map(Duration::from_secs)
}

fn unreachable(error: ureq::Error) -> Failed {
    let is_late = match &error {
        ureq::Error::Timeout(_) => true,
        ureq::Error::Io(error) => error.kind() == io::ErrorKind::TimedOut,
        _ => false,
    };
    Failed::Finally(match error {
        _ if is_late => AskError::Late,
        ureq::Error::BodyExceedsLimit(most) => {
            AskError::NoProtocol(format!("more than {most} bytes"))
        }
        other => AskError::Unreachable(Box::new(other)),
    })
}
