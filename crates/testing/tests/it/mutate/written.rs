//! The cases to write: what they are called, whom they ask, and that they notice what they are written for.

use std::collections::BTreeSet;

use anyhook_testing::{Mutated, Survivor};
use serde_json::json;

use super::{mutants, survivors};
use crate::package::{Package, command};

/// Pastes the cases of all survivors, each into the file that is named.
fn paste(mutated: &Mutated) {
    for (_, Survivor { write, .. }) in mutated.survivors() {
        std::fs::write(&write.file, &write.text).unwrap();
    }
}

#[test]
fn every_case_to_write_has_a_name_of_its_own_that_no_case_and_no_file_has() {
    let guard =
        |tool: &str| json!({"name": "guard", "matcher": tool, "hooks": [command("exit 2")]});
    let long = "mcp__plugin_playwright_playwright__browser_take_screenshot";
    let package = Package::new(&json!({
        "pre-tool-use": [guard("Bash"), guard(&format!("Bash|{long}")), guard("^(Bash|mcp__a_b|mcp__A_B)$")],
        "post-tool-use": [guard("Bash")],
    }));
    // The name of one case, and the file of another, are those that would be given.
    let case = |stem: &str, name: &str, index: usize| {
        let text = format!(
            "name: {name}\nevent: pre-tool-use\nhook-index: {index}\nexpected:\n  exit-code: 2\n"
        );
        package.case(stem, &text);
    };
    case("a", "guard-matcher-removed", 0);
    case("guard-matcher-removed-2", "b", 1);
    case("c", "c", 2);
    package.case(
        "d",
        "name: d\nevent: post-tool-use\nexpected:\n  exit-code: 2\n",
    );
    let before = mutants(&package);
    let count = before.survivors().count();
    let files: BTreeSet<&str> = before
        .survivors()
        .map(|(_, one)| one.write.file.as_str())
        .collect();
    assert_eq!((count, files.len()), (7, 7), "{files:#?}");
    assert!(
        files.iter().all(|file| file.contains("/guard-")),
        "{files:#?}"
    );
    paste(&before);
    assert_eq!(survivors(&mutants(&package)), [""; 0]);
}
