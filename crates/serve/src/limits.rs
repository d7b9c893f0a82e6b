//! The limits of a client: how much it may use the server, and for how long.

use std::time::{Duration, Instant};

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

/// How long a client waits if it does not say it: as long as under `anyhook run`.
const UNKNOWN: Duration = Duration::from_secs(30);
/// The longest time of an event.
pub(crate) const LONGEST: Duration = Duration::from_mins(10);

/// The instants of one event, counted from the head of its request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    began: Instant,
    deadline: Duration,
}

impl Times {
    pub(crate) fn of(deadline: Option<Duration>) -> Self {
        Self {
            began: Instant::now(),
            deadline: deadline.unwrap_or(UNKNOWN).min(LONGEST),
        }
    }

    /// Until then the payload has to be here: hooks need time, too.
    pub(crate) fn payload(self) -> Instant {
        self.began + self.deadline / 2
    }

    /// What is left of the client's time.
    pub(crate) fn left(self) -> Duration {
        self.deadline.saturating_sub(self.began.elapsed())
    }

    /// When the server answers in the place of a line that has not: after the line's own end, which is the smaller of 1.5 s
    /// and half of the deadline before the client's, and before that one.
    pub(crate) fn last(self) -> Instant {
        let room = Duration::from_millis(500).min(self.deadline / 6);
        self.began + self.deadline.saturating_sub(room)
    }
}
