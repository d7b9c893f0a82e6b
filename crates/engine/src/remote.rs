//! Asking a server over HTTP: what stands behind `type: http` and behind tools of MCP servers that are reached over the network,
//! and how a request leaves this machine.
//!
//! The server is asked by a process of our own program, so that its deadline, its end and its place beside other hooks are
//! those of a command. That process follows no redirect. A name that leads to a private address is refused unless the
//! person or the administrator lists it ([`HttpSettings`](crate::config::HttpSettings)): otherwise a name would be enough to reach what
//! only this network can. The address itself, such as `http://127.0.0.1:8080`, is its own declaration.
//!
//! ```
//! use anyhook_engine::core::manifest::HttpAction;
//! use anyhook_engine::remote::{RemoteRequest, VERB};
//!
//! let http = HttpAction::new("https://hooks.example.com".into(), vec![], vec![])?;
//! let word = serde_json::to_string(&RemoteRequest { http, millis: 30_000 }).unwrap();
//! assert!(serde_json::from_str::<RemoteRequest>(&word).is_ok() && VERB == "ask-server");
//! # Ok::<(), String>(())
//! ```
mod peer;
mod send;
pub use peer::Peer;
pub(crate) use send::agent;
pub use send::{Refusal, SendError, ServerAnswer, send};

use anyhook_core::manifest::HttpAction;
use serde::{Deserialize, Serialize};

/// The hidden verb of our own program that asks a server.
///
/// ```
/// assert_eq!(anyhook_engine::remote::VERB, "ask-server");
/// ```
pub const VERB: &str = "ask-server";

/// What is sent: everything but the event itself, which is read from the standard input, and the values of variables.
///
/// ```
/// use anyhook_engine::core::manifest::HttpAction;
/// use anyhook_engine::remote::RemoteRequest;
///
/// let http = HttpAction::new("http://localhost:8080/hook".into(), vec![], vec![])?;
/// assert_eq!(RemoteRequest { http, millis: 1 }.http.host(), "localhost");
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoteRequest {
    /// Where to, and with which headers.
    pub http: HttpAction,
    /// How long it may take, in milliseconds.
    pub millis: u64,
}
