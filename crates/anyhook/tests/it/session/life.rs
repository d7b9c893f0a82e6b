//! Beginning and end: each once, in order, whatever fails.

use anyhook::core::result::HookResult;
use anyhook::session::SessionOrigin;

use super::*;

/// What happened, in order.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn note(&self, text: &str) -> impl FnOnce() + Send + use<> {
        let (log, text) = (self.0.clone(), text.to_owned());
        move || log.lock().unwrap().push(text)
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

fn hearing(session: &Session, log: &Log) {
    for event in [
        "session:start",
        "session:resume",
        "session:fork",
        "session:end",
    ] {
        let log = log.clone();
        session.hooks().on(event, move |event: &Event| {
            let source = event
                .text("source")
                .or(event.text("reason"))
                .unwrap_or_default();
            log.note(&format!("{} {source}", event.name))();
        });
    }
}

#[test]
fn the_end_is_told_before_cleanups_run_and_they_run_once_in_reverse() {
    let (session, log) = (session(|_| ()), Log::default());
    hearing(&session, &log);
    session.register_cleanup("one", log.note("one"));
    let two = log.note("two");
    session.register_cleanup_async("two", || async move { two() });
    assert_eq!(session.end_blocking("done").faults, []);
    assert_eq!(log.take(), ["session:end done", "two", "one"]);
    assert!(session.end_blocking("again").acted.is_none());
    drop(session);
    assert_eq!(log.take(), [""; 0]);
}

#[test]
fn a_cleanup_that_fails_harms_no_other_and_is_told() {
    let (session, log) = (session(|_| ()), Log::default());
    let audit = Audit::of(&session, "hook:error", "hook_name hook_event error");
    session.register_cleanup("first", log.note("first"));
    session.register_cleanup("panics", || -> () { panic!("no disk") });
    session.register_cleanup_async("panics later", || async {
        assert!(std::hint::black_box(false), "no net");
    });
    session.register_cleanup("errs", || Err::<(), _>("busy"));
    session.register_cleanup("last", log.note("last"));
    let failed: Vec<String> = session
        .end_blocking("done")
        .faults
        .iter()
        .map(|failed| format!("{}: {}", failed.hook, failed.fault))
        .collect();
    assert_eq!(
        failed,
        [
            "errs: busy",
            "panics later: the handler panicked: no net",
            "panics: the handler panicked: no disk"
        ]
    );
    assert_eq!(log.take(), ["last", "first"]);
    assert_eq!(
        audit.take()[0],
        json!({"event": "hook:error", "hook_name": "errs", "hook_event": "session:end", "error": "busy"})
    );
}

#[test]
fn a_session_that_is_not_ended_cleans_up_when_it_goes() {
    let (session, log) = (session(|_| ()), Log::default());
    hearing(&session, &log);
    session.register_cleanup("one", log.note("one"));
    session.register_cleanup("panics", || -> () { panic!("no disk") });
    let two = log.note("two");
    session.register_cleanup_async("two", || async move { two() });
    let other = session.clone();
    drop(session);
    assert_eq!(log.take(), [""; 0], "it is still held");
    drop(other);
    assert_eq!(log.take(), ["two", "one"]);
}

#[test]
fn an_end_that_is_given_up_halfway_leaves_nothing_undone() {
    let (session, log) = (session(|_| ()), Log::default());
    session.register_cleanup("one", log.note("one"));
    session.hooks().on_async("session:end", |_: Event| {
        std::future::pending::<HookResult>()
    });
    let given_up = session.clone();
    let mut end = Box::pin(async move { given_up.end("done").await.faults.len() });
    let context = &mut std::task::Context::from_waker(std::task::Waker::noop());
    assert!(end.as_mut().poll(context).is_pending());
    drop(end);
    assert_eq!(log.take(), [""; 0]);
    drop(session);
    assert_eq!(log.take(), ["one"]);
}

#[test]
fn a_cleanup_may_register_another_and_after_the_end_it_runs_at_once() {
    let (session, log) = (session(|_| ()), Log::default());
    let (inner, late) = (session.clone(), log.note("registered by a cleanup"));
    session.register_cleanup("one", move || inner.register_cleanup("late", late));
    session.end_blocking("done");
    assert_eq!(log.take(), ["registered by a cleanup"]);
    session.register_cleanup("later", log.note("at once"));
    assert_eq!(log.take(), ["at once"]);
}

#[test]
fn of_many_threads_one_ends_the_session() {
    let (session, log) = (session(|_| ()), Log::default());
    session.register_cleanup("one", log.note("one"));
    let ended = std::thread::scope(|scope| {
        let end = || session.end_blocking("done").acted.is_some();
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(end)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .filter(|ended| *ended)
            .count()
    });
    assert_eq!((ended, log.take()), (1, vec!["one".to_owned()]));
}

#[test]
fn a_session_begins_once_and_what_waited_for_it_comes_first() {
    for (begins, told) in [
        (SessionOrigin::New, "session:start startup"),
        (SessionOrigin::Resumed, "session:resume resume"),
        (SessionOrigin::Forked, "session:fork fork"),
    ] {
        let setup = Setup {
            parent: Some("s0".into()),
            ..setup()
        };
        let (session, log) = (Session::with("s1", setup), Log::default());
        hearing(&session, &log);
        let ready = log.note("ready");
        session.on_session_ready("a", move |_: &Session| ready());
        let acted = session.start_blocking(begins).unwrap();
        assert_eq!(acted.event.text("parent_id").as_deref(), Some("s0"));
        assert!(session.start_blocking(begins).is_none());
        assert_eq!(log.take(), ["ready", told]);
        let late = log.note("at once");
        session.on_session_ready("b", move |_: &Session| late());
        assert_eq!(log.take(), ["at once"]);
    }
}
