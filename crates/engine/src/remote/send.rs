//! One HTTP request, and its result.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Read};
use std::time::Duration;

use anyhook_core::manifest::TransportSecurity;
use anyhook_wires::json;
use serde_json::Value;
use ureq::config::Config;
use ureq::http::{Request, Response};
use ureq::{Agent, AsSendBody, Body};

use super::{Peer, RemoteRequest};
use crate::config::ConfigError;
use crate::text::plain;
use crate::world::World;

/// How many bytes of an answer are read.
const LONGEST_BODY: u64 = 1 << 20;

/// How much of what a server says of its own error is told.
const TOLD: usize = 200;

/// Why a server gave no answer.
///
/// ```
/// use anyhook_engine::remote::SendError;
///
/// let error = SendError::NotListed("hooks.example.com".into());
/// assert!(error.to_string().contains("`hooks.example.com` is not in `http.hosts`"));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SendError {
    /// The settings cannot be read, so it is not known which servers may be asked.
    #[error(transparent)]
    Settings(#[from] ConfigError),
    /// The settings do not have this host.
    #[error("`{0}` is not in `http.hosts` of the settings, so it was not asked")]
    NotListed(String),
    /// A variable may not be sent.
    #[error("the variable `{0}` is not in `http.env` of the settings, so nothing was sent")]
    NotSent(String),
    /// A header names a variable without a value.
    #[error("the variable `{0}` is not set, and a header of the hook needs it")]
    NoValue(String),
    /// The name leads into a network that is not everybody's.
    #[error(
        "`{0}` leads to a private address: list it in `http.hosts` of your settings, or write the address itself"
    )]
    Private(String),
    /// The server did not answer in time.
    #[error("the server `{0}` did not answer in time")]
    Late(String),
    /// The server cannot be reached.
    #[error("the server `{0}` cannot be reached: {1}")]
    Unreachable(String, String),
    /// The server refuses.
    #[error("the server `{0}` answered {1}")]
    Status(String, Refusal),
}

/// How a server says that it does not do what it was asked.
///
/// ```
/// use anyhook_engine::remote::Refusal;
///
/// let refusal = Refusal { code: 503, said: "try later".into(), wait: None };
/// assert_eq!(refusal.to_string(), "503: try later");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The status.
    pub code: u16,
    /// What it says about that, without anything that a terminal obeys.
    pub said: String,
    /// How long it wants us to wait before the next request.
    pub wait: Option<Duration>,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said: String = self.said.trim().chars().take(TOLD).collect();
        match &*said {
            "" => write!(f, "{}", self.code),
            said => write!(f, "{}: {said}", self.code),
        }
    }
}

impl Refusal {
    fn of(answer: &Response<Body>, body: &[u8]) -> Self {
        let code = answer.status().as_u16();
        let said = match code {
            300..=399 => "it redirects to another address, which was not asked".to_owned(),
            _ => complaint(body),
        };
        let wait = answer.headers().get("retry-after");
        // A date is passed over.
        let wait = wait.and_then(|wait| wait.to_str().ok()?.trim().parse().ok());
        Self {
            code,
            said,
            wait: wait.map(Duration::from_secs),
        }
    }
}

/// What a server says of its own error: most say it in `error.message`, some in `error` or `message`, and some as they like.
fn complaint(body: &[u8]) -> String {
    let object = json::object(body).unwrap_or_default();
    let error = object.get("error");
    let nested = error.and_then(|error| error.get("message"));
    let said = nested.or(error).or_else(|| object.get("message"));
    let said = said.and_then(Value::as_str).map(Cow::Borrowed);
    plain(
        &said
            .unwrap_or_else(|| String::from_utf8_lossy(body))
            .replace('\n', " "),
    )
}

/// What a server answered.
///
/// ```
/// # #[cfg(not(test))]
/// fn is_stream(answer: &anyhook_engine::remote::ServerAnswer) -> bool {
///     answer.header("content-type") == Some("text/event-stream")
/// }
/// ```
#[derive(Debug)]
pub struct ServerAnswer {
    host: String,
    answer: Response<Body>,
}

impl ServerAnswer {
    /// Makes a request, and returns an answer that is a success.
    pub(crate) fn to(agent: &Agent, request: Request<impl AsSendBody>) -> Result<Self, SendError> {
        let host = request.uri().host().unwrap_or_default();
        let host = host.trim_matches(['[', ']']).to_owned();
        let answer = agent.run(request).map_err(|error| failed(&host, error))?;
        if answer.status().is_success() {
            return Ok(Self { host, answer });
        }
        let mut answer = Self { host, answer };
        let body = answer.read()?;
        let refusal = Refusal::of(&answer.answer, &body);
        Err(SendError::Status(answer.host, refusal))
    }

    /// Returns a header of it, where it is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.answer.headers().get(name)?.to_str().ok()
    }

    /// Returns what reads its body while it arrives, without a bound.
    pub fn reader(self) -> impl Read {
        self.answer.into_body().into_reader()
    }

    /// Reads the whole body, where it is not too long.
    pub(crate) fn read(&mut self) -> Result<Vec<u8>, SendError> {
        let body = self.answer.body_mut().with_config().limit(LONGEST_BODY);
        body.read_to_vec()
            .map_err(|error| failed(&self.host, error))
    }
}

/// Makes what sends a request to an address: no redirect is followed, because the event would go where no person chose,
/// and what stays on this machine asks no proxy.
pub(crate) fn agent(address: &str, within: Duration) -> Agent {
    config(address, within).into()
}

pub(super) fn config(address: &str, within: Duration) -> Config {
    let config = Agent::config_builder()
        .user_agent(concat!("anyhook/", env!("CARGO_PKG_VERSION")))
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .timeout_global(Some(within.max(Duration::from_millis(1))));
    match TransportSecurity::to(address) {
        Ok(TransportSecurity::Here) => config.proxy(None).build(),
        Ok(TransportSecurity::Clear | TransportSecurity::Sealed) | Err(_) => config.build(),
    }
}

/// Posts an event to the server of a hook, once, and returns what it answered.
///
/// ```
/// use anyhook_engine::core::manifest::HttpAction;
/// use anyhook_engine::remote::{SendError, RemoteRequest, send};
/// use anyhook_engine::world::World;
///
/// let world = World { places: None, ..World::real() };
/// let nowhere = HttpAction::new("http://127.0.0.1:9/hook".into(), vec![], vec![])?;
/// let sent = send(&world, &RemoteRequest { http: nowhere, millis: 5_000 }, b"{}");
/// # if !std::path::Path::new("/etc/anyhook/config.toml").exists() {
/// assert!(matches!(sent, Err(SendError::Unreachable(..))));
/// # }
/// # Ok::<(), String>(())
/// ```
pub fn send(world: &World, sending: &RemoteRequest, event: &[u8]) -> Result<Vec<u8>, SendError> {
    Peer::of(world, sending)?.post(&[], event)?.read()
}

pub(super) fn failed(host: &str, error: ureq::Error) -> SendError {
    let host = host.to_owned();
    match error {
        ureq::Error::Timeout(_) => SendError::Late(host),
        ureq::Error::Io(error) if error.kind() == io::ErrorKind::TimedOut => SendError::Late(host),
        ureq::Error::Io(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            SendError::Private(host)
        }
        ureq::Error::BodyExceedsLimit(most) => {
            SendError::Unreachable(host, format!("its answer is longer than {most} bytes"))
        }
        other => SendError::Unreachable(host, other.to_string()),
    }
}
