//! The input of every case of every package in the checkout, through both programs.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::{Value, json};

use super::Place;

/// A package of hooks, and one input of a case of it.
struct Asked {
    package: PathBuf,
    case: PathBuf,
    payload: Value,
}

fn packages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let parents = ["examples", "fixtures/weak"].map(|name| root.join(name));
    let folders = parents
        .iter()
        .flat_map(|parent| fs::read_dir(parent).unwrap().flatten());
    let mut all: Vec<PathBuf> = folders.map(|folder| folder.path().join("hooks")).collect();
    all.retain(|package| package.join("tests/cases").is_dir());
    all.sort();
    all
}

/// Sets a field that is named as cases name it, with dots.
fn set(payload: &mut Value, path: &str, value: Value) {
    let mut place = payload;
    for name in path.split('.') {
        if !place.is_object() {
            *place = json!({});
        }
        place = &mut place[name];
    }
    *place = value;
}

fn event(case: &Value) -> Value {
    case["event"].clone()
}

/// Returns the payload of a fixture, or the smallest one.
fn base(package: &Path, input: &Value, event: &Value) -> Value {
    let fixture = input["fixture"].as_str();
    let mut payload: Value = fixture.map_or_else(
        || json!({"toolName": "Bash", "toolInput": {}}),
        |name| {
            let text = fs::read(package.join("tests").join(name)).unwrap();
            serde_json::from_slice(&text).unwrap()
        },
    );
    set(&mut payload, "hookEventName", event.clone());
    payload
}

/// Returns what a case asks about: each combination of its matrix, and the events before.
fn payloads(package: &Path, case: &Value) -> Vec<Value> {
    let mut payload = base(package, &case["input"], &event(case));
    for (path, value) in case["input"]["overrides"].as_object().into_iter().flatten() {
        set(&mut payload, path, value.clone());
    }
    let mut all = vec![payload];
    for (path, values) in case["matrix"].as_object().into_iter().flatten() {
        let values = values.as_array().unwrap();
        let each = all.iter().flat_map(|payload| {
            values.iter().map(|value| {
                let mut payload = payload.clone();
                set(&mut payload, path, value.clone());
                payload
            })
        });
        all = each.collect();
    }
    let before = case["before"].as_array().into_iter().flatten();
    all.extend(before.map(|one| base(package, one, &event(one))));
    all
}

fn every_case() -> Vec<Asked> {
    let mut all = Vec::new();
    for package in packages() {
        let cases = fs::read_dir(package.join("tests/cases")).unwrap();
        let mut cases: Vec<PathBuf> = cases.map(|case| case.unwrap().path()).collect();
        cases.sort();
        for case in cases {
            let read: Value = serde_saphyr::from_str(&fs::read_to_string(&case).unwrap()).unwrap();
            all.extend(payloads(&package, &read).into_iter().map(|payload| Asked {
                package: package.clone(),
                case: case.clone(),
                payload,
            }));
        }
    }
    all
}

#[test]
fn both_programs_answer_the_input_of_every_case_byte_for_byte_alike() {
    let asked = every_case();
    let cases = asked.iter().map(|asked| &asked.case);
    let cases: std::collections::BTreeSet<&PathBuf> = cases.collect();
    assert!(
        cases.len() >= 90 && asked.len() > 150,
        "{} of {}",
        asked.len(),
        cases.len()
    );
    let (next, refused) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        while let Some(one) = asked.get(next.fetch_add(1, Ordering::Relaxed)) {
            let place = Place::of(&one.package);
            let project = place.folder.path().join("project");
            let text = one.payload.to_string();
            let text = text.replace("${PROJECT_DIR}", project.to_str().unwrap());
            let args = ["--host", "universal", "--trust-all", "--deadline", "60"];
            let left = place.both(&args, text.as_bytes());
            let is_refused = left.stdout.contains("\"deny\"") || left.stdout.contains("\"block\"");
            refused.fetch_add(usize::from(is_refused), Ordering::Relaxed);
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(work);
        }
    });
    let refused = refused.into_inner();
    assert!(
        refused > 30,
        "hooks were asked: {refused} of {} were refused",
        asked.len()
    );
}
