//! What an Elixir program that holds `ex_athena` reads, from real processes: the returns of its functions, and nothing else.

use serde_json::{Value, json};

use crate::env::{TestEnv, command};

fn env() -> TestEnv {
    TestEnv::with(&json!({"version": 1, "hooks": {
        "pre-tool-use": [{"matcher": "Write|Edit", "hooks": [
            {"type": "rule", "name": "protected-path", "when": "touches('**/priv/secrets/**')",
             "then": {"deny": "people write secrets"}},
            {"type": "rule", "name": "reminder", "when": "touches('**/lib/**')", "then": {"inject": "run the tests"}},
        ]}],
        "post-tool-use": [{"matcher": "Bash", "hooks": [
            command("printf '{\"return\": \"augment\", \"text\": \"one warning\"}'"),
        ]}],
        "pre-prompt": [{"hooks": [
            {"type": "rule", "when": "prompt.startsWith('/deploy')", "then": {"modify": {"prompt": "Deploy."}}},
            {"type": "rule", "when": "prompt == 'drop it'", "then": {"deny": "it is kept"}},
        ]}],
        "ChatParams": [{"hooks": [command("anyhook say inject 'Current ticket: ENG-1234'")]}],
        "stop": [{"hooks": [command("echo 'the tests are red' >&2; exit 2")]}],
    }}))
}

/// What a function of the program returns about an event: what is printed to it, and it alone.
fn returned(env: &TestEnv, event: &str, payload: &Value) -> Value {
    let args = ["run", event, "--host", "athena", "--deadline", "20"];
    let left = env.run(&args, payload.to_string().as_bytes());
    assert_eq!((left.code, &*left.stderr), (0, ""), "{left:?}");
    left.json()
}

fn call(env: &TestEnv, tool: &str, arguments: &Value) -> Value {
    let mut input = arguments.clone();
    input["tool_name"] = json!(tool);
    json!({"event": "PreToolUse", "id": "c1", "session_id": "s1", "cwd": env.path("project"), "input": input})
}

fn life(env: &TestEnv, event: &str, mut input: Value) -> Value {
    input["session_id"] = json!("s1");
    json!({"event": event, "id": "s1", "cwd": env.path("project"), "input": input})
}

#[test]
fn a_program_is_told_each_return_of_its_functions() {
    let env = env();
    let secret = call(
        &env,
        "write",
        &json!({"path": "priv/secrets/key", "content": "x"}),
    );
    let denied = returned(&env, "PreToolUse", &secret);
    let reason = denied["reason"].as_str().unwrap();
    assert_eq!(denied["return"], "deny");
    assert!(
        reason.starts_with(
            "people write secrets. This is because it writes `priv/secrets/key`. (anyhook why "
        ),
        "{reason}"
    );
    assert_eq!(
        returned(
            &env,
            "PreToolUse",
            &call(&env, "read", &json!({"path": "priv/secrets/key"}))
        ),
        json!({"return": "ok"})
    );
    let ran = json!({"tool_name": "bash", "arguments": {"command": "mix test"}, "result": "ok", "cwd": "/p"});
    let post = json!({"event": "PostToolUse", "id": "c2", "session_id": "s1", "input": ran});
    assert_eq!(
        returned(&env, "PostToolUse", &post),
        json!({"return": "augment", "text": "one warning"})
    );
    assert_eq!(
        returned(
            &env,
            "UserPromptSubmit",
            &life(&env, "UserPromptSubmit", json!({"prompt": "/deploy"}))
        ),
        json!({"return": "transform", "prompt": "Deploy."})
    );
    let ticket = life(&env, "ChatParams", json!({"request": {}, "messages": []}));
    assert_eq!(
        returned(&env, "ChatParams", &ticket),
        json!({"return": "inject", "messages": [{"role": "system", "content": "Current ticket: ENG-1234"}]})
    );
}

#[test]
fn what_the_loop_would_drop_is_said_more_gravely_or_to_the_person() {
    let env = env();
    let dropped = life(&env, "UserPromptSubmit", json!({"prompt": "drop it"}));
    let halted = returned(&env, "UserPromptSubmit", &dropped);
    assert_eq!(halted["return"], "halt");
    let stop = life(
        &env,
        "Stop",
        json!({"finish_reason": "stop", "result": null}),
    );
    let told = returned(&env, "Stop", &stop);
    assert_eq!(told["return"], "ok");
    assert_eq!(told["notices"], json!(["the tests are red"]));
}

#[test]
fn a_text_that_no_function_may_return_here_waits_for_the_event_of_another_process_that_may() {
    let env = env();
    let write = call(
        &env,
        "edit",
        &json!({"path": "lib/a.ex", "old_string": "a", "new_string": "b"}),
    );
    assert_eq!(
        returned(&env, "PreToolUse", &write),
        json!({"return": "ok"})
    );
    let next = life(&env, "PreIteration", json!({"iteration": 1}));
    assert_eq!(
        returned(&env, "PreIteration", &next),
        json!({"return": "inject", "messages": [{"role": "system", "content": "run the tests"}]})
    );
    assert_eq!(
        returned(&env, "PreIteration", &next),
        json!({"return": "ok"}),
        "once"
    );
}

#[test]
fn a_payload_that_cannot_be_read_is_refused_in_the_words_of_ex_athena() {
    let env = TestEnv::with(&json!({"version": 1, "hooks": {
        "pre-tool-use": [{"hooks": [{"type": "command", "command": "exit 0", "guard": true}]}],
        "pre-prompt": [{"hooks": [{"type": "command", "command": "exit 0", "guard": true}]}],
    }}));
    for (event, word, payload) in [
        (
            "PreToolUse",
            "deny",
            r#"{"event": "PreToolUse", "input": {"tool_name": "write", "tool_name": "read"}}"#,
        ),
        (
            "PreToolUse",
            "deny",
            r#"{"event": "PreToolUse", "tool_name": "write", "path": ".env"}"#,
        ),
        ("PreToolUse", "deny", "no JSON"),
        (
            "UserPromptSubmit",
            "halt",
            r#"{"input": {"prompt": ["x"]}}"#,
        ),
    ] {
        let left = env.run(&["run", event, "--host", "athena"], payload.as_bytes());
        assert_eq!(
            (left.code, &left.json()["return"]),
            (0, &json!(word)),
            "{payload} {left:?}"
        );
    }
}

#[test]
fn an_event_that_the_library_does_not_have_is_an_error_and_asks_whether_another_was_meant() {
    let env = env();
    let payload =
        |event: &str| json!({"event": event, "input": {"tool_name": "write"}}).to_string();
    let asked = |line: &[&str], payload: &str| {
        let args = [&["run"], line, &["--host", "athena"]].concat();
        let left = env.run(&args, payload.as_bytes());
        (left.code, left.stdout, left.stderr)
    };
    let error = |name: &str, help: &str| {
        let text = format!("error: ex_athena has no event `{name}`\n{help}");
        (64, String::new(), text)
    };
    let meant = "help: did you mean `PreToolUse`?\n";
    assert_eq!(asked(&["Nope"], &payload("Nope")), error("Nope", ""));
    assert_eq!(
        asked(&["PreToolUze"], &payload("PreToolUse")),
        error("PreToolUze", meant)
    );
    assert_eq!(
        asked(&[], &payload("PreToolUze")),
        error("PreToolUze", meant)
    );
    assert_eq!(
        asked(&["PreToolUze"], "no JSON"),
        error("PreToolUze", meant)
    );
    // The spelling of another host is the very same event.
    let secret =
        json!({"event": "preToolUse", "input": {"tool_name": "write", "path": "priv/secrets/key"}});
    assert!(
        asked(&[], &secret.to_string())
            .1
            .starts_with(r#"{"return":"deny""#)
    );
}

#[test]
fn a_projects_hooks_are_asked_by_an_elixir_program_once_they_are_trusted() {
    let env = TestEnv::new();
    env.manifest(
        &json!({"version": 1, "hooks": {"pre-tool-use": [{"hooks": [
            {"type": "rule", "then": {"deny": "people write secrets"}},
        ]}]}})
        .to_string(),
    );
    let write = call(&env, "write", &json!({"path": "a", "content": "x"}));
    let untrusted = returned(&env, "PreToolUse", &write);
    assert_eq!(untrusted["return"], "ok");
    let notice = untrusted["notices"][0].as_str().unwrap();
    assert!(notice.contains("are not trusted"), "{notice}");
    let args = ["run", "PreToolUse", "--host", "athena", "--trust-all"];
    let left = env.run(&args, write.to_string().as_bytes());
    assert_eq!(left.json()["return"], "deny");
    env.trust();
    assert_eq!(returned(&env, "PreToolUse", &write)["return"], "deny");
}

#[test]
fn the_elixir_module_returns_what_hooks_say_and_raises_where_it_is_asked_wrongly() {
    if std::process::Command::new("elixir")
        .arg("--version")
        .output()
        .is_err()
    {
        eprintln!("not tested: Elixir is not installed, so clients/elixir/anyhook.ex was not run");
        return;
    }
    let env = env();
    let module = crate::env::repository().join("clients/elixir/anyhook.ex");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_anyhook"), env.path("bin/anyhook")).unwrap();
    let path = std::env::var("PATH").unwrap();
    let played = std::process::Command::new("elixir")
        .arg(crate::env::repository().join("crates/cli/tests/it/athena/function.exs"))
        .args([module, env.path("project")])
        .current_dir(env.path("project"))
        .env("HOME", env.path("home"))
        .env("PATH", format!("{}:{path}", env.path("bin").display()))
        .env("ELIXIR_ERL_OPTIONS", "+fnu")
        .output()
        .unwrap();
    let (told, errors) = (
        String::from_utf8(played.stdout).unwrap(),
        String::from_utf8_lossy(&played.stderr).into_owned(),
    );
    let without_id = |line: &str| match line.split_once(" (anyhook why ") {
        Some((before, after)) => {
            let (_, after) = after.split_once(')').unwrap();
            format!("{before}{after}")
        }
        None => line.to_owned(),
    };
    let lines = told.lines().filter_map(|line| line.strip_prefix("-> "));
    let lines: Vec<String> = lines.map(without_id).collect();
    assert_eq!(
        lines,
        [
            r#"PreToolUse {:deny, "people write secrets"}"#,
            r#"PreToolUse {:deny, "people write secrets"}"#,
            "PreToolUse :ok",
            "PreToolUse raises two keys of one name",
            // With the text that waited since the third call.
            r#"PostToolUse {:augment, "one warning\n\nrun the tests"}"#,
            r#"UserPromptSubmit {:transform, "Deploy."}"#,
            r#"UserPromptSubmit {:halt, "it is kept"}"#,
            r#"ChatParams {:inject, [%ExAthena.Messages.Message{role: :system, content: "Current ticket: ENG-1234", name: nil}]}"#,
            "Stop :ok",
            "NoSuchEvent raises anyhook run failed with exit code 64",
        ],
        "{errors}"
    );
    let warned = format!("{told}{errors}");
    assert!(
        warned.contains("[warning] the tests are red")
            || warned.contains("[warn] the tests are red"),
        "{warned}"
    );
}
