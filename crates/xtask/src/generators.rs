//! Files that are written by the tables that they describe: one file each, one row each.

mod ci_page;

use std::fs;

use crate::say;
use crate::steps::Failure;
use crate::workspace::Workspace;

/// A committed file and the function that knows its text.
#[derive(Debug)]
pub(crate) struct Generator {
    /// The file, relative to the root.
    pub(crate) file: &'static str,
    /// Gives the text that the file must have.
    pub(crate) text: fn(&Workspace) -> Result<String, Failure>,
}

/// Every generated file.
pub(crate) static GENERATORS: &[Generator] = &[Generator {
    file: "docs/ci.md",
    text: ci_page::text,
}];

/// Writes every generated file that is not up to date.
pub(crate) fn write(workspace: &Workspace) -> Result<(), Failure> {
    for generator in GENERATORS {
        let text = (generator.text)(workspace)?;
        if workspace
            .read(generator.file)
            .is_ok_and(|committed| committed == text)
        {
            say::line(format!("{}: up to date", generator.file));
            continue;
        }
        let path = workspace.root.join(generator.file);
        let failure = |cause| Failure::because(format!("`{}`", generator.file), cause);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(failure)?;
        }
        fs::write(path, text).map_err(failure)?;
        say::line(format!("{}: written", generator.file));
    }
    Ok(())
}
