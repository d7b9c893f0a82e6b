//! Access to the server: only a program of this machine with a client's token, never a page in a browser.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::Response;

use crate::clients::Clients;
use crate::problem::Rejection;

/// The route that needs no token.
pub(crate) const HEALTH: &str = "/v1/health";

/// The door by which a request comes in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Door {
    /// A port on loopback, and the hosts by which a request may name it.
    Port(Arc<[String]>),
    /// The socket, which only its person can open.
    Socket,
}

impl Door {
    /// The port, by the names of this machine and by the name for browsers.
    pub(crate) fn port(number: u16, page: &str) -> Self {
        let names = ["127.0.0.1", "localhost", "[::1]", page];
        Self::Port(names.map(|name| format!("{name}:{number}")).into())
    }
}

/// Lets a request through that may ask, and answers any other one.
pub(crate) async fn watch(
    State((clients, door)): State<(Clients, Door)>,
    request: Request,
    next: Next,
) -> Result<Response, Rejection> {
    let headers = request.headers();
    is_meant(headers, &door)?;
    is_no_page(headers)?;
    if request.uri().path() != HEALTH {
        let token = bearer(headers);
        if token.and_then(|token| clients.client_of(token)).is_none() {
            return Err(Rejection::NoToken);
        }
    }
    Ok(next.run(request).await)
}

/// A name of this machine that leads somewhere else is the way of a page that rebinds its own name.
pub(crate) fn is_meant(headers: &HeaderMap, door: &Door) -> Result<(), Rejection> {
    let Door::Port(meant) = door else {
        return Ok(());
    };
    let mut named = headers.get_all(header::HOST).iter();
    let host = named.next().and_then(|host| host.to_str().ok());
    let is_one = host.is_some_and(|host| meant.iter().any(|name| host == name));
    if is_one && named.next().is_none() {
        return Ok(());
    }
    Err(Rejection::OtherHost)
}

/// A browser says which page asks. No page may: programs that post events send no such header.
fn is_no_page(headers: &HeaderMap) -> Result<(), Rejection> {
    let site = headers.get("sec-fetch-site");
    let is_other = site.is_some_and(|site| site != "none");
    if headers.contains_key(header::ORIGIN) || is_other {
        return Err(Rejection::FromAPage);
    }
    Ok(())
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut given = headers.get_all(header::AUTHORIZATION).iter();
    let one = given.next()?.to_str().ok()?;
    let (scheme, token) = one.split_once(' ')?;
    let is_one = scheme.eq_ignore_ascii_case("bearer") && given.next().is_none();
    is_one.then(|| token.trim())
}
