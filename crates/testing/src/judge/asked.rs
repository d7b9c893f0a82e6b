//! The questions that a person and a model were asked.

use anyhook::core::transcript::Transcript;

use super::Judged;
use crate::plan::{Case, Person};
use crate::play::Evidence;

/// Holds what the person was asked against what the case has the person answer.
pub(super) fn person(case: &Case, evidence: &Evidence, judged: &mut Judged) {
    const ABOUT: &str = "interactive";
    let Some(person) = &case.person else { return };
    for put in &evidence.put {
        let (hook, question) = (&put.hook, &put.question);
        match (&put.said, &put.choices) {
            (None, _) => judged.fail(
                ABOUT,
                format!("`{hook}` asks {question:?}, and the case has no answer to it"),
            ),
            (Some(said), Some(choices)) => judged.fail(
                ABOUT,
                format!(
                    "`{hook}` asks {question:?}, and `{said}` is none of its choices: `{choices}`"
                ),
            ),
            (Some(_), None) => {}
        }
    }
    if let Person::InTurn(answers) = person
        && answers.len() > evidence.put.len()
    {
        let (answers, asked) = (answers.len(), evidence.put.len());
        judged.fail(
            ABOUT,
            format!("the case has {answers} answers, and the person was asked {asked} times"),
        );
    }
}

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
