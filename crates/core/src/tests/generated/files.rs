//! Committed files, compared with what writes them.
#![allow(
    clippy::disallowed_methods,
    reason = "files of the checkout are compared, and written where a person asks for it"
)]

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::{env, fs};

/// The file of the checkout.
fn place(file: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(file)
}

/// Fails unless the committed file has this text; writes it where `ANYHOOK_GENERATE` is set.
pub(super) fn is_current(file: &str, text: &str) {
    let place = place(file);
    let committed = fs::read_to_string(&place).unwrap_or_default();
    if committed == text {
        return;
    }
    if env::var_os("ANYHOOK_GENERATE").is_some() {
        fs::write(place, text).unwrap();
        return;
    }
    let same = committed
        .lines()
        .zip(text.lines())
        .take_while(|(old, new)| old == new);
    let line = same.count() + 1;
    panic!(
        "{file}:{line} is not what is written today; type: ANYHOOK_GENERATE=1 cargo test generated"
    );
}

/// Fails if the folder holds a file that is not among these.
pub(super) fn is_whole<'a>(folder: &str, files: impl Iterator<Item = &'a str>) {
    let wanted: BTreeSet<PathBuf> = files.map(place).collect();
    for entry in fs::read_dir(place(folder)).unwrap() {
        let found = entry.unwrap().path();
        assert!(
            wanted.contains(&found),
            "{} is written by nothing",
            found.display()
        );
    }
}
