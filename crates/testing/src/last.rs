//! What the last run left for the next one: which cases failed; one file for each folder.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhook::files::{self, Durable, FileError};

use crate::plan::Case;
use crate::ran::Ran;

/// The memory of what failed.
#[derive(Debug, Clone)]
pub struct Last {
    file: PathBuf,
}

/// More than this is no list of ours.
const LONGEST: u64 = 4 * 1024 * 1024;

impl Last {
    /// Names the file for tests that are run in this folder.
    pub fn new(state: &Path, cwd: &Path) -> Self {
        let name = files::name_of(&[cwd.as_os_str().as_encoded_bytes()]);
        Self {
            file: state.join("tests").join(name),
        }
    }

    /// Returns the identities of the cases that failed; none where nothing is known.
    pub fn failed(&self) -> BTreeSet<String> {
        let bytes = files::read(&self.file, LONGEST).ok().flatten();
        let text = String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned();
        text.lines().map(str::to_owned).collect()
    }

    /// Remembers what failed. A case that was not run keeps its mark.
    pub fn remember(&self, ran: &[Ran]) -> Result<(), FileError> {
        let before = self.failed();
        let mut failed = before.clone();
        for ran in ran {
            if ran.outcome.is_bad() {
                failed.insert(ran.case.identity());
            } else if !failed.is_empty() {
                failed.remove(&ran.case.identity());
            }
        }
        if failed == before {
            return Ok(());
        }
        if let Some(folder) = self.file.parent() {
            files::private_dir(folder)?;
        }
        let text: String = failed.into_iter().map(|case| case + "\n").collect();
        files::replace(&self.file, text.as_bytes(), Durable::No)
    }
}

impl Case {
    /// Returns what tells this case from all others of the machine, on one line.
    pub fn identity(&self) -> String {
        let text = [&*self.file.to_string_lossy(), "\t", &self.id].concat();
        if text.contains('\n') {
            return text.replace('\n', " ");
        }
        text
    }
}
