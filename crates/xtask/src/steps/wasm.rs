//! The pure crates on a target that has almost no world to touch.

use super::{Done, Outcome};
use crate::workspace::{Workspace, capture, run as pass};

const TARGET: &str = "wasm32-wasip2";

pub(crate) fn run(workspace: &Workspace) -> Done {
    let installed = capture(
        workspace
            .command("rustup")
            .args(["target", "list", "--installed"]),
    );
    let Ok(installed) = installed else {
        return Ok(Outcome::Skipped(format!(
            "{TARGET}: rustup does not answer"
        )));
    };
    if !installed.lines().any(|line| line.trim() == TARGET) {
        return Ok(Outcome::Skipped(format!("{TARGET}: not installed")));
    }
    pass(&mut workspace.cargo(&[
        "build",
        "-p",
        "anyhook-core",
        "-p",
        "anyhook-wires",
        "--target",
        TARGET,
    ]))?;
    Ok(Outcome::Passed)
}
