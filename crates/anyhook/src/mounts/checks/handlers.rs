//! Every handler can be asked at all.

use super::{Check, Weight};

pub(super) static ROW: Check = Check {
    slug: "handlers",
    weight: Weight::Required,
    about: "Every handler takes an event and answers with a result: its command, rule or function is there.",
    judge: |watched| watched.seen_by("handlers"),
};
