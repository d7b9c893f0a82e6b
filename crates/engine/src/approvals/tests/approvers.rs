//! Approvers that answer if the host cannot ask.

use super::*;

/// Answers the same to every question, and counts them.
struct Says(Answer, AtomicUsize);

impl Says {
    fn always(answer: Answer) -> Self {
        Self(answer, AtomicUsize::new(0))
    }

    fn asked(&self) -> usize {
        self.1.load(Ordering::Relaxed)
    }
}

impl Approver for Says {
    fn answer(&self, _: &Event, _: &Question) -> Answer {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0
    }
}

#[test]
fn an_approver_is_asked_only_where_the_host_cannot_ask_and_defers_to_the_next() {
    let place = Place::new();
    let hooks = place.hooks();
    let (event, asked) = (bash("ls", "1"), asks(&[0, 1]));
    let settle = |can: &Capabilities, one: &Says, two: &Says| {
        let approvers: [&dyn Approver; 2] = [one, two];
        let settled = place.settle_by(&event, &asked, &hooks, NOW, can, &approvers);
        (settled.result, one.asked(), two.asked())
    };
    let (defers, nods) = (Says::always(Answer::Defer), Says::always(Answer::AllowOnce));
    let natively = settle(&Capabilities::EVERYTHING, &defers, &nods);
    assert_eq!(natively, (asked.clone(), 0, 0));
    let put = settle(&MUTE, &defers, &nods);
    assert_eq!(put, (HookResult::proceed(), 2, 2));
    let silent = Says::always(Answer::Defer);
    assert_eq!(settle(&MUTE, &defers, &silent).0, asked);
}

#[test]
fn an_approvers_no_refuses_and_ends_the_asking() {
    let place = Place::new();
    let refuses = Says::always(Answer::Deny);
    let (event, asked) = (bash("ls", "1"), asks(&[0, 1]));
    let settled = place.settle_by(&event, &asked, &place.hooks(), NOW, &MUTE, &[&refuses]);
    let mut reason = Reason::new("A person refused this: Really?");
    reason.by = Some(HookId(0));
    let denied = Verdict::Deny {
        reasons: [reason].into(),
    };
    assert_eq!((settled.result.verdict, refuses.asked()), (denied, 1));
}

#[test]
fn an_approvers_always_lasts_the_session_and_is_not_on_disk() {
    let place = Place::new();
    let hooks = place.hooks();
    let asked = asks(&[0]);
    let nods = Says::always(Answer::AllowAlways);
    place.settle_by(&bash("ls", "1"), &asked, &hooks, NOW, &MUTE, &[&nods]);
    let again = place.settle(&bash("ls", "2"), &asked, &hooks, NOW);
    assert_eq!(again.result, HookResult::proceed());
    assert_eq!(place.book.approvals(None, NOW).unwrap(), []);
    let data = bash("ls", "2").data.json().into_owned();
    let other = called("s-2", &Value::Object(data));
    assert_eq!(place.settle(&other, &asked, &hooks, NOW).result, asked);
}

#[test]
fn what_only_the_host_may_answer_no_approver_answers_for_it() {
    let place = Place::new();
    let hooks = place.hooks();
    let mut deferred = question(0);
    deferred.who = Answerer::Host;
    let (event, asked) = (bash("ls", "1"), HookResult::asks(deferred));
    let nods = Says::always(Answer::AllowOnce);
    let settled = place.settle_by(&event, &asked, &hooks, NOW, &MUTE, &[&nods]);
    assert_eq!((settled.result, nods.asked()), (asked.clone(), 0));
    assert_eq!(
        put_all(&asked, &hooks, &ExactAction::of(&event, &asked)),
        None
    );
}

#[test]
fn an_event_that_cannot_stop_anything_asks_no_person() {
    let place = Place::new();
    let nods = Says::always(Answer::AllowOnce);
    let after = Event::new("tool:post", json!({"tool_name": "Bash"}));
    let asked = asks(&[0]);
    let settled = place.settle_by(&after, &asked, &place.hooks(), NOW, &MUTE, &[&nods]);
    assert_eq!((settled.result, nods.asked()), (asked, 0));
}

#[test]
fn what_anyhook_itself_asks_is_approved_for_once_and_no_longer() {
    let place = Place::new();
    let protected = guarded::ProtectionScope::default();
    let hooks: Hooks = [guarded::hook(protected, &crate::rules::LastCall::default())]
        .into_iter()
        .collect();
    let (event, asked) = (bash("anyhook trust", "1"), asks(&[0]));
    let open = place.open(&event, &asked, &hooks, NOW);
    assert!(open.may_last(AnswerLifetime::Once).is_ok());
    for lasts in [AnswerLifetime::Session, AnswerLifetime::Always] {
        let refused = place
            .book
            .approve(&open, &[yes(lasts)], Some(&place.state), NOW);
        assert!(matches!(refused, Err(BookError::TooLasting(_))));
    }
    assert_eq!(place.settle(&event, &asked, &hooks, NOW).result, asked);
    place.approve(&event, &asked, &hooks, AnswerLifetime::Once);
    let settled = place.settle(&event, &asked, &hooks, NOW);
    assert_eq!(settled.result, HookResult::proceed());
    // Nor does an approver's word last longer.
    let says = Says::always(Answer::AllowSession);
    let event = bash("anyhook trust", "9");
    place.settle_by(&event, &asked, &hooks, NOW, &MUTE, &[&says]);
    assert_eq!(place.settle(&event, &asked, &hooks, NOW).result, asked);
}
