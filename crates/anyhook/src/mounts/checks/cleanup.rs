//! The module has a cleanup.

use super::super::module::Asking;
use super::{Check, Judged, Weight};

pub(super) static ROW: Check = Check {
    slug: "cleanup",
    weight: Weight::Recommended,
    about: "It says how it is cleaned up.",
    judge: |watched| {
        // What a package declares is taken back by the code that mounted it: it could not do it itself.
        if watched.cleanups > 0 || watched.asking == Asking::Processes {
            return Judged::Passed;
        }
        Judged::failed(
            "`mount` returns no cleanup, and registers none",
            "return a cleanup that unregisters its handlers: not every engine takes them back itself",
        )
    },
};
