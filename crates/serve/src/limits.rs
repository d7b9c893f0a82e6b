//! The limits of a client: how much it may use the server, and for how long.

use std::time::Duration;

/// The bounds of a server.
///
/// ```
/// use anyhook_serve::Limits;
/// let limits = Limits { connections: 8, ..Limits::default() };
/// assert!(limits.body < limits.bodies);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The most connections at a time, of each socket on its own: who fills the port does not fill the socket.
    pub connections: usize,
    /// How long a client has for the head of a request, and how long a connection may be idle.
    pub head: Duration,
    /// The longest payload, in bytes.
    pub body: usize,
    /// All payloads at a time, in bytes.
    pub bodies: usize,
    /// The most events that are answered at a time; others wait in their own time.
    pub events: usize,
    /// How long what is under way is given when the server ends, before its hooks are ended.
    pub ending: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 256,
            head: Duration::from_secs(20),
            body: 16 * 1024 * 1024,
            bodies: 256 * 1024 * 1024,
            events: 64,
            ending: Duration::from_secs(5),
        }
    }
}

/// The longest time of an event.
pub(crate) const LONGEST: Duration = Duration::from_mins(10);
