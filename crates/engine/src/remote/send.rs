//! One HTTP request, and its result.

use std::io;
use std::time::Duration;

use anyhook_core::manifest::Way;
use ureq::Agent;
use ureq::config::Config;

use super::{Peer, Sending};
use crate::config::ConfigError;
use crate::world::World;

/// How many bytes of an answer are read.
pub(super) const LONGEST_BODY: u64 = 1 << 20;

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
    Status(String, String),
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
    match Way::to(address) {
        Ok(Way::Here) => config.proxy(None).build(),
        Ok(Way::Clear | Way::Sealed) | Err(_) => config.build(),
    }
}

/// Posts an event to the server of a hook, once, and returns what it answered.
///
/// ```
/// use anyhook_engine::core::manifest::Http;
/// use anyhook_engine::remote::{SendError, Sending, send};
/// use anyhook_engine::world::World;
///
/// let world = World { places: None, ..World::real() };
/// let nowhere = Http::new("http://127.0.0.1:9/hook".into(), vec![], vec![])?;
/// let sent = send(&world, &Sending { http: nowhere, millis: 5_000 }, b"{}");
/// # if !std::path::Path::new("/etc/anyhook/config.toml").exists() {
/// assert!(matches!(sent, Err(SendError::Unreachable(..))));
/// # }
/// # Ok::<(), String>(())
/// ```
pub fn send(world: &World, sending: &Sending, event: &[u8]) -> Result<Vec<u8>, SendError> {
    let answer = Peer::of(world, sending)?.post(&[], event)?;
    answer.body(LONGEST_BODY)
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
