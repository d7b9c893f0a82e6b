//! The module is found, and is one.

use super::{Check, Judged, Weight};

pub(super) static ROW: Check = Check {
    slug: "loads",
    weight: Weight::Required,
    about: "It is found where it should be, and can be read.",
    judge: |watched| match &watched.not_found {
        None => Judged::Passed,
        Some(error) => {
            let fix = "give a folder with a `hooks/hooks.json`, or the name of a module";
            Judged::failed(&error.text, error.help.as_deref().unwrap_or(fix))
        }
    },
};
