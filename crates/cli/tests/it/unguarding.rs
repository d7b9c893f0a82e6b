//! The guarded may not unguard, and the hooks of others run only after a person has looked at them.

use serde_json::json;

use crate::env::{TestEnv, command, on};

fn guarded() -> TestEnv {
    TestEnv::on(
        "pre-tool-use",
        &json!([{"matcher": "Bash", "hooks": [
            {"type": "command", "guard": true, "command": "echo asked >> $HOME/seen; anyhook say deny 'no shell today'"},
        ]}]),
    )
}

#[test]
fn a_project_hook_does_not_run_until_it_is_trusted_and_says_so_once_with_the_command_to_type() {
    let env = guarded();
    crate::env::remove(&env.state().join("trust"));
    let said: Vec<String> = ["one", "two"].map(|c| env.bash(c).stdout).to_vec();
    assert!(
        said[0].contains("anyhook trust ") && said[0].contains("not trusted"),
        "{said:?}"
    );
    assert_eq!(said[1], "");
    assert_eq!(env.lines("seen"), Vec::<String>::new());
}

#[test]
fn under_strict_an_untrusted_manifest_refuses_on_the_gate_events_it_names() {
    let env = guarded();
    crate::env::remove(&env.state().join("trust"));
    let strict = ["run", "--host", "claude-code", "--strict"];
    env.run(
        &strict,
        env.pre("Bash", &json!({"command": "ls"}))
            .to_string()
            .as_bytes(),
    )
    .decides("deny");
    let left = env.run(
        &strict,
        env.pre("Read", &json!({"file_path": "/a"}))
            .to_string()
            .as_bytes(),
    );
    assert_eq!(
        left.decision(),
        None,
        "its matcher does not select this tool"
    );
}

#[test]
fn trust_without_a_terminal_is_refused() {
    let env = guarded();
    let left = env.run(&["trust"], b"y\n");
    assert_eq!(left.code, 77, "{left:?}");
}

#[test]
fn a_file_named_by_a_person_runs_and_one_named_by_a_host_has_to_be_trusted() {
    let env = TestEnv::new();
    let file = env.write(
        "elsewhere/hooks.json",
        &on(
            "pre-tool-use",
            &json!([{"hooks": [command("anyhook say deny no")]}]),
        )
        .to_string(),
    );
    let file = file.to_str().unwrap();
    let universal = json!({"hookEventName": "pre-tool-use", "toolName": "Bash", "toolInput": {"command": "ls"}});
    env.run(
        &["run", "--manifest", file],
        universal.to_string().as_bytes(),
    )
    .says("deny");
    let payload = env.pre("Bash", &json!({"command": "ls"})).to_string();
    let left = env.run(
        &["run", "--host", "claude-code", "--manifest", file],
        payload.as_bytes(),
    );
    left.passes();
    left.says("not trusted");
}
