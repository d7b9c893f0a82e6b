//! The questions that a model was asked.

use anyhook::core::transcript::Transcript;

use super::Judged;
use crate::plan::Case;
use crate::play::Evidence;

/// Holds what the model was asked against what it was to be asked.
pub(super) fn model(case: &Case, evidence: &Evidence, judged: &mut Judged) {
    let wanted = &case.spec.expected.prompt_contains;
    if wanted.is_empty() {
        return;
    }
    let asked = prompts(evidence.heard.iter().map(|heard| &heard.raw));
    for part in wanted.iter().filter(|part| !asked.contains(&part.value)) {
        let part = &part.value;
        judged.fail(
            "prompt-contains",
            format!("the model is not asked anything with {part:?}: {asked:?}"),
        );
    }
}

/// The process that stands in for a model tells on its standard error what the model would have been asked.
fn prompts<'t>(heard: impl Iterator<Item = &'t Transcript>) -> String {
    heard.map(|raw| raw.stderr.text()).collect()
}
