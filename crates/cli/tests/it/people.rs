//! What a person reads: errors, help, reports.

use serde_json::{Value, json};

use crate::env::{TestEnv, command};

fn error(args: &[&str], stdin: &str) -> (i32, String) {
    let left = TestEnv::new().run(args, stdin.as_bytes());
    assert_eq!(left.stdout, "", "an error says nothing on standard output");
    (left.code, left.stderr)
}

#[test]
fn bad_json_is_told_with_line_and_column() {
    let (code, said) = error(&["run", "pre-tool-use"], "{\n  \"toolName\": oops\n}");
    assert_eq!(code, 65);
    assert!(
        said.starts_with(
            "error: the payload on standard input is not readable at line 2, column 1"
        ),
        "{said}"
    );
}

#[test]
fn an_unknown_host_asks_whether_another_was_meant_and_refuses_what_could_be_a_gate() {
    let (code, said) = error(&["run", "--host", "claude-kode"], "{}");
    assert_eq!(
        (code, said.as_str()),
        (
            2,
            "error: no host is called `claude-kode`\nhelp: did you mean `claude-code`?\n"
        )
    );
    assert_eq!(
        error(&["run", "PostToolUse", "--host", "claude-kode"], "{}").0,
        64
    );
}

#[test]
fn an_unknown_flag_is_an_error_for_a_person_and_passed_over_under_a_host() {
    let (code, said) = error(&["run", "--strickt"], "{}");
    assert_eq!(
        (code, said.as_str()),
        (
            64,
            "error: invalid option '--strickt'\nhelp: anyhook run --help\n"
        )
    );
    let env = TestEnv::new();
    let left = env.run(
        &["run", "--host", "claude-code", "--strickt"],
        env.pre("Bash", &json!({})).to_string().as_bytes(),
    );
    assert_eq!(
        (left.code, left.stdout.as_str(), left.stderr.as_str()),
        (0, "", "")
    );
}

#[test]
fn errors_of_ours_never_end_with_2_where_a_person_calls() {
    for args in [
        &["run", "--nope"][..],
        &["nope"],
        &["run", "--manifest", "/x"],
        &["why", "zzzz"],
        &["get"],
        &["log", "--nope"],
    ] {
        let left = TestEnv::new().run(args, b"{");
        assert!(left.code != 2 && left.code != 0, "{args:?}: {left:?}");
    }
}

#[test]
fn explain_shows_what_each_hook_said_and_why_json_is_the_report_itself() {
    let env = TestEnv::on(
        "pre-tool-use",
        &json!([
            {"matcher": "Write", "hooks": [command("true")]},
            {"matcher": "Bash", "name": "no-force", "hooks": [command("anyhook say deny 'No force pushes. Use --force-with-lease.'")]},
            {"matcher": "Bash", "priority": 5, "hooks": [command("true")]},
        ]),
    );
    let payload = env
        .pre("Bash", &json!({"command": "git push --force"}))
        .to_string();
    let left = env.run(
        &["run", "--host", "claude-code", "--explain"],
        payload.as_bytes(),
    );
    assert_eq!(left.code, 0, "{left:?}");
    for line in [
        "decided by no-force",
        "No force pushes. Use --force-with-lease.",
        "its matcher `Write` does not select `Bash`",
        "it was decided before its turn",
        "hooks/hooks.json:",
    ] {
        left.says(line);
    }
    let mut other = env.pre("Bash", &json!({"command": "git push -f"}));
    other["tool_use_id"] = json!("toolu_2");
    let args = ["run", "--host", "claude-code", "--explain", "--json"];
    let report: Value = env.run(&args, other.to_string().as_bytes()).json();
    assert_eq!(report["result"]["verdict"], "deny");
    assert_eq!(report["event"]["name"], "tool:pre");
}

#[test]
fn the_id_in_a_refusal_is_the_id_that_why_takes() {
    let env = TestEnv::hook("pre-tool-use", &command("anyhook say deny 'not today'"));
    let left = env.bash("x");
    let (_, rest) = left.stdout.split_once("(anyhook why ").unwrap();
    let (id, _) = rest.split_once(')').unwrap();
    let start: String = id.chars().take(4).collect();
    let why = env.run(&["why", &start], b"");
    why.says("not today");
    why.says(id);
    let log = env.anyhook("log");
    assert_eq!(log.stdout.lines().count(), 1, "{log:?}");
    log.says(id);
    log.says("tool:pre Bash");
}

#[test]
fn one_event_is_shown_with_its_names_its_class_and_its_fields() {
    let left = TestEnv::new().anyhook("list events PermissionDenied");
    insta::assert_snapshot!("one-event", left.stdout);
    let left = TestEnv::new().anyhook("list events PermissionDenied --json");
    let json: Value = serde_json::from_str(&left.stdout).unwrap();
    assert_eq!(
        json[0]["fields"][0],
        json!({
            "name": "tool_name", "kind": "string", "words": null, "required": false,
            "summary": "The tool's name.", "source": "amplifier, claude-code, seed 003",
        })
    );
}

#[test]
fn the_help_of_run_teaches_and_every_exit_code_is_documented() {
    let codes = TestEnv::new().anyhook("help exit-codes").stdout;
    insta::assert_snapshot!("exit-codes", codes);
    let run = TestEnv::new().anyhook("run --help").stdout;
    insta::assert_snapshot!("run-help", run);
}

#[test]
fn a_broken_manifest_is_shown_with_its_lines_and_what_to_do() {
    let env = TestEnv::new();
    env.manifest(BROKEN);
    let left = env.anyhook("list");
    let said = left
        .stderr
        .replace(&env.path("").to_string_lossy().into_owned(), "");
    insta::assert_snapshot!("broken-manifest", said);
}

const BROKEN: &str = r#"{
  "version": 1,
  "hooks": {
    "pre-tool-uze": [{"hooks": [{"type": "command", "command": "true"}]}],
    "pre-tool-use": [
      {
        "matcher": "Write(",
        "hooks": [
          {"type": "comand", "command": "true"},
          {"type": "command", "timeout": -1, "comand": "true"},
        ]
      }
    ]
  }
}
"#;

#[test]
fn one_host_is_shown_with_its_events_and_what_they_take() {
    let left = TestEnv::new().anyhook("list hosts gemini");
    insta::assert_snapshot!("one-host", left.stdout);
}

#[test]
fn what_check_refuses_is_refused_by_run_at_every_gate_and_goes_on_elsewhere() {
    let hook = r#"{"type": "command", "command": "exit 0"}"#;
    let one = |entry: &str| format!(r#"{{"pre-tool-use": [{{"hooks": [{entry}]}}]}}"#);
    let files = [
        format!(r#"{{"version": 2, "hooks": {}}}"#, one(hook)),
        format!(r#"{{"version": "1", "hooks": {}}}"#, one(hook)),
        format!(r#"{{"version": 1, "version": 2, "hooks": {}}}"#, one(hook)),
        format!(
            r#"{{"version": 1, "mode": "shadowed", "hooks": {}}}"#,
            one(hook)
        ),
        format!(r#"{{"version": 1, "disabel": [], "hooks": {}}}"#, one(hook)),
        format!(
            r#"{{"version": 1, "hooks": {}}}"#,
            one(r#"{"type": "comand", "command": "exit 0"}"#)
        ),
        format!(
            r#"{{"version": 1, "hooks": {}}}"#,
            one(r#"{"type": "command", "command": "exit 0", "gaurd": true}"#)
        ),
        r#"{"version": 1, "hooks": {"pre-tool-use": {"hooks": []}}}"#.to_owned(),
        r#"{"version": 1, "hooks": {"pre-tool-use": [{}]}}"#.to_owned(),
        r#"{"version": 1, "hooks": {"pre-tool-use": ["x"]}}"#.to_owned(),
    ];
    for file in files {
        let env = TestEnv::new();
        env.manifest(&file);
        env.trust();
        let checked = env.anyhook("check hooks/hooks.json");
        assert_ne!(checked.code, 0, "{file}");
        let payload = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}});
        let asked = ["run", "PreToolUse", "--host", "claude-code"];
        let left = env.run(&asked, payload.to_string().as_bytes());
        assert_eq!(left.decision().as_deref(), Some("deny"), "{file} {left:?}");
        let payload = json!({"hook_event_name": "SessionEnd", "reason": "clear"});
        let left = env.run(
            &["run", "SessionEnd", "--host", "claude-code"],
            payload.to_string().as_bytes(),
        );
        assert_eq!(left.code, 0, "{file} {left:?}");
    }
}

#[test]
fn an_entry_that_cannot_be_read_refuses_nothing_where_it_says_that_its_failure_means_nothing() {
    let entry = json!({"type": "comand", "command": "exit 0", "on-failure": "continue"});
    let env = TestEnv::hook("pre-tool-use", &entry);
    let payload = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}});
    let asked = ["run", "PreToolUse", "--host", "claude-code"];
    let left = env.run(&asked, payload.to_string().as_bytes());
    assert_eq!((left.decision(), left.code), (None, 0), "{left:?}");
    left.says("unknown type of hook");
}
