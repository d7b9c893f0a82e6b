//! A hooks.json that is changed in place: comments, order, and whatever is not meant stay as they are.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use anyhook::core::manifest::Manifest;
use anyhook::files::read_document;
use anyhook::load;
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::Value;

use crate::error::CliError;
use crate::exit::Exit;

/// A file that has no hook yet.
pub(crate) const EMPTY: &str = "{\n  \"version\": 1,\n  \"hooks\": {}\n}\n";

/// Reads a file of hooks, and waits for none that is a pipe.
pub(crate) fn bytes(file: &Path) -> Result<Vec<u8>, CliError> {
    read_document(file).map_err(|why| CliError::unreadable(file, io::Error::other(why)))
}

/// Changes a file, or one that is not there yet; nothing is written where the change says that nothing changed.
pub(crate) fn edit(
    file: &Path,
    change: impl FnOnce(&Manifest, &CstObject) -> Option<bool>,
) -> Result<(), CliError> {
    let text = match file.symlink_metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => EMPTY.to_owned(),
        _ => {
            let told = |error| CliError::unreadable(file, io::Error::other(error));
            String::from_utf8(bytes(file)?).map_err(told)?
        }
    };
    let read = load::parse(file, &text).and_then(load::usable).ok();
    let edited = read.and_then(|read| changed(&text, |top| change(&read, top)));
    match edited {
        Some(new) if new == text => Ok(()),
        Some(new) => write(file, &new),
        None => {
            let what = format!("`{}` has errors, so nothing was changed", file.display());
            Err(CliError::new(Exit::Data, what).help("anyhook check shows them"))
        }
    }
}

/// Returns the text with the change in it, which is the same text where the change says that nothing changed.
pub(crate) fn changed(
    text: &str,
    change: impl FnOnce(&CstObject) -> Option<bool>,
) -> Option<String> {
    let root = CstRootNode::parse(text, &ParseOptions::default()).ok()?;
    let is_changed = change(&root.object_value()?)?;
    Some(if is_changed {
        root.to_string()
    } else {
        text.to_owned()
    })
}

fn write(file: &Path, text: &str) -> Result<(), CliError> {
    let failed = |error| CliError::unwritable(file, error);
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    fs::write(file, text).map_err(failed)
}

/// A value of JSON, as it is put into a file.
pub(crate) fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(value) => CstInputValue::Number(value.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(all) => CstInputValue::Array(all.iter().map(input).collect()),
        Value::Object(all) => {
            let all = all.iter().map(|(name, value)| (name.clone(), input(value)));
            CstInputValue::Object(all.collect())
        }
    }
}
