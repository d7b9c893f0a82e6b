use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhook_core::ports::Approver;
use anyhook_core::question::{Answer, Settled};
use anyhook_core::result::Kind;
use serde_json::json;

use super::*;
use crate::Session;
use crate::session::Setup;
use crate::world::Pass;
use crate::world::{Places, World};

fn world(folder: &Path) -> World {
    World {
        cwd: folder.to_owned(),
        places: Some(Places {
            home: folder.join("home"),
            config: folder.join("config"),
            state: folder.join("state"),
        }),
        ..World::real()
    }
}

fn said(config: &Value, tool: &str, input: &Value) -> HookResult {
    let place = tempfile::tempdir().unwrap();
    let world = world(place.path());
    let around = ModuleContext {
        world: &world,
        project: place.path(),
        pass: Pass::Told,
    };
    let event = Event::new("tool:pre", json!({"tool_name": tool, "tool_input": input}));
    let made = ROW.made(config.as_object().unwrap()).unwrap();
    made.answer(&event, &around).unwrap()
}

fn kind(config: &Value, command: &str) -> Kind {
    said(config, "Bash", &json!({"command": command}))
        .verdict
        .kind()
}

#[test]
fn an_approval_is_about_whole_words_and_a_warning_about_every_part_of_a_line() {
    let (mut config, mut expected) = (json!({}), "");
    for row in include_str!("lines.txt").lines().skip(1) {
        if let Some(line) = row.strip_prefix("    ") {
            let said = format!("{:?}", kind(&config, &line.replace('⏎', "\n")));
            assert_eq!(said, expected, "{config}: {line}");
        } else if let Some(kind) = row.strip_prefix("  ") {
            expected = kind;
        } else if !row.is_empty() {
            config = serde_json::from_str(row).unwrap();
        }
    }
}

#[test]
fn the_gravest_rule_wins_whatever_their_order() {
    let approve = json!({"pattern": "git *", "action": "auto_approve"});
    let ask = json!({"pattern": "git push", "action": "ask"});
    let deny = json!({"pattern": "git push --force", "action": "auto_deny", "description": "history is shared"});
    for rules in [json!([approve, ask, deny]), json!([deny, ask, approve])] {
        let config = json!({"rules": rules});
        assert_eq!(kind(&config, "git status"), Kind::Continue);
        assert_eq!(kind(&config, "git push origin"), Kind::Ask);
        assert_eq!(kind(&config, "git push --force"), Kind::Deny);
        assert_eq!(kind(&config, "ls && sudo git push --force"), Kind::Deny);
    }
    let denied = said(
        &json!({"rules": [deny]}),
        "Bash",
        &json!({"command": "git push --force"}),
    );
    assert_eq!(
        denied.verdict.text(),
        "`git push --force` is refused by `approval` (rule `git push --force`: history is shared); do it another way, or ask \
         the person to do it"
    );
}

#[test]
fn the_keys_of_the_documentation_work_too() {
    let config = json!({"patterns": ["rm -rf"], "auto_approve": ["make test"], "default_action": "continue"});
    assert_eq!(kind(&config, "make test"), Kind::Continue);
    assert_eq!(kind(&config, "cd x && rm -rf y"), Kind::Ask);
    let errors = ROW
        .made(json!({"auto_approve": true}).as_object().unwrap())
        .err()
        .unwrap();
    assert!(errors.0[0].starts_with("`auto_approve` "), "{errors}");
    assert!(
        ROW.made(json!({"auto_approve": false}).as_object().unwrap())
            .is_ok()
    );
}

#[test]
fn the_default_action_is_for_calls_that_no_rule_is_about() {
    for (action, expected) in [
        ("ask", Kind::Ask),
        ("deny", Kind::Deny),
        ("continue", Kind::Continue),
    ] {
        assert_eq!(kind(&json!({"default_action": action}), "make"), expected);
        let read = said(
            &json!({"default_action": action}),
            "Read",
            &json!({"file_path": "a"}),
        );
        assert!(read.is_identity(), "reading needs no approval");
    }
}

#[test]
fn a_tool_needs_an_approval_by_any_of_its_names() {
    let asks = |config: &Value, tool: &str| {
        said(config, tool, &json!({"file_path": "a"}))
            .verdict
            .kind()
            == Kind::Ask
    };
    for tool in [
        "Write",
        "write_file",
        "Edit",
        "replace",
        "apply_patch",
        "fs_write",
        "NotebookEdit",
    ] {
        assert!(asks(&json!({}), tool), "{tool}");
    }
    let free = json!({"tools": {"Write": {"require_approval": false}}});
    assert!(!asks(&free, "Write") && !asks(&free, "write_file") && asks(&free, "Edit"));
    assert!(asks(&free, "apply_patch"), "it also edits and deletes");
    let named = json!({"policy_driven_only": true, "tools": {"Read": {"require_approval": true}}});
    assert!(asks(&named, "read_file") && !asks(&named, "Write"));
    // Whatever a tool is called: one with a command is a shell.
    let shell = said(&json!({}), "mcp__box__do", &json!({"command": "make"}));
    assert_eq!(shell.verdict.kind(), Kind::Ask);
}

#[test]
fn a_command_with_more_than_a_command_is_not_approved() {
    let config = json!({"rules": [{"pattern": "ls*", "action": "auto_approve"}]});
    let kind = |tool: &str, input: Value| said(&config, tool, &input).verdict.kind();
    assert_eq!(
        kind("Bash", json!({"command": "ls", "timeout": 5})),
        Kind::Continue
    );
    assert_eq!(
        kind("Bash", json!({"command": "ls", "env": {"PATH": "/tmp"}})),
        Kind::Ask
    );
    assert_eq!(
        kind(
            "Bash",
            json!({"command": "ls", "dangerouslyDisableSandbox": true})
        ),
        Kind::Ask
    );
    assert_eq!(
        kind("PowerShell", json!({"command": "ls"})),
        Kind::Ask,
        "another shell reads it otherwise"
    );
}

#[test]
fn a_rule_may_be_about_the_files_of_a_tool() {
    let config = json!({"rules": [
        {"tool": "Write", "pattern": "docs/**", "action": "auto_approve"},
        {"tool": "Edit", "pattern": "*.lock", "action": "auto_deny"},
    ]});
    let kind = |tool: &str, path: &str| {
        said(&config, tool, &json!({"file_path": path}))
            .verdict
            .kind()
    };
    assert_eq!(kind("Write", "docs/a.md"), Kind::Continue);
    assert_eq!(kind("Write", "docs/../src/a.rs"), Kind::Ask);
    assert_eq!(kind("Edit", "Cargo.lock"), Kind::Deny);
}

#[test]
fn the_question_holds_what_was_set() {
    let config = json!({"default_timeout": 30, "on_timeout": "allow"});
    let said = said(&config, "Bash", &json!({"command": "make\u{1b}[2J `x`"}));
    let question = &said.verdict.questions()[0];
    assert_eq!(
        &*question.prompt,
        "Allow Bash `make?[2J ?x?`? (no rule is about it)"
    );
    assert_eq!(
        (question.timeout, question.default),
        (Duration::from_secs(30), Settled::Allow)
    );
    let labels: Vec<&str> = question
        .options
        .iter()
        .map(|choice| &*choice.label)
        .collect();
    assert_eq!(labels, ["Allow", "Allow always", "Deny"]);
}

#[test]
fn wrong_settings_are_all_told_at_once() {
    let config = json!({
        "rules": [{"pattern": "x", "action": "ask"}, {"patern": "x", "action": "allow"}, 7],
        "default_action": "maybe", "default_timeout": 0, "tools": {"Bash": {"require": true}},
    });
    let errors = ROW.made(config.as_object().unwrap()).err().unwrap();
    let named = errors.0.iter().filter_map(|error| error.split('`').nth(1));
    let named: Vec<&str> = named.collect();
    assert_eq!(
        named,
        ["rules", "default_action", "default_timeout", "tools"]
    );
}

/// Says what it is told, and remembers what it was asked.
struct Person(Answer, Mutex<Vec<String>>);

impl Approver for Person {
    fn answer(&self, _: &Event, question: &Question) -> Answer {
        self.1.lock().unwrap().push(question.prompt.to_string());
        self.0
    }
}

fn session(folder: &Path, answer: Answer) -> (Session, Arc<Person>, Arc<Mutex<Vec<String>>>) {
    let person = Arc::new(Person(answer, Mutex::default()));
    let setup = Setup {
        approvers: vec![person.clone()],
        ..Setup::default()
    };
    let session = Session::with("s1", setup);
    ROW.mount_in(Arc::new(world(folder)), &session, &Value::Null)
        .unwrap();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let ours = heard.clone();
    session.hooks().on("approval:*", move |event: &Event| {
        ours.lock().unwrap().push(event.name.as_str().to_owned());
    });
    (session, person, heard)
}

#[test]
fn approval_required_is_emitted_only_when_a_person_is_asked() {
    let place = tempfile::tempdir().unwrap();
    let (session, person, heard) = session(place.path(), Answer::AllowOnce);
    let run = |command: &str| {
        let data = json!({"tool_name": "Bash", "tool_input": {"command": command}});
        session
            .emit_blocking("tool:pre", data)
            .processed
            .result
            .verdict
            .kind()
    };
    assert_eq!(run("ls"), Kind::Continue);
    assert!(heard.lock().unwrap().is_empty(), "a rule decided");
    assert_eq!(run("make"), Kind::Continue);
    let asked = heard.lock().unwrap();
    assert_eq!(
        asked
            .iter()
            .filter(|name| *name == "approval:required")
            .count(),
        1
    );
    assert_eq!(person.1.lock().unwrap().len(), 1);
}
