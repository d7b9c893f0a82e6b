//! The handlers can be told apart in a log.

use super::{Check, Judged, Weight};

pub(super) static ROW: Check = Check {
    slug: "names",
    weight: Weight::Recommended,
    about: "Its handlers have names, so that a log of what it registered tells them apart.",
    judge: |watched| {
        let mut all = watched.registered.iter();
        match all.find(|one| !one.is_named) {
            None => Judged::Passed,
            Some(one) => Judged::failed(
                format!("{one} is named after its place in a file"),
                "name it; with `log_level: debug` a mount logs each handler by its name",
            ),
        }
    },
};
