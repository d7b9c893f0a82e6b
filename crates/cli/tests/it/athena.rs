//! What an Elixir program that holds `ex_athena` reads, from real processes: the returns of its functions, and nothing else.

use serde_json::json;

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
