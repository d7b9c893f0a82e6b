//! The module's events can be limited with `enabled_events`.

use super::{Check, Judged, Weight};

pub(super) static ROW: Check = Check {
    slug: "enabled-events",
    weight: Weight::Recommended,
    about: "It can be told by `enabled_events` what it may hear.",
    judge: |watched| match &watched.limited {
        None => Judged::Passed,
        Some(Err(error)) => Judged::failed(
            format!(
                "with `enabled_events` in its configuration it is not mounted: {}",
                error.text
            ),
            "put `enabled_events` into its configuration: the program that mounts it keeps to the list",
        ),
        Some(Ok(heard)) if heard.is_empty() => Judged::Passed,
        Some(Ok(heard)) => Judged::failed(
            format!(
                "it hears `{}` although that is not enabled",
                heard.join("`, `")
            ),
            "register through the session that `mount` is given",
        ),
    },
};
