//! Every package below `examples/`, tested by the binary itself in an empty home: every hook and every branch is seen, and
//! no mutant survives.

use std::fs;
use std::path::PathBuf;

use super::{Done, Failure, Outcome, build};
use crate::workspace::{Workspace, run as pass};

pub(crate) fn run(workspace: &Workspace) -> Done {
    let packages = packages(workspace)?;
    if packages.is_empty() {
        return Ok(Outcome::Skipped(String::from(
            "examples: there are none yet",
        )));
    }
    let binary = build::binary(workspace)?;
    let help = workspace.command(&binary).args(["test", "--help"]).output();
    let answers = help.is_ok_and(|output| output.status.success() && !output.stdout.is_empty());
    // Once the command is written, a help that fails is a bug and no reason to skip.
    if !answers && !workspace.has("crates/cli/src/commands/test.rs") {
        return Ok(Outcome::Skipped(String::from(
            "examples: `anyhook test` is not there yet",
        )));
    }
    let home = workspace.target.join("xtask/examples-home");
    let _ = fs::remove_dir_all(&home);
    fs::create_dir_all(&home).map_err(|cause| Failure::because("home of the examples", cause))?;
    let mut command = workspace.command(&binary);
    command
        .arg("test")
        .args(&packages)
        .args(["--coverage", "--threshold", "100", "--mutate"])
        .env("HOME", &home);
    for name in [
        "XDG_CONFIG_HOME",
        "XDG_STATE_HOME",
        "XDG_DATA_HOME",
        "XDG_CACHE_HOME",
        "XDG_RUNTIME_DIR",
    ] {
        command.env_remove(name);
    }
    pass(&mut command)?;
    Ok(Outcome::Passed)
}

fn packages(workspace: &Workspace) -> Result<Vec<PathBuf>, Failure> {
    let folder = workspace.root.join("examples");
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let failure = |cause| Failure::because("`examples`", cause);
    let mut found = Vec::new();
    for entry in fs::read_dir(&folder).map_err(failure)? {
        let entry = entry.map_err(failure)?;
        if entry.path().is_dir() {
            found.push(PathBuf::from("examples").join(entry.file_name()));
        }
    }
    found.sort();
    Ok(found)
}
