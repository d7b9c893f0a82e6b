//! Files that are written by the tables that they describe: one module each, one row each.

mod ci_page;
mod differences;
mod event_schemas;
mod events_page;
mod fields_page;
mod hooks_schema;
mod hosts_page;
mod lints_page;
mod result_schemas;

use std::collections::BTreeSet;
use std::fs;

use crate::done::Failure;
use crate::say;
use crate::workspace::Workspace;

/// What writes committed files.
#[derive(Debug)]
pub(crate) struct Generator {
    /// Gives the files, with the text that each must have.
    pub(crate) files: fn(&Workspace) -> Result<Vec<Written>, Failure>,
    /// A folder that holds these files and no others, relative to the root.
    pub(crate) folder: Option<&'static str>,
}

/// A committed file and the text that it must have.
#[derive(Debug)]
pub(crate) struct Written {
    /// The file, relative to the root.
    pub(crate) file: String,
    /// Its text.
    pub(crate) text: String,
}

impl Written {
    pub(crate) fn new(file: impl Into<String>, text: String) -> Self {
        Self {
            file: file.into(),
            text,
        }
    }
}

/// Every generator.
pub(crate) static GENERATORS: &[Generator] = &[
    Generator {
        files: ci_page::files,
        folder: None,
    },
    Generator {
        files: differences::files,
        folder: None,
    },
    Generator {
        files: events_page::files,
        folder: None,
    },
    Generator {
        files: fields_page::files,
        folder: None,
    },
    Generator {
        files: hosts_page::files,
        folder: None,
    },
    Generator {
        files: event_schemas::files,
        folder: Some(event_schemas::FOLDER),
    },
    Generator {
        files: hooks_schema::files,
        folder: None,
    },
    Generator {
        files: lints_page::files,
        folder: None,
    },
    Generator {
        files: result_schemas::files,
        folder: None,
    },
];

/// Writes every generated file that is not up to date, and removes what nobody generates any more.
pub(crate) fn write(workspace: &Workspace) -> Result<(), Failure> {
    for generator in GENERATORS {
        let files = (generator.files)(workspace)?;
        for written in &files {
            update(workspace, written)?;
        }
        for file in left_over(workspace, generator, &files)? {
            fs::remove_file(workspace.root.join(&file))
                .map_err(|cause| Failure::because(format!("`{file}`"), cause))?;
            say::line(format!("{file}: removed"));
        }
    }
    Ok(())
}

fn update(workspace: &Workspace, written: &Written) -> Result<(), Failure> {
    let is_fresh = |committed: String| committed == written.text;
    if workspace.read(&written.file).is_ok_and(is_fresh) {
        return Ok(());
    }
    let path = workspace.root.join(&written.file);
    let failure = |cause| Failure::because(format!("`{}`", written.file), cause);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failure)?;
    }
    fs::write(path, &written.text).map_err(failure)?;
    say::line(format!("{}: written", written.file));
    Ok(())
}

/// Returns the files of a generator's own folder that it does not write.
pub(crate) fn left_over(
    workspace: &Workspace,
    generator: &Generator,
    files: &[Written],
) -> Result<Vec<String>, Failure> {
    let Some(folder) = generator.folder.filter(|folder| workspace.has(folder)) else {
        return Ok(Vec::new());
    };
    let failure = |cause| Failure::because(format!("`{folder}`"), cause);
    let wanted: BTreeSet<&str> = files.iter().map(|written| &*written.file).collect();
    let mut found = Vec::new();
    for entry in fs::read_dir(workspace.root.join(folder)).map_err(failure)? {
        let name = entry.map_err(failure)?.file_name();
        let file = format!("{folder}/{}", name.to_string_lossy());
        if !wanted.contains(&*file) {
            found.push(file);
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests;
