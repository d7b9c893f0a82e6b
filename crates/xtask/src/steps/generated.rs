//! Committed generated files against what their generators write today.

use std::fs;

use super::{Done, Failure, Outcome};
use crate::generators::GENERATORS;
use crate::say;
use crate::workspace::Workspace;

pub(crate) fn run(workspace: &Workspace) -> Done {
    if GENERATORS.is_empty() {
        return Ok(Outcome::Skipped(String::from(
            "generated: there are no generators yet",
        )));
    }
    let mut stale = Vec::new();
    for generator in GENERATORS {
        let wanted = (generator.text)(workspace)?;
        if workspace
            .read(generator.file)
            .is_ok_and(|committed| committed == wanted)
        {
            continue;
        }
        show(workspace, generator.file, &wanted)?;
        stale.push(format!(
            "`{}` is not what its generator writes; run `cargo xtask generate`",
            generator.file
        ));
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
