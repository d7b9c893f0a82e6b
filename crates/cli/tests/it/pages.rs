//! Pages that name the tests of what they say.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::env::repository;

/// Pages with columns of tests.
const PAGES: &[&str] = &[
    "docs/reference/differences.md",
    "docs/reference/python-conformance.md",
    "docs/security.md",
];

/// Collects the names of the functions of a folder's Rust and Python.
fn functions(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is_source = path
            .extension()
            .is_some_and(|end| end == "rs" || end == "py");
        if path.is_dir() && !path.ends_with("target") {
            functions(&path, names);
        } else if is_source {
            let text = fs::read_to_string(&path).unwrap();
            let begun = text.split("fn ").chain(text.split("def ")).skip(1);
            names.extend(begun.filter_map(|rest| rest.split(['(', '<']).next().map(str::to_owned)));
        }
    }
}

#[test]
fn every_test_that_a_page_names_is_there() {
    let mut names = BTreeSet::new();
    for folder in ["crates", "bindings/python"] {
        functions(&repository().join(folder), &mut names);
    }
    let mut count = 0;
    for page in PAGES {
        let text = fs::read_to_string(repository().join(page)).unwrap();
        let words = text.split('`').skip(1).step_by(2);
        // The name of a test is a sentence: no other name of the pages has so many words.
        for test in
            words.filter(|word| word.matches('_').count() >= 4 && !word.contains([' ', '.', '=']))
        {
            assert!(
                names.contains(test),
                "{page} names `{test}`, which is no test"
            );
            count += 1;
        }
    }
    assert!(count > 50);
}
