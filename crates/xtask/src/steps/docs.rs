//! The documentation of every crate, with each rustdoc warning an error, and an example in each public module.

use std::path::Path;

use super::{Done, Failure};
use crate::workspace::{Workspace, run as pass};

/// The roots of the crates whose documentation is read as a book.
const ROOTS: &[&str] = &[
    "crates/core/src/lib.rs",
    "crates/registry/src/lib.rs",
    "crates/engine/src/lib.rs",
    "crates/care/src/lib.rs",
    "crates/anyhook/src/lib.rs",
    "crates/wires/src/lib.rs",
    "crates/readers/src/lib.rs",
];

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
    Failure::unless_empty(modules_without_example(workspace)?)
}

/// Lists the public modules of the roots without an example in their file, or in a file below it.
fn modules_without_example(workspace: &Workspace) -> Result<Vec<String>, Failure> {
    let mut shown = Vec::new();
    for file in workspace.rust_files()? {
        if has_example(&workspace.read(&file)?) {
            shown.push(file);
        }
    }
    let mut findings = Vec::new();
    for root in ROOTS {
        let text = workspace.read(root)?;
        for line in text.lines() {
            let name = line.strip_prefix("pub mod ");
            let Some(name) = name.and_then(|name| name.strip_suffix(';')) else {
                continue;
            };
            let folder = Path::new(root).with_file_name(name);
            let file = folder.with_extension("rs");
            if !shown
                .iter()
                .any(|shown| *shown == file || shown.starts_with(&folder))
            {
                findings.push(format!("{}: the module has no example", file.display()));
            }
        }
    }
    Ok(findings)
}

fn has_example(text: &str) -> bool {
    let fences = text.lines().filter_map(|line| {
        let line = line.trim_start();
        let docs = line.strip_prefix("//! ").or(line.strip_prefix("/// "))?;
        docs.strip_prefix("```")
    });
    // Every second fence closes what the one before it opened.
    let mut opening = fences.step_by(2);
    opening.any(|mark| matches!(mark, "" | "no_run"))
}

#[cfg(test)]
mod tests {
    use super::has_example;

    #[test]
    fn only_code_that_is_compiled_is_an_example() {
        assert!(has_example(
            "//! A page.\n//!\n//! ```\n//! run();\n//! ```\n"
        ));
        assert!(has_example("    /// ```no_run\n    /// run();\n"));
        assert!(!has_example("//! ```text\n//! a picture\n//! ```\n"));
        assert!(!has_example("let fence = \"```\";\n"));
    }
}
