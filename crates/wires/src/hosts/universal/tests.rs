use proptest::prelude::*;
use serde_json::json;

use super::*;
use anyhook_core::result::HookResult;

fn read(payload: &Value) -> Result<Event, DecodeError> {
    UNIVERSAL.read_event(payload.to_string().as_bytes(), None)
}

#[test]
fn both_spellings_are_the_same_event() {
    let camel = json!({"hookEventName": "pre-tool-use", "toolName": "Write", "toolInput": {"file_path": "a"},
        "sessionId": "s1", "stopHookActive": false});
    let snake = json!({"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": {"file_path": "a"},
        "session_id": "s1", "stop_hook_active": false});
    let mut both = camel.clone();
    both.as_object_mut()
        .unwrap()
        .extend(snake.as_object().unwrap().clone());
    for payload in [camel, snake.clone(), both] {
        let event = read(&payload).unwrap();
        assert_eq!(event.name.as_str(), "tool:pre");
        assert_eq!(event.subject.as_deref(), Some("Write"));
        assert!(event.also.contains(&"apply_patch"));
        assert_eq!(event.session(), Some("s1"));
        let mut data = snake.as_object().unwrap().clone();
        data.shift_remove("hook_event_name");
        assert_eq!(*event.data.json(), data);
    }
}

#[test]
fn twins_that_disagree_are_refused() {
    for row in include_str!("refused.txt").lines().skip(1) {
        let (payload, what) = row.split_once(" ⇒ ").unwrap();
        let payload = serde_json::from_str(payload).unwrap();
        assert_eq!(read(&payload).unwrap_err().what, what, "{payload}");
    }
}

#[test]
fn an_event_of_an_own_program_is_read_and_answered() {
    let event = read(&json!({"hookEventName": "my-hook:debug", "depth": 1})).unwrap();
    assert_eq!(
        UNIVERSAL.write_event(&event),
        json!({"hookEventName": "my-hook:debug", "hook_event_name": "my-hook:debug", "depth": 1})
    );
    let reply = UNIVERSAL.write_result(&event, &HookResult::deny("no"));
    let answer: Value = serde_json::from_str(&reply.stdout).unwrap();
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny");
}

#[test]
fn the_result_of_a_tool_is_known_by_its_former_name() {
    let event = read(&json!({"hookEventName": "post-tool-use", "toolResponse": "done"})).unwrap();
    assert_eq!(event.data.json()["tool_result"], "done");
}

#[test]
fn a_canonical_field_wins_over_a_strangers_twin() {
    let event = Event::new(
        "stop",
        json!({"tool_input": {"a": 1}, "toolInput": {"a": 2}}),
    );
    assert_eq!(UNIVERSAL.write_event(&event)["toolInput"], json!({"a": 1}));
}

#[test]
fn only_names_that_come_back_are_turned() {
    let turned = [
        ("tool_input", Some("toolInput")),
        ("sha256_sum", Some("sha256Sum")),
        ("stop", None),
        ("a_1", None),
        ("_a", None),
        ("a_", None),
        ("a__b", None),
        ("A_b", None),
        ("claude-code", None),
        ("", None),
    ];
    for (name, camel) in turned {
        assert_eq!(names::camel(name).as_deref(), camel, "{name}");
    }
    for name in [
        "",
        "Tool",
        "tool",
        "tool_input",
        "tool-Input",
        "1A",
        "ünicodeA",
    ] {
        assert_eq!(names::snake(name), None, "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn turning_a_name_twice_gives_it_back(name in "[a-zA-Z0-9_]{0,12}") {
        if let Some(snake) = names::snake(&name) {
            prop_assert_eq!(names::camel(&snake), Some(name.clone()));
        }
        if let Some(camel) = names::camel(&name) {
            prop_assert_eq!(names::snake(&camel), Some(name));
        }
    }
}

#[test]
fn the_files_that_are_shown_are_those_of_the_patch_as_it_is_now() {
    let input =
        json!({"patch": "*** Add File: .env\n+x", "files": [{"path": "a", "change": "add"}]});
    let event = Event::new(
        "tool:pre",
        json!({"tool_name": "apply_patch", "tool_input": input}),
    );
    let shown = UNIVERSAL.write_event(&event);
    assert_eq!(
        shown["tool_input"]["files"],
        json!([{"path": ".env", "change": "add"}])
    );
}
