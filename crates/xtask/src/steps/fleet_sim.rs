//! A fleet of a size that fits beside other work. `cargo xtask fleet-sim --developers 2000 --rate 231 --minutes 10` is a large one.

use super::{Done, Failure, Outcome};
use crate::say;
use crate::workspace::{Workspace, capture};

/// Half a minute, and no judgement of times: other work shares the processors of CI.
const SMALL: &str = "--developers 60 --rate 20 --minutes 0.5 --counts-only";
/// How the program begins its last line where it has no servers.
const SKIPPED: &str = "SKIPPED: ";

pub(crate) fn run(workspace: &Workspace) -> Done {
    let small: Vec<&str> = SMALL.split(' ').collect();
    simulated(workspace, "test", &small)
}

/// Runs one of any size, with everything optimized.
pub(crate) fn large(workspace: &Workspace, options: &[&str]) -> Result<bool, Failure> {
    simulated(workspace, "bench", options).map(|_| true)
}

/// What developers say while a server is down is of interest only where something failed.
fn simulated(workspace: &Workspace, verb: &str, options: &[&str]) -> Done {
    let words = ["--quiet", "-p", "anyhook-fleet", "--bench", "sim", "--"];
    let words = [&[verb], &words[..], options].concat();
    let page = capture(&mut workspace.cargo(&words))?;
    say::line(page.trim_end());
    let skipped = page.lines().find_map(|line| line.strip_prefix(SKIPPED));
    Ok(skipped.map_or(Outcome::Passed, |why| Outcome::Skipped(why.to_owned())))
}
