//! The revisions on one machine: one that holds, and the last ones before it.
//!
//! Each step leaves a machine with a whole revision: the files of a new one are on the disk before a link leads to them, and a
//! link is replaced in one step. What a crash leaves behind is swept by the next `apply`.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhook::files;
use anyhook::policy::{CURRENT, FOLDER, PolicyRevision, RevisionStamp, STAMP};
use anyhook::world::World;
use serde::{Deserialize, Serialize};

use crate::bundle::{Bundle, VerifiedPolicy};
use crate::disk;
use crate::error::{PolicyError, Trouble};
use crate::fetch::PolicySource;
use crate::keys::{NamedKey, trusted};
use crate::machine::Machine;
use crate::rules::ExceptionGrant;

const REVISIONS: &str = "revisions";
const STATE: &str = "state.json";
/// The signed file itself, in the folder of its revision.
const SIGNED: &str = "signed";
/// So many revisions are kept that no link leads to: an event may still run one.
const KEPT: usize = 2;
const PATIENCE: Duration = Duration::from_secs(30);
const LONGEST_STATE: u64 = 1024 * 1024;

/// The revisions of one machine.
///
/// ```
/// use anyhook_fleet::Store;
/// let place = tempfile::tempdir()?;
/// assert!(Store::at(place.path()).current().is_none());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Store {
    managed: PathBuf,
    /// Where it looks at the clock.
    pub world: World,
    /// Is told of every step before it is done, for tests that end the process there: `write` the files of the revision, `name`
    /// its folder, `switch` the link to it, `remember` what was seen, `sweep` older revisions.
    pub reached: fn(&str),
}

/// What became of a policy.
///
/// ```
/// use anyhook_fleet::ApplyOutcome;
/// let first = ApplyOutcome::Enforced { name: "1-0a1b2c3d".into(), before: None };
/// assert!(matches!(first, ApplyOutcome::Enforced { before: None, .. }));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApplyOutcome {
    /// It holds from now on.
    Enforced {
        /// Its name.
        name: String,
        /// The name of the one that held before.
        before: Option<String>,
    },
    /// It held already, and was confirmed.
    Confirmed {
        /// Its name.
        name: String,
    },
}

/// What a machine remembers of the policies that it saw.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct PolicyMemory {
    /// The highest number, and the digest of the policy that had it.
    pub(crate) highest: u64,
    pub(crate) digest: String,
    /// The keys that policies added, as texts.
    pub(crate) trusted: Vec<String>,
    /// The ids of the keys that count no more.
    pub(crate) revoked: Vec<String>,
    /// Where the last policy came from, and what its server called it.
    pub(crate) source: String,
}

impl Store {
    /// Takes the revisions of a managed folder.
    pub fn at(managed: &Path) -> Self {
        Self {
            managed: managed.to_owned(),
            world: World::real(),
            reached: |_| {},
        }
    }

    /// Returns the revision that holds.
    pub fn current(&self) -> Option<PolicyRevision> {
        PolicyRevision::of(&self.managed)
    }

    /// Returns the signed file of a revision of this machine.
    pub fn signed(&self, policy: &PolicyRevision) -> Result<Vec<u8>, PolicyError> {
        let file = policy.folder.join(SIGNED);
        fs::read(&file).map_err(PolicyError::io("read", &file))
    }

    /// Returns the keys that count here: those of the administrator and those that policies added, without the revoked ones.
    pub fn keys(&self) -> Result<Vec<NamedKey>, PolicyError> {
        let seen = self.seen()?;
        let mut keys = trusted(&self.managed)?;
        for text in &seen.trusted {
            keys.push(NamedKey::read(text)?);
        }
        keys.retain(|key| !seen.revoked.contains(&key.id()));
        Ok(keys)
    }

    /// Verifies a policy and lets it hold on this machine. Whatever fails, the one that held goes on.
    pub fn apply(&self, file: &[u8], source: &PolicySource) -> Result<ApplyOutcome, PolicyError> {
        let _lock = self.lock()?;
        let mut seen = self.seen()?;
        let verified = Bundle::verify(file, &self.keys()?)?;
        let machine = Machine::here(&self.managed)?;
        self.admit(&verified, &seen)?;
        self.alone(&verified.bundle)?;
        let name = name(&verified);
        let before = self.current().map(|held| String::from(held.name));
        let applied = if before.as_ref() == Some(&name) {
            ApplyOutcome::Confirmed { name }
        } else {
            let stamp = self.stamp(&verified, source, &machine)?;
            self.write(&verified, &name, file, &stamp)?;
            (self.reached)("switch");
            let link = self.managed.join(FOLDER).join(CURRENT);
            disk::link(&link, &Path::new(REVISIONS).join(&name))?;
            ApplyOutcome::Enforced { name, before }
        };
        (self.reached)("remember");
        seen.remember(&verified, source);
        let text = serde_json::to_vec_pretty(&seen)?;
        disk::replace(&self.managed.join(FOLDER).join(STATE), &text, 0o644)?;
        self.confirm_held()?;
        (self.reached)("sweep");
        self.sweep()?;
        Ok(applied)
    }

    /// Removes everything that policies wrote, and leaves the keys.
    pub fn leave(&self) -> Result<(), PolicyError> {
        let policies = self.managed.join(FOLDER);
        let lock = self.lock()?;
        let link = policies.join(CURRENT);
        if let Err(error) = fs::remove_file(&link)
            && error.kind() != ErrorKind::NotFound
        {
            return Err(PolicyError::io("remove", &link)(error));
        }
        disk::sync(&policies)?;
        drop(lock);
        fs::remove_dir_all(&policies).map_err(PolicyError::io("remove", &policies))
    }

    /// Says what was seen here.
    pub(crate) fn seen(&self) -> Result<PolicyMemory, PolicyError> {
        let file = self.managed.join(FOLDER).join(STATE);
        if file.symlink_metadata().is_err() {
            return Ok(PolicyMemory::default());
        }
        // Without it an old policy could come back: one that cannot be read is no empty one.
        let spoiled = |why: String| {
            let what = format!("`{}` cannot be read: {why}", file.display());
            PolicyError::unfit(
                what,
                "bring it back from a copy; without it this machine would take an older policy",
            )
        };
        let bytes = files::read_up_to(&file, LONGEST_STATE).map_err(spoiled)?;
        serde_json::from_slice(&bytes).map_err(|error| spoiled(error.to_string()))
    }

    fn lock(&self) -> Result<files::FileLock, PolicyError> {
        let policies = self.managed.join(FOLDER);
        disk::folder(&policies.join(REVISIONS))?;
        let lock = files::lock(&policies.join(".lock"), PATIENCE);
        lock.map_err(|error| {
            let what = format!(
                "another `anyhook fleet policy apply` is at work, or cannot be waited for: {}",
                files::with_causes(&error)
            );
            PolicyError::unfit(
                what,
                "type it again when that one has ended; as another user: with sudo",
            )
        })
    }

    /// Refuses what goes back, and what has the number of another one.
    fn admit(&self, verified: &VerifiedPolicy, seen: &PolicyMemory) -> Result<(), PolicyError> {
        let rules = &verified.bundle.rules;
        let held = self.current().and_then(|policy| policy.stamp.ok());
        if held.iter().any(|stamp| stamp.digest == verified.digest) {
            return Ok(());
        }
        let highest = held.map_or(seen.highest, |held| held.revision.max(seen.highest));
        let revision = rules.revision;
        let is_seen = revision == highest && seen.digest == verified.digest;
        match revision {
            _ if revision > highest || is_seen => Ok(()),
            _ if revision == highest => Err(Trouble::Twice.error(format!(
                "this is another policy with the number {revision}, which this machine has seen"
            ))),
            _ => Err(Trouble::Older.error(format!(
                "revision {revision} is older than revision {highest}, which this machine has seen"
            ))),
        }
        .map_err(|error| {
            error.advised(format!(
                "raise `revision` above {highest} and build it again, also to go back to what an older one said"
            ))
        })
    }

    /// Refuses settings beside those that the administrator wrote by hand: only one file of them is read.
    fn alone(&self, bundle: &Bundle) -> Result<(), PolicyError> {
        let own = self.managed.join("config.toml");
        if bundle.kept("config.toml").is_none() || own.symlink_metadata().is_err() {
            return Ok(());
        }
        let what = format!(
            "this machine has settings of its own in `{}`, and the policy brings settings too",
            own.display()
        );
        Err(PolicyError::unfit(
            what,
            "put them into the policy and remove that file: of two only one would be read",
        ))
    }

    /// Writes a revision, which holds nowhere yet.
    fn write(
        &self,
        verified: &VerifiedPolicy,
        name: &str,
        file: &[u8],
        stamp: &RevisionStamp,
    ) -> Result<(), PolicyError> {
        let revisions = self.managed.join(FOLDER).join(REVISIONS);
        (self.reached)("write");
        let new = tempfile::Builder::new()
            .prefix(".new-")
            .tempdir_in(&revisions);
        let new = new.map_err(PolicyError::io("write below", &revisions))?;
        let folder = new.path().join(name);
        disk::folder(&folder)?;
        verified.bundle.unpack(&folder)?;
        verified.bundle.usable(&folder)?;
        let stamp = serde_json::to_vec_pretty(stamp)?;
        disk::create(&folder.join(STAMP), &stamp, 0o644)?;
        disk::create(&folder.join(SIGNED), file, 0o644)?;
        disk::synced(&folder)?;
        (self.reached)("name");
        let place = revisions.join(name);
        // What a crash left there was never held: a link leads to a whole one only.
        if place.symlink_metadata().is_ok() {
            fs::remove_dir_all(&place).map_err(PolicyError::io("remove", &place))?;
        }
        fs::rename(&folder, &place).map_err(PolicyError::io("name", &place))?;
        disk::sync(&revisions)
    }

    fn stamp(
        &self,
        verified: &VerifiedPolicy,
        source: &PolicySource,
        machine: &Machine,
    ) -> Result<RevisionStamp, PolicyError> {
        let VerifiedPolicy {
            bundle,
            signers,
            digest,
        } = verified;
        let (rules, now) = (&bundle.rules, self.world.clock.now());
        let here = rules.exceptions.iter().filter(|granted| {
            granted.machines.is_empty() || granted.machines.contains(&machine.id)
        });
        let exceptions: Result<_, _> = here.map(ExceptionGrant::exception).collect();
        let holds = rules.holds.as_ref();
        Ok(RevisionStamp {
            revision: rules.revision,
            digest: digest.clone(),
            signers: signers.clone(),
            source: source.0.clone(),
            applied: now,
            confirmed: now,
            until: rules.end(now)?,
            then: holds.map(|holds| holds.then).unwrap_or_default(),
            exceptions: exceptions.map_err(|why| Trouble::Form.error(why))?,
            trusted: rules.trusted.clone(),
        })
    }

    /// Notes in what holds that its source was asked now.
    fn confirm_held(&self) -> Result<(), PolicyError> {
        let Some(policy) = self.current() else {
            return Ok(());
        };
        let Ok(mut stamp) = policy.stamp.clone() else {
            return Ok(());
        };
        let rules = Bundle::unverified(&self.signed(&policy)?)?.rules;
        let now = self.world.clock.now();
        (stamp.confirmed, stamp.until) = (now, rules.end(now)?);
        let text = serde_json::to_vec_pretty(&stamp)?;
        disk::replace(&policy.folder.join(STAMP), &text, 0o644)
    }

    /// Removes what the link does not lead to, but the last ones.
    fn sweep(&self) -> Result<(), PolicyError> {
        let policies = self.managed.join(FOLDER);
        let linked = self.current().map(|held| held.folder);
        let revisions = policies.join(REVISIONS);
        let entries = fs::read_dir(&revisions).map_err(PolicyError::io("read", &revisions))?;
        let mut old: Vec<(std::time::SystemTime, PathBuf)> = Vec::new();
        for entry in entries.flatten() {
            let path = entry.path();
            let is_new = entry.file_name().to_string_lossy().starts_with(".new-");
            if is_new {
                let _ = fs::remove_dir_all(&path);
            } else if linked.as_ref() != Some(&path) {
                let made = entry.metadata().and_then(|meta| meta.modified());
                old.push((made.unwrap_or(std::time::UNIX_EPOCH), path));
            }
        }
        old.sort();
        let extra = old.len().saturating_sub(KEPT);
        for (_, path) in old.into_iter().take(extra) {
            fs::remove_dir_all(&path).map_err(PolicyError::io("remove", &path))?;
        }
        Ok(())
    }
}

impl PolicyMemory {
    fn remember(&mut self, verified: &VerifiedPolicy, source: &PolicySource) {
        let rules = &verified.bundle.rules;
        if rules.revision >= self.highest {
            self.highest = rules.revision;
            self.digest.clone_from(&verified.digest);
        }
        let add = |all: &mut Vec<String>, more: &[String]| {
            all.extend_from_slice(more);
            all.sort();
            all.dedup();
        };
        add(&mut self.trusted, &rules.keys.trusted);
        add(&mut self.revoked, &rules.keys.revoked);
        self.source.clone_from(&source.0);
    }
}

/// Names a revision by its number and the first signs of its digest.
fn name(verified: &VerifiedPolicy) -> String {
    let digest = verified.digest.get(..8).unwrap_or_default();
    format!("{}-{digest}", verified.bundle.rules.revision)
}
