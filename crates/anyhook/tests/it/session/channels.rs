//! What modules share: contributions.

use super::*;

#[test]
fn contributions_come_in_the_order_of_registration_and_null_is_none() {
    let session = session(|_| ());
    session.register_contributor("tools", "a", || "hammer");
    session.register_contributor("tools", "b", || Value::Null);
    session.register_contributor("tools", "c", || json!({"saw": 2}));
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
    let session = session(|_| ());
    let audit = Audit::of(&session, "hook:error", "hook_name hook_event error");
    session.register_contributor("tools", "bad", || -> Value { panic!("no tools") });
    session.register_contributor("tools", "good", || "hammer");
    let all = session.collect_contributions_blocking("tools");
    assert_eq!(all.values().collect::<Vec<_>>(), [&json!("hammer")]);
    let failed: Vec<&str> = all.faults.iter().map(|failed| &*failed.hook).collect();
    assert_eq!(failed, ["bad"]);
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
    let session = session(|_| ());
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
    let session = session(|_| ());
    let handle = session.register_contributor("tools", "a", || 1);
    handle.unregister();
    assert_eq!(session.collect_contributions_blocking("tools").given, []);
}
