//! The module registers something.

use super::{Check, Judged, Weight};

pub(super) static ROW: Check = Check {
    slug: "registers",
    weight: Weight::Required,
    about: "It registers a handler.",
    judge: |watched| {
        if watched.registered.is_empty() {
            let fix =
                "register a handler while it is mounted, through the session that it is given";
            return Judged::failed("it registers no handler, so it is never asked", fix);
        }
        Judged::Passed
    },
};
