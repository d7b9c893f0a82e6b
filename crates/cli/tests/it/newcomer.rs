//! The first hour of a person who never saw the program: what each screen says, and what one types next.

mod adding;

use std::fs;

use serde_json::json;

use crate::approvals::typed;
use crate::env::{Left, TestEnv, command, finish, start};

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
fn one_mistake_has_one_wording_and_one_exit_code_whichever_command_meets_it() {
    let env = TestEnv::hook("stop", &command("true"));
    let said = |args: &[&str]| {
        let left = env.run(args, b"{}");
        assert_eq!(left.stdout, "", "{args:?}");
        (left.code, left.stderr)
    };
    let host = "error: no host is called `claude-kode`\nhelp: did you mean `claude-code`?\n";
    for args in [
        &["list", "hosts", "claude-kode"][..],
        &["install", "--host", "claude-kode"],
        &["uninstall", "--host", "claude-kode"],
        &["doctor", "--host", "claude-kode"],
        &["check", "--host", "claude-kode"],
        &["explain", "--event", "stop", "--host", "claude-kode"],
        &["list", "platform", "claude-kode"],
    ] {
        assert_eq!(said(args), (64, host.to_owned()), "{args:?}");
    }
    let event = "error: no event is called `PreTool`\nhelp: did you mean `PreToolUse`?\n";
    for args in [
        &["list", "events", "PreTool"][..],
        &["run", "PreTool"],
        &["explain", "--event", "PreTool"],
        &["test", "--event", "PreTool"],
    ] {
        assert_eq!(said(args), (64, event.to_owned()), "{args:?}");
    }
    let command = "error: no command is called `instal`\nhelp: did you mean `install`?\n";
    for args in [&["instal"][..], &["help", "instal"]] {
        assert_eq!(said(args), (64, command.to_owned()), "{args:?}");
    }
    let file = "error: cannot read `gone.json`: No such file or directory (os error 2)\n";
    for args in [
        &["check", "gone.json"][..],
        &["list", "--manifest", "gone.json"],
        &["run", "stop", "--manifest", "gone.json"],
        &["explain", "--event", "stop", "--manifest", "gone.json"],
        &["trust", "gone.json"],
        &[
            "init",
            "--from",
            "universal",
            "--to",
            "claude-code",
            "gone.json",
        ],
    ] {
        let (code, said) = said(args);
        let first = said.lines().next().unwrap_or_default();
        assert_eq!(
            (code, format!("{first}\n")),
            (66, file.to_owned()),
            "{args:?}"
        );
    }
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

#[test]
fn without_a_home_an_agent_is_told_what_is_missing() {
    let env = TestEnv::hook("pre-tool-use", &command("true"));
    let mut run = env.command(&["run", "--host", "claude-code", "--deadline", "20"]);
    run.env("HOME", "/nowhere/at/all");
    let payload = env.pre("Bash", &json!({"command": "ls"})).to_string();
    let left = finish(start(run, payload.as_bytes()));
    let said = format!("{}{}", left.stdout, left.stderr);
    for words in [
        "there is no home folder, so your own hooks were not asked and nothing is recorded",
        "it is not known whether you trusted them; set HOME",
    ] {
        assert!(said.contains(words), "{words}: {left:?}");
    }
    // Nothing is recorded, so there is nothing to ask about.
    let mut run = env.command(&["run", "--host", "claude-code", "--deadline", "20"]);
    run.env("HOME", "/nowhere/at/all");
    let left = finish(start(run, br#"{"hook_event_name": "PreToolUse","#));
    left.says("\"deny\"");
    assert!(!left.stdout.contains("anyhook why"), "{left:?}");
}

#[test]
fn install_without_a_host_lets_a_person_choose_among_the_agents_that_are_here() {
    let env = TestEnv::new();
    for folder in [".claude", ".gemini"] {
        fs::create_dir_all(env.path("home").join(folder)).unwrap();
    }
    let left = typed(&env, "anyhook install", "claude\n");
    assert_eq!(left.code, 0, "{left:?}");
    let question = "Which of them shall ask your hooks? [names, or Enter for all]";
    left.says(question);
    assert!(env.path("home/.claude/settings.json").exists());
    assert!(!env.path("home/.gemini/settings.json").exists());
}
