//! The documentation of every crate, with each rustdoc warning an error.

use super::{Done, Outcome};
use crate::workspace::{Workspace, run as pass};

pub(crate) fn run(workspace: &Workspace) -> Done {
    // The library and the binary share the name `anyhook`, and one would overwrite the other's pages.
    let parts: [&[&str]; 2] = [
        &[
            "doc",
            "--no-deps",
            "--workspace",
            "--exclude",
            "anyhook-cli",
        ],
        &["doc", "--no-deps", "--package", "anyhook-cli"],
    ];
    for (arguments, folder) in parts.into_iter().zip(["", "docs-of-the-binary"]) {
        let mut command = workspace.cargo(arguments);
        command.env("RUSTDOCFLAGS", "-D warnings");
        if !folder.is_empty() {
            command.env("CARGO_TARGET_DIR", workspace.target.join(folder));
        }
        pass(&mut command)?;
    }
    Ok(Outcome::Passed)
}
