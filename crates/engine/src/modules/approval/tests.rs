use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhook_core::ports::Approver;
use anyhook_core::question::{Answer, DefaultAnswer};
use anyhook_core::result::Kind;
use serde_json::json;

use super::*;
use crate::Session;
use crate::session::Setup;
use crate::tests::world;
use crate::world::RunMode;

fn said(config: &Value, tool: &str, input: &Value) -> HookResult {
    let place = tempfile::tempdir().unwrap();
    let world = world(place.path());
    let around = ModuleContext {
        world: &world,
        project: place.path(),
        pass: RunMode::Told,
    };
    let event = Event::new("tool:pre", json!({"tool_name": tool, "tool_input": input}));
    let made = ROW.made(config.as_object().unwrap()).unwrap();
    made.answer(&event, &around).unwrap()
}

/// The call of a row: a tool and its input parted by a tab, or a command line.
fn call(row: &str) -> (&str, Value) {
    match row.split_once('\t') {
        Some((tool, input)) => (tool, serde_json::from_str(input).unwrap()),
        None => ("Bash", json!({"command": row.replace('⏎', "\n")})),
    }
}

#[test]
fn what_the_module_says_to_each_call_under_each_setting() {
    let (mut config, mut expected) = (json!({}), "");
    for row in include_str!("lines.txt").lines() {
        if let Some(row) = row.strip_prefix("    ") {
            let (tool, input) = call(row);
            let said = said(&config, tool, &input);
            assert_eq!(
                format!("{:?}", said.verdict.kind()),
                expected,
                "{config}: {row}"
            );
            assert_eq!(
                said.is_identity(),
                expected == "Continue",
                "{config}: {row}"
            );
        } else if let Some(kind) = row.strip_prefix("  ") {
            expected = kind;
        } else if row.starts_with('{') {
            config = serde_json::from_str(row).unwrap();
        }
    }
}

#[test]
fn a_refusal_names_the_call_its_rule_and_what_to_do() {
    let deny = json!({"pattern": "git push --force", "action": "auto_deny", "description": "history is shared"});
    let input = json!({"command": "git push --force"});
    let denied = said(&json!({"rules": [deny]}), "Bash", &input);
    assert_eq!(
        denied.verdict.text(),
        "`git push --force` is refused by `approval` (rule `git push --force`: history is shared); do it another way, or ask \
         the person to do it"
    );
}

#[test]
fn a_key_of_the_documentation_may_be_off_and_not_on() {
    let made = |is_on: bool| ROW.made(json!({"auto_approve": is_on}).as_object().unwrap());
    let errors = made(true).err().unwrap();
    assert!(errors.0[0].starts_with("`auto_approve` "), "{errors}");
    assert!(made(false).is_ok());
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
        (Duration::from_secs(30), DefaultAnswer::Allow)
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
