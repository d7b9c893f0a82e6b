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

#[test]
fn every_target_holds_for_its_corpus_and_for_what_is_made_of_it() {
    for target in TARGETS {
        assert!(seeds(target).len() >= 10, "{} has no corpus", target.name);
        if let Some(broken) = explore(target, 300, 1) {
            panic!("{} {broken}", target.name);
        }
    }
}

#[test]
fn everything_that_was_found_once_holds_now() {
    for target in TARGETS {
        let found = kept(target);
        assert!(!found.is_empty(), "{}", target.name);
        for (name, bytes) in found {
            assert_eq!(held(target, &bytes), Ok(()), "{} {name}", target.name);
        }
    }
}
