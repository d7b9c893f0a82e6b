//! The cleanup works, and removes everything that the module registered.

use super::{Check, Judged, Weight};

pub(super) static ROW: Check = Check {
    slug: "cleanup-runs",
    weight: Weight::Required,
    about: "Its cleanup does not fail, and nothing of it is left in the session.",
    judge: |watched| {
        if let Some(failed) = watched.not_cleaned.first() {
            let why = format!("its cleanup failed: {}", failed.fault.text);
            return Judged::failed(why, "let a cleanup close what it can, and go on");
        }
        match watched.left.first() {
            None => Judged::Passed,
            Some(left) => Judged::failed(
                format!("{left} is still there after it was unmounted"),
                "register through the session that `mount` is given, and nowhere after it is gone",
            ),
        }
    },
};
