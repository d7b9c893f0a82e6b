//! The schemas accept what the types write, and refuse what the types cannot read.

use anyhook::core::canonical::ResultDocument;
use anyhook::core::effects::Injection;
use anyhook::core::report::Report;
use anyhook::core::result::HookResult;
use anyhook::core::taxonomy::{EVENTS, Presence};
use jsonschema::Validator;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The text of a file of the checkout.
fn text(file: &str) -> String {
    std::fs::read_to_string(format!("{}/../{file}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn validator(file: &str) -> Validator {
    jsonschema::validator_for(&serde_json::from_str(&text(file)).unwrap()).unwrap()
}

/// A report with something in every field.
fn report() -> Value {
    serde_json::from_str(&text("crates/core/tests/it/rich-report.json")).unwrap()
}

fn results() -> Vec<Value> {
    let all = [
        HookResult::proceed(),
        HookResult::allow_because("read-only"),
        HookResult::ask("sure?"),
        HookResult::deny("frozen"),
        HookResult::halt("budget is spent")
            .modify("tool_input", json!({"command": "pnpm i"}))
            .modify("note", Value::Null)
            .remove("draft")
            .injecting(Injection::new("branch: main"))
            .notify("linter is missing")
            .native("claude-code", serde_json::Map::new()),
    ];
    all.iter().map(|result| result.to_json().unwrap()).collect()
}

/// Every document that differs from this one at one place: a member left out, or of another kind.
fn spoiled(json: &Value) -> Vec<Value> {
    let mut all = vec![json!([]), json!("x"), json!(-1)];
    all.retain(|other| std::mem::discriminant(other) != std::mem::discriminant(json));
    match json {
        Value::Object(map) => {
            for (key, value) in map {
                let mut without = map.clone();
                without.shift_remove(key);
                all.push(Value::Object(without));
                all.extend(spoiled(value).into_iter().map(|value| {
                    let mut other = map.clone();
                    other.insert(key.clone(), value);
                    Value::Object(other)
                }));
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                all.extend(spoiled(item).into_iter().map(|item| {
                    let mut other = items.clone();
                    other[at] = item;
                    Value::Array(other)
                }));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    all
}

/// Whatever the schema accepts the type reads, and whatever the type reads it writes as the schema wants it. (A type also
/// reads an object that is written as a list; it never writes one.) Tells whether both refused.
fn agree<T: DeserializeOwned + Serialize>(schema: &Validator, json: &Value) -> bool {
    let Ok(read) = serde_json::from_value::<T>(json.clone()) else {
        assert!(!schema.is_valid(json), "{json}");
        return true;
    };
    let written = serde_json::to_value(read).unwrap();
    assert!(schema.is_valid(&written), "{json} is written as {written}");
    false
}

#[test]
fn every_example_of_an_event_satisfies_its_schema_and_needs_its_required_fields() {
    for spec in EVENTS {
        let file = spec.name.replace(':', ".");
        let schema = validator(&format!("schema/events/{file}.json"));
        let example = text(&format!("fixtures/events/{file}.json"));
        let example: Value = serde_json::from_str(&example).unwrap();
        assert!(schema.is_valid(&example), "{}", spec.name);
        for other in spoiled(&example) {
            let Value::Object(map) = &other else {
                assert!(!schema.is_valid(&other), "{}", spec.name);
                continue;
            };
            let fits = spec.mismatches(map).is_empty();
            assert_eq!(schema.is_valid(&other), fits, "{} {other}", spec.name);
        }
        for field in spec
            .fields
            .iter()
            .filter(|field| field.presence == Presence::Required)
        {
            assert!(
                example.get(field.name).is_some(),
                "{} {}",
                spec.name,
                field.name
            );
        }
    }
}

#[test]
fn the_schema_of_a_result_accepts_only_what_the_type_reads_and_all_that_it_writes() {
    let schema = validator("schema/result-1.json");
    let mut refused = 0;
    for json in results() {
        assert!(schema.is_valid(&json), "{json}");
        for other in spoiled(&json) {
            refused += usize::from(agree::<ResultDocument>(&schema, &other));
        }
    }
    assert!(
        refused > 20,
        "the spoiled documents must be bad enough: {refused}"
    );
}

#[test]
fn the_schema_of_a_report_accepts_only_what_the_type_reads_and_all_that_it_writes() {
    let schema = validator("schema/report-1.json");
    let json = report();
    let failures: Vec<_> = schema
        .iter_errors(&json)
        .map(|error| error.to_string())
        .collect();
    assert_eq!(failures, Vec::<String>::new());
    let mut refused = 0;
    for other in spoiled(&json) {
        refused += usize::from(agree::<Report>(&schema, &other));
    }
    assert!(
        refused > 50,
        "the spoiled documents must be bad enough: {refused}"
    );
}
