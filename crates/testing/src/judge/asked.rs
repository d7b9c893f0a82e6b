//! The questions that a model was asked.

use super::Judged;
use crate::plan::Case;
use crate::play::Evidence;

/// Holds what the model was asked against what it was to be asked.
pub(super) fn model(case: &Case, evidence: &Evidence, judged: &mut Judged) {
    let wanted = &case.spec.expected.prompt_contains;
    if wanted.is_empty() {
        return;
    }
    // The process that stands in for a model tells there what the model would have been asked.
    let heard = evidence.heard.iter();
    let asked: String = heard.map(|heard| heard.raw.stderr.text()).collect();
    for part in wanted.iter().filter(|part| !asked.contains(&part.value)) {
        let part = &part.value;
        judged.fail(
            "prompt-contains",
            format!("the model is not asked anything with {part:?}: {asked:?}"),
        );
    }
}
