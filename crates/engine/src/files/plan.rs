//! A plan: what was found out from the disk, valid as long as everything that was looked at is unchanged.
//!
//! An agent starts a program for each event, and each would find out the same. So it is written down once, in the private state,
//! with a number for each path that was looked at, and the next event compares the numbers. A plan that is torn, that another
//! version wrote or that no longer holds is made again. What a person trusts is in the same folder: a plan that an agent
//! could forge is worth what a pin is worth that it could forge.

use std::ffi::OsStr;
use std::hash::{BuildHasher as _, Hasher as _};
use std::path::{Path, PathBuf};

use foldhash::quality::FixedState;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::looked::{List, Looks, noted};
use super::{Durable, private_dir, read, replace};

/// The form of the file. Another one is not read.
const FORM: u32 = 2;
/// A plan of another version is not read.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// A longer plan is not kept.
const LONGEST: u64 = 4 * 1024 * 1024;
/// So many plans are kept: one for each agent, project and folder in it.
const MOST: usize = 128;

/// Where a plan is kept, and what it depends on beside the disk.
#[derive(Debug)]
pub(crate) struct Plan {
    folder: PathBuf,
    what: &'static str,
    key: String,
}

/// What stands in front of the value.
#[derive(Serialize, Deserialize)]
struct Head<'h> {
    form: u32,
    version: &'h str,
    key: &'h str,
    #[serde(borrow)]
    looks: List<'h>,
}

/// Bytes, which are read as a whole and not one by one.
#[derive(Debug)]
pub(crate) struct Bytes(pub(crate) Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bytes(&self.0)
    }
}

impl<'d> Deserialize<'d> for Bytes {
    fn deserialize<D: Deserializer<'d>>(from: D) -> Result<Self, D::Error> {
        <&[u8]>::deserialize(from).map(|bytes| Self(bytes.to_owned()))
    }
}

/// Whether a value may be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    Yes,
    /// It depends on more than what was looked at.
    No,
}

impl Plan {
    /// Names the plan of one value: in the folder of all plans, what is planned, and everything but the disk of which it is
    /// made. A path that is no text has no plan.
    pub(crate) fn of(folder: PathBuf, what: &'static str, key: &impl Serialize) -> Option<Self> {
        let person = rustix::process::geteuid().as_raw();
        let key = serde_json::to_string(&(person, key)).ok()?;
        Some(Self { folder, what, key })
    }

    /// Returns the value of the plan where that holds; else makes it, and keeps it.
    ///
    /// `variable` returns the variables that the work asked for. All other things on which the value depends are in the key.
    pub(crate) fn value<'v, T: Serialize + DeserializeOwned>(
        &self,
        variable: impl Fn(&OsStr) -> Option<&'v OsStr>,
        make: impl FnOnce() -> (T, Keep),
    ) -> T {
        let file = self.file();
        let read = read(&file, LONGEST).ok().flatten();
        if let Some(value) = read.and_then(|bytes| self.kept(&bytes, variable)) {
            return value;
        }
        let ((value, keep), looks) = noted(make);
        let looks = looks.filter(|_| keep == Keep::Yes);
        if let Some(list) = looks.as_ref().and_then(Looks::list) {
            // What cannot be kept is found out again by the next event.
            let _ = self.keep(&file, list, &value);
        }
        value
    }

    fn file(&self) -> PathBuf {
        let name = sum(self.key.as_bytes());
        self.folder.join(format!("{}-{name:016x}", self.what))
    }

    /// Returns the value of a file that holds.
    fn kept<'v, T: DeserializeOwned>(
        &self,
        bytes: &[u8],
        variable: impl Fn(&OsStr) -> Option<&'v OsStr>,
    ) -> Option<T> {
        let (of, body) = bytes.split_first_chunk()?;
        if u64::from_le_bytes(*of) != sum(body) {
            return None;
        }
        let (head, value) = postcard::take_from_bytes::<Head<'_>>(body).ok()?;
        let is_ours = head.form == FORM && head.version == VERSION && head.key == self.key;
        if !is_ours || !head.looks.holds(variable) {
            return None;
        }
        postcard::from_bytes(value).ok()
    }

    fn keep<T: Serialize>(&self, file: &Path, looks: List<'_>, value: &T) -> Option<()> {
        let head = Head {
            form: FORM,
            version: VERSION,
            key: &self.key,
            looks,
        };
        let head = postcard::to_allocvec(&head).ok()?;
        let body = [head, postcard::to_allocvec(value).ok()?].concat();
        if body.len() as u64 >= LONGEST {
            return None;
        }
        private_dir(&self.folder).ok()?;
        if !file.exists() {
            self.sweep();
        }
        let bytes = [&sum(&body).to_le_bytes(), &*body].concat();
        replace(file, &bytes, Durable::No).ok()
    }

    /// Removes the oldest plans where there are many.
    fn sweep(&self) {
        let entries = self.folder.read_dir().into_iter().flatten().flatten();
        let mut all: Vec<_> = entries
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        if all.len() < MOST {
            return;
        }
        all.sort();
        for (_, old) in all.into_iter().take(MOST / 2) {
            // One that stays is removed by the next sweep.
            let _ = std::fs::remove_file(old);
        }
    }
}

/// The sum of a body, with which a torn one is told. It is no seal: see the module.
fn sum(bytes: &[u8]) -> u64 {
    let mut hasher = FixedState::with_seed(0).build_hasher();
    hasher.write(bytes);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use anyhook_core::manifest::Manifest;

    use super::super::looked::Look as _;
    use super::*;

    /// Reads the length of a file by a plan, and tells whether it was looked at anew.
    fn length(plan: &Plan, file: &Path) -> (u64, bool) {
        let mut is_new = false;
        let length = plan.value(
            |_| None,
            || {
                is_new = true;
                (
                    file.looked().metadata().map_or(0, |meta| meta.len()),
                    Keep::Yes,
                )
            },
        );
        (length, is_new)
    }

    fn planned(place: &Path, file: &Path) -> Plan {
        let plan = Plan::of(place.join("plans"), "length", &"key").unwrap();
        // A file that was written just now is not planned.
        let kept = (0..100_000).find(|_| !length(&plan, file).1);
        assert!(kept.is_some());
        plan
    }

    /// Breaks a file in ten thousand ways.
    fn broken(text: &[u8]) -> impl Iterator<Item = Vec<u8>> {
        let mut number = 1_usize;
        (0..10_000).map(move |round| {
            number = number
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let at = (number >> 33) % text.len();
            let mut torn = text.to_vec();
            match round % 4 {
                0 => torn.truncate(at),
                1 => torn.insert(at, 0),
                2 => torn.extend_from_within(..=at),
                _ => torn[at] ^= 1 << (round / 4 % 8),
            }
            torn
        })
    }

    #[test]
    fn ten_thousand_corruptions_of_a_plan_change_no_answer() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("file");
        std::fs::write(&file, "four").unwrap();
        let plan = planned(place.path(), &file);
        let text = std::fs::read(plan.file()).unwrap();
        for (round, torn) in broken(&text).enumerate() {
            let kept: Option<u64> = plan.kept(&torn, |_| None);
            assert!(matches!(kept, None | Some(4)), "{round}: {kept:?}");
        }
    }

    #[test]
    fn ten_thousand_corruptions_of_a_manifest_in_a_plan_change_nothing_of_it_and_a_forged_one_ends_no_program()
     {
        let rules = r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Ba.h", "effect": "net", "hooks": [
            {"type": "rule", "when": "runs('rm')", "then": {"deny": "no", "modify": {"tool_input.command": "ls"}}},
            {"type": "command", "command": "./check.sh", "shell": "bash", "windows": {"command": "check.ps1"}}
        ]}]}}"#;
        let manifest = Manifest::parse(rules).unwrap().manifest;
        let place = tempfile::tempdir().unwrap();
        let plan = Plan::of(place.path().join("plans"), "manifest", &"key").unwrap();
        let looks = Looks::default();
        plan.keep(&plan.file(), looks.list().unwrap(), &manifest)
            .unwrap();
        let text = std::fs::read(plan.file()).unwrap();
        let expected = format!("{manifest:?}");
        let said = |bytes: &[u8]| {
            let kept: Option<Manifest> = plan.kept(bytes, |_| None);
            kept.map(|kept| format!("{kept:?}"))
        };
        assert_eq!(said(&text).as_ref(), Some(&expected));
        for (round, torn) in broken(&text).enumerate() {
            let said = said(&torn);
            assert!(
                said.is_none() || said.as_ref() == Some(&expected),
                "{round}: {said:?}"
            );
        }
        for body in broken(&text[8..]) {
            // What it says is not known, as that of a forged pin is not.
            let _ = said(&[&sum(&body).to_le_bytes(), &*body].concat());
        }
    }

    #[test]
    fn a_plan_holds_until_what_was_looked_at_changes_and_not_for_another_key_or_variable() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("file");
        std::fs::write(&file, "four").unwrap();
        let plan = planned(place.path(), &file);
        assert_eq!(length(&plan, &file), (4, false));
        let other = Plan::of(place.path().join("plans"), "length", &"other").unwrap();
        assert!(length(&other, &file).1);
        std::fs::write(&file, "longer").unwrap();
        assert_eq!(length(&plan, &file), (6, true));
        std::fs::remove_file(&file).unwrap();
        assert_eq!(length(&plan, &file), (0, true));
    }
}
