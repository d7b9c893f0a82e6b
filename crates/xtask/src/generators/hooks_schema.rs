//! `schema/hooks-1.json`: the form of a hooks.json, from the table of its fields.

use anyhook_core::manifest;

use super::Written;
use crate::steps::Failure;
use crate::workspace::Workspace;

pub(crate) fn files(_: &Workspace) -> Result<Vec<Written>, Failure> {
    let text = serde_json::to_string_pretty(&manifest::schema())
        .map_err(|cause| Failure::because("the schema", cause))?;
    let file = format!("schema/hooks-{}.json", manifest::VERSION);
    Ok(vec![Written::new(file, format!("{text}\n"))])
}
