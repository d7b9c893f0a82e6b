//! Modules that are functions, each broken in one way, and two that are not.

use anyhook::core::event::Event;
use anyhook::core::hook::Hook;
use anyhook::core::result::HookResult;
use anyhook::mounts::{Cleanup, IntoCleanup, Mount, MountError, MountFuture};
use anyhook::session::OBSERVABLE;
use anyhook::{HookRegistry, Session};
use serde_json::{Value, json};

/// A module of a function that returns a cleanup.
pub(super) struct Module(fn(&Session, &Value) -> Result<Option<Cleanup>, MountError>);

impl Mount for Module {
    fn mount<'a>(&'a self, session: &'a Session, config: &'a Value) -> MountFuture<'a> {
        Box::pin(async move { (self.0)(session, config) })
    }
}

/// A hook as it should be: it has a name, a priority, and an answer to everything.
fn good_hook(event: &str) -> Hook {
    let look = |event: &Event| match event.text("tool_name").as_deref() {
        Some("Write") => HookResult::deny("this session is read-only"),
        Some(_) | None => HookResult::proceed(),
    };
    Hook::on(event, look).named("good").priority(50)
}

fn done() -> Result<Option<Cleanup>, MountError> {
    Cleanup::new(|| ()).into_mounted()
}

fn with(session: &Session, hook: Hook) -> Result<Option<Cleanup>, MountError> {
    session.hooks().register(hook);
    done()
}

/// A function for each check that no broken package fails, and for exceptions; `good` fails none.
pub(super) fn all() -> Vec<(&'static str, Module)> {
    vec![
        (
            "good",
            Module(|session, _| with(session, good_hook("tool:pre"))),
        ),
        ("mounts", Module(|_, _| panic!("no database"))),
        (
            "session-ready",
            Module(|session, _| {
                session
                    .on_session_ready("ready", |_: &Session| Err::<(), _>("nobody offers `log`"));
                with(session, good_hook("tool:pre"))
            }),
        ),
        (
            "exceptions",
            Module(|session, _| {
                let careless = |event: &Event| {
                    let json = event.json();
                    assert!(json["tool_input"]["command"].is_string(), "no command");
                };
                with(
                    session,
                    Hook::on("tool:pre", careless)
                        .named("careless")
                        .priority(50),
                )
            }),
        ),
        (
            "cleanup-runs",
            Module(|session, _| {
                session.hooks().register(good_hook("tool:pre"));
                Cleanup::new(|| Err::<(), _>("the file is gone")).into_mounted()
            }),
        ),
        (
            "cleanup",
            Module(|session, _| {
                session.hooks().register(good_hook("tool:pre"));
                Ok(None)
            }),
        ),
        (
            "names",
            Module(|session, _| with(session, Hook::on("tool:pre", |_: &Event| ()).priority(50))),
        ),
        (
            "custom-events",
            Module(|session, _| {
                let hooks = session.hooks();
                let tell = hooks.lending(|_: &Event, hooks: &HookRegistry| {
                    hooks.emit_blocking("my-hook:checked", json!({}));
                });
                with(
                    session,
                    Hook::on("tool:pre", tell).named("tells").priority(50),
                )
            }),
        ),
    ]
}

/// A module that does everything there is to do, and announces it.
pub(super) fn everything() -> impl Mount {
    Module(|session, _| {
        session.register_contributor("everything", "everything", || "given");
        session.register_contributor(OBSERVABLE, "everything", || vec!["everything:done"]);
        session.register_cleanup("everything", || ());
        session.on_session_ready("everything", |session: &Session| {
            session.hooks().register(good_hook("tool:post"));
        });
        session.hooks().register(good_hook("*").observing());
        let tell = session.hooks().lending(|_: &Event, hooks: &HookRegistry| {
            hooks.emit_blocking("everything:done", json!({}));
        });
        with(
            session,
            Hook::on("tool:*", tell).named("tells").priority(50),
        )
    })
}
