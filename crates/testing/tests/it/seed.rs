//! The seed's own package of tests, as the seed has it.

use serde_json::json;

use crate::package::{Package, WRITE, command, lines};

/// The two cases of the seed, byte for byte.
const BLOCK: &str = r#"name: pre-tool-block-forbidden-path
description: Verify pre-tool-use hook blocks writes to protected directories
event: pre-tool-use
hook-index: 0
input:
  fixture: fixtures/pre-tool-use-write.json
  overrides:
    toolInput.file_path: "/etc/passwd"
expected:
  exit-code: 2
  stderr-contains:
    - "blocked"
    - "protected path"
  stdout-json:
    hookSpecificOutput:
      permissionDecision: deny
"#;

const FORMAT: &str = r#"name: post-tool-format-success
description: Verify post-tool-use hook runs formatter without error
event: post-tool-use
hook-index: 0
input:
  fixture: fixtures/pre-tool-use-write.json
expected:
  exit-code: 0
  not-contains:
    - "ERROR"
"#;

const CONFIG: &str = r#"{
  "version": 1,
  "timeout": 30,
  "env": {
    "HOOK_TEST": "true",
    "PACKAGE_ROOT": "."
  }
}"#;

const VALIDATE: &str = r#"
case "$file" in
/etc/*)
    echo "blocked: $file is a protected path" >&2
    printf '%s' '{"hookSpecificOutput":{"hookEventName":"pre-tool-use","permissionDecision":"deny"}}'
    exit 2
    ;;
esac
"#;

const FORMATTER: &str = r#"
[ "$HOOK_TEST" = true ] || echo "ERROR: not in a test"
grep -q '"toolName":"Write"' || echo "ERROR: no payload"
echo "formatted $file"
"#;

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
fn tests_may_stand_beside_the_hooks_folder_too() {
    let package = Package::of("exit 0");
    package.write("tests/cases/a.yaml", "name: outside\nevent: pre-tool-use\n");
    package.case("b", "name: inside\nevent: pre-tool-use\n");
    assert_eq!(lines(&package.run()), ["pass inside", "pass outside"]);
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
