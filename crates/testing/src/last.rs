//! The results of the last run: which cases failed, and the prints of those that passed; two files for each folder.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhook::files::{self, Durable, FileError};

use crate::plan::Case;
use crate::prints::Prints;
use crate::ran::Ran;

/// The memory of what failed.
#[derive(Debug, Clone)]
pub struct Last {
    file: PathBuf,
}

/// Stands between a print and its case, and in neither.
const SEPARATOR: &str = "\t\t";

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

    /// Returns the identities of the cases that are not known to have passed as they are now, by these prints.
    pub fn changed(&self, prints: &Prints) -> BTreeSet<String> {
        let text = self.passed();
        let passed = pairs(&text);
        let changed = prints
            .iter()
            .filter(|(case, print)| passed.get(case.as_str()) != Some(&print.as_str()));
        changed.map(|(case, _)| case.clone()).collect()
    }

    /// Returns what is known of the cases that passed: a line for each.
    fn passed(&self) -> String {
        let bytes = files::read(&self.passed_file(), LONGEST).ok().flatten();
        String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned()
    }

    fn passed_file(&self) -> PathBuf {
        self.file.with_extension("passed")
    }

    /// Remembers with which prints cases passed. A case that was not run keeps its print, and one that failed has none.
    pub fn remember_prints(&self, ran: &[Ran], prints: &Prints) -> Result<(), FileError> {
        let text = self.passed();
        let mut passed = pairs(&text);
        let cases: Vec<String> = ran.iter().map(|ran| ran.case.identity()).collect();
        let mut has_changed = false;
        for (ran, case) in ran.iter().zip(&cases) {
            let print = prints.get(case).filter(|_| !ran.outcome.is_bad());
            has_changed |= match print.map(String::as_str) {
                Some(print) => passed.insert(case, print) != Some(print),
                None => passed.remove(case.as_str()).is_some(),
            };
        }
        let lines = passed
            .iter()
            .map(|(case, print)| format!("{print}{SEPARATOR}{case}\n"));
        write(&self.passed_file(), has_changed, lines)
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
        let lines = failed.iter().map(|case| format!("{case}\n"));
        write(&self.file, failed != before, lines)
    }
}

/// The prints of the cases that passed, each with its case.
fn pairs(text: &str) -> BTreeMap<&str, &str> {
    let pairs = text.lines().filter_map(|line| line.split_once(SEPARATOR));
    pairs.map(|(print, case)| (case, print)).collect()
}

/// Writes a file, if it would say something else than it does.
fn write(
    file: &Path,
    has_changed: bool,
    lines: impl Iterator<Item = String>,
) -> Result<(), FileError> {
    if !has_changed {
        return Ok(());
    }
    if let Some(folder) = file.parent() {
        files::private_dir(folder)?;
    }
    let text: String = lines.collect();
    files::replace(file, text.as_bytes(), Durable::No)
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
