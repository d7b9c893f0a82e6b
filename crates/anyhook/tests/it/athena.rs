//! Tables of `ex_athena` whose entries are commands and rules: read where they stand, carried out like those of a manifest.

mod cases;
mod original;

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhook::HookRegistry;
use anyhook::athena::{
    Function, Lifecycle, Mistakes, Outputs, PostTool, PreTool, Profile, Return, Table,
    run_lifecycle, run_lifecycle_with_outputs, run_post_tool_use, run_pre_tool_use,
};
use anyhook::core::result::{HookResult, Kind};
use anyhook::world::{Places, SystemClock, World};
use serde_json::{Value, json};

fn world(folder: &Path) -> Arc<World> {
    let home = folder.join("home");
    fs::create_dir_all(&home).unwrap();
    Arc::new(World {
        cwd: folder.into(),
        places: Some(Places {
            config: home.join("config"),
            state: home.join("state"),
            home,
        }),
        ..World::real()
    })
}

fn known(name: &str) -> Option<Function> {
    (name == "read_only").then(|| Function::new(|_, _| Return::deny("read-only")))
}

/// A table in a folder of its own.
fn read(folder: &Path, text: &str) -> Result<Table, Mistakes> {
    let file = folder.join("table.yaml");
    Table::read_in(&world(folder), text, &file.to_string_lossy(), &known)
}

fn reason(said: &PreTool) -> (&'static str, String) {
    match said {
        PreTool::Ok => ("ok", String::new()),
        PreTool::Deny(why) => ("deny", why.text.to_string()),
        PreTool::Halt(why) => ("halt", why.text.to_string()),
    }
}

const GUARDED: &str = r#"
PreToolUse:
  - matcher: write|edit
    hooks:
      - type: rule
        when: touches('**/priv/secrets/**')
        then: {deny: people write secrets}
      - type: command
        command: "grep -qi '\"tool_name\": *\"write\"' && { echo 'the tree is frozen' >&2; exit 2; }; exit 0"
      - read_only
  - matcher: bash
    hooks: [{type: command, command: exit 0}]
"#;

#[test]
fn a_command_and_a_rule_stand_beside_functions_and_are_asked_in_their_order() {
    let place = tempfile::tempdir().unwrap();
    let hooks = read(place.path(), GUARDED).unwrap().finish().unwrap();
    assert_eq!(hooks.len(), 4);
    let asked = |tool: &str, input: Value| {
        let said = run_pre_tool_use(&hooks, tool, &input, Some("c1"));
        let (word, why) = reason(&said);
        (word, why)
    };
    let deny = |why: &str| ("deny", why.to_owned());
    assert_eq!(
        asked("write", json!({"path": "priv/secrets/key"})),
        deny("people write secrets")
    );
    assert_eq!(
        asked("write", json!({"path": "a"})),
        deny("the tree is frozen")
    );
    assert_eq!(asked("edit", json!({"path": "a"})), deny("read-only"));
    assert_eq!(
        asked("bash", json!({"command": "ls"})),
        ("ok", String::new())
    );
    assert_eq!(asked("read", json!({"path": "a"})), ("ok", String::new()));
}

#[test]
fn a_table_that_is_mounted_asks_its_commands_like_its_functions() {
    let place = tempfile::tempdir().unwrap();
    let registry = HookRegistry::new();
    let table = read(place.path(), GUARDED).unwrap().finish().unwrap();
    table.mount(&registry);
    let data = json!({"tool_name": "write", "tool_input": {"file_path": "priv/secrets/key"}});
    let said = registry.emit_blocking("tool:pre", data).result;
    assert_eq!(said.verdict.text(), "people write secrets");
}

#[test]
fn what_a_command_says_becomes_the_return_that_its_event_knows() {
    let place = tempfile::tempdir().unwrap();
    let text = r#"{
        "UserPromptSubmit": [
            {"type": "rule", "when": "prompt.startsWith('/deploy')", "then": {"modify": {"prompt": "Deploy."}}},
            {"type": "command", "command": "echo 'branch: main'"}
        ],
        "PostToolUse": [{"type": "command", "command": "printf '{\"return\": \"augment\", \"text\": \"one warning\"}'"}],
        "Stop": [{"type": "command", "command": "printf '{\"return\": \"halt\", \"reason\": \"enough\"}'"}]
    }"#;
    let hooks = read(place.path(), text).unwrap().finish().unwrap();
    let Outputs {
        halt,
        deny,
        injects,
        transform,
    } = run_lifecycle_with_outputs(&hooks, "UserPromptSubmit", &json!({"prompt": "/deploy"}));
    assert_eq!(
        (halt, deny, transform.as_deref()),
        (None, None, Some("Deploy."))
    );
    let texts: Vec<&str> = injects.iter().map(|message| &*message.text).collect();
    assert_eq!(texts, ["branch: main"]);
    let payload = json!({"result": "done", "arguments": {}});
    assert_eq!(
        run_post_tool_use(&hooks, "bash", &payload, Some("c1")),
        PostTool::Augment("one warning".into())
    );
    let stopped = run_lifecycle(&hooks, "Stop", &json!({"session_id": "s1"}));
    assert!(matches!(stopped, Lifecycle::Halt(why) if &*why.text == "enough"));
}

#[test]
fn what_an_event_does_not_know_is_a_fault_that_halts_and_is_ignored_as_in_the_original() {
    let place = tempfile::tempdir().unwrap();
    let text = r#"{
        "PreToolUse": [{"hooks": [{"type": "rule", "then": {"inject": "context"}}]}],
        "Stop": [{"type": "command", "command": "echo no >&2; exit 2"}],
        "ChatParams": [{"type": "rule", "then": {"modify": {"request": {}}}}]
    }"#;
    let told = |profile: Profile| {
        let table = read(place.path(), text).unwrap().profile(profile);
        let hooks = table.finish().unwrap();
        let called = run_pre_tool_use(&hooks, "bash", &json!({}), None);
        let ended = |event: &str| match run_lifecycle(&hooks, event, &json!({})) {
            Lifecycle::Ok => "ok".to_owned(),
            Lifecycle::Halt(why) => format!("{}: {}", why.code.unwrap_or_default(), why.text),
            Lifecycle::Deny(why) => format!("deny: {}", why.text),
        };
        [reason(&called).1, ended("Stop"), ended("ChatParams")]
    };
    assert_eq!(
        told(Profile::Safe),
        [
            "it said something to the model, which `PreToolUse` does not know",
            "hook_crashed: it refused, which `Stop` does not know",
            "hook_crashed: it changed `request`, which `ChatParams` does not know",
        ]
    );
    assert_eq!(told(Profile::Compat), ["", "ok", "ok"]);
}

#[test]
fn a_command_that_fails_halts_unless_it_says_what_its_failure_means() {
    let place = tempfile::tempdir().unwrap();
    let asked = |more: &str| {
        let text =
            format!(r#"{{"PreToolUse": [{{"type": "command", "command": "exit 7"{more}}}]}}"#);
        let hooks = read(place.path(), &text).unwrap().finish().unwrap();
        reason(&run_pre_tool_use(&hooks, "bash", &json!({}), None)).0
    };
    assert_eq!(asked(""), "halt");
    assert_eq!(asked(r#", "guard": true"#), "halt");
    assert_eq!(asked(r#", "on-failure": "continue""#), "ok");
    assert_eq!(asked(r#", "on-failure": "deny""#), "deny");
}

#[test]
fn a_question_is_put_by_a_registry_and_refused_where_no_person_can_be_asked() {
    let place = tempfile::tempdir().unwrap();
    let text = r#"{"PreToolUse": [{"type": "rule", "then": {"ask": "really?"}}],
                   "Stop": [{"type": "rule", "then": {"ask": "really?"}}]}"#;
    let hooks = read(place.path(), text).unwrap().finish().unwrap();
    let called = run_pre_tool_use(&hooks, "bash", &json!({}), None);
    assert_eq!(reason(&called), ("deny", "really?".to_owned()));
    let registry = HookRegistry::new();
    hooks.mount(&registry);
    let said: HookResult = registry
        .emit_blocking("tool:pre", json!({"tool_name": "Bash"}))
        .result;
    assert_eq!(said.verdict.kind(), Kind::Ask);
    assert!(matches!(
        run_lifecycle(&hooks, "Stop", &json!({})),
        Lifecycle::Halt(_)
    ));
}

#[test]
fn no_rule_of_a_table_approves() {
    let place = tempfile::tempdir().unwrap();
    let text = r#"{"PreToolUse": [{"type": "rule", "then": {"allow": "it only reads"}}]}"#;
    let hooks = read(place.path(), text).unwrap().finish().unwrap();
    let registry = HookRegistry::new();
    hooks.mount(&registry);
    let said = registry
        .emit_blocking("tool:pre", json!({"tool_name": "Read"}))
        .result;
    assert_eq!(said.verdict.kind(), Kind::Continue);
}

#[test]
fn an_entry_reads_the_universal_payload_and_finds_its_scripts_beside_the_table() {
    let place = tempfile::tempdir().unwrap();
    let text = r#"{"SubagentStart": [{"type": "command",
        "command": "cat > \"$PACKAGE_ROOT/heard.json\""}]}"#;
    let hooks = read(place.path(), text).unwrap().finish().unwrap();
    let payload = json!({"subagent_id": "sub-1", "prompt": "look", "agent": "reviewer"});
    assert_eq!(
        run_lifecycle(&hooks, "SubagentStart", &payload),
        Lifecycle::Ok
    );
    let heard = fs::read(place.path().join("heard.json")).unwrap();
    let heard: Value = serde_json::from_slice(&heard).unwrap();
    assert_eq!(heard["hookEventName"], "sub-agent-start");
    assert_eq!(
        (&heard["subagent_id"], &heard["task"]),
        (&json!("sub-1"), &json!("look"))
    );
}

#[test]
fn what_a_run_came_to_is_kept_by_a_command_on_stop() {
    let place = tempfile::tempdir().unwrap();
    let text = r#"
Stop: [{type: command, command: 'cat >> "$PACKAGE_ROOT/kept.jsonl"'}]
StopFailure: [{type: command, command: 'cat >> "$PACKAGE_ROOT/alerts.jsonl"'}]
"#;
    let hooks = read(place.path(), text).unwrap().finish().unwrap();
    let payload = json!({"session_id": "s1", "finish_reason": "stop", "result": {"text": "Done."}});
    assert_eq!(run_lifecycle(&hooks, "Stop", &payload), Lifecycle::Ok);
    assert_eq!(run_lifecycle(&hooks, "Stop", &payload), Lifecycle::Ok);
    let kept = fs::read_to_string(place.path().join("kept.jsonl")).unwrap();
    let results: Vec<Value> = kept
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["result"]["text"].clone())
        .collect();
    assert_eq!(results, ["Done.", "Done."]);
    assert!(!place.path().join("alerts.jsonl").exists());
}

#[test]
fn what_is_wrong_with_an_entry_is_told_where_it_stands_in_the_table() {
    let place = tempfile::tempdir().unwrap();
    let told = |file: &str, text: &str| {
        let read = Table::read_in(&world(place.path()), text, file, &known).unwrap();
        let mistakes = read.finish().unwrap_err().0;
        let all = mistakes
            .iter()
            .map(|one| (one.at.line, one.at.column.unwrap(), one.at.entry.clone()));
        all.collect::<Vec<_>>()
    };
    let json = "{\"PreToolUse\": [\n  {\"matcher\": \"write\", \"hooks\": [\n    {\"type\": \"comand\", \"command\": \"x\"}\n  ]},\n  {\"type\": \"command\"}],\n \"Stop\": [{\"type\": \"rule\",\n   \"when\": \"prompt.startsWith(\",\n   \"then\": {\"notify\": \"x\"}}]}";
    assert_eq!(
        told("table.json", json),
        [
            (3, 14, "PreToolUse[0].hooks[0]".to_owned()),
            (5, 3, "PreToolUse[1]".to_owned()),
            (7, 12, "Stop[0]".to_owned()),
        ]
    );
    let yaml = "Stop:\n  - type: command\n    command: ./done.sh\n    timeout: soon\n";
    assert_eq!(told("table.yaml", yaml)[0], (4, 14, "Stop[0]".to_owned()));
}

#[test]
fn a_table_starts_processes_only_where_the_program_says_so() {
    let text = r#"{"Stop": [{"type": "command", "command": "true"}]}"#;
    let mistakes = Table::read(text, "table.json", &known)
        .unwrap()
        .finish()
        .unwrap_err();
    assert_eq!(
        mistakes.to_string(),
        "table.json:1:11: Stop[0]: this table may hold names of functions only"
    );
}

#[test]
fn an_entry_that_is_switched_off_is_not_asked() {
    let place = tempfile::tempdir().unwrap();
    let text = r#"{"Stop": [{"type": "command", "command": "exit 7", "enabled": false}]}"#;
    let hooks = read(place.path(), text).unwrap().finish().unwrap();
    assert!(hooks.mount(&HookRegistry::new()).is_empty());
    assert_eq!(run_lifecycle(&hooks, "Stop", &json!({})), Lifecycle::Ok);
}

#[test]
fn a_command_of_a_table_has_its_own_deadline_whatever_the_registry_gives_its_own_hooks() {
    let place = tempfile::tempdir().unwrap();
    let text =
        r#"{"PreToolUse": [{"type": "command", "command": "sleep 0.4; echo no >&2; exit 2"}]}"#;
    let hooks = read(place.path(), text).unwrap().finish().unwrap();
    let clock = Arc::new(SystemClock::default());
    let registry = HookRegistry::isolating(clock, Duration::from_millis(50));
    assert_eq!(hooks.mount(&registry).len(), 1);
    let said = registry.emit_blocking("tool:pre", json!({"tool_name": "write"}));
    let verdict = &said.result.verdict;
    assert_eq!((verdict.kind(), &*verdict.text()), (Kind::Deny, "no"));
}
