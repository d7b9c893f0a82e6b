//! Coming and going.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use anyhook_registry::HookRegistry;
use anyhook_registry::SystemClock;
use anyhook_registry::core::event::Event;
use anyhook_registry::core::fault::Fault;
use anyhook_registry::core::handler::{HandlerReply, HookHandler};
use anyhook_registry::core::hook::Hook;
use anyhook_registry::core::report::SkipReason;
use anyhook_registry::core::result::HookResult;
use anyhook_registry::registry::Patience;
use serde_json::json;

use super::{Log, names, registry};

fn emit(registry: &HookRegistry, event: &str) {
    registry.emit_blocking(event, json!({}));
}

#[test]
fn a_handle_removes_its_own_registration_and_no_other_of_its_name() {
    let (registry, log) = (registry(), Log::default());
    let pre = registry.register(log.hook("tool:pre", "audit"));
    let post = registry.register(log.hook("tool:post", "audit"));
    let again = registry.register(log.hook("tool:pre", "audit"));
    pre.unregister();
    pre.unregister();
    let all = |pre: &[&str], post: &[&str]| {
        let list = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        BTreeMap::from([
            ("tool:pre".to_owned(), list(pre)),
            ("tool:post".to_owned(), list(post)),
        ])
    };
    assert_eq!(registry.list_handlers(None), all(&["audit"], &["audit"]));
    post.unregister();
    assert_eq!(registry.list_handlers(None), all(&["audit"], &[]));
    again.unregister();
    assert_eq!(registry.list_handlers(None), all(&[], &[]));
    emit(&registry, "tool:pre");
    assert_eq!(log.take(), Vec::<String>::new());
}

#[test]
fn a_handle_of_a_registry_that_is_gone_does_nothing() {
    let handle = registry().on("tool:pre", |_: &Event| ());
    handle.unregister();
    assert!(format!("{handle:?}").starts_with("Handle { event: tool:pre, name: "));
}

#[test]
fn unregistering_by_name_removes_the_newest_of_that_name() {
    let (registry, log) = (registry(), Log::default());
    registry.register(log.hook("tool:pre", "x"));
    registry.register(log.hook("tool:post", "x").priority(-1));
    registry.register(log.hook("tool:pre", "y"));
    assert!(registry.unregister("x"));
    let pre = ("tool:pre".to_owned(), vec!["x".to_owned(), "y".to_owned()]);
    let post = ("tool:post".to_owned(), vec![]);
    assert_eq!(registry.list_handlers(None), BTreeMap::from([pre, post]));
    assert!(registry.unregister("x"));
    assert!(!registry.unregister("x"));
    assert!(!registry.unregister("nobody"));
}

#[test]
fn an_unknown_event_is_listed_as_empty() {
    let registry = registry();
    let listed = registry.list_handlers(Some("my-hook:debug"));
    assert_eq!(
        listed,
        BTreeMap::from([("my-hook:debug".to_owned(), vec![])])
    );
    assert_eq!(registry.list_handlers(None), BTreeMap::new());
}

#[test]
fn a_star_subscribes_to_many_events_in_one_order_with_the_others() {
    let (registry, log) = (registry(), Log::default());
    registry.register(log.hook("*", "all").priority(1));
    registry.register(log.hook("tool:*", "tools").priority(2));
    registry.register(log.hook("*:pre", "pre"));
    registry.register(log.hook("tool:pre", "one").priority(2));
    registry.register(log.hook("t*:*e", "late").priority(3));
    let mut asked = Vec::new();
    for event in ["tool:pre", "tool:post", "session:start", "my:pre"] {
        emit(&registry, event);
        asked.push(log.take());
    }
    let expected = [
        vec!["pre", "all", "tools", "one", "late"],
        vec!["all", "tools"],
        vec!["all"],
        vec!["pre", "all"],
    ];
    assert_eq!(asked, expected);
    assert_eq!(names(&registry, "tool:pre"), expected[0]);
}

#[test]
fn a_pattern_that_comes_or_goes_between_two_emits_counts() {
    let (registry, log) = (registry(), Log::default());
    registry.register(log.hook("tool:pre", "one"));
    emit(&registry, "tool:pre");
    let all = registry.register(log.hook("*", "all"));
    emit(&registry, "tool:pre");
    all.unregister();
    emit(&registry, "tool:pre");
    assert_eq!(log.take(), ["one", "one", "all", "one"]);
}

#[test]
fn a_hook_for_one_time_is_asked_once_and_gone() {
    let (registry, log) = (registry(), Log::default());
    registry.register(log.hook("tool:*", "once").once());
    registry.register(log.hook("tool:pre", "always"));
    for event in ["session:start", "tool:pre", "tool:pre", "tool:post"] {
        emit(&registry, event);
    }
    assert_eq!(log.take(), ["once", "always", "always"]);
    assert_eq!(names(&registry, "tool:pre"), ["always"]);
}

/// Passes over every event but one.
struct Only(&'static str, Log);

impl HookHandler for Only {
    fn handle<'a>(&'a self, event: &'a Event) -> HandlerReply<'a> {
        let Self(word, log) = self;
        if event.text("word").as_deref() != Some(*word) {
            return HandlerReply::Ready(Err(Fault::not_asked(SkipReason::Condition).into()));
        }
        log.note(*word);
        HandlerReply::Ready(Ok(HookResult::proceed()))
    }
}

#[test]
fn a_hook_for_one_time_that_passes_an_event_over_has_its_time_still_before_it() {
    for isolating in [false, true] {
        let registry = if isolating {
            HookRegistry::isolating(Arc::new(SystemClock::default()), Duration::from_mins(5))
        } else {
            registry()
        };
        let log = Log::default();
        registry.register(
            Hook::on("tool:pre", Only("go", log.clone()))
                .named("only")
                .once(),
        );
        let gone = registry.register(
            Hook::on("tool:pre", Only("go", log.clone()))
                .named("gone")
                .once(),
        );
        registry.emit_blocking("tool:pre", json!({"word": "wait"}));
        registry.collect_blocking("tool:pre", json!({"word": "wait"}), Patience::default());
        assert_eq!(
            names(&registry, "tool:pre"),
            ["only", "gone"],
            "{isolating}"
        );
        gone.unregister();
        for _ in 0..2 {
            registry.emit_blocking("tool:pre", json!({"word": "go"}));
        }
        assert_eq!(log.take(), ["go"], "{isolating}");
        assert_eq!(names(&registry, "tool:pre"), [""; 0], "{isolating}");
    }
}

#[test]
fn what_a_handler_owns_may_use_the_registry_when_it_goes() {
    struct Leaving(HookRegistry);
    impl Drop for Leaving {
        fn drop(&mut self) {
            assert!(self.0.unregister("friend"));
        }
    }
    let registry = registry();
    registry.register(Hook::on("tool:pre", |_: &Event| ()).named("friend"));
    let leaving = Arc::new(Leaving(registry.clone()));
    let owner = registry.on("tool:pre", move |_: &Event| drop(Arc::clone(&leaving)));
    emit(&registry, "tool:pre");
    owner.unregister();
    assert_eq!(names(&registry, "tool:pre"), Vec::<String>::new());
}
