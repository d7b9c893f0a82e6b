//! The corpus of every target, and a few inputs that are made of it; `.ci/nightly fuzz` makes twenty thousand of each.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "what helps a test may fail like one"
)]

mod documents;
mod schemas;

use anyhook_fuzz::TARGETS;
use anyhook_fuzz::corpus::{kept, seeds};
use anyhook_fuzz::explore::{explore, held};

// What broke is returned: while targets run, a panic says nothing.
#[test]
fn every_target_holds_for_its_corpus_and_for_what_is_made_of_it() -> Result<(), String> {
    for target in TARGETS {
        if seeds(target).len() < 10 {
            return Err(format!("{} has no corpus", target.name));
        }
        if let Some(broken) = explore(target, 300, 1) {
            return Err(format!("{} {broken}", target.name));
        }
    }
    Ok(())
}

#[test]
fn everything_that_was_found_once_holds_now() -> Result<(), String> {
    for target in TARGETS {
        let found = kept(target);
        if found.is_empty() {
            return Err(format!("{} has no inputs", target.name));
        }
        for (name, bytes) in found {
            held(target, &bytes).map_err(|said| format!("{} {name}: {said}", target.name))?;
        }
    }
    Ok(())
}
