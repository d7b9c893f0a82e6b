//! The address of a server, and who could read along on the way.

use std::net::{Ipv4Addr, Ipv6Addr};

/// Where the way to a server leads through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::models) enum Place {
    /// It does not leave this machine.
    Here,
    /// A network that reads along.
    Clear,
    /// A network that does not.
    Private,
}

impl Place {
    /// Reads the address of a server.
    pub(in crate::models) fn of(base: &str) -> Result<Self, &'static str> {
        let (scheme, rest) = base.split_once("://").ok_or("it has no `https://`")?;
        let odd = |c: char| c.is_whitespace() || c.is_control() || "@?#\\".contains(c);
        if rest.contains(odd) {
            return Err("it is more than a host, a port and a path");
        }
        let server = rest.split('/').next().unwrap_or_default();
        let host = match server.strip_prefix('[') {
            Some(six) => six.split(']').next().unwrap_or_default(),
            None => server.split(':').next().unwrap_or_default(),
        };
        if host.is_empty() {
            return Err("it names no host");
        }
        let is_here = host.eq_ignore_ascii_case("localhost")
            || host.parse().is_ok_and(|ip: Ipv4Addr| ip.is_loopback())
            || host.parse().is_ok_and(|ip: Ipv6Addr| ip.is_loopback());
        match scheme {
            "http" | "https" if is_here => Ok(Self::Here),
            "https" => Ok(Self::Private),
            "http" => Ok(Self::Clear),
            _ => Err("it begins with neither `https://` nor `http://`"),
        }
    }
}
