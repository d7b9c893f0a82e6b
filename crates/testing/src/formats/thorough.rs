//! Coverage and mutants, for programs.

use serde_json::{Value, json};

use super::github::Annotation;
use crate::coverage::Coverage;
use crate::mutate::{MutationRun, TestedMutant};

/// Writes coverage as JSON: `{percent, covered, total, hooks}`.
pub fn coverage(coverage: &Coverage) -> Value {
    let counted = coverage.counted();
    json!({
        "percent": (counted.percent() * 100.0).floor() / 100.0,
        "covered": counted.covered,
        "total": counted.total,
        "hooks": coverage.hooks,
    })
}

/// Writes what came of mutants as JSON: `{killed, survived, left_out, mutants}`.
pub fn mutation(mutated: &MutationRun) -> Value {
    json!({
        "killed": mutated.killed(),
        "survived": mutated.survivors().count(),
        "left_out": mutated.left_out,
        "mutants": mutated.tried,
    })
}

/// Writes survivors as annotations of GitHub Actions, each at its hook.
pub fn github_survivors(mutated: &MutationRun) -> String {
    let line = |(tried, survivor): (&TestedMutant, &crate::mutate::Survivor)| {
        let hook = &tried.hook;
        let (file, text) = (&survivor.sketch.file, &survivor.sketch.text);
        Annotation {
            level: "error",
            file: &hook.file,
            line: hook.line,
            column: None,
            title: &format!("{} survives: {}", hook.name, tried.mutation),
            text: &format!("{}\npaste into {file}:\n{text}", survivor.why),
        }
        .written()
    };
    mutated.survivors().map(line).collect()
}
