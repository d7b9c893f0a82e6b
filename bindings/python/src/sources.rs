//! Where modules in Python come from: the engine finds their folders, and Python imports them.

use std::path::{Path, PathBuf};

use anyhook::mounts::{Catalogue, ModuleEntry, ModuleSource, MountError};
use anyhook::world::World;
use pyo3::exceptions::{PyLookupError, PyValueError};
use pyo3::prelude::*;
use serde_json::json;

/// Finds the folder of a source, its kind and its commit; nothing for a source that is a name.
///
/// What a repository has is fetched, and pinned in the lock file of `base`.
#[pyfunction]
pub(crate) fn source(
    py: Python<'_>,
    text: &str,
    base: PathBuf,
) -> PyResult<Option<(PathBuf, &'static str, Option<String>)>> {
    let read = ModuleSource::read(text, &base)
        .map_err(|error| PyValueError::new_err(with_help(&error.what, error.help.as_deref())))?;
    if matches!(read, ModuleSource::Named(_)) {
        return Ok(None);
    }
    let found = py
        .detach(|| found(read, &base))
        .map_err(|error| PyLookupError::new_err(with_help(&error.text, error.help.as_deref())))?;
    Ok(found
        .folder
        .map(|folder| (folder, found.kind, found.commit)))
}

fn found(source: ModuleSource, base: &Path) -> Result<anyhook::mounts::FoundModule, MountError> {
    let mut entry = ModuleEntry::new("", json!({}));
    entry.source = Some(source);
    // Only Python can tell what is in another folder.
    Catalogue::new(World::real())
        .others("python")
        .find(&entry, base)
}

fn with_help(what: &str, help: Option<&str>) -> String {
    help.map_or_else(|| what.to_owned(), |help| format!("{what}: {help}"))
}
