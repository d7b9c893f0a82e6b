//! Every answer is a result that says what it means.

use anyhook_core::fault::FaultKind;

use super::{Check, Judged, Weight};

pub(super) static ROW: Check = Check {
    slug: "results",
    weight: Weight::Required,
    about: "Every answer is a valid result: a refusal has a reason, a question has a text.",
    judge: |watched| {
        if let Some(why) = watched.not_asked {
            return Judged::Skipped(why);
        }
        for asked in &watched.asked {
            if let Some(fault) = asked.fault(|kind| kind == FaultKind::InvalidAnswer) {
                let why = format!("{}: {}", asked.place(), fault.text);
                return Judged::failed(why, "answer with a result, or with nothing");
            }
            if asked.is_wordless {
                let why = format!("{}: it refuses or asks without a word", asked.place());
                let fix =
                    "say what is wrong and what to do instead: the model and the person read it";
                return Judged::failed(why, fix);
            }
        }
        Judged::Passed
    },
};
