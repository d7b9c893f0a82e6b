//! The guide against the reader: a field that no page names is one that no reader uses.

use std::path::Path;

use crate::package::{Package, told};

/// Everything that may stand where this case has a field that is none.
fn fields(case: &str) -> Vec<String> {
    let package = Package::of("exit 0");
    package.case("a", case);
    listed(&told(&package.read()))
}

/// The names in `expected one of a, b`.
fn listed(told: &[String]) -> Vec<String> {
    let [told] = told else { panic!("{told:?}") };
    let (_, names) = told.split_once("expected one of ").unwrap();
    let names = names.split(", ");
    names.map(|name| name.trim_matches('`').into()).collect()
}

#[test]
fn every_field_of_a_case_and_of_the_configuration_is_in_the_guide() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/testing.md");
    let page = std::fs::read_to_string(page).unwrap();
    let head = "name: a\nevent: pre-tool-use\n";
    let mut all = Vec::new();
    for nowhere in [
        "nowhere: 1\n",
        "input: {nowhere: 1}\n",
        "input:\n  before:\n    - {event: stop, nowhere: 1}\n",
        "expected: {nowhere: 1}\n",
        "expected: {on: {cursor: {nowhere: 1}}}\n",
    ] {
        all.push(fields(&format!("{head}{nowhere}")));
    }
    let package = Package::of("exit 0");
    package.case("a", head);
    package.write(
        "hooks/tests/test-config.json",
        "{\"version\": 1, \"nowhere\": 1}",
    );
    all.push(listed(&told(&package.read())));
    let counts: Vec<usize> = all.iter().map(Vec::len).collect();
    assert_eq!(counts, [16, 4, 3, 16, 6, 6]);
    let is_named = |name: &String| {
        let forms = [
            format!("`{name}`"),
            format!("`{name}:"),
            format!("`input.{name}`"),
            format!("`{name}."),
        ];
        forms.iter().any(|form| page.contains(form))
    };
    let missing: Vec<&String> = all
        .iter()
        .flatten()
        .filter(|name| !is_named(name))
        .collect();
    assert_eq!(missing, [""; 0]);
}
