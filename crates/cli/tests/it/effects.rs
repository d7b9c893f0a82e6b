//! Effects for those who write hooks: `effect` on a group, `$ANYHOOK_EFFECTS`, and what `explain` says.

use serde_json::{Value, json};

use crate::env::{TestEnv, command, on};

fn bash(env: &TestEnv, line: &str) -> Value {
    env.pre("Bash", &json!({"command": line}))
}

#[test]
fn a_group_is_asked_only_about_calls_that_have_or_may_have_one_of_its_effects() {
    let deny = json!({"type": "rule", "then": {"deny": "no"}});
    let effects = json!(["fs.delete", "vcs.push"]);
    let env = TestEnv::with(&on(
        "pre-tool-use",
        &json!([{"effect": effects, "hooks": [deny]}]),
    ));
    for (line, decision) in [
        ("cd /tmp && find . -name x -delete", Some("deny")),
        ("git push", Some("deny")),
        ("$X now", Some("deny")),
        ("if", Some("deny")),
        ("echo rm > notes # git push", None),
        ("git commit -m 'rm it'", None),
    ] {
        let said = env.claude(&bash(&env, line)).decision();
        assert_eq!(said.as_deref(), decision, "{line}");
    }
}

#[test]
fn the_effects_of_a_group_and_the_when_of_a_hook_must_both_hold() {
    let deny = json!({"type": "rule", "when": "runs('a') || runs('rm')", "then": {"deny": "no"}});
    let env = TestEnv::with(&on(
        "pre-tool-use",
        &json!([{"effect": "fs.delete", "hooks": [deny]}]),
    ));
    for (line, decision) in [("rm x", Some("deny")), ("a", None), ("unlink x", None)] {
        let said = env.claude(&bash(&env, line)).decision();
        assert_eq!(said.as_deref(), decision, "{line}");
    }
}

#[test]
fn a_command_reads_what_the_call_does_with_how_sure_that_is() {
    let keep = command("printf '%s\\n' \"$ANYHOOK_EFFECTS\" >> $HOME/effects");
    let env = TestEnv::with(&json!({"version": 1, "hooks": {
        "pre-tool-use": [{"hooks": [keep]}], "stop": [{"hooks": [keep]}],
    }}));
    let project = env.path("project");
    env.claude(&bash(&env, "if a; then sed -i s/x/y/ .env; fi; rm $X"));
    env.claude(&env.pre("Write", &json!({"file_path": "a", "content": ""})));
    env.claude(&env.stop(false));
    let lines = env.lines("effects");
    let all: Vec<Value> = lines[..2]
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let of = |at: usize, kind: &str| {
        let all = all[at].as_array().unwrap().iter();
        all.filter(|effect| effect["kind"] == kind)
            .cloned()
            .collect::<Vec<_>>()
    };
    let path = project.join(".env");
    assert_eq!(
        of(0, "fs.write"),
        [
            json!({"kind": "fs.write", "object": {"path": path}, "certainty": "likely", "through": "sed -i"})
        ]
    );
    assert_eq!(
        of(0, "fs.delete"),
        [
            json!({"kind": "fs.delete", "object": "unknown", "certainty": "unknown", "through": "rm"})
        ]
    );
    let path = project.join("a");
    assert_eq!(
        all[1],
        json!([{"kind": "fs.write", "object": {"path": path}, "certainty": "exact", "through": "Write"}])
    );
    assert_eq!(lines[2..], [""], "an event without a call has no effects");
}

#[test]
fn explain_says_what_a_call_does_and_what_may_do_anything_in_one_line() {
    let env = TestEnv::with(&on(
        "pre-tool-use",
        &json!([{"effect": "net", "name": "n", "hooks": [command("true")]}]),
    ));
    let explain = |line: &str, format: &[&str]| {
        let input = format!("command={line}");
        let args = [
            "explain",
            "--event",
            "pre-tool-use",
            "--tool",
            "Bash",
            "--input",
            &input,
        ];
        env.run(&[&args, format].concat(), b"")
    };
    let page = explain("sed -i s/x/y/ .env", &[]).stdout;
    assert!(
        page.contains("  writes .env through sed -i, exact\n"),
        "{page}"
    );
    assert!(page.contains("not asked: its condition"), "{page}");
    assert!(page.contains(": `does('net')` is false"), "{page}");
    let page = explain("eval \"$X\"", &[]).stdout;
    assert_eq!(
        page.matches("may do anything through ").count(),
        1,
        "{page}"
    );
    assert!(page.contains("when `does('net')` holds"), "{page}");
    let page = explain("rm x", &["--format", "json"]).json();
    let effects = page["effects"].as_array().unwrap();
    let wanted = json!({
        "kind": "fs.delete", "object": {"path": env.path("project/x")}, "certainty": "exact", "through": "rm",
    });
    assert!(effects.contains(&wanted), "{effects:?}");
}
