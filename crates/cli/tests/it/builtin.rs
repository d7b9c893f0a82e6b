//! The modules that are built in, asked through `hooks.json` by real processes.

use serde_json::{Value, json};

use crate::env::{TestEnv, on};

fn builtin(module: &str, config: &Value) -> Value {
    json!({"type": "builtin", "module": module, "config": config})
}

fn env(event: &str, module: &str, config: &Value) -> TestEnv {
    TestEnv::with(&on(event, &json!([{"hooks": [builtin(module, config)]}])))
}

fn token() -> String {
    ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat()
}

#[test]
fn file_guard_refuses_through_hooks_json() {
    let env = env(
        "pre-tool-use",
        "file-guard",
        &json!({"blocked_paths": [".env*"]}),
    );
    let left = env.claude(&env.pre("Write", &json!({"file_path": "a/../.env", "content": ""})));
    assert_eq!(
        (left.code, left.decision().as_deref()),
        (0, Some("deny")),
        "{left:?}"
    );
    env.write("project/.env", "");
    let left = env.claude(&env.pre("Bash", &json!({"command": "cat .e*"})));
    assert_eq!(left.decision().as_deref(), Some("deny"));
    let left = env.claude(&env.pre("Write", &json!({"file_path": "src/a.rs", "content": ""})));
    assert_eq!((left.stdout.as_str(), left.code), ("", 0));
}

#[test]
fn no_report_on_the_disk_holds_a_secret() {
    let rule = json!({"type": "rule", "then": {"deny": "`{{tool_input.command}}` is not for you"}});
    let env = TestEnv::with(&on("pre-tool-use", &json!([{"hooks": [rule]}])));
    let secret = token();
    let left = env.claude(&env.pre("Bash", &json!({"command": format!("echo {secret}")})));
    assert_eq!(left.decision().as_deref(), Some("deny"));
    let reports =
        std::fs::read_to_string(env.state().join("reports/record-00000001.jsonl")).unwrap();
    assert!(
        reports.contains("[REDACTED:SECRET:github-token:"),
        "{reports}"
    );
    assert!(!reports.contains(&secret));
}

#[test]
fn an_unknown_module_and_a_wrong_setting_are_found_with_their_place() {
    let env = TestEnv::new();
    env.manifest(
        r#"{"version": 1, "hooks": {"pre-tool-use": [{"hooks": [
  {"type": "builtin", "module": "redactoin"},
  {"type": "builtin", "module": "file-guard", "config": {
    "blocked_path": [".env"],
    "action": "refuse"
  }}
]}], "stop": [{"hooks": [{"type": "builtin", "module": "file-guard"}]}]}}"#,
    );
    let left = env.run(&["check"], b"");
    assert_ne!(left.code, 0);
    let said = left.stdout + &left.stderr;
    for part in [
        "there is no built-in module `redactoin`",
        "did you mean `redaction`?",
        "unknown field `blocked_path`, expected one of `blocked_paths`",
        "unknown variant `refuse`, expected `deny` or `ask`",
        "`file-guard` says nothing about this event",
        ":2:",
        ":4:",
        ":5:",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    // At an event neither is off in silence: both guard, so both refuse.
    env.trust();
    let left = env.claude(&env.pre("Write", &json!({"file_path": "a", "content": ""})));
    assert_eq!(left.decision().as_deref(), Some("deny"), "{left:?}");
}

#[test]
fn what_would_happen_is_told_without_a_line_in_any_log() {
    let env = TestEnv::with(&on(
        "pre-tool-use",
        &json!([{"hooks": [
            builtin("logging", &json!({})), builtin("approval", &json!({})),
        ]}]),
    ));
    let payload = env.pre("Bash", &json!({"command": "make"})).to_string();
    let left = env.run(&["explain", "--host", "claude-code"], payload.as_bytes());
    assert_eq!(left.code, 0, "{left:?}");
    assert!(!env.state().join("logs").exists() && !env.state().join("audit").exists());
}

#[test]
fn the_guide_names_every_module_and_its_file_is_without_a_finding() {
    let guide = std::fs::read_to_string(crate::env::repository().join("docs/modules.md")).unwrap();
    for module in anyhook::modules::MODULES {
        let summary = module.summary;
        let row = format!("| {summary} |");
        assert!(guide.contains(&row), "{row}");
    }
    let (_, rest) = guide.split_once("```json\n").unwrap();
    let (example, _) = rest.split_once("```").unwrap();
    let env = TestEnv::new();
    let file = env.manifest(example);
    assert_eq!(anyhook::load::parse(&file, example).unwrap().findings, []);
    let left = env.run(&["check"], b"");
    assert_eq!(left.code, 0, "{left:?}");
}
