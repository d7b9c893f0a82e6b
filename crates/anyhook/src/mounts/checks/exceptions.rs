//! No handler fails, whatever the event holds.

use anyhook_core::fault::FaultKind;

use super::{Check, Judged, Weight};

pub(super) static ROW: Check = Check {
    slug: "exceptions",
    weight: Weight::Required,
    about: "No handler fails, also where fields are missing or are not what they should be.",
    judge: |watched| {
        if let Some(why) = watched.not_asked {
            return Judged::Skipped(why);
        }
        if watched.seen_by("handlers").is_failure() {
            return Judged::Skipped("a handler of it cannot be asked at all");
        }
        let own = |kind| !matches!(kind, FaultKind::InvalidAnswer | FaultKind::TimedOut);
        let mut asked = watched.asked.iter();
        match asked.find_map(|asked| Some((asked, asked.fault(own)?))) {
            None => Judged::Passed,
            Some((asked, fault)) => Judged::failed(
                format!("{}: {}", asked.place(), fault.text),
                "expect that a field may be missing or of another type, and let nothing panic",
            ),
        }
    },
};
