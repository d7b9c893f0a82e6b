//! A question that is put at a later event of the same call.

use serde_json::{Value, json};

use crate::env::{Left, TestEnv, command, with};

fn cursor(env: &TestEnv, event: &str, more: &Value) -> Left {
    let payload = json!({
        "conversation_id": "s-1", "generation_id": "g-1", "model": "m", "hook_event_name": event,
        "cursor_version": "3.18.2", "workspace_roots": [env.path("project")], "cwd": env.path("project"),
    });
    env.told_at("cursor", event, &with(payload, more))
}

fn first(env: &TestEnv) -> Value {
    let call =
        json!({"tool_name": "Shell", "tool_input": {"command": "git push"}, "tool_use_id": "t1"});
    cursor(env, "preToolUse", &call).json()["permission"].clone()
}

fn second(env: &TestEnv) -> Value {
    let call = json!({"command": "git push", "sandbox": false});
    cursor(env, "beforeShellExecution", &call).json()["permission"].clone()
}

fn asking(hook: &Value) -> TestEnv {
    TestEnv::on(
        "pre-tool-use",
        &json!([{"matcher": "Bash", "hooks": [hook]}]),
    )
}

#[test]
fn a_question_is_left_to_the_later_event_only_where_our_own_entry_for_it_stands_in_the_persons_settings()
 {
    let rule = json!({"type": "rule", "when": "runs('git push')", "then": {"ask": "push?"}});
    let env = asking(&rule);
    assert_eq!((first(&env), second(&env)), (json!("deny"), json!("ask")));
    assert_eq!(env.anyhook("install --host cursor").code, 0);
    assert_eq!((first(&env), second(&env)), (json!("allow"), json!("ask")));
    let file = env.path("home/.cursor/hooks.json");
    let text = std::fs::read_to_string(&file).unwrap();
    let other = text.replace("beforeShellExecution", "afterShellExecution");
    std::fs::write(&file, other).unwrap();
    assert_eq!((first(&env), second(&env)), (json!("deny"), json!("ask")));
}

#[test]
fn a_question_that_would_not_come_again_is_refused_at_once() {
    let mut once = command("anyhook say ask 'push?'");
    once["once"] = json!(true);
    // The later event does not have the id of the call.
    let only_first =
        json!({"type": "rule", "when": "data.tool_use_id == 't1'", "then": {"ask": "push?"}});
    for hook in [once, only_first] {
        let env = asking(&hook);
        assert_eq!(env.anyhook("install --host cursor").code, 0);
        assert_eq!(first(&env), json!("deny"), "{hook}");
    }
}

#[test]
fn an_agent_that_takes_silence_for_an_approval_has_a_loss_in_the_report_of_every_gate_without_a_word()
 {
    let losses = |env: &TestEnv| {
        let reports =
            std::fs::read_to_string(env.state().join("reports/record-00000001.jsonl")).unwrap();
        let last: Value = serde_json::from_str(reports.lines().last().unwrap()).unwrap();
        last["losses"].clone()
    };
    let approved = json!([{"what": {"verdict": "continue"}, "became": {"verdict": "allow"}}]);
    let silent = asking(&command("true"));
    assert_eq!(first(&silent), "allow");
    assert_eq!(losses(&silent), approved);
    assert_eq!(second(&silent), "allow");
    assert_eq!(losses(&silent), approved);

    let refusing = asking(&command("echo no >&2; exit 2"));
    assert_eq!(first(&refusing), "deny");
    assert_eq!(losses(&refusing), json!(null));
    let call = silent.pre("Bash", &json!({"command": "git push"}));
    silent.claude(&call);
    // An agent with a neutral answer.
    assert_eq!(losses(&silent), json!(null));
}
