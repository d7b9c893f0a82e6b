//! Every test and doctest, by cargo's own runner.
//!
//! Its closing lines are what a caller reads, so nothing stands between it and the output. Property tests that leave
//! their number of cases open run ten thousand, and proptest's own default under `--quick`.

use std::env;

use super::{Done, Outcome};
use crate::workspace::{Workspace, run as pass};

pub(crate) fn run(workspace: &Workspace) -> Done {
    let mut command = workspace.cargo(&["test", "--workspace", "--no-fail-fast"]);
    let cases = (!workspace.quick).then_some(("PROPTEST_CASES", "10000"));
    // Without this a snapshot that differs would leave a file behind.
    let settings = cases.into_iter().chain([("INSTA_UPDATE", "no")]);
    command.envs(settings.filter(|(name, _)| env::var_os(name).is_none()));
    pass(&mut command)?;
    Ok(Outcome::Passed)
}
