//! The packages of the program: `packaging/build` makes them, and `packaging/test` installs and uses each one.
//!
//! The wheel is the one of the step `python`, so this step comes after it. `packaging/test` says what it skips on a machine
//! without npm or dpkg.

use std::fs;

use super::{Done, Outcome, build, python};
use crate::workspace::{Workspace, run as pass};

pub(crate) fn run(workspace: &Workspace) -> Done {
    let Some(interpreter) = python::python(workspace) else {
        return Ok(Outcome::Skipped(python::NONE.to_owned()));
    };
    let program = build::binaries(workspace)?;
    let folder = workspace.target.join("packages");
    let _ = fs::remove_dir_all(&folder);
    let mut make = workspace.command(&interpreter);
    make.args(["packaging/build", "--quick", "--program"])
        .arg(program)
        .arg("--out")
        .arg(&folder);
    let wheels = fs::read_dir(python::dist(workspace, "build"));
    if let Some(wheel) = wheels.into_iter().flatten().flatten().next() {
        make.arg("--wheel").arg(wheel.path());
    }
    pass(&mut make)?;
    let mut test = workspace.command(&interpreter);
    pass(test.arg("packaging/test").arg(&folder))?;
    Ok(Outcome::Passed)
}
