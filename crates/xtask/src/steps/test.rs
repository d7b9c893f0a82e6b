//! Every test and doctest, by cargo's own runner.
//!
//! Its closing lines are what a caller reads, so nothing stands between it and the output. Property tests that leave
//! their number of cases open run ten thousand.

use std::env;

use super::{Done, Outcome};
use crate::workspace::{Workspace, run as pass};

pub(crate) fn run(workspace: &Workspace) -> Done {
    let mut command = workspace.cargo(&["test", "--workspace", "--no-fail-fast"]);
    for (name, value) in [("PROPTEST_CASES", "10000"), ("INSTA_UPDATE", "no")] {
        if env::var_os(name).is_none() {
            command.env(name, value);
        }
    }
    pass(&mut command)?;
    Ok(Outcome::Passed)
}
