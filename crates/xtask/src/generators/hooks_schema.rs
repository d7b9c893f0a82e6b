//! `schema/hooks-1.json` and `schema/hooks-closed-1.json`: the two forms of a hooks.json, from the table of its fields.

use anyhook_core::manifest;

use super::Written;
use crate::done::Failure;
use crate::workspace::Workspace;

pub(crate) fn files(_: &Workspace) -> Result<Vec<Written>, Failure> {
    let forms = [
        ("hooks", manifest::schema()),
        ("hooks-closed", manifest::closed_schema()),
    ];
    let written = |(name, schema): (&str, serde_json::Value)| {
        let text = serde_json::to_string_pretty(&schema)
            .map_err(|cause| Failure::because("the schema", cause))?;
        let file = format!("schema/{name}-{}.json", manifest::VERSION);
        Ok(Written::new(file, format!("{text}\n")))
    };
    forms.into_iter().map(written).collect()
}
