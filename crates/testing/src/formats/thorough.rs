//! Coverage and mutants, for programs.

use serde_json::{Value, json};

use crate::coverage::Coverage;
use crate::mutate::{Fate, Mutated, Tried};

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
pub fn mutation(mutated: &Mutated) -> Value {
    json!({
        "killed": mutated.killed(),
        "survived": mutated.survivors().count(),
        "left_out": mutated.left_out,
        "mutants": mutated.tried.iter().map(tried).collect::<Vec<_>>(),
    })
}

fn tried(tried: &Tried) -> Value {
    let mut one = json!({
        "hook": tried.hook,
        "mutation": tried.mutation.to_string(),
    });
    let told = match &tried.fate {
        Fate::Killed { by } => json!({"fate": "killed", "by": by}),
        Fate::Survived(survivor) => json!({
            "fate": "survived",
            "why": survivor.why,
            "case": survivor.sketch,
        }),
    };
    if let (Value::Object(one), Value::Object(told)) = (&mut one, told) {
        one.extend(told);
    }
    one
}
