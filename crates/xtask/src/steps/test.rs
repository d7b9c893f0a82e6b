//! Every test and doctest, by cargo's own runner.
//!
//! Its closing lines are what a caller reads, so nothing stands between it and the output. Property tests that leave
//! their number of cases open run ten thousand. Under `--quick` they run a few, the tests of the changed crates alone are
//! run, and the examples of the documentation are left out.

use std::env;

use super::{Done, Outcome};
use crate::changed;
use crate::workspace::{Workspace, run as pass};

/// How many cases a property test runs whose number is open.
const CASES: &str = "10000";

/// The same for a person who waits.
const FEW_CASES: &str = "32";

pub(crate) fn run(workspace: &Workspace) -> Done {
    let mut command = workspace.cargo(&["test", "--no-fail-fast"]);
    if workspace.quick {
        let changed = changed::crates(workspace)?;
        if changed.is_empty() {
            return Ok(Outcome::Skipped("test: no crate has changed".to_owned()));
        }
        command.arg("--tests");
        command.args(changed.iter().map(|name| format!("--package={name}")));
    } else {
        command.arg("--workspace");
    }
    let cases = if workspace.quick { FEW_CASES } else { CASES };
    // Without the second a snapshot that differs would leave a file behind.
    let settings = [("PROPTEST_CASES", cases), ("INSTA_UPDATE", "no")];
    command.envs(
        settings
            .into_iter()
            .filter(|(name, _)| env::var_os(name).is_none()),
    );
    pass(&mut command)?;
    Ok(Outcome::Passed)
}
