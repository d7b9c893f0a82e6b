//! The programs that tests drive: what is missing is installed, where this machine lets us.

use std::process::Command;

use super::{Done, Outcome, python};
use crate::lab;
use crate::workspace::{Workspace, capture};

/// Each with the Debian package of its name. A test that misses one says so and does what it can without it.
const TOOLS: &[&str] = &["strace", "chromium"];

/// The agents that are asked as they are by tests of the server.
const AGENTS: &[&str] = &["claude-code", "opencode", "kilo", "pi"];

/// What makes requests of a page of `OpenAPI`.
const SCHEMATHESIS: &str = "schemathesis==4.32.5";

#[expect(clippy::unnecessary_wraps, reason = "the form of a step")]
pub(crate) fn run(workspace: &Workspace) -> Done {
    let mut missing: Vec<String> = debian().err().into_iter().collect();
    missing.extend(python::has(workspace, "schemathesis", SCHEMATHESIS).err());
    for agent in AGENTS {
        let why = lab::fetch(workspace, agent).err();
        missing.extend(why.map(|why| format!("{agent} cannot be had: {why}")));
    }
    Ok(if missing.is_empty() {
        Outcome::Passed
    } else {
        Outcome::Skipped(missing.join("; "))
    })
}

/// Installs the packages of Debian; why not, where it cannot.
fn debian() -> Result<(), String> {
    let is_here = |tool: &&&str| capture(Command::new(tool).arg("--version")).is_ok();
    let missing: Vec<&str> = TOOLS
        .iter()
        .filter(|tool| !is_here(tool))
        .copied()
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let skipped = |why: &str| {
        let names = missing.join(" ");
        Err(format!("{names}: {why}; try: apt-get install {names}"))
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
        Ok(_) => Ok(()),
        Err(_) => skipped("they could not be installed"),
    }
}
