//! The module announces the events that it emits itself.

use super::super::watch::is_covered;
use super::{Check, Judged, Weight};

pub(super) static ROW: Check = Check {
    slug: "custom-events",
    weight: Weight::Recommended,
    about: "The events that it emits itself are named in the channel `observability.events`.",
    judge: |watched| {
        let mut emitted = watched.emitted.iter();
        match emitted.find(|event| !is_covered(event, &watched.contributed)) {
            None => Judged::Passed,
            Some(event) => Judged::failed(
                format!("it emits `{event}` without declaring it in `observable_events`"),
                "register a contributor of `observability.events` that names it",
            ),
        }
    },
};
