//! Real manifests of strangers, where they are at hand.
#![expect(
    clippy::disallowed_methods,
    reason = "a test may read files and its environment"
)]

use std::fs;
use std::path::{Path, PathBuf};

use super::*;

fn manifests(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut children: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|child| child.unwrap().path())
        .collect();
    children.sort();
    for child in children {
        if child.is_dir() {
            manifests(&child, found);
        } else if child.ends_with("hooks/hooks.json") {
            found.push(child);
        }
    }
}

#[test]
fn every_manifest_of_the_corpus_is_read() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let corpus = std::env::var_os("ANYHOOK_CORPUS")
        .map_or_else(|| root.join("../shared/corpus"), PathBuf::from);
    if !corpus.is_dir() {
        println!("no corpus at `{}`: set ANYHOOK_CORPUS", corpus.display());
        return;
    }
    let mut found = Vec::new();
    manifests(&corpus, &mut found);
    assert_ne!(found, Vec::<PathBuf>::new());
    for path in found {
        let parsed = parse(&fs::read_to_string(&path).unwrap());
        let entries = parsed
            .manifest
            .groups
            .iter()
            .map(|group| group.entries.len())
            .sum::<usize>();
        assert_ne!(entries, 0, "{}", path.display());
        for finding in &parsed.findings {
            let Place { line, column, .. } = finding.at;
            println!(
                "{}:{line}:{column}: {:?}: {finding}",
                path.display(),
                finding.severity
            );
        }
    }
}
