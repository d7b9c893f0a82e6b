//! The binary that the examples and the tour use.

use std::path::PathBuf;

use super::{Done, Failure, Outcome};
use crate::workspace::{Workspace, run as pass};

pub(crate) fn run(workspace: &Workspace) -> Done {
    binary(workspace)?;
    Ok(Outcome::Passed)
}

/// Builds the small programs beside the binary too, and says where the binary is.
pub(crate) fn binaries(workspace: &Workspace) -> Result<PathBuf, Failure> {
    let mut args = vec!["build"];
    for (package, program) in [
        ("anyhook-cli", "anyhook"),
        ("anyhook-run", "anyhook-run"),
        ("anyhook-confine", "anyhook-confined"),
    ] {
        args.extend(["--package", package, "--bin", program]);
    }
    pass(&mut workspace.cargo(&args))?;
    binary(workspace)
}

/// Builds the binary where it is not fresh, and says where it is.
pub(crate) fn binary(workspace: &Workspace) -> Result<PathBuf, Failure> {
    pass(&mut workspace.cargo(&["build", "--package", "anyhook-cli", "--bin", "anyhook"]))?;
    let path = workspace
        .target
        .join("debug")
        .join(format!("anyhook{}", std::env::consts::EXE_SUFFIX));
    if path.is_file() {
        return Ok(path);
    }
    Err(Failure::new(
        "cargo built `anyhook` and there is no `debug/anyhook` in the target folder; is CARGO_BUILD_TARGET set?",
    ))
}
