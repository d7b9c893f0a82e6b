//! The priorities leave room before and after.

use super::{Check, Judged, Weight};

pub(super) static ROW: Check = Check {
    slug: "priority",
    weight: Weight::Recommended,
    about: "Its handlers have a priority from 10 to 90, where lower is earlier.",
    judge: |watched| {
        let out =
            |one: &&anyhook_registry::registry::Registered| !(10..=90).contains(&one.priority);
        match watched.registered.iter().find(out) {
            None => Judged::Passed,
            Some(one) => Judged::failed(
                format!("{one} leaves no room before or after it"),
                "choose a priority from 10 to 90; a plan's `priority` wins over it",
            ),
        }
    },
};
