//! What is one turn, whatever an agent tells of it, over processes of the real program.

use serde_json::{Value, json};

use crate::env::{Left, Shows as _, TestEnv, command, with};

const ID: &str = "af6e1825-6da6-452a-8f4c-0da980127b81########0";

/// Tells an event as Qwen Code 0.24.4 does.
fn qwen(env: &TestEnv, event: &str, more: &Value) -> Left {
    let payload = json!({
        "session_id": "af6e1825-6da6-452a-8f4c-0da980127b81",
        "transcript_path": "/home/dev/.qwen/projects/-home-dev-shop/chats/af6e1825.jsonl",
        "cwd": env.path("project"), "hook_event_name": event, "timestamp": "2026-11-22T20:08:58.619Z",
        "permission_mode": "yolo", "prompt_id": ID,
    });
    env.told_at("qwen-code", event, &with(payload, more))
}

fn prompt(env: &TestEnv, text: &str) -> Left {
    qwen(env, "UserPromptSubmit", &json!({"prompt": text}))
}

fn project(hooks: &Value) -> TestEnv {
    TestEnv::with(&json!({"version": 1, "hooks": hooks}))
}

/// How many turns the one session of a test began.
fn turns(env: &TestEnv) -> Value {
    let files = std::fs::read_dir(env.state().join("sessions")).unwrap();
    let mut files = files.map(|file| file.unwrap().path());
    let file = files.find(|file| file.extension().is_some_and(|ending| ending == "json"));
    let text = std::fs::read_to_string(file.unwrap()).unwrap();
    serde_json::from_str::<Value>(text.lines().last().unwrap()).unwrap()["turn"].clone()
}

#[test]
fn a_prompt_that_is_told_at_every_request_is_one_prompt_and_another_text_of_it_is_guarded() {
    let guard = json!({"type": "rule", "when": "data.prompt.contains('secret')", "then": {"deny": "Secrets stay."}});
    let hint = command("echo asked >> $HOME/seen; anyhook say inject 'read the guide'");
    let env = project(&json!({"pre-prompt": [{"hooks": [guard, hint]}]}));
    let context = |left: &Left| left.json()["hookSpecificOutput"]["additionalContext"].clone();

    assert_eq!(
        context(&prompt(&env, "Please do the task.")),
        "read the guide"
    );
    for text in ["", "", "Please do the task."] {
        assert_eq!(prompt(&env, text).stdout, "", "{text:?}");
    }
    env.anyhook("why")
        .stdout
        .shows("the agent tells of this prompt once more: its hooks were asked before");
    assert_eq!((env.lines("seen").len(), turns(&env)), (1, json!(1)));

    for _ in 0..2 {
        let said = prompt(&env, "Now print the secret.").json();
        let reason = said["reason"].as_str().unwrap();
        assert!(reason.starts_with("Secrets stay."), "{said}");
    }
    let next = json!({"prompt": "", "prompt_id": "af6e1825########1"});
    let said = context(&qwen(&env, "UserPromptSubmit", &next));
    assert!(
        said.as_str().unwrap().starts_with("read the guide"),
        "{said}"
    );
    assert_eq!(turns(&env), json!(2));
}

#[test]
fn a_prompt_that_is_our_own_refusal_of_a_stop_begins_no_turn_and_the_ninth_stop_is_let_go() {
    let tests = json!({"type": "rule", "when": "true", "then": {"deny": "the tests have not run"}});
    let env = project(&json!({"stop": [{"hooks": [tests]}]}));
    let ask = |event: &str, more: Value| {
        let payload = json!({"sessionId": "s-1", "timestamp": 1, "cwd": env.path("project")});
        env.told_at("copilot-cli", event, &with(payload, &more))
    };
    ask(
        "userPromptSubmitted",
        json!({"prompt": "Please do the task."}),
    );
    let mut sent_on = Vec::new();
    for round in 0..9 {
        let stop = json!({"stopReason": "end_turn", "transcriptPath": format!("/t/{round}")});
        let left = ask("agentStop", stop);
        sent_on.push(left.stdout.contains("\"block\""));
        if let Ok(said) = serde_json::from_str::<Value>(&left.stdout) {
            // Copilot tells of it as it tells of a prompt.
            ask("userPromptSubmitted", json!({"prompt": said["reason"]}));
        }
    }
    assert_eq!(sent_on, [&[true; 8][..], &[false]].concat());
    assert_eq!(turns(&env), json!(1));
}

#[test]
fn a_text_at_each_stop_ends_as_refusals_of_it_do_and_what_waited_comes_with_the_next_prompt() {
    let text = json!({"type": "rule", "when": "true", "then": {"inject": "look at the tests"}});
    let env = project(&json!({"stop": [{"hooks": [text]}]}));
    let mut sent_on = Vec::new();
    for round in 0..10 {
        let last = json!({"last_assistant_message": format!("done {round}")});
        let payload = with(env.stop(round > 0), &last);
        sent_on.push(env.claude(&payload).stdout.contains("look at the tests"));
    }
    let times = sent_on.iter().filter(|on| **on).count();
    assert!(times <= 9 && !sent_on[8], "{sent_on:?}");
    let prompt = json!({"hook_event_name": "UserPromptSubmit", "prompt": "go on"});
    let prompt = with(env.stop(false), &prompt);
    let said = env.claude(&prompt).json()["hookSpecificOutput"]["additionalContext"].clone();
    assert!(
        said.as_str().unwrap().contains("look at the tests"),
        "{said}"
    );
}
