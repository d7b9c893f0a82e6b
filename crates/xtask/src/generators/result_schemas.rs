//! `schema/result-1.json` and `schema/report-1.json`: the canonical forms, from their types.

use anyhook_core::report::Report;
use anyhook_core::{canonical, report};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};

use super::Written;
use crate::steps::Failure;
use crate::workspace::Workspace;

pub(crate) fn files(_: &Workspace) -> Result<Vec<Written>, Failure> {
    let result = canonical::RESULT_VERSION;
    let report = report::VERSION;
    Ok(vec![
        written("result", result, schema::<canonical::ResultDocument>())?,
        written("report", report, schema::<Report>())?,
    ])
}

fn schema<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12()
        .into_generator()
        .into_root_schema_for::<T>()
}

fn written(name: &str, version: u32, mut schema: Schema) -> Result<Written, Failure> {
    schema.insert(
        "$id".to_owned(),
        format!("urn:anyhook:{name}:{version}").into(),
    );
    let text =
        serde_json::to_string_pretty(&schema).map_err(|cause| Failure::because(name, cause))?;
    Ok(Written::new(
        format!("schema/{name}-{version}.json"),
        format!("{text}\n"),
    ))
}
