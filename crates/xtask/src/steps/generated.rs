//! Committed generated files against what their generators write today.

mod ci_page;

use std::fs;

use super::{Done, Failure};
use crate::generators::{GENERATORS, Generator, left_over};
use crate::say;
use crate::workspace::Workspace;

/// Returns every generator: those of the table, and that of the page about the steps of CI.
pub(crate) fn all() -> impl Iterator<Item = &'static Generator> {
    GENERATORS.iter().chain([&ci_page::GENERATOR])
}

pub(crate) fn run(workspace: &Workspace) -> Done {
    let mut stale = Vec::new();
    for generator in all() {
        let files = (generator.files)(workspace)?;
        for written in &files {
            let is_fresh = |committed: String| committed == written.text;
            if workspace.read(&written.file).is_ok_and(is_fresh) {
                continue;
            }
            show(workspace, &written.file, &written.text)?;
            stale.push(format!(
                "`{}` is not what its generator writes; run `cargo xtask generate`",
                written.file
            ));
        }
        for file in left_over(workspace, generator, &files)? {
            stale.push(format!(
                "no generator writes `{file}`; run `cargo xtask generate`"
            ));
        }
    }
    Failure::unless_empty(stale)
}

/// Lets git print the difference: it is there wherever a checkout is.
fn show(workspace: &Workspace, file: &str, wanted: &str) -> Result<(), Failure> {
    let fresh = workspace.target.join("xtask/generated").join(file);
    let failure = |cause| Failure::because(format!("`{}`", fresh.display()), cause);
    if let Some(folder) = fresh.parent() {
        fs::create_dir_all(folder).map_err(failure)?;
    }
    fs::write(&fresh, wanted).map_err(failure)?;
    let committed = if workspace.has(file) {
        file
    } else {
        "/dev/null"
    };
    let difference = workspace
        .command("git")
        .args(["diff", "--no-index", "--", committed])
        .arg(&fresh)
        .output();
    if let Ok(output) = difference {
        say::line(String::from_utf8_lossy(&output.stdout));
    }
    Ok(())
}
