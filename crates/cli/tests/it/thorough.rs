//! `anyhook test --coverage` and `--mutate`, as a process.

use serde_json::json;

use crate::env::{Left, TestEnv};

const PUSH: &str = "name: push-is-refused\nevent: pre-tool-use\ninput:\n  overrides:\n    toolInput.command: git push\nexpected:\n  ";

/// A package with a guard and a hook at the end, and a case about the guard.
fn package(expected: &str) -> TestEnv {
    let env = TestEnv::new();
    let guard = "grep -q 'git push' && { echo 'pushes wait' >&2; exit 2; }; exit 0";
    let manifest = json!({"version": 1, "hooks": {
        "pre-tool-use": [{"hooks": [{"name": "no-push", "type": "command", "command": guard}]}],
        "stop": [{"hooks": [{"name": "tests-first", "type": "command", "command": "exit 2"}]}],
    }});
    env.manifest(&format!("{manifest:#}"));
    env.write(
        "project/hooks/tests/cases/01-push.yaml",
        &format!("{PUSH}{expected}\n"),
    );
    env
}

fn test(env: &TestEnv, args: &[&str]) -> Left {
    env.run(&[&["test"], args].concat(), b"")
}

/// What stands behind the line that counts the cases.
fn behind(left: &Left) -> Vec<&str> {
    left.stdout.lines().skip(1).collect()
}

#[test]
fn coverage_is_a_table_that_fits_a_narrow_terminal_and_names_what_is_missing() {
    let env = package("exit-code: 2");
    let left = test(&env, &["--coverage"]);
    assert_eq!(left.code, 0, "{left:?}");
    assert_eq!(
        behind(&left),
        [
            "",
            "hook         answers      at",
            "no-push      denied 1     hooks/hooks.json:7, pre-tool-use",
            "tests-first  never fired  hooks/hooks.json:18, stop",
            "",
            "tests-first (hooks/hooks.json:18)  no case asks it",
            "    paste into hooks/tests/cases/tests-first-is-asked.yaml",
            "      # Say what the hook is to answer.",
            "      name: tests-first-is-asked",
            "      event: stop",
            "      expected:",
            "        fires: true",
            "",
            "✓ 50.0% covered  2 of 4",
        ]
    );
    let longest = left.stdout.lines().map(|line| line.chars().count()).max();
    assert!(longest <= Some(80), "{longest:?}");
}

#[test]
fn a_run_below_the_threshold_ends_with_1_and_a_threshold_is_a_percentage() {
    let env = package("exit-code: 2");
    let ends = |threshold: &str| test(&env, &[&format!("--coverage={threshold}")]).code;
    assert_eq!(["0", "50", "50%", "50.1", "100"].map(ends), [0, 0, 0, 1, 1]);
    assert_eq!(["101", "-1", "half", "NaN", ""].map(ends), [64; 5]);
    let left = test(&env, &["--coverage=75"]);
    assert_eq!(
        behind(&left).last(),
        Some(&"✗ 50.0% covered  2 of 4, at least 75% wanted")
    );
    // What fails is worse than what is missing.
    env.write("project/hooks/tests/cases/02-broken.yaml", "name: [\n");
    assert_eq!(ends("75"), 2);
}

#[test]
fn a_survivor_is_listed_with_the_case_that_kills_it() {
    let env = package("stderr-contains: [pushes wait]");
    let left = test(&env, &["--mutate", "--case", "push-is-refused"]);
    assert_eq!(left.code, 1);
    assert_eq!(
        behind(&left),
        [
            "",
            "✗ survived  exit code 2 becomes 0  no-push, hooks/hooks.json:7",
            "    the one case that could notice passes",
            "    paste into hooks/tests/cases/no-push-exit-code-2-becomes-0.yaml",
            "      # Notices: exit code 2 becomes 0 (no-push, hooks/hooks.json:7)",
            "      name: no-push-exit-code-2-becomes-0",
            "      event: pre-tool-use",
            "      input:",
            "        overrides:",
            "          toolInput.command: \"git push\"",
            "      expected:",
            "        exit-code: 2",
            "",
            "✗ 1 mutant killed, 1 survived  1 hook not asked by these cases",
        ]
    );
    // No cases were chosen: the hook that none asks answers for itself.
    assert_eq!(test(&env, &["--mutate"]).code, 1);
}

#[test]
fn no_mutant_survives_the_first_package_that_init_writes() {
    let env = TestEnv::new();
    assert_eq!(env.anyhook("init").code, 0);
    let left = test(&env, &["--coverage=100", "--mutate"]);
    assert_eq!(left.code, 0, "{left:?}");
    assert_eq!(
        left.stdout.lines().last(),
        Some("✓ 8 mutants killed, 0 survived")
    );
}
