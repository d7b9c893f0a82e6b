//! What one run leaves for the next: which cases failed.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use anyhook_testing::Last;

use crate::package::Package;

/// The files below a folder, each with its number: a file that is written again is another one.
fn files(folder: &Path) -> Vec<(String, u64)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            (name, entry.metadata().unwrap().ino())
        })
        .collect();
    files.sort();
    files
}

#[test]
fn what_is_remembered_is_written_only_where_it_says_something_new() {
    let package = Package::of("grep -q forbidden && exit 2; exit 0");
    let state = tempfile::tempdir().unwrap();
    let last = Last::new(state.path(), &package.path());
    let remembered = || {
        last.remember(&package.run()).unwrap();
        files(&state.path().join("tests"))
    };
    let case = |code: u8| {
        let expected = format!("expected:\n  exit-code: {code}\n");
        package.case("a", &format!("name: a\nevent: pre-tool-use\n{expected}"));
    };
    case(0);
    assert_eq!(remembered(), [], "nothing failed");
    case(2);
    let failed = remembered();
    assert_eq!((failed.len(), last.failed().len()), (1, 1));
    assert_eq!(remembered(), failed);
    case(0);
    assert_ne!(remembered(), failed);
    assert_eq!(last.failed().len(), 0);
}
