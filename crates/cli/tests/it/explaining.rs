//! `anyhook explain`: what would happen, with nothing started.

use serde_json::{Value, json};

use crate::env::{TestEnv, command, finish, start};

fn env() -> TestEnv {
    TestEnv::with(&json!({"version": 1, "hooks": {
        "pre-tool-use": [
            {"matcher": "Bash", "priority": 5, "name": "late", "hooks": [command("touch $HOME/started; true")]},
            {"matcher": "Bash", "priority": 9, "name": "last", "hooks": [command("touch $HOME/started")]},
            {"matcher": "Bash", "name": "first", "hooks": [command("touch $HOME/started")]},
            {"matcher": "run_shell_command", "name": "alias", "hooks": [command("./no-such-script ${file}")]},
            {"matcher": "Write|Edit", "name": "writes", "hooks": [command("touch $HOME/started")]},
        ],
        "stop": [{"hooks": [command("touch $HOME/started")]}],
    }}))
}

fn explain(env: &TestEnv, args: &[&str], stdin: &str) -> (i32, Value) {
    let mut all = vec!["explain", "--json"];
    all.extend(args);
    let left = env.run(&all, stdin.as_bytes());
    (left.code, left.json())
}

/// Name, turn or why not, of every hook but our own.
fn fires(page: &Value) -> Vec<(String, String)> {
    let hooks = page["hooks"].as_array().unwrap();
    let ours = |hook: &&Value| hook["name"] != "anyhook:guarded";
    let told = |hook: &Value| {
        let why = hook["why"].as_str().map(str::to_owned);
        why.unwrap_or_else(|| hook["turn"].to_string())
    };
    let name = |hook: &Value| hook["name"].as_str().unwrap().to_owned();
    hooks
        .iter()
        .filter(ours)
        .map(|hook| (name(hook), told(hook)))
        .collect()
}

#[test]
fn explain_tells_who_is_asked_in_which_turn_and_who_is_not_and_why() {
    let env = env();
    let (code, page) = explain(
        &env,
        &[
            "--event",
            "PreToolUse",
            "--tool",
            "Bash",
            "--input",
            "command=ls",
        ],
        "",
    );
    assert_eq!(code, 0);
    let expected = [
        ("first", "1"),
        ("alias", "not asked: the event names no file for `${file}`"),
        (
            "writes",
            "not asked: its matcher `Write|Edit` does not select `Bash`",
        ),
        ("stop[0][0]", "not asked: it is for another event"),
        ("late", "2"),
        ("last", "not asked: the same as `first`"),
    ];
    let expected = expected.map(|(name, told)| (name.to_owned(), told.to_owned()));
    assert_eq!(fires(&page), expected);
    assert!(!env.path("home/started").exists(), "explain started a hook");
}

#[test]
fn explain_reads_a_hosts_own_payload_and_shows_what_would_run_where() {
    let env = env();
    let payload = env.pre("Write", &json!({"file_path": "/x/a b", "content": ""}));
    let (code, page) = explain(&env, &["--host", "claude-code"], &payload.to_string());
    assert_eq!(code, 0);
    let writes = page["hooks"]
        .as_array()
        .unwrap()
        .iter()
        .find(|hook| hook["name"] == "writes")
        .unwrap();
    assert_eq!(
        writes["argv"],
        json!(["/bin/sh", "-c", "touch $HOME/started"])
    );
    assert_eq!(writes["cwd"], json!(env.path("project")));
    assert_eq!(writes["timeout"], json!(30.0));
    assert!(writes["at"].as_str().unwrap().contains("hooks.json:"));
}

#[test]
fn explain_says_when_no_hook_is_asked_and_that_a_file_is_not_trusted() {
    let env = TestEnv::new();
    env.manifest(
        r#"{"version":1,"hooks":{"stop":[{"hooks":[{"type":"command","command":"true"}]}]}}"#,
    );
    let left = env.anyhook("explain --event pre-prompt");
    assert_eq!(left.code, 1);
    left.says("no hook is asked");
    left.says("anyhook trust");
}

#[test]
fn explain_refuses_an_input_that_is_none() {
    let env = env();
    let left = env.anyhook("explain --event pre-tool-use --tool X --input a:=b");
    assert_eq!(left.code, 64);
    assert!(
        left.stderr.starts_with("error: `a:=b` is no JSON"),
        "{}",
        left.stderr
    );
}

/// The rules that most people have, and a hook that is started.
fn guarded() -> TestEnv {
    let rule = |name: &str, when: &str, then: Value| json!({"type": "rule", "name": name, "when": when, "then": then});
    let pushes = "Rule no-force-push: this push rewrites or removes what others have.";
    TestEnv::with(&json!({"version": 1, "hooks": {"pre-tool-use": [{"hooks": [
        rule("no-pipe-to-shell", "unread()", json!({"deny": "Rule no-pipe-to-shell: download it, show it, then run the file."})),
        rule("no-force-push", "pushes('force', 'delete')", json!({"deny": pushes})),
        rule("no-hard-reset", "discards()", json!({"ask": "Throw away work that is not committed?"})),
        rule("secret-files", "touches('**/.env')", json!({"deny": "Rule secret-files: ask the user for a value."})),
        {"type": "command", "name": "lint", "command": "touch $HOME/started; true"},
    ]}]}}))
}

#[test]
fn one_screen_says_what_a_line_does_and_which_guard_answers() {
    let env = guarded();
    let shown = |line: &str| {
        let mut command = env.command(&["explain", line]);
        command.env("COLUMNS", "80");
        let left = finish(start(command, b""));
        assert_eq!((left.code, &*left.stderr), (0, ""), "{line}");
        let rows = left.stdout.lines();
        assert!(rows.clone().count() <= 24, "{}", left.stdout);
        assert!(
            rows.clone().all(|row| row.chars().count() <= 80),
            "{}",
            left.stdout
        );
        left.stdout
    };
    let lines = [
        "git push -f",
        "eval \"$CODE\"",
        "date > \"$OUT\"",
        "git status",
        "git stash drop && git checkout .",
    ];
    let screens = lines.map(shown).join("\n────\n\n");
    insta::assert_snapshot!("a-line-80", screens);
    assert!(!env.path("home/started").exists(), "explain started a hook");
}

#[test]
fn explain_takes_an_event_or_the_id_of_a_past_one_in_the_place_of_a_line() {
    let env = guarded();
    let event = env.anyhook("explain pre-tool-use");
    assert!(event.stdout.starts_with("pre-tool-use"), "{event:?}");
    let left = env.bash("git push -f");
    let (_, after) = left.stdout.split_once("anyhook why ").unwrap();
    let id = after.split(')').next().unwrap();
    let past = env.run(&["explain", id], b"");
    assert_eq!(past.stdout, env.run(&["why", id], b"").stdout);
    past.says("by force: `git push -f`");
}
