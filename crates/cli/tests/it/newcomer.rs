//! The first hour of a person who never saw the program: what each screen says, and what one types next.

mod adding;

use std::fs;

use serde_json::json;

use crate::env::{Left, TestEnv, finish, start};

/// Runs a command for a reader whose terminal has so many columns.
fn at(columns: usize, env: &TestEnv, args: &[&str]) -> Left {
    let mut command = env.command(args);
    command.env("COLUMNS", columns.to_string());
    finish(start(command, b""))
}

fn widest(text: &str) -> usize {
    text.lines()
        .map(|line| line.chars().count())
        .max()
        .unwrap_or_default()
}

fn shown(env: &TestEnv, text: &str) -> String {
    text.replace(&*env.path("").to_string_lossy(), "/")
}

fn empty() -> TestEnv {
    let env = TestEnv::new();
    fs::remove_dir(env.path("project/hooks")).unwrap();
    env
}

#[test]
fn tables_and_messages_fit_a_terminal_of_80_and_of_120_columns() {
    let env = TestEnv::on(
        "pre-tool-use",
        &json!([{"matcher": "Bash|Write|Edit|MultiEdit|NotebookEdit|WebFetch|WebSearch", "name": "a-guard-with-a-long-name",
            "hooks": [{"type": "command", "command": "anyhook say deny 'a reason that is longer than a line of a terminal has columns, so that it is cut'", "guard": true, "timeout": 5}]}]),
    );
    env.claude(&env.pre("NotebookEdit", &json!({"command": "x"})));
    for columns in [80, 120] {
        for args in [
            &["log"][..],
            &["list", "events"],
            &["list", "hosts"],
            &["list", "hosts", "claude-code"],
            &["list", "events", "PreToolUse"],
            &["module", "validate", "logging"],
            &["help", "exit-codes"],
            &["check", "--explain", "AH012"],
            &["add"],
            &["demo"],
            &["help"],
            &["help", "all"],
            &["doctor"],
            &[],
        ] {
            let text = at(columns, &env, args).stdout;
            // A path is never cut, because a person copies it.
            let lines = text.lines().filter(|line| !line.contains('/'));
            let text = lines.collect::<Vec<_>>().join("\n");
            assert!(widest(&text) <= columns, "{args:?} at {columns}:\n{text}");
        }
        let list = at(columns, &env, &["list"]).stdout;
        assert!(
            widest(list.split_once('\n').unwrap().1) <= columns,
            "{list}"
        );
    }
    insta::assert_snapshot!("hosts-80", at(80, &env, &["list", "hosts"]).stdout);
    let events = at(80, &env, &["list", "events"]).stdout;
    let first: Vec<&str> = events.lines().take(12).collect();
    insta::assert_snapshot!("events-80", first.join("\n"));
}
