//! One request, and what became of it.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use anyhook_core::manifest::Way;
use ureq::Agent;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};

use super::Sending;
use crate::limits::{ConfigError, Reach};
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
    Status(String, String),
}

/// Makes what sends a request to an address: no redirect is followed, because the event would go where no person chose,
/// and what stays on this machine asks no proxy.
pub(crate) fn agent(address: &str, within: Duration) -> Agent {
    config(address, within).into()
}

fn config(address: &str, within: Duration) -> Config {
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
    let http = &sending.http;
    let host = http.host();
    let reach = Reach::of(world)?;
    if !reach.allows(host) {
        return Err(SendError::NotListed(host.to_owned()));
    }
    if let Some(unsent) = http.variables.iter().find(|name| !reach.sends(name)) {
        return Err(SendError::NotSent(unsent.clone()));
    }
    let value = |name: &str| Some(world.var(name)?.to_str()?.to_owned());
    let headers = http.filled(value).map_err(SendError::NoValue)?;
    let config = config(&http.url, Duration::from_millis(sending.millis));
    let resolver = Public {
        host: (!reach.names(host)).then(|| host.to_owned()),
        default: DefaultResolver::default(),
    };
    let agent = Agent::with_parts(config, DefaultConnector::default(), resolver);
    let mut request = agent.post(&http.url).content_type("application/json");
    for (name, value) in headers {
        request = request.header(name, value);
    }
    let failed = |error| failed(host, error);
    let mut answer = request.send(event).map_err(failed)?;
    let status = answer.status();
    let body = answer.body_mut().with_config().limit(LONGEST_BODY);
    let body = body.read_to_vec().map_err(failed)?;
    if status.is_success() {
        return Ok(body);
    }
    let why = match status.as_u16() {
        code @ 300..=399 => format!("{code}: it redirects to another address, which was not asked"),
        code => {
            let said: String = plain(&String::from_utf8_lossy(&body).replace('\n', " "));
            let said: String = said.trim().chars().take(TOLD).collect();
            format!("{code} {said}").trim_end().to_owned()
        }
    };
    Err(SendError::Status(host.to_owned(), why))
}

fn failed(host: &str, error: ureq::Error) -> SendError {
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

/// Finds the addresses of a name, and refuses a name that leads to a private one.
#[derive(Debug)]
struct Public {
    /// The name that must be public; nothing where it was listed. The name of a proxy is not asked about.
    host: Option<String>,
    default: DefaultResolver,
}

impl Resolver for Public {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let found = self.default.resolve(uri, config, timeout)?;
        let asked = uri.host().map(|host| host.trim_matches(['[', ']']));
        let is_name = |host: &String| {
            Some(&**host) == asked
                && host.parse::<IpAddr>().is_err()
                && !host.eq_ignore_ascii_case("localhost")
        };
        let must_be_public = self.host.as_ref().is_some_and(is_name);
        if must_be_public && found.iter().map(SocketAddr::ip).any(is_private) {
            return Err(io::Error::from(io::ErrorKind::PermissionDenied).into());
        }
        Ok(found)
    }
}

/// Tells whether an address is one that only this machine or its network reaches.
fn is_private(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(four) => of_four(four),
        IpAddr::V6(six) => six.to_ipv4_mapped().map_or_else(|| of_six(six), of_four),
    }
}

fn of_four(ip: Ipv4Addr) -> bool {
    let [one, two, ..] = ip.octets();
    let is_shared = one == 100 && (64..128).contains(&two);
    ip.is_loopback()
        || ip.is_private()
        || ip.is_link_local()
        || ip.is_unspecified()
        || ip.is_broadcast()
        || one == 0
        || is_shared
}

fn of_six(ip: Ipv6Addr) -> bool {
    ip.is_loopback() || ip.is_unspecified() || ip.is_unique_local() || ip.is_unicast_link_local()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_only_this_network_reaches_are_private() {
        for ip in [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "::1",
            "::",
            "fd00::1",
            "fe80::1",
            "::ffff:10.0.0.1",
        ] {
            assert!(is_private(ip.parse().unwrap()), "{ip}");
        }
        for ip in [
            "1.1.1.1",
            "172.32.0.1",
            "100.128.0.1",
            "2606:4700::1111",
            "::ffff:8.8.8.8",
        ] {
            assert!(!is_private(ip.parse().unwrap()), "{ip}");
        }
    }
}
