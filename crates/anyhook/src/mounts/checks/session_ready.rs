//! What waits for the session to be ready does not fail.

use super::{Check, Judged, Weight};

pub(super) static ROW: Check = Check {
    slug: "session-ready",
    weight: Weight::Required,
    about: "What it does when the session is ready does not fail.",
    judge: |watched| match watched.not_ready.first() {
        None => Judged::Passed,
        Some(failed) => Judged::failed(
            format!("when the session became ready: {}", failed.fault.text),
            "look for what other modules offer there, and go on without it",
        ),
    },
};
