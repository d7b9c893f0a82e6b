//! The files of a package's cases, and what stands beside them that is never run.

use std::io;
use std::path::{Path, PathBuf};

use crate::problem::Problem;

/// Finds the files of cases, in the order of their names. What looks like one and is none is told: a guard whose case
/// is passed over in silence is never tested.
pub(crate) fn cases(tests: &Path) -> (Vec<PathBuf>, Vec<Problem>) {
    let folder = tests.join("cases");
    let mut entries = match listed(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => {
            let message = format!("cannot be looked into: {error}");
            return (Vec::new(), vec![Problem::of_file(&folder, message)]);
        }
    };
    entries.sort();
    let (mut files, mut problems) = (Vec::new(), Vec::new());
    for entry in entries {
        if !is_named_so(&entry) {
            problems.extend(hidden(&entry));
        } else if entry.is_file() {
            files.push(entry);
        } else {
            problems.push(Problem::of_file(&entry, "is no file that could be read"));
        }
    }
    (files, problems)
}

/// Reads a file that a person writes: never more than a page, and never a pipe.
pub(crate) fn text(file: &Path, most: u64) -> Result<String, String> {
    let bytes =
        anyhook::files::read_up_to(file, most).map_err(|why| format!("cannot be read: {why}"))?;
    String::from_utf8(bytes).map_err(|_| "cannot be read: it is no text in UTF-8".to_owned())
}

/// Lists a folder.
fn listed(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder)?;
    entries.map(|entry| Ok(entry?.path())).collect()
}

/// Other formats in which an author may have written a case.
const OTHERS: &[&str] = &["json", "jsonc", "json5", "toml", "YAML", "YML"];

fn is_named_so(file: &Path) -> bool {
    file.extension()
        .is_some_and(|end| end == "yaml" || end == "yml")
}

/// What its author takes for a case: a file in another format, or a folder below `cases` that holds some.
fn hidden(folder: &Path) -> Option<Problem> {
    if !folder.is_dir() {
        let ending = folder.extension()?.to_str()?;
        let message = format!("is not run: a case is a `.yaml` file, and this is `.{ending}`");
        return OTHERS
            .contains(&ending)
            .then(|| Problem::of_file(folder, message));
    }
    let below = listed(folder).unwrap_or_default();
    let case = below.iter().find(|file| is_named_so(file))?;
    let name = case.file_name().unwrap_or_default().to_string_lossy();
    let message = format!("`{name}` is not run: cases stand in `cases` itself, in no folder below");
    Some(Problem::of_file(folder, message))
}
