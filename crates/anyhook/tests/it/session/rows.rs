//! The rows of "seed versus code" that a session touches: what a user would expect is what happens.

use anyhook::core::effects::Injection;
use anyhook::core::hook::Hook;
use anyhook::core::question::{Choice, Settled as ByDefault};
use anyhook::core::result::{HookResult, Kind};

use super::*;

fn full() -> (Session, Arc<Conversation>, Arc<Screen>, Arc<Person>) {
    let (context, screen) = (
        Arc::new(Conversation::default()),
        Arc::new(Screen::default()),
    );
    let person = Person::new(|question| match &*question.options {
        [] => question.chose("Allow"),
        _ => question.chose("Allow always"),
    });
    let session = Session::with(
        "s1",
        Setup {
            context: Some(context.clone()),
            display: Some(screen.clone()),
            approvers: vec![person.clone()],
            ..setup()
        },
    );
    (session, context, screen, person)
}

#[test]
fn inject_and_ask_perform_their_action_and_every_question_is_put() {
    let (session, context, _, person) = full();
    for name in ["a", "b"] {
        session.hooks().register(
            Hook::on("tool:pre", move |_: &Event| {
                HookResult::ask(format!("{name}?")).inject(name)
            })
            .named(name),
        );
    }
    let acted = session.emit_blocking("tool:pre", bash("ls"));
    assert_eq!(acted.processed.result.verdict.kind(), Kind::Continue);
    assert_eq!(context.texts(), ["a", "b"]);
    assert_eq!(person.dialogs(), [["a: a?", "b: b?"]]);
}

#[test]
fn what_was_modified_is_what_the_caller_gets_beside_anything_else_that_was_said() {
    let (session, context, ..) = full();
    session.hooks().on("tool:pre", |_: &Event| {
        HookResult::ask("run?")
            .modify("tool_input", json!({"command": "pnpm i"}))
            .inject("npm became pnpm")
    });
    let acted = session.emit_blocking("tool:pre", bash("npm i"));
    assert_eq!(acted.event.json()["tool_input"]["command"], "pnpm i");
    assert_eq!(
        (
            acted.processed.result.effects.patch().len(),
            context.texts().len()
        ),
        (1, 1)
    );
}

#[test]
fn the_session_is_in_every_event_also_in_those_about_the_session() {
    let (session, ..) = full();
    let audit = Audit::of(&session, "*", &["session_id"]);
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
fn the_documented_limits_are_the_defaults_and_bytes_are_counted() {
    let limits = Settings::default();
    assert_eq!(
        (
            limits.injection_size_limit,
            limits.injection_budget_per_turn
        ),
        (Some(10_240), Some(10_000))
    );
    let (session, context, ..) = full();
    // 5,121 letters of two bytes each.
    let said = HookResult::proceed().inject("ä".repeat(5121));
    assert_eq!(
        session
            .process_blocking(said, &event("ls"), "lint")
            .faults
            .len(),
        1
    );
    let said = HookResult::proceed().inject("ä".repeat(5120));
    assert_eq!(
        session
            .process_blocking(said, &event("ls"), "lint")
            .faults
            .len(),
        0
    );
    assert_eq!(context.texts().len(), 1);
}

#[test]
fn a_budget_warns_or_refuses_as_the_session_says() {
    let delivered = |strict: bool| {
        let limits = settings(json!({"injection_budget_per_turn": 1, "strict": strict}));
        let session = Session::with(
            "s1",
            Setup {
                settings: limits,
                ..setup()
            },
        );
        let said = HookResult::proceed().inject("12345");
        session
            .process_blocking(said, &event("ls"), "lint")
            .result
            .effects
            .inject()
            .len()
    };
    assert_eq!((delivered(false), delivered(true)), (1, 0));
}

#[test]
fn an_injection_is_told_with_the_hook_that_really_said_it() {
    let (session, ..) = full();
    let fields = &[
        "hook_name",
        "hook_event",
        "injection_size",
        "injection_role",
        "ephemeral",
        "stored",
    ];
    let audit = Audit::of(&session, "hook:context_injection", fields);
    session.hooks().register(
        Hook::on("tool:pre", |_: &Event| {
            HookResult::proceed().inject("two errors")
        })
        .named("lint"),
    );
    session.hooks().register(
        Hook::on("tool:pre", |_: &Event| {
            HookResult::proceed().injecting(Injection::new("todo").ephemeral())
        })
        .named("todo"),
    );
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
fn a_timeout_is_kept_by_the_engine_and_an_error_takes_the_default() {
    struct Fails;
    impl Approver for Fails {
        fn answer(&self, _: &Event, _: &Question) -> Answer {
            panic!("any other error")
        }
    }
    let session = Session::with(
        "s1",
        Setup {
            approvers: vec![Arc::new(Fails)],
            ..setup()
        },
    );
    let said = HookResult::ask("run?");
    let verdict = session
        .process_blocking(said, &event("ls"), "gate")
        .result
        .verdict;
    assert_eq!(
        verdict.text(),
        "The person could not be asked, so this is refused: run?"
    );
    // There is a default to allow, and no approver whose silence could mean it.
    let alone = Session::with("s1", setup());
    let said = HookResult::asks(Question {
        default: ByDefault::Allow,
        ..Question::new("run?")
    });
    let verdict = alone
        .process_blocking(said, &event("ls"), "gate")
        .result
        .verdict;
    assert_eq!(verdict.kind(), Kind::Deny);
}

#[test]
fn allow_always_is_asked_once_in_a_session() {
    let (session, .., person) = full();
    let ask = || {
        let options = ["Allow once", "Allow always", "Deny"]
            .map(Choice::labelled)
            .into();
        let question = Question {
            options,
            ..Question::new("push?")
        };
        session
            .process_blocking(HookResult::asks(question), &event("git push"), "gate")
            .result
    };
    assert_eq!(
        (ask(), ask()),
        (HookResult::proceed(), HookResult::proceed())
    );
    assert_eq!(person.dialogs().len(), 1);
}

#[test]
fn a_label_grants_what_it_was_declared_to_grant_and_an_unknown_one_denies() {
    let answered = |options: Value| {
        let options: Vec<Choice> = serde_json::from_value(options).unwrap();
        let person = Person::saying("Approve");
        let session = Session::with(
            "s1",
            Setup {
                approvers: vec![person],
                ..setup()
            },
        );
        let said = HookResult::asks(Question {
            options,
            ..Question::new("push?")
        });
        session
            .process_blocking(said, &event("git push"), "gate")
            .result
            .verdict
            .kind()
    };
    assert_eq!(
        answered(json!([{"label": "Approve", "grants": "allow"}])),
        Kind::Allow
    );
    assert_eq!(
        answered(json!([{"label": "Approve", "grants": "proceed"}])),
        Kind::Continue
    );
    assert_eq!(
        answered(json!([{"label": "Approve", "grants": "deny"}])),
        Kind::Deny
    );
    assert_eq!(
        answered(json!([{"label": "Yes", "grants": "allow"}])),
        Kind::Deny
    );
}

#[test]
fn suppress_output_hides_the_hooks_own_output_and_nothing_else() {
    let (session, context, screen, _) = full();
    let said = HookResult::proceed()
        .inject("two errors")
        .notify("linted")
        .quiet();
    assert_eq!(Session::own_output("warming up …", &said), None);
    let left = session.process_blocking(said, &event("ls"), "lint").result;
    assert_eq!(
        (context.texts(), screen.take()),
        (
            vec!["two errors".to_owned()],
            vec!["Info lint: linted".to_owned()]
        )
    );
    assert_eq!(
        left,
        HookResult::proceed().quiet(),
        "and the caller still knows"
    );
}

#[test]
fn a_message_beside_a_question_is_shown() {
    let (session, _, screen, person) = full();
    let said = HookResult::ask("push?").notify("this is production");
    session.process_blocking(said, &event("git push"), "gate");
    assert_eq!(
        (screen.take(), person.dialogs().len()),
        (vec!["Info gate: this is production".to_owned()], 1)
    );
}

#[test]
fn a_handler_emits_through_the_registry_and_a_loop_of_audit_events_ends() {
    let (session, context, ..) = full();
    let hooks = session.hooks();
    let count = Arc::new(Mutex::new(0));
    let counted = count.clone();
    let again = hooks.lending(move |_: &Event, hooks: &anyhook::HookRegistry| {
        *counted.lock().unwrap() += 1;
        hooks.emit_blocking("hook:context_injection", json!({}));
    });
    hooks.on("hook:context_injection", again);
    session.process_blocking(HookResult::proceed().inject("x"), &event("ls"), "lint");
    assert_eq!(
        (*count.lock().unwrap(), context.texts()),
        (16, vec!["x".to_owned()])
    );
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
    let processed =
        session.process_blocking(HookResult::proceed().inject("x"), &event("ls"), "lint");
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
    let processed = session.process_blocking(said, &event("ls"), "lint");
    assert_eq!(context.texts(), ["a", "b"]);
    assert_eq!(
        processed.remarks,
        ["what hooks said about `hook:context_injection` is not acted on".into()]
    );
}

#[test]
fn a_handler_that_panics_harms_no_other_and_is_told() {
    let (session, context, ..) = full();
    let audit = Audit::of(
        &session,
        "hook:error",
        &["hook_name", "hook_event", "kind", "error"],
    );
    session
        .hooks()
        .register(Hook::on("tool:pre", |_: &Event| -> () { panic!("no table") }).named("bad"));
    session
        .hooks()
        .on("tool:pre", |_: &Event| HookResult::proceed().inject("fine"));
    let acted = session.emit_blocking("tool:pre", bash("ls"));
    assert_eq!(context.texts(), ["fine"]);
    assert_eq!(acted.processed.result.verdict.kind(), Kind::Continue);
    assert_eq!(
        audit.take(),
        [json!({
            "event": "hook:error", "hook_name": "bad", "hook_event": "tool:pre", "kind": "panicked",
            "error": "the handler panicked: no table",
        })]
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
    let session = Session::with(
        "s1",
        Setup {
            approvers: vec![person],
            settings: limits,
            ..setup()
        },
    );
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
    session.start_blocking(anyhook::session::Begins::New);
    session.end_blocking("done");
    let all = [
        "approval:decision",
        "approval:denied",
        "approval:granted",
        "approval:requested",
        "approval:required",
        "approval:timeout",
        "hook:context_injection",
        "hook:error",
        "module:on_session_ready_failed",
        "policy:violation",
        "session:end",
        "session:start",
    ];
    let told = told.lock().unwrap().clone();
    assert_eq!(
        told.into_iter().collect::<Vec<_>>(),
        all.map(|name| (name, 0))
    );
}
