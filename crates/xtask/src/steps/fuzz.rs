//! Every fuzz target on its corpus and on twenty thousand inputs that are made of it, the same ones in every run.

use super::{Done, Outcome};
use crate::workspace::{Workspace, run as pass};

/// How many inputs each target reads. All of them take about a minute and a half of one core.
const INPUTS: &str = "20000";

pub(crate) fn run(workspace: &Workspace) -> Done {
    // The profile of the tests: overflow checks and debug assertions are on.
    let words = [
        "run",
        "--quiet",
        "-p",
        "anyhook-fuzz",
        "--",
        "--inputs",
        INPUTS,
    ];
    pass(&mut workspace.cargo(&words))?;
    Ok(Outcome::Passed)
}
