//! The list of what was refused to a confined command, as the watcher saw it.

use std::fmt;
use std::path::PathBuf;

/// What was refused to a confined command, as far as it was seen: files, sockets and connections.
///
/// ```
/// use anyhook_confine::{AccessRefusals, AccessAttempt};
///
/// let mut refused = AccessRefusals::default();
/// assert!(refused.is_nothing());
/// refused.note(AccessAttempt::Read("/home/ann/.ssh/id".into()));
/// refused.note(AccessAttempt::Read("/home/ann/.ssh/id".into()));
/// refused.note(AccessAttempt::Socket(2));
/// assert_eq!(refused.to_string(), "to read `/home/ann/.ssh/id` (2 times), a socket for IPv4");
/// ```
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct AccessRefusals {
    /// What it tried, in the order of the first time, each with the number of times.
    pub tried: Vec<(AccessAttempt, u64)>,
    /// How many other attempts there were, of which no more is kept.
    pub more: u64,
    /// How many calls could not be looked at: who makes its own memory unreadable hides what it opens.
    pub unseen: u64,
}

/// What a confined command tried.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AccessAttempt {
    /// To read a file or a folder.
    Read(PathBuf),
    /// To write or to make a file.
    Write(PathBuf),
    /// To make a folder or a link, or to give a file this name.
    Make(PathBuf),
    /// To remove or to move away what has this name.
    Remove(PathBuf),
    /// To run a program.
    Run(PathBuf),
    /// To connect to an address.
    Connect(std::net::SocketAddr),
    /// To make a socket of this family.
    Socket(u32),
}

/// How many different attempts are kept.
const MOST: usize = 32;
/// How many characters of a path are shown.
const SHOWN: usize = 200;

impl AccessRefusals {
    /// Tells whether there is nothing to tell.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// Counts an attempt, and keeps the first of each kind.
    pub fn note(&mut self, what: AccessAttempt) {
        let known = self.tried.iter_mut().find(|(known, _)| *known == what);
        if let Some((_, times)) = known {
            *times += 1;
        } else if self.tried.len() < MOST {
            self.tried.push((what, 1));
        } else {
            self.more += 1;
        }
    }
}

impl fmt::Display for AccessAttempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(path) => write!(f, "to read `{}`", shown(path)),
            Self::Write(path) => write!(f, "to write `{}`", shown(path)),
            Self::Make(path) => write!(f, "to make `{}`", shown(path)),
            Self::Remove(path) => write!(f, "to remove `{}`", shown(path)),
            Self::Run(path) => write!(f, "to run `{}`", shown(path)),
            Self::Connect(address) => write!(f, "to connect to {address}"),
            Self::Socket(1) => f.write_str("a socket to a service of this machine"),
            Self::Socket(2) => f.write_str("a socket for IPv4"),
            Self::Socket(10) => f.write_str("a socket for IPv6"),
            Self::Socket(family) => write!(f, "a socket of the family {family}"),
        }
    }
}

fn shown(path: &std::path::Path) -> String {
    let path = path.display().to_string();
    match path.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", path.get(..end).unwrap_or_default()),
        None => path,
    }
}

impl fmt::Display for AccessRefusals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tried = self.tried.iter().map(|(what, times)| match times {
            1 => what.to_string(),
            times => format!("{what} ({times} times)"),
        });
        let mut parts: Vec<String> = tried.collect();
        if self.more > 0 {
            parts.push(format!("{} others", self.more));
        }
        if self.unseen > 0 {
            parts.push(format!(
                "and {} of its calls could not be looked at",
                self.unseen
            ));
        }
        f.write_str(&parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_counted_and_only_its_beginning_is_kept() {
        let mut refused = AccessRefusals::default();
        for at in 0..1000 {
            refused.note(AccessAttempt::Read(format!("/secret/{at}").into()));
            refused.note(AccessAttempt::Socket(1));
        }
        assert_eq!((refused.tried.len(), refused.more), (MOST, 1000 - 31));
        assert!(refused.to_string().ends_with("/secret/30`, 969 others"));
        assert_eq!(refused.tried[1], (AccessAttempt::Socket(1), 1000));
    }

    #[test]
    fn what_was_not_seen_is_said_and_a_long_path_is_cut() {
        let long = PathBuf::from(format!("/{}", "é".repeat(300)));
        let refused = AccessRefusals {
            tried: vec![(AccessAttempt::Write(long), 1)],
            more: 0,
            unseen: 2,
        };
        let told = refused.to_string();
        assert!(told.starts_with("to write `/ééé"));
        assert!(told.ends_with("é…`, and 2 of its calls could not be looked at"));
        assert!(!refused.is_nothing());
    }
}
