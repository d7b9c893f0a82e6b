//! The passphrase of a person, which an agent does not have: asked before anything is granted.
//!
//! A terminal can be made by every program, so a terminal alone proves little. Where a passphrase is set, `anyhook trust`,
//! `approve` and their like ask for it. Kept is an argon2id hash with its salt, in a private file of the state; a mark in the
//! folder of the configuration says that there is one, so that a hash that vanished or was replaced is noticed. Attempts are
//! counted on the disk, and after three wrong ones each next one has to wait, longer each time.
//!
//! What it refuses to promise: a program of the same user can read the hash and guess at its own speed, read what is typed,
//! and write approvals by itself. A long passphrase answers the first of these only.
//!
//! ```
//! use anyhook_engine::passphrase::{HashCost, PassphraseStore, PassphraseError, PassphraseState};
//! use anyhook_engine::world::UserFolders;
//!
//! let place = tempfile::tempdir()?;
//! let [home, config, state] = ["home", "config", "state"].map(|name| place.path().join(name));
//! let places = UserFolders { home, config, state };
//! let passphrase = PassphraseStore::of(&places);
//! assert_eq!(passphrase.standing(), PassphraseState::None);
//!
//! passphrase.set("four words of mine", HashCost { kib: 64, passes: 1 })?;
//! assert_eq!(passphrase.standing(), PassphraseState::Set);
//! passphrase.prove("four words of mine", 1000)?;
//! assert!(matches!(passphrase.prove("four words", 1000), Err(PassphraseError::Wrong { .. })));
//!
//! // A hash that is gone is noticed.
//! std::fs::remove_dir_all(&places.state)?;
//! assert!(matches!(passphrase.standing(), PassphraseState::Gone(_)));
//! assert!(HashCost::default().kib >= 64 * 1024);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::path::PathBuf;
use std::time::Duration;

use argon2::password_hash::Error;
use argon2::{Argon2, Params, PasswordHash, PasswordHasher as _, PasswordVerifier as _};
use serde::{Deserialize, Serialize};

use crate::files::{self, Durability, FileError};
use crate::world::UserFolders;

/// The fewest characters.
const SHORTEST: usize = 12;
/// The longest passphrase, in bytes.
const LONGEST: usize = 1024;
/// The longest file that is read back.
const LIMIT: u64 = 4096;
/// The most memory that a hash may ask for, in KiB: a file that asks for more was not written by us.
const MOST: u32 = 1024 * 1024;
/// The length of the salt and of the hash, in bytes.
const LENGTH: usize = 32;
/// So many wrong attempts wait for nothing.
const FREE: u32 = 3;
/// The longest that an attempt has to wait, in milliseconds.
const LONGEST_WAIT: i64 = 5 * 60 * 1000;
/// How long an attempt waits for another process that is counting.
const PATIENCE: Duration = Duration::from_secs(2);

/// Where a passphrase is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassphraseStore {
    folder: PathBuf,
    mark: PathBuf,
}

/// Whether a person set a passphrase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PassphraseState {
    /// None was ever set.
    None,
    /// One is set.
    Set,
    /// One was set, and its hash is not there any more, or is another one: nothing is granted.
    Gone(String),
}

/// How much work a hash is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HashCost {
    /// The memory, in KiB.
    pub kib: u32,
    /// How many passes go over it.
    pub passes: u32,
}

impl Default for HashCost {
    /// About a quarter of a second on a usual machine.
    fn default() -> Self {
        Self {
            kib: 64 * 1024,
            passes: 3,
        }
    }
}

/// Why a passphrase was not proved, or not set.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PassphraseError {
    /// It is not the one that was set.
    #[error("the passphrase is wrong")]
    Wrong {
        /// How long the next attempt has to wait.
        wait: Duration,
    },
    /// Too many were wrong a moment ago. It was not looked at.
    #[error("too many passphrases were wrong: the next attempt counts in {} s", .0.as_secs() + 1)]
    Wait(Duration),
    /// It is too short, or too long.
    #[error("a passphrase has at least {SHORTEST} characters, and at most {LONGEST} bytes")]
    Length,
    /// None is set.
    #[error("no passphrase is set")]
    NotSet,
    /// One was set, and is gone.
    #[error("{0}")]
    Gone(String),
    /// A private file cannot be used.
    #[error("cannot use the file of the passphrase")]
    File(#[from] FileError),
    /// The hash cannot be computed.
    #[error("cannot hash the passphrase: {0}")]
    Hash(String),
}

/// The wrong attempts since the last right one.
#[derive(Default, Serialize, Deserialize)]
struct FailedAttempts {
    wrong: u32,
    last: i64,
}

impl PassphraseStore {
    /// The passphrase of a person with these folders.
    pub fn of(places: &UserFolders) -> Self {
        Self {
            folder: places.state.join("passphrase"),
            mark: places.config.join("passphrase"),
        }
    }

    fn hash(&self) -> PathBuf {
        self.folder.join("hash")
    }

    /// Tells whether one is set. It reads two short files at most, and none where none was set.
    pub fn standing(&self) -> PassphraseState {
        let marked = files::read(&self.mark, LIMIT);
        let kept = files::read(&self.hash(), LIMIT);
        match (marked, kept) {
            (Ok(None), Ok(None)) => PassphraseState::None,
            (Ok(None), Ok(Some(_))) => PassphraseState::Set,
            (Ok(Some(mark)), Ok(Some(kept))) => {
                let digest = files::digest(&kept);
                let mark = String::from_utf8_lossy(&mark);
                if mark.lines().any(|line| line == digest) {
                    PassphraseState::Set
                } else {
                    self.gone("is not the one that was set")
                }
            }
            (Ok(Some(_)), Ok(None)) => self.gone("is gone from Anyhook's state folder"),
            (Err(error), _) | (_, Err(error)) => {
                self.gone(&format!("cannot be read ({})", files::with_causes(&error)))
            }
        }
    }

    /// Names the passphrase that is set, and says nothing about it: another one has another name.
    pub fn current(&self) -> Option<String> {
        let kept = files::read(&self.hash(), LIMIT).ok()??;
        (self.standing() == PassphraseState::Set).then(|| files::digest(&kept))
    }

    fn gone(&self, what: &str) -> PassphraseState {
        let mark = self.mark.display();
        PassphraseState::Gone(format!(
            "a passphrase was set, and its hash {what}: look at what is trusted and approved, remove `{mark}`, and set a new one"
        ))
    }

    /// Sets it, in the place of the one before. The caller has proved that one.
    pub fn set(&self, new: &str, cost: HashCost) -> Result<(), PassphraseError> {
        if new.chars().count() < SHORTEST || new.len() > LONGEST {
            return Err(PassphraseError::Length);
        }
        let mut salt = [0; LENGTH];
        getrandom::fill(&mut salt).map_err(unhashed)?;
        let bytes = hashed(new, &salt, cost)?.into_bytes();
        files::private_dir(&self.folder)?;
        if let Some(folder) = self.mark.parent() {
            files::private_dir(folder)?;
        }
        // Both count until the new one is there: an end in between locks out no one.
        let digest = files::digest(&bytes);
        let before = files::read(&self.hash(), LIMIT)?;
        let before = before.map(|before| files::digest(&before));
        let both = format!("{digest}\n{}", before.unwrap_or_default());
        files::replace(&self.mark, both.as_bytes(), Durability::Yes)?;
        files::replace(&self.hash(), &bytes, Durability::Yes)?;
        files::replace(&self.mark, digest.as_bytes(), Durability::Yes)?;
        Ok(())
    }

    /// Proves that the person knows it. Each attempt is counted before it is looked at: to end this process saves none.
    pub fn prove(&self, given: &str, now: i64) -> Result<(), PassphraseError> {
        match self.standing() {
            PassphraseState::None => return Err(PassphraseError::NotSet),
            PassphraseState::Gone(why) => return Err(PassphraseError::Gone(why)),
            PassphraseState::Set => {}
        }
        let wrong = self.count(now)?;
        let kept = files::read(&self.hash(), LIMIT)?.unwrap_or_default();
        if is_it(&kept, given)? {
            let _lock = files::lock(&self.folder.join("attempts.lock"), PATIENCE)?;
            self.keep(&FailedAttempts::default())?;
            return Ok(());
        }
        let wait = Duration::from_millis(wait(wrong).unsigned_abs());
        Err(PassphraseError::Wrong { wait })
    }

    /// Counts an attempt as wrong, and returns how many there are; refuses one that comes too early.
    fn count(&self, now: i64) -> Result<u32, PassphraseError> {
        let _lock = files::lock(&self.folder.join("attempts.lock"), PATIENCE)?;
        let read = files::read(&self.attempts(), LIMIT)?.unwrap_or_default();
        // What cannot be read counts as many: it was not written by us.
        let unknown = FailedAttempts {
            wrong: FREE,
            last: now,
        };
        let mut known: FailedAttempts = match read.as_slice() {
            [] => FailedAttempts::default(),
            bytes => serde_json::from_slice(bytes).unwrap_or(unknown),
        };
        // A clock that was set back makes no wait longer than one.
        let left = wait(known.wrong) - now.saturating_sub(known.last).max(0);
        if left > 0 {
            return Err(PassphraseError::Wait(Duration::from_millis(
                left.unsigned_abs(),
            )));
        }
        known.wrong = known.wrong.saturating_add(1);
        known.last = now;
        self.keep(&known)?;
        Ok(known.wrong)
    }

    fn attempts(&self) -> PathBuf {
        self.folder.join("attempts.json")
    }

    fn keep(&self, attempts: &FailedAttempts) -> Result<(), PassphraseError> {
        let bytes = serde_json::to_vec(attempts).map_err(unhashed)?;
        Ok(files::replace(&self.attempts(), &bytes, Durability::Yes)?)
    }
}

/// How long the next attempt waits after so many wrong ones, in milliseconds: one second after the third, and twice as long
/// each time.
fn wait(wrong: u32) -> i64 {
    let Some(more) = wrong.checked_sub(FREE) else {
        return 0;
    };
    1000_i64
        .checked_shl(more.min(30))
        .map_or(LONGEST_WAIT, |wait| wait.min(LONGEST_WAIT))
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` hands it over")]
fn unhashed(why: impl ToString) -> PassphraseError {
    PassphraseError::Hash(why.to_string())
}

fn hashed(text: &str, salt: &[u8], cost: HashCost) -> Result<String, PassphraseError> {
    let params = Params::new(cost.kib, cost.passes, 1, Some(LENGTH)).map_err(unhashed)?;
    let hash = Argon2::from(params).hash_password_with_salt(text.as_bytes(), salt);
    Ok(hash.map_err(unhashed)?.to_string())
}

fn is_it(kept: &[u8], given: &str) -> Result<bool, PassphraseError> {
    let text = std::str::from_utf8(kept).ok();
    let kept = text.and_then(|text| PasswordHash::new(text).ok());
    let usable = |kept: &PasswordHash| {
        let params = Params::try_from(kept);
        params.is_ok_and(|params| params.m_cost() <= MOST && params.t_cost() <= 64)
    };
    let kept = kept.filter(|kept| usable(kept) && given.len() <= LONGEST);
    let kept = kept.ok_or_else(|| unhashed("its file is not one that Anyhook wrote"))?;
    match Argon2::default().verify_password(given.as_bytes(), &kept) {
        Ok(()) => Ok(true),
        Err(Error::PasswordInvalid) => Ok(false),
        Err(error) => Err(unhashed(error)),
    }
}

#[cfg(test)]
mod tests;
