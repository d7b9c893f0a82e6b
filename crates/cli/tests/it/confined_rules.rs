//! `then: {"confine": …}`: the commands of an agent, rewritten by a rule so that they run confined.

use std::io::ErrorKind;
use std::net::TcpListener;

use serde_json::{Value, json};

use crate::confining::{cannot_confine, room, tool};
use crate::env::{TestEnv, on};

fn confine(sandbox: &Value) -> Value {
    json!({"type": "rule", "name": "confine", "then": {"confine": sandbox}})
}

/// A home with a secret, and a project with these rules about shell commands.
fn env(rules: &Value) -> TestEnv {
    let env = room();
    let groups = json!([{"matcher": "Bash", "hooks": rules}]);
    env.manifest(&on("pre-tool-use", &groups).to_string());
    env.trust();
    env
}

/// What Claude Code is told about a command: the decision, and the command that runs.
fn told(env: &TestEnv, line: &str) -> (Option<String>, Option<String>) {
    let left = env.claude(&env.pre("Bash", &json!({"command": line, "description": "x"})));
    assert_eq!(left.code, 0, "{left:?}");
    let answer: Value = serde_json::from_str(&left.stdout).unwrap_or_default();
    let input = &answer["hookSpecificOutput"]["updatedInput"];
    assert!(input.is_null() || input["description"] == "x", "{left:?}");
    (
        left.decision(),
        input["command"].as_str().map(str::to_owned),
    )
}

const PROJECT: &str = r#"{"write": ["./**"], "network": "none"}"#;

fn project() -> Value {
    serde_json::from_str(PROJECT).unwrap()
}

#[test]
fn whatever_a_line_looks_like_the_kernel_refuses_what_a_rule_does_not_open() {
    if cannot_confine() {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    listener.set_nonblocking(true).unwrap();
    let env = env(&json!([confine(&project())]));
    let fine = "mkdir -p a && echo 'it'\"'\"'s $((1+1))' > a/b; cat a/b | tr s S; (exit 5) # done";
    let (decision, line) = told(&env, fine);
    assert_eq!(decision, None, "a rewrite is no approval");
    let left = tool(&env, "bash", &line.unwrap());
    assert_eq!(
        (&*left.stdout, left.code),
        ("it'S $((1+1))\n", 5),
        "{left:?}"
    );
    let (_, line) = told(&env, "echo x > here || cat .ssh/id");
    let elsewhere = tool(&env, "bash", &format!("cd ../home; {}", line.unwrap()));
    let is_held = elsewhere.code != 0 && elsewhere.stdout.is_empty();
    assert!(
        is_held,
        "the project is the folder that was named: {elsewhere:?}"
    );
    for line in [
        "cat ~/.ssh/id".to_owned(),
        "echo x > ../outside/notes".to_owned(),
        "cd / ; eval 'cat '$HOME'/.ssh/id'".to_owned(),
        "exit 0' ; cat ~/.ssh/id #".to_owned(),
        "true # '\ncat ~/.ssh/id".to_owned(),
        "cat <<'X'; cat ~/.ssh/id\n$(cat ~/.ssh/id)'\nX\ncat ~/.ssh/id".to_owned(),
        "echo \"$(cat ~/.ssh/id)\" | grep secret".to_owned(),
        "echo \"`cat ~/.ssh/id`\" | grep secret".to_owned(),
        "-- cat ~/.ssh/id".to_owned(),
        "--write / -- cat ~/.ssh/id".to_owned(),
        "\\\ncat ~/.ssh/id".to_owned(),
        format!("exec 3<>/dev/tcp/127.0.0.1/{port}"),
        format!("bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}'"),
        "sh -c \"$(printf 'cat ~/.ssh/i'; printf d)\"".to_owned(),
        "python3 -c 'print(open(\"../home/.ssh/id\").read())'".to_owned(),
        "ln -s ~/.ssh/id key && cat key".to_owned(),
    ] {
        let (decision, wrapped) = told(&env, &line);
        // A line that no shell can read is asked about as well.
        assert!(decision.is_none_or(|decision| decision == "ask"), "{line}");
        let left = tool(&env, "bash", &wrapped.unwrap());
        let open = left.code == 0 || left.stdout.contains("the secret");
        assert!(!open, "{line}: {left:?}");
    }
    let notes = std::fs::read_to_string(env.path("outside/notes")).unwrap();
    assert_eq!(notes, "as before\n");
    assert_eq!(listener.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
}

#[test]
fn a_confinement_comes_together_with_other_rewrites_refusals_and_confinements() {
    let pnpm = json!({
        "type": "rule", "name": "pnpm", "when": "tool_input.command == 'npm test'",
        "then": {"modify": {"tool_input": {"command": "pnpm test", "description": "x"}}},
    });
    let no_rm =
        json!({"type": "rule", "name": "no-rm", "when": "runs('rm')", "then": {"deny": "no"}});
    for rules in [
        json!([pnpm, confine(&project()), no_rm]),
        json!([
            confine(&json!({"read": ["./**"], "write": ["./**", "/tmp/**"]})),
            confine(&project()),
            no_rm
        ]),
    ] {
        let env = env(&rules);
        let (decision, line) = told(&env, "npm test");
        let line = line.unwrap();
        assert_eq!(decision, None);
        let is_pnpm = line.contains("pnpm test") || line.contains("/tmp/");
        assert!(line.contains("confine --project") && is_pnpm, "{line}");
        assert_eq!(told(&env, &line), (None, None), "{line}");
        let (decision, _) = told(&env, "cd x && rm -r y");
        assert_eq!(
            decision.as_deref(),
            Some("deny"),
            "the command is read behind its confinement"
        );
    }
    let both = env(&json!([{
        "type": "rule", "name": "both",
        "then": {"modify": {"tool_input": {"command": "pnpm test", "description": "x"}}, "confine": project()},
    }]));
    let (_, line) = told(&both, "npm test");
    assert!(line.unwrap().ends_with("-c 'pnpm test'"));
}

#[test]
fn what_a_rule_cannot_confine_is_refused_unless_it_starts_nothing() {
    let env = room();
    let groups = json!([{"hooks": [confine(&project())]}]);
    env.manifest(&on("pre-tool-use", &groups).to_string());
    env.trust();
    let decision = |tool: &str, input: Value| env.claude(&env.pre(tool, &input)).decision();
    assert_eq!(decision("Read", json!({"file_path": "/x"})), None);
    assert_eq!(
        decision("Write", json!({"file_path": "x", "content": "y"})),
        None
    );
    let deny = Some("deny".to_owned());
    assert_eq!(decision("mcp__shell__run", json!({"cmd": "ls"})), deny);
    assert_eq!(decision("PowerShell", json!({"command": "ls"})), deny);
    assert_eq!(decision("Bash", json!({"command": {"line": "ls"}})), deny);
    assert_eq!(decision("Bash", json!({})), deny);
}
