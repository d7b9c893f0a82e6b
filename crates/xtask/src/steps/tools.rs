//! The programs that tests drive: what is missing is installed, where this machine lets us.

use std::process::Command;

use super::{Done, Outcome};
use crate::workspace::{Workspace, capture};

/// Each with the Debian package of its name. A test that misses one says so and does what it can without it.
const TOOLS: &[&str] = &["strace", "chromium"];

pub(crate) fn run(_: &Workspace) -> Done {
    let is_here = |tool: &&&str| capture(Command::new(tool).arg("--version")).is_ok();
    let missing: Vec<&str> = TOOLS
        .iter()
        .filter(|tool| !is_here(tool))
        .copied()
        .collect();
    if missing.is_empty() {
        return Ok(Outcome::Passed);
    }
    let skipped = |why: &str| {
        let names = missing.join(" ");
        Ok(Outcome::Skipped(format!(
            "{names}: {why}; try: apt-get install {names}"
        )))
    };
    if capture(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() != "0") {
        return skipped("only root installs packages");
    }
    let apt = |words: &[&str]| {
        let mut apt = Command::new("apt-get");
        apt.env("DEBIAN_FRONTEND", "noninteractive").args(words);
        capture(&mut apt)
    };
    let install = ["install", "-y", "-q", "--no-install-recommends"];
    let install: Vec<&str> = install.into_iter().chain(missing.iter().copied()).collect();
    match apt(&["update", "-q"]).and_then(|_| apt(&install)) {
        Ok(_) => Ok(Outcome::Passed),
        Err(_) => skipped("they could not be installed"),
    }
}
