//! Every handler answers soon.

use anyhook_core::fault::FaultKind;

use super::{Check, Judged, Weight};

pub(super) static ROW: Check = Check {
    slug: "in-time",
    weight: Weight::Required,
    about: "Every handler answers in time.",
    judge: |watched| {
        if let Some(why) = watched.not_asked {
            return Judged::Skipped(why);
        }
        let late = |asked: &&super::super::watch::Asked| {
            asked.is_abandoned || asked.fault(|kind| kind == FaultKind::TimedOut).is_some()
        };
        match watched.asked.iter().find(late) {
            None => Judged::Passed,
            Some(asked) => Judged::failed(
                format!("{}: it had no answer in time", asked.place()),
                "do what takes long elsewhere, and give the hook a deadline: the agent waits for it",
            ),
        }
    },
};
