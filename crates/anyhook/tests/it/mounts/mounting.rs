//! Mounting: in order, once, each for itself, and nothing left.

use std::path::Path;

use anyhook::Session;
use anyhook::core::effects::{Level, Notice};
use anyhook::core::event::Event;
use anyhook::core::hook::Hook;
use anyhook::core::result::{HookResult, Kind};
use anyhook::mounts::{Catalogue, Cleanup, ModuleEntry, Mount, MountFuture};
use anyhook::session::{OBSERVABLE, SessionOrigin, Setup};
use serde_json::{Value, json};

use super::{Diary, heard, mounted, plan, refusal, session, world};

/// A module that writes down when it is mounted, ready and cleaned up.
fn diarist(diary: &Diary, name: &'static str) -> impl Mount + use<> {
    let diary = diary.clone();
    move |session: &Session, _: &Value| {
        diary.write(format!("{name} mounted"));
        let ready = diary.clone();
        session.on_session_ready(name, move |_: &Session| {
            ready.write(format!("{name} ready"));
        });
        diary.cleanup(&format!("{name} cleaned up"))
    }
}

#[test]
fn modules_are_mounted_in_the_order_of_the_plan_and_cleaned_up_in_reverse() {
    let diary = Diary::default();
    let with = |all: Catalogue, name| all.with(name, diarist(&diary, name));
    let catalogue = ["a", "b", "c"].into_iter().fold(Catalogue::default(), with);
    let session = session();
    let plan = "hooks: [{module: c}, {module: a}, {module: b}]";
    assert_eq!(
        mounted(&catalogue, &session, plan),
        ["c: 0 handlers", "a: 0 handlers", "b: 0 handlers"]
    );
    assert_eq!(session.modules(), ["c", "a", "b"]);
    session.start_blocking(SessionOrigin::New);
    session.end_blocking("done");
    assert_eq!(
        diary.take(),
        [
            "c mounted",
            "a mounted",
            "b mounted",
            "c ready",
            "a ready",
            "b ready",
            "b cleaned up",
            "a cleaned up",
            "c cleaned up",
        ]
    );
    let over = "c: session_over: the session is over";
    assert_eq!(mounted(&catalogue, &session, plan)[0], over);
}

#[test]
fn a_module_is_mounted_once_for_each_configuration() {
    let catalogue = Catalogue::default().with("deny", |session: &Session, config: &Value| {
        let event = config["event"].as_str().unwrap_or("tool:pre").to_owned();
        session.hooks().register(refusal(&event, "deny", "no"));
    });
    let session = session();
    let twice = "hooks: [{module: deny}, {module: deny}, {module: deny, config: {event: stop}}]";
    let many = || ["tool:pre", "stop"].map(|event| heard(&session, event).len());
    let (new, old) = ("deny: 1 handlers", "deny: was there");
    assert_eq!(mounted(&catalogue, &session, twice), [new, old, new]);
    assert_eq!(mounted(&catalogue, &session, twice), [old; 3]);
    assert_eq!(many(), [1, 1]);

    // Both go by their name, and may come again.
    assert_eq!(session.unmount_blocking("deny"), []);
    assert_eq!(many(), [0, 0]);
    assert_eq!(mounted(&catalogue, &session, twice)[0], new);
}

/// A module that fails after it registered everything there is.
fn failing(how: &'static str, diary: &Diary) -> impl Mount + use<> {
    let diary = diary.clone();
    move |session: &Session, _: &Value| {
        session
            .hooks()
            .register(refusal("tool:pre", "left behind", "left behind"));
        session.hooks().on("*", |_: &Event| ());
        session.register_contributor(OBSERVABLE, "left behind", || vec!["left:behind"]);
        session.on_session_ready("left behind", |_: &Session| -> () { panic!("never") });
        let closed = diary.clone();
        session.register_cleanup("file", move || closed.write("closed"));
        match how {
            "panics" => panic!("out of luck"),
            how => Err::<(), _>(how),
        }
    }
}

#[test]
fn a_failing_module_is_told_leaves_nothing_and_the_others_mount() {
    let diary = Diary::default();
    let good = |session: &Session, _: &Value| {
        let good = refusal("tool:pre", "good", "good");
        session.hooks().register(good);
    };
    let failures = diary.clone();
    let catalogue = Catalogue::default()
        .with("log", move |session: &Session, _: &Value| {
            let failures = failures.clone();
            let write = move |event: &Event| {
                let field = |name: &str| event.text(name).unwrap_or_default().into_owned();
                failures.write(["module_id", "reason_code", "error"].map(field).join(" "));
            };
            let log = Hook::on("module:load_failed", write).named("log");
            session.hooks().register(log);
        })
        .with("good", good)
        .with("errs", failing("no licence", &Diary::default()))
        .with("panics", failing("panics", &diary));
    let session = session();
    let plan = "hooks: [{module: errs}, {module: panics}, {module: nobody}, {module: good}, {module: log}]";
    assert_eq!(
        mounted(&catalogue, &session, plan),
        [
            "errs: failed: no licence",
            "panics: panicked: it panicked while it was mounted: out of luck",
            "nobody: not_found: no module is called `nobody`",
            "good: 1 handlers",
            "log: 1 handlers",
        ]
    );
    // The module that is mounted last hears of the first failure too, and the cleanup of what failed has run.
    assert_eq!(
        diary.take(),
        [
            "closed",
            "errs failed no licence",
            "panics panicked it panicked while it was mounted: out of luck",
            "nobody not_found no module is called `nobody`"
        ]
    );
    assert_eq!(session.modules(), ["good", "log"]);
    assert_eq!(heard(&session, "tool:pre"), ["good"]);
    assert_eq!(session.collect_contributions_blocking(OBSERVABLE).given, []);
    // What wanted to be ready is gone.
    let acted = session.start_blocking(SessionOrigin::New).unwrap();
    assert_eq!(acted.processed.faults, []);
    assert_eq!(session.end_blocking("done").faults, []);
    assert_eq!(diary.take(), Vec::<String>::new(), "a cleanup runs once");
}

#[test]
fn a_cleanup_that_waits_is_awaited() {
    struct Waits(Diary);
    impl Mount for Waits {
        fn mount<'a>(&'a self, _: &'a Session, _: &'a Value) -> MountFuture<'a> {
            let diary = self.0.clone();
            Box::pin(async move {
                futures_yield().await;
                diary.write("mounted");
                let cleanup = Cleanup::later(move || async move {
                    futures_yield().await;
                    diary.write("cleaned up");
                });
                Ok(Some(cleanup))
            })
        }
    }
    let diary = Diary::default();
    let session = session();
    let catalogue = Catalogue::default().with("waits", Waits(diary.clone()));
    catalogue.mount_blocking(&session, &vec![ModuleEntry::new("waits", json!({}))].into());
    assert_eq!(session.end_blocking("done").faults, []);
    assert_eq!(diary.take(), ["mounted", "cleaned up"]);
}

/// Is ready at its second poll.
async fn futures_yield() {
    let mut polled = false;
    std::future::poll_fn(move |context| {
        if std::mem::replace(&mut polled, true) {
            return std::task::Poll::Ready(());
        }
        context.waker().wake_by_ref();
        std::task::Poll::Pending
    })
    .await;
}

#[test]
fn a_handler_that_registers_later_registers_on_the_account_of_its_module() {
    let catalogue = Catalogue::default().with("later", |session: &Session, _: &Value| {
        let hooks = session.hooks();
        let lent = hooks.lending(|_: &Event, hooks: &anyhook::HookRegistry| {
            hooks.register(refusal("tool:pre", "later", "no"));
        });
        hooks.register(Hook::on("prompt:submit", lent).named("prompt"));
    });
    let session = session();
    catalogue.mount_blocking(&session, &vec![ModuleEntry::new("later", json!({}))].into());
    session.emit_blocking("prompt:submit", json!({}));
    assert_eq!(heard(&session, "tool:pre"), ["later"]);
    session.unmount_blocking("later");
    assert_eq!(heard(&session, "tool:pre"), [""; 0]);
}

#[test]
fn a_module_hears_the_enabled_events_alone() {
    let diary = Diary::default();
    let written = diary.clone();
    let catalogue = Catalogue::default().with("audit", move |session: &Session, config: &Value| {
        assert!(
            config["enabled_events"].is_array(),
            "the module reads its whole configuration"
        );
        let (all, seen) = (written.clone(), written.clone());
        let hooks = session.hooks();
        let any = move |event: &Event| all.write(format!("any {}", event.name));
        hooks.register(Hook::on("*", any).named("any"));
        hooks.register(refusal("stop", "stop", "no"));
        hooks.register(refusal("tool:post", "post", "no"));
        let observes = move |event: &Event| seen.write(format!("seen {}", event.name));
        hooks.register(Hook::on("*", observes).named("sees").observing());
    });
    let session = session();
    let text = "hooks: [{module: audit, config: {enabled_events: [PreToolUse, 'tool:p*st']}}]";
    let outcomes = mounted(&catalogue, &session, text);
    assert_eq!(outcomes, ["audit: 4 handlers"]);
    assert!(!heard(&session, "stop").contains(&"stop".to_owned()));
    for event in ["tool:pre", "tool:post", "stop", "prompt:submit"] {
        session.emit_blocking(event, json!({}));
    }
    assert_eq!(
        diary.take(),
        [
            "any tool:pre",
            "seen tool:pre",
            "any tool:post",
            "seen tool:post"
        ]
    );
}

#[test]
fn a_log_level_hides_what_is_less_and_debug_tells_what_is_registered() {
    let catalogue = Catalogue::default().with("talks", |session: &Session, _: &Value| {
        let talk = |_: &Event| {
            let quiet = HookResult::proceed().notify("a detail");
            let warn = HookResult::proceed().notifying(Notice::new("careful").at(Level::Warning));
            let error = HookResult::proceed().notifying(Notice::new("broken").at(Level::Error));
            quiet.then(warn).then(error)
        };
        session
            .hooks()
            .register(Hook::on("tool:pre", talk).named("talks"));
    });
    let shown = |level: &str| {
        let screen = std::sync::Arc::new(Screen::default());
        let display = screen.clone();
        let setup = Setup {
            display: Some(display),
            ..Setup::default()
        };
        let session = Session::with("s1", setup);
        let text =
            format!("hooks: [{{module: talks, priority: 30, config: {{log_level: {level}}}}}]");
        mounted(&catalogue, &session, &text);
        session.emit_blocking("tool:pre", json!({}));
        screen.0.take()
    };
    assert_eq!(
        shown("debug"),
        [
            "talks: registered `talks` for `tool:pre`, priority 0",
            "talks: a detail",
            "talks: careful",
            "talks: broken"
        ]
    );
    assert_eq!(
        shown("info"),
        ["talks: a detail", "talks: careful", "talks: broken"]
    );
    assert_eq!(shown("WARN"), ["talks: careful", "talks: broken"]);
    assert_eq!(shown("error"), ["talks: broken"]);
    assert_eq!(shown("off"), [""; 0]);
}

#[derive(Default)]
struct Screen(Diary);

impl anyhook::session::Display for Screen {
    fn show(
        &self,
        shown: &anyhook::session::DisplayMessage<'_>,
    ) -> Result<(), anyhook::session::PortError> {
        self.0.write(format!("{}: {}", shown.source, shown.text));
        Ok(())
    }
}

#[test]
fn two_threads_that_mount_one_plan_mount_it_once() {
    let catalogue = Catalogue::default().with("deny", |session: &Session, _: &Value| {
        session.hooks().register(refusal("tool:pre", "deny", "no"));
    });
    let session = session();
    let plan = plan(Path::new(""), "hooks: [{module: deny}]");
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| catalogue.mount_blocking(&session, &plan));
        }
    });
    assert_eq!(heard(&session, "tool:pre"), ["deny"]);
}

#[test]
fn a_module_that_is_built_in_is_mounted_by_its_name() {
    let place = tempfile::tempdir().unwrap();
    let session = session();
    let text = "hooks:\n- module: guard\n  source: file-guard\n  config: {blocked_paths: ['.env*']}\n- module: file-guard\n  config: {bloked_paths: []}\n";
    let outcomes =
        Catalogue::new(world(place.path())).mount_blocking(&session, &plan(place.path(), text));
    assert_eq!(outcomes[0].kind, Some("built-in"));
    assert_eq!(outcomes[0].error(), None);
    let error = outcomes[1].error().unwrap();
    assert_eq!(serde_json::json!(error.reason), "bad_config");
    let write = json!({"tool_name": "Write", "tool_input": {"file_path": ".env.local"}});
    let said = || session.emit_blocking("tool:pre", write.clone()).processed;
    assert_eq!(said().result.verdict.kind(), Kind::Deny);
    session.unmount_blocking("guard");
    assert!(said().result.is_identity());
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
        mounted(&catalogue, &session, text);
        heard(&session, "prompt:submit")
    };
    let plain = order("hooks: [{module: late}, {module: early}]");
    assert_eq!(plain, ["early", "late"]);
    for plan in [
        "hooks: [{module: late, priority: 5}, {module: early}]",
        "hooks: [{module: late}, {module: early, priority: 95}]",
    ] {
        assert_eq!(order(plan), ["late", "early"]);
    }
}
