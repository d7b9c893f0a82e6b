//! The policy that an administrator applied: its place on the disk, its end, and its exceptions.
//!
//! A policy fills the managed layer and is no second mechanism. `anyhook fleet policy apply` writes each revision into a folder of its
//! own below the managed folder, and `current` is a link to the one that holds: an event reads that link once.
//!
//! ```text
//! /etc/anyhook/policy/current ──> revisions/12-0a1b2c3d/hooks/hooks.json
//!                                                      /.agent-packages/…
//!                                                      /config.toml
//!                                                      /stamp.json   what `apply` knows: signer, age, exceptions
//! ```
//!
//! ```
//! use anyhook_engine::policy::PolicyRevision;
//!
//! let place = tempfile::tempdir()?;
//! assert!(PolicyRevision::of(place.path()).is_none(), "no policy was applied");
//!
//! // A link that leads to nothing is a policy that cannot be read, and never none.
//! std::fs::create_dir(place.path().join("policy"))?;
//! std::os::unix::fs::symlink("revisions/12-0a1b2c3d", place.path().join("policy/current"))?;
//! let policy = PolicyRevision::of(place.path()).unwrap();
//! assert_eq!((&*policy.name, policy.stamp.is_err()), ("12-0a1b2c3d", true));
//! # Ok::<(), std::io::Error>(())
//! ```

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::files;

/// The folder of policies, below the managed folder.
pub const FOLDER: &str = "policy";

/// The link to the revision that holds, in that folder.
pub const CURRENT: &str = "current";

/// The name of a revision's [`RevisionStamp`], in its folder.
pub const STAMP: &str = "stamp.json";

/// A clock that runs behind the time at which the policy was confirmed by more than this was set back, in milliseconds.
const SKEW: i64 = 24 * 60 * 60 * 1000;

/// A revision of the policy on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyRevision {
    /// Its name: the number, and the first signs of its digest.
    pub name: Box<str>,
    /// Its folder.
    pub folder: PathBuf,
    /// What `anyhook fleet policy apply` knows of it, or why that cannot be read.
    pub stamp: Result<RevisionStamp, String>,
}

/// What `anyhook fleet policy apply` wrote beside the files of a revision.
///
/// ```
/// use anyhook_engine::policy::{ExpiryAction, RevisionStamp};
///
/// let stamp = RevisionStamp { confirmed: 1_000, until: Some(5_000), ..RevisionStamp::default() };
/// assert!(!stamp.is_overdue(4_999) && stamp.is_overdue(5_001));
/// assert_eq!(stamp.then, ExpiryAction::Refuse, "unless the policy says otherwise");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RevisionStamp {
    /// The number of the revision.
    pub revision: u64,
    /// The SHA-256 of the signed text.
    pub digest: String,
    /// The keys that signed it and are trusted here.
    pub signers: Vec<String>,
    /// Where it came from.
    pub source: String,
    /// When it was applied here, in milliseconds since 1970.
    pub applied: i64,
    /// When its source last said that it is the one to have.
    pub confirmed: i64,
    /// Until when it holds; nothing where it holds until another one comes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<i64>,
    /// What happens when that time is over.
    #[serde(default)]
    pub then: ExpiryAction,
    /// The exceptions that were granted on this machine.
    #[serde(default)]
    pub exceptions: Vec<PolicyException>,
    /// The packages of repositories that need no question to the person.
    #[serde(default)]
    pub trusted: Vec<VouchedPackage>,
}

/// What happens when a policy was not confirmed in time.
///
/// ```
/// use anyhook_engine::policy::ExpiryAction;
/// assert_eq!(serde_json::to_string(&ExpiryAction::Notice)?, r#""notice""#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExpiryAction {
    /// Every gate refuses until it is confirmed or replaced.
    #[default]
    Refuse,
    /// It goes on guarding, and each session is told.
    Notice,
}

/// A hook of the policy that does not block the named accounts for some time: it is asked, and the record says what it would have said.
///
/// ```
/// use anyhook_engine::policy::PolicyException;
///
/// let granted: PolicyException = serde_json::from_str(
///     r#"{"hook": "no-publish", "people": ["ada"], "owner": "grace", "reason": "release 4", "until": 5000}"#,
/// )?;
/// assert!(granted.holds("no-publish", &["ada", "1001"], 4_999));
/// assert!(!granted.holds("no-publish", &["ada", "1001"], 5_000), "it ends by itself");
/// assert!(!granted.holds("no-publish", &["bob", "1002"], 4_999));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyException {
    /// The name of the hook.
    pub hook: String,
    /// The accounts of this machine for which it holds, by name or number; all of them where none is named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub people: Vec<String>,
    /// Who granted it.
    pub owner: String,
    /// Why.
    pub reason: String,
    /// When it ends, in milliseconds since 1970.
    pub until: i64,
}

impl PolicyException {
    /// Tells whether it excepts a person, called by these names, from a hook at this time.
    pub fn holds(&self, hook: &str, person: &[&str], now: i64) -> bool {
        let is_theirs = |name: &String| person.contains(&name.as_str());
        self.hook == hook
            && now < self.until
            && (self.people.is_empty() || self.people.iter().any(is_theirs))
    }
}

/// A package of a repository that the policy vouches for: a person is not asked whether to trust it.
///
/// ```
/// use anyhook_engine::policy::VouchedPackage;
/// let shop = VouchedPackage { manifest: "0".repeat(64), package: "1".repeat(64), note: "shop".into() };
/// assert_ne!(shop.manifest, shop.package);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VouchedPackage {
    /// The SHA-256 of its manifest.
    pub manifest: String,
    /// The digest of all of its files, as `anyhook trust` shows it.
    pub package: String,
    /// What it is, for people.
    #[serde(default)]
    pub note: String,
}

impl RevisionStamp {
    /// Tells whether the policy holds no longer. A clock that was set back does not make it younger.
    pub fn is_overdue(&self, now: i64) -> bool {
        let Some(until) = self.until else {
            return false;
        };
        now > until || now.saturating_add(SKEW) < self.confirmed
    }
}

/// Returns the folder of the revision that holds on this machine; nothing where none was applied.
pub fn folder(managed: &Path) -> Option<PathBuf> {
    let policies = managed.join(FOLDER);
    let link = policies.join(CURRENT);
    match std::fs::read_link(&link) {
        Ok(to) => Some(policies.join(to)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            None
        }
        // What stands in its place, or may not be looked at, is a policy that cannot be read.
        Err(_) => Some(link),
    }
}

impl PolicyRevision {
    /// Finds the revision that holds on this machine, without looking at its hooks; nothing where none was applied.
    pub fn of(managed: &Path) -> Option<Self> {
        folder(managed).map(Self::at)
    }

    /// Takes the revision in a folder.
    pub fn at(folder: PathBuf) -> Self {
        let name = folder.file_name().unwrap_or_default();
        Self {
            name: name.to_string_lossy().into(),
            stamp: files::read_json(&folder.join(STAMP)),
            folder,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_set_back_does_not_make_a_policy_hold_longer() {
        let stamp = RevisionStamp {
            confirmed: 10 * SKEW,
            until: Some(12 * SKEW),
            ..RevisionStamp::default()
        };
        let overdue = [0, 8 * SKEW, 9 * SKEW, 10 * SKEW, 12 * SKEW, 12 * SKEW + 1]
            .map(|now| stamp.is_overdue(now));
        assert_eq!(overdue, [true, true, false, false, false, true]);
        assert!(
            !RevisionStamp {
                until: None,
                ..stamp
            }
            .is_overdue(0)
        );
    }

    #[test]
    fn what_stands_in_the_place_of_the_link_is_a_policy_that_cannot_be_read() {
        let place = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(place.path().join("policy/current")).unwrap();
        let policy = PolicyRevision::of(place.path()).unwrap();
        assert!(policy.stamp.is_err() && !policy.folder.join("hooks/hooks.json").exists());
    }
}
