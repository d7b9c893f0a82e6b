//! The network of a run: cut once, for this process and everything that it starts.
//!
//! What hooks of a test would ask the network for is no fact about a package. So the runner moves itself into a network
//! namespace in which not even the loopback is up: every connection that a process opens there fails.

use std::fmt;

#[cfg(target_os = "linux")]
pub(crate) mod linux;

/// Whether hooks of a run reach the network.
///
/// ```
/// use anyhook_testing::NetworkAccess;
///
/// assert_eq!(NetworkAccess::Cut.to_string(), "cut");
/// assert_eq!(NetworkAccess::NotIsolated("not here".into()).to_string(), "not isolated");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NetworkAccess {
    /// No connection to anywhere can be made.
    Cut,
    /// It is left as it is, because the caller asked for that.
    Allowed,
    /// It is left as it is, because it could not be cut, for this reason.
    NotIsolated(String),
}

impl fmt::Display for NetworkAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cut => "cut",
            Self::Allowed => "allowed",
            Self::NotIsolated(_) => "not isolated",
        })
    }
}

/// How far a process that is cut off goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IsolationMethod {
    /// With the rights of this process alone. Where it fails, nothing has changed.
    AsItIs,
    /// In a namespace of users of its own, which needs no rights, and in which everybody keeps their number. Where it
    /// fails half-way, this process can make no file any more: try it in another one first.
    InItsOwnUsers,
}

/// Cuts this process off from the network, and with it everything that it starts later.
///
/// It is for a program that has one thread: each thread has a network of its own, so with more of them nothing is done.
///
/// ```
/// use anyhook_testing::{IsolationMethod, cut};
///
/// // The threads of a test are too many: nothing happens, and it says so.
/// let why = std::thread::spawn(|| cut(IsolationMethod::AsItIs)).join();
/// assert!(why.is_ok_and(|why| why.is_err()));
/// ```
pub fn cut(off: IsolationMethod) -> Result<(), String> {
    #[cfg(target_os = "linux")]
    return linux::cut(off);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = off;
        Err("this system has no namespace for a network".to_owned())
    }
}
