//! The rules of `deny.toml`, where cargo-deny is at hand.

use super::{Done, Outcome};
use crate::workspace::{Workspace, run as pass, succeeds};

pub(crate) fn run(workspace: &Workspace) -> Done {
    if !succeeds(&mut workspace.cargo(&["deny", "--version"])) {
        return Ok(Outcome::Skipped(String::from("cargo-deny: not installed")));
    }
    pass(&mut workspace.cargo(&["deny", "check", "licenses", "bans", "sources"]))?;
    Ok(Outcome::Passed)
}
