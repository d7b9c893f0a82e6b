//! `anyhook test --attack`: ways round a package, each proved in a box that nothing leaves.

use serde_json::{Value, json};

use crate::env::{Left, TestEnv, repository};

/// The code with which the command ends where nothing may be carried out.
const CANNOT: i32 = 78;

/// Says where it cannot be tested.
fn cannot_carry_out(left: &Left) -> bool {
    let cannot = left.code == CANNOT && left.stderr.contains("carried out on this machine");
    if cannot {
        eprintln!(
            "skipped: this user may not make namespaces ({})",
            left.stderr
        );
    }
    cannot
}

/// A package with one hook and one case that refuses.
fn package(env: &TestEnv, command: &str, refused: &str) {
    let hook = json!({"type": "command", "guard": true, "command": command});
    let groups = json!([{"matcher": "Bash", "hooks": [hook]}]);
    env.manifest(&json!({"version": 1, "hooks": {"pre-tool-use": groups}}).to_string());
    let case = format!(
        "name: refused\nevent: pre-tool-use\ninput:\n  overrides:\n    toolInput.command: {}\nexpected:\n  decision: deny\n",
        json!(refused)
    );
    env.write("project/hooks/tests/cases/refused.yaml", &case);
}

/// A guard that compares words instead of reading what a line does.
const BY_WORDS: &str =
    "case $(anyhook get tool_input.command) in *'rm -rf'*) anyhook say deny no;; esac";

#[test]
fn a_package_that_refuses_nothing_is_no_target() {
    let env = TestEnv::new();
    env.manifest(r#"{"version": 1, "hooks": {"stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#);
    let left = env.anyhook("test --attack");
    assert_eq!(left.code, CANNOT, "{left:?}");
    left.warns("no case of this package refuses");
}

/// Carries one line out in a scratch folder, and tells what came of it.
fn carried_out(env: &TestEnv, line: &str) -> Value {
    for folder in ["project", "home", "root"] {
        std::fs::create_dir_all(env.path("scratch").join(folder)).unwrap();
    }
    let job = json!({
        "base": env.path("scratch"), "aim": {"written": "project/a"}, "seconds": 5,
        "program": env!("CARGO_BIN_EXE_anyhook"), "line": line,
    });
    env.run(&["attacked"], job.to_string().as_bytes()).json()
}

#[test]
fn what_a_line_does_in_the_box_stays_in_the_box() {
    let env = TestEnv::new();
    env.write("outside/secret", "secret\n");
    let outside = env.path("outside").display().to_string();
    let came = carried_out(&env, "echo x > a");
    if came.get("cannot").is_some() {
        eprintln!("skipped: this user may not make namespaces ({came})");
        return;
    }
    assert_eq!(came, json!("reached"));
    assert!(
        !env.path("scratch/project/a").exists(),
        "a copy was changed"
    );
    // What is outside can be neither read nor changed nor seen, and the system is read-only.
    let line = format!(
        "cp {outside}/secret a; rm -rf {outside}; echo x > {outside}/new; echo x > /usr/new; echo x > /etc/new"
    );
    assert_eq!(carried_out(&env, &format!("{line}; true")), json!("missed"));
    assert_eq!(
        std::fs::read_to_string(env.path("outside/secret")).unwrap(),
        "secret\n"
    );
    assert!(!env.path("outside/new").exists());
    assert!(
        !std::path::Path::new("/usr/new").exists() && !std::path::Path::new("/etc/new").exists()
    );
    // No mount, no namespace and no process of the machine is within reach.
    let own = std::process::id();
    let ways_out = format!(
        "mount -o remount,rw / && echo x > a; unshare -m true && echo x > a; kill -0 {own} && echo x > a"
    );
    assert_eq!(carried_out(&env, &ways_out), json!("missed"));
}

/// The ways of `docs/attack.md`, "Limits of the documented rules".
const LIMITS: &[&str] = &["make", "npm script", "rm each", "unlink each", "git show >"];

fn is_a_limit(found: &Value) -> bool {
    let by = found["by"].as_array().unwrap();
    let named = by
        .iter()
        .any(|name| LIMITS.contains(&name.as_str().unwrap()));
    let effect = found["effect"].as_str().unwrap();
    // Rules with a matcher are about its tools.
    let is_of_another_tool = found["call"]["tool"] != json!("Bash");
    named || is_of_another_tool || effect.contains(".lock` is changed")
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "takes seconds"]
    fn of_a_thousand_ways_round_the_documented_rules_only_known_limits_pass() {
        let env = TestEnv::new();
        let rules = repository().join("examples/rules");
        let left = env.run(
            &["test", rules.to_str().unwrap(), "--attack", "--json"],
            b"",
        );
        if cannot_carry_out(&left) {
            return;
        }
        let told = left.json();
        let tried = told["targets"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["tried"].as_u64().unwrap());
        assert!(tried.sum::<u64>() >= 1000, "{:#}", told["targets"]);
        let found = told["found"].as_array().unwrap();
        let others: Vec<&Value> = found.iter().filter(|found| !is_a_limit(found)).collect();
        assert!(others.is_empty(), "{others:#?}");
    }

    #[test]
    #[ignore = "takes seconds"]
    fn a_guard_of_words_is_walked_around_and_the_way_is_a_case_to_add() {
        let env = TestEnv::new();
        package(&env, BY_WORDS, "rm -rf src");
        let left = env.anyhook("test --attack=60 --json");
        if cannot_carry_out(&left) {
            return;
        }
        assert_eq!(left.code, 1, "{left:?}");
        let found = left.json()["found"].clone();
        let one = &found[0];
        assert!(
            one["file"]
                .as_str()
                .unwrap()
                .contains("tests/cases/attack-refused-1.yaml")
        );
        // The case is read by the tests of the package, and fails there until the guard is mended.
        env.write(
            "project/hooks/tests/cases/added.yaml",
            one["text"].as_str().unwrap(),
        );
        let tested = env.anyhook("test --case attack-*");
        assert_eq!(tested.code, 1, "{tested:?}");
        let again = env.anyhook("test --attack=60 --json");
        assert_eq!(
            again.json()["found"][0]["call"],
            one["call"],
            "the same ways are tried again"
        );
    }

    #[test]
    #[ignore = "takes seconds"]
    fn a_line_that_does_not_end_is_ended_with_all_that_it_started() {
        let env = TestEnv::new();
        let came = carried_out(
            &env,
            "setsid -f sh -c 'while :; do :; done'; while :; do :; done",
        );
        let is_told = came == json!("missed") || came.get("cannot").is_some();
        assert!(is_told, "{came}");
    }
}
