//! A server that a hook asks, as often as it has to: who may be asked, what every request has, and what an answer is.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::{Duration, Instant};

use anyhook_core::manifest::HttpAction;
use ureq::config::Config;
use ureq::http::{Request, Uri};
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};
use ureq::{Agent, AsSendBody};

use super::RemoteRequest;
use super::send::{SendError, ServerAnswer, config, failed};
use crate::world::World;

/// A server that the settings let a hook ask. All its requests together have the time of the hook.
///
/// ```
/// use anyhook_engine::core::manifest::HttpAction;
/// use anyhook_engine::remote::{Peer, SendError, RemoteRequest};
/// use anyhook_engine::world::World;
///
/// let world = World { places: None, ..World::real() };
/// let nowhere = HttpAction::new("http://127.0.0.1:9/mcp".into(), vec![], vec![])?;
/// # if !std::path::Path::new("/etc/anyhook/config.toml").exists() {
/// let peer = Peer::of(&world, &RemoteRequest { http: nowhere, millis: 5_000 }).unwrap();
/// assert!(matches!(peer.post(&[("accept", "text/event-stream")], b"{}"), Err(SendError::Unreachable(..))));
/// # }
/// # Ok::<(), String>(())
/// ```
#[derive(Debug)]
pub struct Peer {
    http: HttpAction,
    headers: Vec<(String, String)>,
    agent: Agent,
    began: Instant,
    within: Duration,
}

impl Peer {
    /// Finds out whether the server may be asked, and what the headers of every request are.
    pub fn of(world: &World, sending: &RemoteRequest) -> Result<Self, SendError> {
        let http = &sending.http;
        let host = http.host();
        let reach = world.config().http.as_ref().map_err(Clone::clone)?;
        if !reach.allows(host) {
            return Err(SendError::NotListed(host.to_owned()));
        }
        if let Some(unsent) = http.variables.iter().find(|name| !reach.sends(name)) {
            return Err(SendError::NotSent(unsent.clone()));
        }
        let value = |name: &str| Some(world.var(name)?.to_str()?.to_owned());
        let headers = http.filled(value).map_err(SendError::NoValue)?;
        let within = Duration::from_millis(sending.millis);
        let config = config(&http.url, within);
        let resolver = PublicResolver {
            host: (!reach.names(host)).then(|| host.to_owned()),
            default: DefaultResolver::default(),
        };
        Ok(Self {
            http: http.clone(),
            headers,
            agent: Agent::with_parts(config, DefaultConnector::default(), resolver),
            began: Instant::now(),
            within,
        })
    }

    /// Returns the time that is left.
    pub fn left(&self) -> Duration {
        self.within.saturating_sub(self.began.elapsed())
    }

    /// Posts JSON, and returns an answer that is a success.
    pub fn post(&self, headers: &[(&str, &str)], body: &[u8]) -> Result<ServerAnswer, SendError> {
        let json = ("content-type", "application/json");
        let request = Request::post(&self.http.url).header(json.0, json.1);
        self.asked(request, headers, body, self.left())
    }

    /// Asks the server to delete what stands at its address.
    pub fn delete(
        &self,
        headers: &[(&str, &str)],
        within: Duration,
    ) -> Result<ServerAnswer, SendError> {
        self.asked(Request::delete(&self.http.url), headers, (), within)
    }

    fn asked(
        &self,
        mut request: ureq::http::request::Builder,
        headers: &[(&str, &str)],
        body: impl AsSendBody,
        within: Duration,
    ) -> Result<ServerAnswer, SendError> {
        let own = self.headers.iter();
        for (name, value) in own
            .map(|(name, value)| (&**name, &**value))
            .chain(headers.iter().copied())
        {
            request = request.header(name, value);
        }
        let request = request.body(body);
        let request = request.map_err(|error| failed(self.http.host(), error.into()))?;
        let request = self.agent.configure_request(request);
        let within = within.max(Duration::from_millis(1));
        let request = request.timeout_global(Some(within)).build();
        ServerAnswer::to(&self.agent, request)
    }
}

/// Finds the addresses of a name, and refuses a name that leads to a private one.
#[derive(Debug)]
struct PublicResolver {
    /// The name that must be public; nothing where it was listed. The name of a proxy is not asked about.
    host: Option<String>,
    default: DefaultResolver,
}

impl Resolver for PublicResolver {
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
