//! The utilities for authors of modules, as the seed uses them.

use anyhook::Session;
use anyhook::core::effects::Level;
use anyhook::core::event::Event;
use anyhook::core::hook::Hook;
use anyhook::core::question::Answer;
use anyhook::core::result::{HookResult, Kind};
use anyhook::mounts::Cleanup;
use anyhook_testing::{EventRecorder, MockApprover, MockContext, MockCoordinator, TestCoordinator};
use serde_json::{Value, json};

/// The validation hook of the seed.
fn validation(session: &Session, config: &Value) -> Cleanup {
    let blocked: Vec<String> = match config.get("blocked_paths").and_then(Value::as_array) {
        Some(list) => list
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
        None => vec!["/etc".into(), "/root".into()],
    };
    let look = move |event: &Event| {
        let input = event.get("tool_input");
        let path = input
            .as_ref()
            .and_then(|input| input["file_path"].as_str())
            .unwrap_or_default();
        match blocked
            .iter()
            .find(|blocked| path.starts_with(blocked.as_str()))
        {
            Some(blocked) => {
                HookResult::deny(format!("Access to {blocked} is not allowed: denied"))
            }
            None => HookResult::proceed(),
        }
    };
    let handle = session.hooks().register(
        Hook::on("tool:pre", look)
            .named("validate_file_access")
            .priority(10),
    );
    Cleanup::new(move || handle.unregister())
}

#[test]
fn the_test_coordinator_of_the_seed_shows_its_handlers() {
    let coordinator = TestCoordinator::new();
    assert_eq!(coordinator.id(), "test-session");
    assert!(coordinator.hooks.handlers().is_empty());
    assert_eq!(
        coordinator
            .mount("validation", validation, json!({}))
            .error(),
        None
    );
    assert!(!coordinator.hooks.handlers()["tool:pre"].is_empty());

    let write = json!({"tool_name": "write_file", "tool_input": {"file_path": "/etc/passwd"}});
    let acted = coordinator.emit_blocking("tool:pre", write);
    let verdict = &acted.processed.result.verdict;
    assert_eq!(verdict.kind(), Kind::Deny);
    assert!(verdict.text().to_lowercase().contains("denied"));

    assert_eq!(coordinator.unmount("validation"), []);
    assert!(coordinator.hooks.handlers().is_empty());
    // And by its name of old.
    let coordinator = MockCoordinator::new();
    coordinator.mount("validation", validation, json!({"blocked_paths": ["/srv"]}));
    assert_eq!(
        coordinator.hooks.handlers()["tool:pre"],
        ["validate_file_access"]
    );
}

#[test]
fn the_event_recorder_of_the_seed_keeps_events_with_their_data() {
    let recorder = EventRecorder::new();
    assert!(
        recorder
            .record("tool:pre", json!({"tool_name": "write_file"}))
            .is_identity()
    );
    recorder.record("PostToolUse", json!({"tool_name": "read_file"}));
    let events = recorder.get_events(None);
    assert_eq!(events.len(), 2);
    assert_eq!(
        (&*events[0].0, &events[0].1["tool_name"]),
        ("tool:pre", &json!("write_file"))
    );
    assert_eq!(recorder.get_events(Some("tool:post")), [events[1].clone()]);
    assert_eq!(recorder.get_events(Some("tool:*")), events);
    assert_eq!(recorder.get_events(Some("stop")), []);
    assert_eq!(
        recorder.filter(|_, data| data["tool_name"] == "read_file"),
        [events[1].clone()]
    );
    recorder.clear();
    assert_eq!(recorder.names(), [""; 0]);
}

#[test]
fn a_recorder_keeps_what_the_hooks_made_of_an_event() {
    let coordinator = TestCoordinator::new();
    coordinator.hooks.on("tool:pre", |_: &Event| {
        HookResult::proceed().modify("tool_input", json!({"command": "ls"}))
    });
    let input = json!({"tool_input": {"command": "rm"}});
    coordinator.emit_blocking("tool:pre", input.clone());
    let kept = &coordinator.recorder.get_events(Some("tool:pre"))[0].1;
    assert_eq!(kept["tool_input"]["command"], "ls");
    // What is kept is a copy: no one changes it afterwards.
    assert_eq!(input["tool_input"]["command"], "rm");
}

#[test]
fn a_refusal_is_recorded_and_each_step_of_an_approval() {
    let coordinator =
        TestCoordinator::asking(MockApprover::answering([Answer::Deny, Answer::AllowOnce]));
    coordinator
        .hooks
        .on("tool:pre", |_: &Event| HookResult::ask("push to `main`?"));
    let kinds = [1, 2, 3].map(|_| {
        coordinator
            .emit_blocking("tool:pre", json!({}))
            .processed
            .result
            .verdict
            .kind()
    });
    assert_eq!(kinds, [Kind::Deny, Kind::Continue, Kind::Continue]);
    assert_eq!(coordinator.approver.asked(), ["push to `main`?"; 3]);
    assert_eq!(
        coordinator
            .recorder
            .get_events(Some("approval:*"))
            .iter()
            .map(|(name, _)| &**name)
            .collect::<Vec<_>>(),
        [
            "approval:required",
            "approval:requested",
            "approval:decision",
            "approval:denied",
            "approval:required",
            "approval:requested",
            "approval:decision",
            "approval:granted",
            "approval:required",
            "approval:requested",
            "approval:decision",
            "approval:granted"
        ]
    );
}

#[test]
fn surroundings_that_fail_leave_what_was_said_in_the_result() {
    let say = |_: &Event| HookResult::proceed().inject("a text").notify("a note");
    let coordinator = TestCoordinator::with(
        MockApprover::default(),
        MockContext::failing("it is locked"),
        anyhook::session::Setup::default(),
    );
    coordinator.hooks.on("tool:post", say);
    let acted = coordinator.emit_blocking("tool:post", json!({}));
    assert_eq!(acted.processed.result.effects.inject().len(), 1);
    assert_eq!(
        (
            coordinator.context.texts(),
            coordinator.display.shown().len()
        ),
        (vec![], 1)
    );
    assert_eq!(coordinator.display.shown()[0].0, Level::Info);
}

#[test]
fn the_checks_of_any_module_pass_for_a_good_one_and_tell_what_is_wrong_with_a_bad_one() {
    anyhook_testing::module("validation", validation, json!({})).unwrap();
    let rude = |session: &Session, _: &Value| {
        let deny = |_: &Event| HookResult::deny("");
        session
            .hooks()
            .register(Hook::on("tool:pre", deny).named("rude"));
    };
    let failed = anyhook_testing::module("rude", rude, json!({})).unwrap_err();
    let text = failed.to_string();
    assert!(text.contains("results: asked about `tool:pre`"), "{text}");
}
