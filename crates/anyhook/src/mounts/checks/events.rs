//! The events that it listens to exist.

use anyhook_core::event::EventName;
use anyhook_core::taxonomy::suggest;

use super::{Check, Judged, Weight};

pub(super) static ROW: Check = Check {
    slug: "events",
    weight: Weight::Recommended,
    about: "It listens to events that exist.",
    judge: |watched| {
        let seen = watched.seen_by("events");
        if seen.is_failure() {
            return seen;
        }
        for one in &watched.registered {
            let event = EventName::new(&one.event);
            if event.spec().is_some() || one.event.contains('*') {
                continue;
            }
            if let Some(near) = suggest(&one.event) {
                let why = format!("{one}: no event of the catalogue is called so");
                return Judged::failed(why, format!("did you mean `{near}`?"));
            }
        }
        Judged::Passed
    },
};
