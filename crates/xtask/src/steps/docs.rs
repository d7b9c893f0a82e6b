//! The documentation of every crate, with each rustdoc warning an error.

use super::{Done, Outcome};
use crate::workspace::{Workspace, run as pass};

pub(crate) fn run(workspace: &Workspace) -> Done {
    // The library and the binary share the name `anyhook` and so their pages. In one call cargo would warn; in this
    // order the pages that stay are the library's.
    let parts: [&[&str]; 2] = [
        &["doc", "--no-deps", "--package", "anyhook-cli"],
        &[
            "doc",
            "--no-deps",
            "--workspace",
            "--exclude",
            "anyhook-cli",
        ],
    ];
    for arguments in parts {
        pass(
            workspace
                .cargo(arguments)
                .env("RUSTDOCFLAGS", "-D warnings"),
        )?;
    }
    Ok(Outcome::Passed)
}
