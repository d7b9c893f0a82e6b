//! `anyhook test`: what is told of a case, on the page and in each form for programs.

use serde_json::{Value, json};

use crate::env::{TestEnv, command};
use crate::testing::{DENIES, FAILS, package, test, untimed};

/// A package whose hooks before a tool are these lines.
fn of_lines(lines: &[&str], cases: &[(&str, &str)]) -> TestEnv {
    let env = TestEnv::new();
    let hooks: Vec<Value> = lines.iter().map(|line| command(line)).collect();
    let manifest = json!({"version": 1, "hooks": {"pre-tool-use": [{"hooks": hooks}]}});
    env.manifest(&manifest.to_string());
    for (stem, text) in cases {
        env.write(&format!("project/hooks/tests/cases/{stem}.yaml"), text);
    }
    env
}

#[test]
fn the_output_of_a_case_about_several_hooks_is_what_came_of_all_of_them() {
    let case = "name: all\nevent: pre-tool-use\nmode: dispatch\nexpected:\n  decision: allow\n";
    let env = of_lines(
        &["echo first >&2", "echo second >&2; exit 2"],
        &[("a", case)],
    );
    let left = test(&env, &["--format", "json", "--report", "junit=out.xml"]);
    let ran = &left.json()["cases"][0];
    let answer: Value = serde_json::from_str(ran["stdout"].as_str().unwrap()).unwrap();
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny");
    assert_eq!((&ran["exit_code"], &ran["stderr"]), (&json!(0), &json!("")));
    let xml = std::fs::read_to_string(env.path("project/out.xml")).unwrap();
    assert!(
        xml.contains("<system-out>{&quot;hookSpecificOutput&quot;"),
        "{xml}"
    );
}

#[test]
fn a_case_that_passes_against_its_author_is_told_as_such_in_every_form() {
    let env = package(&[("a", "name: mended\nevent: stop\nxfail: ticket 7\n")]);
    let sentence = "it passes, and was expected to fail: ticket 7";
    for format in ["pretty", "junit", "github"] {
        let left = test(&env, &["--format", format]);
        assert_eq!(left.code, 1);
        assert!(left.stdout.contains(sentence), "{left:?}");
    }
}

#[test]
fn a_failing_case_whose_hook_leaves_something_running_says_both() {
    let case = "name: leaks\nevent: pre-tool-use\nexpected:\n  exit-code: 0\n";
    let env = of_lines(&["sleep 60 & exit 2"], &[("a", case)]);
    let leak = "LEAK: a hook left a process behind, which was ended";
    let left = test(&env, &["--report", "github=out.txt"]);
    assert_eq!(
        untimed(&left.stdout),
        [
            "✗ fail  leaks  hooks/tests/cases/a.yaml:4  N ms",
            &format!("    {leak}"),
            "    exit-code: expected 0, found 2",
            "    exit code 2",
            "    again: anyhook test . --case leaks",
            "",
            "✗ 0 passed, 1 failed  N s of hooks; network: N",
        ]
    );
    let annotations = std::fs::read_to_string(env.path("project/out.txt")).unwrap();
    let warning =
        format!("::warning file=hooks/tests/cases/a.yaml,line=1,title=leak leaks::{leak}\n");
    assert!(annotations.ends_with(&warning), "{annotations}");
}

#[test]
fn of_a_line_without_an_end_the_beginning_is_shown() {
    let case = "name: long\nevent: pre-tool-use\nexpected:\n  exit-code: 2\n";
    let env = of_lines(&["head -c 100000 /dev/zero | tr '\\0' 'x'"], &[("a", case)]);
    let left = test(&env, &[]);
    let shown = format!("      {}… 99000 more characters\n", "x".repeat(1000));
    assert!(left.stdout.contains(&shown), "{}", left.stdout.len());
}

#[test]
fn the_command_that_is_told_shows_the_failure_again() {
    let random = "name: random\nevent: pre-tool-use\n";
    let env = of_lines(&["cat /proc/sys/kernel/random/uuid"], &[("a", random)]);
    assert_eq!(test(&env, &[]).code, 0);
    let left = test(&env, &["--repeat", "3", "--net"]);
    let again = "again: anyhook test . --case random --repeat 3 --net";
    assert!(left.stdout.contains(again), "{left:?}");
    assert!(
        left.stdout
            .contains("repeat: stdout of `pre-tool-use[0][0]`, line 1: first \""),
        "{left:?}"
    );
    let line: Vec<&str> = again.split(' ').skip(2).collect();
    assert_eq!(env.run(&line, b"").code, 1);
}

#[test]
fn what_was_sent_is_shown_beside_a_failure_on_demand() {
    let env = package(&[("a", FAILS)]);
    let sent = r#"{"hookEventName":"stop""#;
    assert!(!test(&env, &[]).stdout.contains(sent));
    let left = test(&env, &["-v"]);
    assert!(
        left.stdout.contains("    sent\n") && left.stdout.contains("\"stop\""),
        "{left:?}"
    );
}

#[test]
fn a_pretty_report_in_a_file_ends_with_the_count() {
    let env = package(&[("01-denies", DENIES), ("02-fails", FAILS)]);
    test(&env, &["--format", "json", "--report", "pretty=out.txt"]);
    let text = std::fs::read_to_string(env.path("project/out.txt")).unwrap();
    assert_eq!(
        untimed(&text),
        [
            "fail fails (hooks/tests/cases/02-fails.yaml:4)",
            "  exit-code: expected 2, found 0",
            "  stdout-json: stdout is another JSON",
            "    decision: expected \"block\", found nothing",
            "✗ 1 passed, 1 failed  N s of hooks; network: N",
        ]
    );
    let none = test(&env, &["-j", "0"]);
    assert!(
        none.stderr.contains("it is a whole number from 1 up"),
        "{none:?}"
    );
}
