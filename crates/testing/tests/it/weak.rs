//! Mistakes that people make in cases and their configuration: each is told at its place, in words for its author.

use std::fmt::Write as _;

use serde_json::json;

use crate::package::{Package, command, lines, told};

fn package() -> Package {
    Package::new(&json!({
        "pre-tool-use": [{"matcher": "Write|Edit", "hooks": [command("exit 0")]}],
    }))
}

/// Each text, and what is told about a case or a configuration that says so.
fn all(texts: &[&str], put: fn(&Package, &str)) -> String {
    let mut all = String::new();
    for text in texts {
        let package = package();
        put(&package, text);
        let suite = package.read();
        writeln!(all, "{text}").unwrap();
        for (problem, line) in suite.problems.iter().zip(told(&suite)) {
            let help = problem.finding.help.as_deref();
            let help = help.map_or(String::new(), |help| format!("\n  help: {help}"));
            writeln!(all, "=> {line}{help}").unwrap();
        }
        let ran = anyhook_testing::run(
            &suite.cases,
            &anyhook_testing::TestOptions::default(),
            &mut |_| {},
        );
        for line in lines(&ran) {
            writeln!(all, "=> {line}").unwrap();
        }
        all.push('\n');
    }
    all
}

#[test]
fn a_mistake_in_a_case_is_told_where_its_author_made_it() {
    let texts: Vec<&str> = include_str!("weak-cases.txt").split("----\n").collect();
    insta::assert_snapshot!(all(&texts, |package, text| {
        package.case("a", text);
    }));
}

#[test]
fn a_mistake_in_the_configuration_of_tests_is_told_at_its_value() {
    let texts: Vec<&str> = include_str!("weak-configs.txt")
        .split_terminator("\n----\n")
        .collect();
    insta::assert_snapshot!(all(&texts, |package, text| {
        package.write("hooks/tests/test-config.json", text);
    }));
}

#[test]
fn a_case_in_another_format_is_named_instead_of_passed_over() {
    insta::assert_snapshot!(all(
        &["z.json", "z.toml", "z.YAML", "notes.md"],
        |package, name| {
            let case = "name: a\nevent: pre-tool-use\nmode: dispatch\nexpected: {fires: []}\n";
            package.case("a", case);
            package.write(&format!("hooks/tests/cases/{name}"), "{}");
        }
    ));
}
