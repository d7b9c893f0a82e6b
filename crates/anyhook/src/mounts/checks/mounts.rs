//! The module can be mounted.

use super::{Check, Judged, Weight};

pub(super) static ROW: Check = Check {
    slug: "mounts",
    weight: Weight::Required,
    about: "It can be mounted.",
    judge: |watched| match &watched.not_mounted {
        None => Judged::Passed,
        Some(error) => {
            let fix = "let `mount` return an error only for a configuration that makes no sense, and never panic";
            Judged::failed(&error.text, error.help.as_deref().unwrap_or(fix))
        }
    },
};
