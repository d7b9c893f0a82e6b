use anyhook_core::effects::Injection;
use serde_json::{Value, json};

use super::*;

fn text(of: &str) -> UndeliveredText {
    UndeliveredText::Injection(Injection::new(of))
}

fn flight(key: &str, at: i64) -> FlightAnswer {
    FlightAnswer {
        key: key.into(),
        at,
        asker: asker("claude-code", "p"),
        taken: Vec::new(),
        result: HookResult::deny("no"),
    }
}

fn asker(host: &str, payload: &str) -> Asker {
    Asker {
        host: host.into(),
        payload: payload.into(),
        call: None,
    }
}

#[test]
fn what_lets_a_gate_pass_is_no_answer_for_another_host() {
    let mut state = SessionState::default();
    let passed = FlightAnswer {
        result: HookResult::proceed(),
        ..flight("e", 10_000)
    };
    state.remember(passed);
    let other = asker("cursor", "q");
    let mut takes = |class| state.answer_for("e", &other, class, 10_100);
    assert_eq!(takes(Class::Gate), None);
    assert_eq!(takes(Class::After), Some(HookResult::proceed()));
}

#[test]
fn another_host_takes_an_answer_once_and_the_same_host_only_for_the_same_payload() {
    let mut state = SessionState::default();
    state.remember(flight("e", 10_000));
    let mut takes = |asker: &Asker| state.answer_for("e", asker, Class::Gate, 10_100).is_some();
    let other_call = Asker {
        call: Some("call-2".into()),
        ..asker("devin-cli", "q")
    };
    let answered = [
        takes(&asker("claude-code", "p")),
        takes(&asker("claude-code", "p")),
        takes(&asker("claude-code", "q")),
        takes(&asker("cursor", "q")),
        takes(&asker("cursor", "q")),
        takes(&other_call),
    ];
    assert_eq!(answered, [true, true, false, true, false, true]);
    let mut called = flight("f", 10_000);
    called.asker.call = Some("call-1".into());
    state.remember(called);
    assert_eq!(
        state.answer_for("f", &other_call, Class::Gate, 10_100),
        None
    );
}

#[test]
fn a_mark_is_first_once_and_once_and_said_do_not_meet() {
    let mut state = SessionState::default();
    let seen = [
        state.first(OnceMark::Once("a"), 1),
        state.first(OnceMark::Once("a"), 2),
        state.first(OnceMark::Said("a"), 3),
        state.first(OnceMark::Said("a"), 4),
    ];
    assert_eq!(seen, [true, false, true, false]);
    assert_eq!(state.seen, 4);
}

#[test]
fn the_oldest_mark_makes_room_and_a_long_key_is_kept_as_its_hash() {
    let mut state = SessionState::default();
    for at in 0..=MOST_MARKS {
        state.first(
            OnceMark::Once(&format!("k{at}")),
            i64::try_from(at).unwrap(),
        );
    }
    assert_eq!(state.once.len(), MOST_MARKS);
    assert!(!state.once.contains_key("k0"));
    let long = "x".repeat(1 << 20);
    assert!(state.first(OnceMark::Said(&long), 1));
    assert!(!state.first(OnceMark::Said(&long), 2));
    assert!(state.said.keys().all(|key| key.len() < 100));
}

#[test]
fn counters_count_and_beyond_the_bound_a_count_is_never_too_low() {
    let mut state = SessionState::default();
    assert_eq!([state.count("a"), state.count("a")], [1, 2]);
    state.reset("a");
    assert_eq!(state.count("a"), 1);
    for name in 0..MOST_COUNTERS * 2 {
        assert!(state.count(&format!("n{name}")) >= 1);
    }
    assert!(state.counters.len() <= MOST_COUNTERS + 1);
    assert_eq!(state.count("a"), 2);
}

#[test]
fn an_answer_serves_for_two_seconds_and_for_all_that_waited() {
    let mut state = SessionState::default();
    state.remember(flight("e", 10_000));
    let here = asker("claude-code", "p");
    let mut at = |now| state.answer_for("e", &here, Class::Gate, now).is_some();
    let found = [at(12_000), at(12_001), at(9_000), at(-600_000)];
    assert_eq!(found, [true, false, true, false]);
    assert_eq!(state.answer_for("f", &here, Class::Gate, 10_000), None);
    let mut stops = |now| {
        state
            .answer_for("e", &here, Class::Continuation, now)
            .is_some()
    };
    let found = [stops(10_000), stops(10_001), stops(9_000)];
    assert_eq!(
        found,
        [true, false, true],
        "a stop that begins later is another one"
    );
    state.remember(flight("f", 12_500));
    assert_eq!(state.answers, [flight("f", 12_500)]);
}

#[test]
fn an_answer_that_a_file_would_not_give_back_is_not_kept() {
    let mut deep = Value::Null;
    for _ in 0..125 {
        deep = json!([deep]);
    }
    let mut state = SessionState::default();
    let mut spoiling = flight("e", 1);
    spoiling.result = HookResult::proceed().modify("tool_input", deep);
    state.remember(spoiling);
    let mut large = flight("e", 1);
    large.result = HookResult::proceed().inject("x".repeat(MOST_ANSWER_BYTES));
    state.remember(large);
    assert!(state.answers.is_empty());
}

#[test]
fn what_does_not_fit_into_the_outbox_comes_back_and_is_told() {
    let mut state = SessionState::default();
    assert_eq!(state.post(text("a")), Ok(()));
    let large = text(&"x".repeat(MOST_OUTBOX_BYTES));
    assert_eq!(state.post(large.clone()), Err(large));
    let only_injections = |text: &UndeliveredText| matches!(text, UndeliveredText::Injection(_));
    assert_eq!(state.collect_outbox(only_injections), [text("a")]);
    let told = state.collect_outbox(|_| true);
    let [UndeliveredText::Notice(notice)] = &told[..] else {
        panic!("{told:?}")
    };
    assert!(notice.text.contains("1 texts"), "{}", notice.text);
    assert_eq!(state.collect_outbox(|_| true), []);
    for _ in 0..MOST_OUTBOX {
        state.post(text("b")).unwrap();
    }
    assert_eq!(state.post(text("c")), Err(text("c")));
}

#[test]
fn a_state_survives_its_own_json_and_an_older_one_is_read() {
    let mut state = SessionState::default();
    state.first(OnceMark::Once("a"), 5);
    state.post(text("later")).unwrap();
    state.remember(flight("e", 6));
    let json = serde_json::to_string(&state).unwrap();
    assert_eq!(serde_json::from_str::<SessionState>(&json).unwrap(), state);
    let older: SessionState = serde_json::from_str(r#"{"once": {"a": 5}}"#).unwrap();
    assert_eq!(older.once, state.once);
}
