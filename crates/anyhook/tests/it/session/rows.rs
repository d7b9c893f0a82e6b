//! The rows of "seed versus code" that a session touches: what a user would expect is what happens.

use anyhook::core::effects::Injection;
use anyhook::core::hook::Hook;
use anyhook::core::result::HookResult;

use super::*;

fn full() -> (Session, Arc<Conversation>, Arc<Screen>) {
    let context = Arc::new(Conversation::default());
    let screen = Arc::new(Screen::default());
    let session = session(|setup| {
        setup.context = Some(context.clone());
        setup.display = Some(screen.clone());
    });
    (session, context, screen)
}

#[test]
fn the_session_is_in_every_event_also_in_those_about_the_session() {
    let (session, ..) = full();
    let audit = Audit::of(&session, "*", "session_id");
    session
        .hooks()
        .on("tool:pre", |_: &Event| HookResult::proceed().inject("x"));
    session.emit_blocking("tool:pre", bash("ls"));
    let ids: Vec<Value> = audit
        .take()
        .iter()
        .map(|line| line["session_id"].clone())
        .collect();
    assert_eq!(ids, [json!("s1"), json!("s1")]);
}

#[test]
fn an_injection_is_told_with_the_hook_that_really_said_it() {
    let (session, ..) = full();
    let fields = "hook_name hook_event injection_size injection_role ephemeral stored";
    let audit = Audit::of(&session, "hook:context_injection", fields);
    let todo = Injection::new("todo").ephemeral();
    for (name, text) in [("lint", Injection::new("two errors")), ("todo", todo)] {
        let says = move |_: &Event| HookResult::proceed().injecting(text.clone());
        session
            .hooks()
            .register(Hook::on("tool:pre", says).named(name));
    }
    session.emit_blocking("tool:pre", bash("ls"));
    let told = |hook: &str, size: u64, stored: bool| {
        json!({
            "event": "hook:context_injection", "hook_name": hook, "hook_event": "tool:pre",
            "injection_size": size, "injection_role": "system", "ephemeral": !stored, "stored": stored,
        })
    };
    assert_eq!(
        audit.take(),
        [told("lint", 10, true), told("todo", 4, false)]
    );
}

#[test]
fn suppress_output_hides_the_hooks_own_output_and_nothing_else() {
    let (session, context, screen) = full();
    let said = HookResult::proceed()
        .inject("two errors")
        .notify("linted")
        .quiet();
    assert_eq!(Session::own_output("warming up …", &said), None);
    let left = lint(&session, said).result;
    assert_eq!(context.texts(), ["two errors"]);
    assert_eq!(screen.take(), ["Info lint: linted"]);
    // And the caller still knows.
    assert_eq!(left, HookResult::proceed().quiet());
}

#[test]
fn a_message_beside_a_question_is_shown() {
    let (session, _, screen) = full();
    let said = HookResult::ask("push?").notify("this is production");
    session.process_blocking(said, &event("git push"), "gate");
    assert_eq!(screen.take(), ["Info gate: this is production"]);
}

#[test]
fn a_hook_that_fails_about_an_audit_event_is_told_and_changes_nothing() {
    let (session, context, ..) = full();
    session.hooks().register(
        Hook::on("hook:context_injection", |_: &Event| -> () {
            panic!("no disk")
        })
        .named("audit"),
    );
    let processed = lint(&session, HookResult::proceed().inject("x"));
    assert_eq!((context.texts().len(), processed.faults.len()), (1, 0));
    assert_eq!(
        processed.remarks,
        ["`audit` failed about `hook:context_injection`: the handler panicked: no disk".into(),]
    );
}

#[test]
fn what_hooks_say_about_an_audit_event_changes_nothing_and_is_told_once() {
    let (session, context, ..) = full();
    session.hooks().on("hook:context_injection", |_: &Event| {
        HookResult::deny("no").inject("more")
    });
    let said = HookResult::proceed().inject("a").inject("b");
    let processed = lint(&session, said);
    assert_eq!(context.texts(), ["a", "b"]);
    assert_eq!(
        processed.remarks,
        ["what hooks said about `hook:context_injection` is not acted on".into()]
    );
}

#[test]
fn every_audit_event_is_as_the_catalogue_describes_it() {
    let person = Person::new(|question| match &*question.prompt {
        "late?" => Answer::TimedOut,
        "no?" => Answer::Deny,
        _ => Answer::AllowOnce,
    });
    let limits = settings(json!({"injection_size_limit": 4, "injection_budget_per_turn": 0}));
    let session = session(|setup| {
        setup.approvers = vec![person];
        setup.settings = limits;
    });
    let told = Arc::new(Mutex::new(std::collections::BTreeMap::new()));
    let seen = told.clone();
    session.hooks().on("*", move |event: &Event| {
        let row = event.name.spec().unwrap();
        let wrong = row.mismatches(&event.json());
        seen.lock().unwrap().insert(row.name, wrong.len());
    });
    for prompt in ["late?", "no?", "yes?"] {
        let said = HookResult::ask(prompt).inject("abc").inject("abcde");
        session.process_blocking(said, &event("ls"), "gate");
    }
    session.on_session_ready("bad", |_: &Session| Err::<(), _>("no"));
    session.start_blocking(anyhook::session::SessionOrigin::New);
    session.end_blocking("done");
    let all = "approval:decision approval:denied approval:granted approval:requested approval:required \
        approval:timeout hook:context_injection hook:error module:on_session_ready_failed policy:violation \
        session:end session:start";
    let told = told.lock().unwrap().clone();
    let all = all.split_whitespace().map(|name| (name, 0));
    assert_eq!(told, all.collect());
}

#[test]
fn the_documented_limits_are_the_defaults_and_bytes_are_counted() {
    let limits = InjectionLimits::default();
    assert_eq!(limits.injection_size_limit, Some(10_240));
    assert_eq!(limits.injection_budget_per_turn, Some(10_000));
    let (session, context, ..) = full();
    // Letters of two bytes each.
    for (many, faults) in [(5121, 1), (5120, 0)] {
        let said = HookResult::proceed().inject("ä".repeat(many));
        assert_eq!(lint(&session, said).faults.len(), faults);
    }
    assert_eq!(context.texts().len(), 1);
}
