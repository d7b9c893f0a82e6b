//! Committed files that a table or a type writes are what it writes today. `ANYHOOK_GENERATE=1 cargo test generated` writes them.

mod event_schemas;
mod events_page;
mod fields_page;
mod files;
mod result_schemas;

use crate::manifest;
use files::{is_current, is_whole};

#[test]
fn generated_events_page_is_current() {
    is_current("docs/reference/events.md", &events_page::page());
}

#[test]
fn generated_fields_page_is_current() {
    is_current("docs/reference/fields.md", &fields_page::page());
}

#[test]
fn generated_schemas_of_events_are_current_and_no_other_file_is_beside_them() {
    let all = event_schemas::all();
    is_whole("schema/events", all.iter().map(|(file, _)| &**file));
    for (file, text) in all {
        is_current(&file, &text);
    }
}

#[test]
fn generated_schemas_of_results_and_reports_are_current_and_show_no_code() {
    for (file, text) in result_schemas::all() {
        assert!(!text.contains("```") && text.contains("One reason: text for a model"));
        is_current(&file, &text);
    }
}

#[test]
fn generated_schemas_of_hooks_json_are_current() {
    let forms = [
        ("hooks", manifest::schema()),
        ("hooks-closed", manifest::closed_schema()),
    ];
    for (name, schema) in forms {
        let text = serde_json::to_string_pretty(&schema).unwrap();
        let file = format!("schema/{name}-{}.json", manifest::VERSION);
        is_current(&file, &format!("{text}\n"));
    }
}
