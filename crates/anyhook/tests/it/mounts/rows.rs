//! The rows of `reference/amplifier.md` 1.10 about modules, as a user would expect them.

use std::path::Path;

use anyhook::Session;
use anyhook::core::event::Event;
use anyhook::core::hook::Hook;
use anyhook::core::result::HookResult;
use anyhook::mounts::Catalogue;
use serde_json::{Value, json};

use super::{heard, plan, refusal, session, told};

#[test]
fn a_mount_without_a_cleanup_leaves_nothing_behind() {
    let catalogue = Catalogue::default().with("plain", |session: &Session, _: &Value| {
        session.hooks().register(refusal("tool:pre", "plain", "no"));
    });
    let session = session();
    let plan = plan(Path::new(""), "hooks: [{module: plain}]");
    for _ in 0..3 {
        assert_eq!(
            told(&catalogue.mount_blocking(&session, &plan)),
            ["plain: 1 handlers"]
        );
        assert_eq!(
            heard(&session, "tool:pre"),
            ["plain"],
            "one handler after each remount"
        );
        assert_eq!(session.unmount_blocking("plain"), []);
        assert_eq!(heard(&session, "tool:pre"), [""; 0]);
    }
    assert!(
        session
            .emit_blocking("tool:pre", json!({}))
            .processed
            .result
            .is_identity()
    );
}

#[test]
fn a_priority_beside_the_module_wins_over_its_own() {
    let named = |name: &'static str, own: i32| {
        move |session: &Session, _: &Value| {
            let say = move |_: &Event| HookResult::proceed().inject(name);
            session
                .hooks()
                .register(Hook::on("prompt:submit", say).named(name).priority(own));
        }
    };
    let catalogue = Catalogue::default()
        .with("late", named("late", 90))
        .with("early", named("early", 10));
    let order = |text: &str| {
        let session = session();
        catalogue.mount_blocking(&session, &plan(Path::new(""), text));
        heard(&session, "prompt:submit")
    };
    assert_eq!(
        order("hooks: [{module: late}, {module: early}]"),
        ["early", "late"]
    );
    assert_eq!(
        order("hooks: [{module: late, priority: 5}, {module: early}]"),
        ["late", "early"]
    );
    assert_eq!(
        order("hooks: [{module: late}, {module: early, priority: 95}]"),
        ["late", "early"]
    );
}
