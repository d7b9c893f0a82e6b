//! `anyhook bench`, as a process.

use serde_json::json;

use crate::env::{Left, TestEnv};

/// A package with a rule and a program, and a case about each.
fn package() -> TestEnv {
    let env = TestEnv::new();
    let manifest = json!({"version": 1, "hooks": {
        "pre-tool-use": [{"hooks": [{"name": "no-push", "type": "rule", "when": "pushes()", "then": {"deny": "pushes wait"}}]}],
        "stop": [{"hooks": [{"name": "look-back", "type": "command", "command": "exit 0"}]}],
    }});
    env.manifest(&format!("{manifest:#}"));
    env.write(
        "project/hooks/tests/cases/01-push.yaml",
        "name: push-is-refused\nevent: pre-tool-use\ninput:\n  overrides:\n    toolName: Bash\n    \
         toolInput.command: git push\nexpected:\n  decision: deny\n",
    );
    env.write(
        "project/hooks/tests/cases/02-stop.yaml",
        "name: the-end-is-fine\nevent: stop\nexpected:\n  exit-code: 0\n",
    );
    env
}

fn bench(env: &TestEnv, args: &[&str]) -> Left {
    env.run(&[&["test", "--repeat", "3"], args].concat(), b"")
}

#[test]
fn a_hook_over_its_budget_fails_the_run_and_is_marked() {
    let env = package();
    let over = bench(&env, &["--time=1us"]);
    assert_eq!(over.code, 1, "{over:?}");
    let line = |left: &Left| {
        let mut lines = left.stdout.lines();
        lines
            .find(|line| line.starts_with("look-back"))
            .unwrap()
            .to_owned()
    };
    assert!(line(&over).ends_with("over"), "{over:?}");
    let within = bench(&env, &["--time=60s"]);
    assert_eq!(within.code, 0, "{within:?}");
    assert!(!line(&within).contains("over"), "{within:?}");
    let wrong = bench(&env, &["--time=20"]);
    assert_eq!(wrong.code, 64, "{wrong:?}");
    wrong.warns("a number and a unit, such as 20ms");
}

#[test]
fn without_cases_there_is_nothing_to_time_and_the_next_command_is_named() {
    let env = TestEnv::new();
    env.manifest(r#"{"version": 1, "hooks": {}}"#);
    let left = bench(&env, &["--time"]);
    assert_eq!(left.code, 66, "{left:?}");
    left.warns("have no cases to play");
    left.warns("anyhook init");
}
