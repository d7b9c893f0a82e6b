//! `docs/reference/fields.md`: every field of a hooks.json, from the table of its fields.

use crate::manifest::{FIELDS, FieldSpec, ManifestLevel};
use serde_json::Value;

const HEAD: &str = "\
# Fields of hooks.json

<!-- Written by the test `generated_fields_page_is_current` from crates/core/tables/fields.txt. -->

Every field of the file, of a group and of a hook, with what it means and what holds without it. `anyhook check --schema` prints the
same as a JSON Schema for an editor; [hooks.json](../manifest.md) explains how they work together. A field marked \u{25cf} is
also in [the closed form](../manifest.md#the-closed-form).
";

const LEVELS: [(ManifestLevel, &str); 3] = [
    (ManifestLevel::File, "The file"),
    (ManifestLevel::Group, "A group"),
    (ManifestLevel::Entry, "A hook"),
];

pub(super) fn page() -> String {
    let mut page = String::from(HEAD);
    for (level, title) in LEVELS {
        page.push_str(&format!(
            "\n## {title}\n\n| Field | Meaning | Default |\n|---|---|---|\n"
        ));
        for field in FIELDS.iter().filter(|field| field.level == level) {
            page.push_str(&row(field));
        }
    }
    page
}

fn row(field: &FieldSpec) -> String {
    let form: Value = serde_json::from_str(field.form).unwrap();
    let mut name = format!("`{}`", field.name);
    if let Some(also) = field.also {
        name.push_str(&format!(", `{also}`"));
    }
    if field.closed {
        name.push_str(" \u{25cf}");
    }
    let mut summary = field.summary.replace('|', "\\|");
    if let Some(kind) = field.of {
        summary.push_str(&format!(" For type `{kind}`."));
    }
    if let Some(words) = form.get("enum").and_then(Value::as_array) {
        let words: Vec<String> = words
            .iter()
            .filter_map(Value::as_str)
            .map(|word| format!("`{word}`"))
            .collect();
        summary.push_str(&format!(" One of {}.", words.join(", ")));
    }
    let default = form
        .get("default")
        .map_or_else(String::new, |default| match default {
            Value::String(text) => format!("`{text}`"),
            other => format!("`{other}`"),
        });
    format!("| {name} | {summary} | {default} |\n")
}
