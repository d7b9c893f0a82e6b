//! The seed's own package of tests, as the seed has it.

use serde_json::json;

use crate::package::{Package, WRITE, command, lines};

/// The two cases of the seed, byte for byte.
const BLOCK: &str = include_str!("seed/01-pre-tool-block.yaml");
const FORMAT: &str = include_str!("seed/02-post-tool-format.yaml");
const CONFIG: &str = include_str!("seed/test-config.json");
const VALIDATE: &str = include_str!("seed/validate.sh");
const FORMATTER: &str = include_str!("seed/format.sh");
fn seed() -> Package {
    let package = Package::new(&json!({
        "pre-tool-use": [{
            "matcher": "Write|Edit",
            "hooks": [{"type": "command", "command": "sh ${PACKAGE_ROOT}/hooks/scripts/validate.sh", "timeout": 30}],
        }],
        "post-tool-use": [{
            "matcher": "Write|Edit",
            "hooks": [command("sh ${PACKAGE_ROOT}/hooks/scripts/format.sh")],
        }],
    }));
    package
        .write("hooks/scripts/validate.sh", VALIDATE)
        .write("hooks/scripts/format.sh", FORMATTER)
        .write("hooks/tests/test-config.json", CONFIG)
        .write("hooks/tests/fixtures/pre-tool-use-write.json", WRITE)
        .case("01-pre-tool-block", BLOCK)
        .case("02-post-tool-format", FORMAT);
    package
}

#[test]
fn both_cases_of_the_seed_pass_against_real_scripts() {
    let passed = [
        "pass pre-tool-block-forbidden-path",
        "pass post-tool-format-success",
    ];
    assert_eq!(lines(&seed().run()), passed);
}

#[test]
fn both_cases_of_the_seed_fail_when_the_scripts_do_nothing() {
    let package = seed();
    package.write("hooks/scripts/validate.sh", "exit 0\n");
    package.write("hooks/scripts/format.sh", "echo ERROR\n");
    assert_eq!(
        lines(&package.run()),
        [
            "fail pre-tool-block-forbidden-path; exit-code: expected 2, found 0; \
             stderr-contains: stderr does not contain \"blocked\"; \
             stderr-contains: stderr does not contain \"protected path\"; stdout-json: stdout is empty",
            "fail post-tool-format-success; not-contains: the output contains \"ERROR\"",
        ]
    );
}

#[test]
fn one_call_tests_a_package_from_cargo() {
    assert!(anyhook_testing::package(seed().path()).is_ok());
    let failing = Package::of("exit 0");
    failing.expects("a", "pre-tool-use", "decision: deny");
    let told = anyhook_testing::package(failing.path())
        .unwrap_err()
        .to_string();
    assert!(
        told.contains("decision: expected deny, and the host makes of it: continue"),
        "{told}"
    );
    let empty = Package::of("exit 0");
    assert!(anyhook_testing::package(empty.path()).is_err());
}
