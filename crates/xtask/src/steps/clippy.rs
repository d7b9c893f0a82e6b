//! The lints of the workspace, and the purity lists in the `clippy.toml` of each pure crate.
//!
//! After a change cargo checks the crates that changed and those above them again, and no others: a quick run needs no list
//! of its own here.

use super::{Done, Outcome};
use crate::workspace::{Workspace, component, run as pass};

pub(crate) fn run(workspace: &Workspace) -> Done {
    component(workspace, "clippy", "clippy")?;
    pass(&mut workspace.cargo(&[
        "clippy",
        "--workspace",
        "--all-targets",
        "--",
        "-D",
        "warnings",
    ]))?;
    Ok(Outcome::Passed)
}
