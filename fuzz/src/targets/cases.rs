//! The YAML of a hook test, in a package that is there.
//!
//! An input is the text of one file of `tests/cases`.

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use anyhook_testing::{Suite, read};
use tempfile::TempDir;

use super::places;
use crate::corpus::{files, root};

/// A package of our own with one file of cases, which every input writes anew.
struct Room {
    folder: TempDir,
    file: PathBuf,
}

static ROOM: LazyLock<std::sync::Mutex<Room>> = LazyLock::new(|| {
    let folder =
        tempfile::tempdir().unwrap_or_else(|error| panic!("a folder for a package: {error}"));
    let from = root().join("examples/guardrails");
    for file in files("examples/guardrails/hooks") {
        let name = file.strip_prefix(&from).unwrap_or(&file);
        let to = folder.path().join(name);
        let is_case = name.starts_with("hooks/tests/cases");
        let made = to.parent().map(fs::create_dir_all).transpose();
        let copied = made.and_then(|_| if is_case { Ok(0) } else { fs::copy(&file, &to) });
        copied.unwrap_or_else(|error| panic!("{}: {error}", to.display()));
    }
    let file = folder.path().join("hooks/tests/cases/case.yaml");
    std::sync::Mutex::new(Room { folder, file })
});

pub(super) fn run(bytes: &[u8]) {
    let suite = suite(bytes);
    let text = String::from_utf8_lossy(bytes);
    assert!(
        suite.cases.is_empty() || suite.problems.is_empty(),
        "half a file was read: {:?}",
        suite.problems
    );
    assert!(
        !suite.cases.is_empty() || !suite.problems.is_empty(),
        "a file was passed over in silence"
    );
    for problem in &suite.problems {
        assert!(!problem.to_string().contains(['\r', '\u{1b}']), "{problem}");
        let Some(own) = problem.text.as_deref().filter(|own| *own == text) else {
            continue;
        };
        places::finding(own, &problem.finding);
    }
    if suite.problems.is_empty() {
        misspelled(&text);
    }
}

/// The same file with one field more, which is unknown, is refused.
fn misspelled(text: &str) {
    let more = format!("{}\nexpceted: {{}}\n", text.trim_end());
    let suite = suite(more.as_bytes());
    assert!(
        !suite.problems.is_empty(),
        "an unknown field was passed over"
    );
}

fn suite(bytes: &[u8]) -> Suite {
    let room = ROOM
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    fs::write(&room.file, bytes).unwrap_or_else(|error| panic!("{}: {error}", room.file.display()));
    read(&[room.folder.path().to_path_buf()])
}

pub(super) fn fixtures() -> Vec<Vec<u8>> {
    let cases = files("examples")
        .into_iter()
        .filter(|file| file.extension().is_some_and(|ending| ending == "yaml"));
    cases.filter_map(|file| fs::read(file).ok()).collect()
}
