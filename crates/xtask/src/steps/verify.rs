//! Checks one real agent under the scripted model, only for the gate. `cargo xtask lab` tests all agents in full.

use std::process::Command;

use super::{Done, Outcome};
use crate::lab;
use crate::workspace::Workspace;

/// The agent whose package is the smallest.
const HOST: &str = "gemini-cli";

pub(crate) fn run(workspace: &Workspace) -> Done {
    let has = |program: &str| Command::new(program).arg("--version").output().is_ok();
    if !has("node") || !has("npm") {
        return Ok(Outcome::Skipped("Node: no `node` and `npm`".to_owned()));
    }
    match lab::quick(workspace, HOST) {
        Ok(verified) => verified.map(|()| Outcome::Passed),
        Err(why) => Ok(Outcome::Skipped(format!("{HOST} cannot be had: {why}"))),
    }
}
