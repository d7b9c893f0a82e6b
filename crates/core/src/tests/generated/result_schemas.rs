//! `schema/result-1.json` and `schema/report-1.json`: the canonical forms, from their types.

use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema};
use serde_json::Value;

use crate::report::Report;
use crate::{canonical, report};

/// Both schemas with their files.
pub(super) fn all() -> [(String, String); 2] {
    let result = canonical::RESULT_VERSION;
    [
        written("result", result, schema::<canonical::ResultDocument>()),
        written("report", report::VERSION, schema::<Report>()),
    ]
}

fn schema<T: JsonSchema>() -> Schema {
    let mut schema = SchemaSettings::draft2020_12()
        .into_generator()
        .into_root_schema_for::<T>();
    RecursiveTransform(without_example).transform(&mut schema);
    schema
}

/// The examples of the documentation are for those who write Rust.
fn without_example(schema: &mut Schema) {
    if let Some(Value::String(description)) = schema.get_mut("description") {
        *description = prose(description).to_owned();
    }
}

/// The paragraphs before the first example, without one that leads into it.
fn prose(description: &str) -> &str {
    let Some((before, _)) = description.split_once("\n\n```") else {
        return description;
    };
    match before.rsplit_once("\n\n") {
        Some((before, lead)) if lead.ends_with(':') => before,
        Some(_) | None => before,
    }
}

fn written(name: &str, version: u32, mut schema: Schema) -> (String, String) {
    let id = format!("urn:anyhook:{name}:{version}");
    schema.insert("$id".to_owned(), id.into());
    let text = serde_json::to_string_pretty(&schema).unwrap();
    (format!("schema/{name}-{version}.json"), format!("{text}\n"))
}

#[test]
fn a_description_ends_where_the_example_begins() {
    assert_eq!(
        prose("A text.\n\nIts contract."),
        "A text.\n\nIts contract."
    );
    assert_eq!(
        prose("A text.\n\nIts contract.\n\n```\na();\n```"),
        "A text.\n\nIts contract."
    );
    assert_eq!(
        prose("A text.\n\nIn use:\n\n```\na();\n```\n\nMore."),
        "A text."
    );
}
