// no row: a command of its own, too long for CI.
//! A simulated fleet: a command, not a step of CI. Without options it is a small one that fits beside other work.

use super::Failure;
use crate::workspace::{Workspace, run as pass};

/// Half a minute, and no judgement of times.
const SMALL: &[&str] = &[
    "--developers",
    "60",
    "--rate",
    "20",
    "--minutes",
    "0.5",
    "--counts-only",
];

/// Runs one of this size; one that is large with everything optimized.
pub(crate) fn run(workspace: &Workspace, options: &[&str]) -> Result<bool, Failure> {
    let (verb, options) = match options {
        [] => ("test", SMALL),
        _ => ("bench", options),
    };
    let cargo = [verb, "--quiet", "-p", "anyhook-fleet"];
    let words = [&cargo[..], &["--bench", "sim", "--"], options].concat();
    pass(&mut workspace.cargo(&words)).map(|()| true)
}
