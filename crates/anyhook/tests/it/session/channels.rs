//! What modules share: contributions and capabilities.

use anyhook::session::OBSERVABLE;

use super::*;

#[test]
fn contributions_come_in_the_order_of_registration_and_null_is_none() {
    let session = Session::with("s1", setup());
    session.register_contributor("tools", "a", || "hammer");
    session.register_contributor("tools", "b", || Value::Null);
    session.register_contributor_async("tools", "c", || async { json!({"saw": 2}) });
    session.register_contributor("tools", "a", || 7);
    let given = session.collect_contributions_blocking("tools");
    let expected = [
        ("a", json!("hammer")),
        ("c", json!({"saw": 2})),
        ("a", json!(7)),
    ];
    assert_eq!(
        given.given,
        expected.map(|(name, value)| (Box::from(name), value))
    );
    assert_eq!(session.collect_contributions_blocking("nobody").given, []);
}

#[test]
fn a_contributor_that_panics_harms_no_other_and_is_told() {
    let session = Session::with("s1", setup());
    let audit = Audit::of(
        &session,
        "hook:error",
        &["hook_name", "hook_event", "error"],
    );
    session.register_contributor("tools", "bad", || -> Value { panic!("no tools") });
    session.register_contributor_async("tools", "worse", || async {
        assert!(std::hint::black_box(false), "none");
    });
    session.register_contributor("tools", "good", || "hammer");
    let all = session.collect_contributions_blocking("tools");
    assert_eq!(all.values().collect::<Vec<_>>(), [&json!("hammer")]);
    let failed: Vec<&str> = all.faults.iter().map(|failed| &*failed.hook).collect();
    assert_eq!(failed, ["bad", "worse"]);
    assert_eq!(
        audit.take()[0],
        json!({
            "event": "hook:error", "hook_name": "bad", "hook_event": "tools",
            "error": "the handler panicked: no tools",
        })
    );
}

#[test]
fn a_contributor_may_register_and_collect_and_a_name_of_a_channel_is_no_pattern() {
    let session = Session::with("s1", setup());
    let inner = session.clone();
    session.register_contributor("tools", "a", move || {
        inner.register_contributor("other", "b", || 1);
        let other = inner.collect_contributions_blocking("other");
        other.given.len()
    });
    session.register_contributor("*", "c", || "everywhere");
    session.register_contributor("PreToolUse", "d", || "alias");
    let count = |channel| session.collect_contributions_blocking(channel).given.len();
    assert_eq!(
        (
            count("tools"),
            count("*"),
            count("tool:pre"),
            count("PreToolUse")
        ),
        (1, 1, 0, 1)
    );
}

#[test]
fn a_contributor_leaves_by_its_handle() {
    let session = Session::with("s1", setup());
    let handle = session.register_contributor("tools", "a", || 1);
    handle.unregister();
    assert_eq!(session.collect_contributions_blocking("tools").given, []);
}

#[test]
fn a_handler_of_everything_hears_the_events_that_modules_name() {
    let session = Session::with("s1", setup());
    session.register_contributor(OBSERVABLE, "my-hook", || {
        vec!["my-hook:failed", "my-hook:approved"]
    });
    session.register_contributor(OBSERVABLE, "other", || "other:done");
    session.register_contributor(OBSERVABLE, "odd", || json!([1]));
    let all = Audit::of(&session, "*", &[]);
    let (events, faults) = pollster::block_on(session.observable_events());
    all.take();
    let named: Vec<&String> = events
        .iter()
        .filter(|name| name.starts_with("my-hook:") || name.starts_with("other:"))
        .collect();
    assert_eq!(named, ["my-hook:approved", "my-hook:failed", "other:done"]);
    for event in &named {
        session.hooks().emit_blocking(event, json!({}));
    }
    assert_eq!(
        all.names(),
        ["my-hook:approved", "my-hook:failed", "other:done"]
    );
    assert_eq!(faults.len(), 1);
    assert_eq!(
        faults[0].fault.to_string(),
        "it names events by `[1]`, which is no list of texts"
    );
}

#[test]
fn the_last_capability_of_a_name_holds_and_another_kind_is_none() {
    let session = Session::with("s1", setup());
    assert!(
        session
            .register_capability("dir", String::from("/a"))
            .is_none()
    );
    let before = session
        .register_capability("dir", String::from("/b"))
        .unwrap();
    assert_eq!(before.downcast_ref::<String>().unwrap(), "/a");
    assert_eq!(*session.get_capability::<String>("dir").unwrap(), "/b");
    assert!(session.get_capability::<u64>("dir").is_none());
    assert!(session.get_capability::<String>("nothing").is_none());
}
