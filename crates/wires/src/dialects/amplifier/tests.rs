use anyhook_core::effects::{Injection, Level, Lifetime, Notice, Placement, Role};
use anyhook_core::question::{Choice, DefaultAnswer, Question};
use anyhook_core::result::{HookResult, Kind, Reason, Verdict};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::dialects::read_object as read;

fn object(json: Value) -> Map {
    match json {
        Value::Object(map) => map,
        other => panic!("{other} is no object"),
    }
}

fn flat(json: Value) -> Flat {
    Flat::from_json(object(json)).unwrap()
}

fn event() -> Event {
    let data = json!({"tool_name": "bash", "tool_input": {"command": "npm i"}, "note": 1});
    Event::new("tool:pre", data)
}

#[test]
fn an_empty_result_has_the_defaults_of_seed_001_in_its_order() {
    let written = Value::Object(flat(json!({})).to_json());
    assert_eq!(
        written.to_string(),
        json!({
            "action": "continue", "data": null, "reason": null, "context_injection": null,
            "context_injection_role": "system", "ephemeral": false, "approval_prompt": null,
            "approval_options": null, "approval_timeout": 300.0, "approval_default": "deny",
            "suppress_output": false, "user_message": null, "user_message_level": "info",
            "user_message_source": null, "append_to_last_tool_result": false,
            "context_injections": [],
        })
        .to_string()
    );
}

/// The fields of a flat result that are not as they are where nothing is said.
fn told(flat: &Flat) -> Map {
    let plain = Flat::from_json(Map::new()).unwrap().to_json();
    let mut all = flat.to_json();
    all.retain(|field, value| plain.get(field) != Some(value));
    all
}

/// What is heard in flat results, one after the other, and what is told of it: by `emit`, and by a hook.
fn shown(rows: &str) -> String {
    let mut said = HookResult::proceed();
    for row in rows.split(" THEN ") {
        match read(serde_json::from_str(row).unwrap(), &event()) {
            Ok(heard) => said = said.then(heard),
            Err(fault) => return format!("fault: {}\n", fault.text),
        }
    }
    let mut all = format!("heard: {}\n", serde_json::to_string(&said).unwrap());
    let (emitted, answer) = (
        Flat::of(&said, &event(), &[]),
        Flat::answering(&said, &event(), &[]),
    );
    for (what, json, back) in [
        ("emitted", told(&emitted), emitted.emitted(&event())),
        ("answered", told(&answer), answer.answer(&event())),
    ] {
        all += &format!("  {what}: {}\n", Value::Object(json));
        if back != said {
            all += &format!(
                "    comes back: {}\n",
                serde_json::to_string(&back).unwrap()
            );
        }
    }
    all
}

#[test]
fn what_is_heard_in_a_flat_result_and_told_of_it() {
    let mut all = String::new();
    for row in include_str!("tests/flat.txt").lines() {
        match row.strip_prefix("# ") {
            Some(name) => all += &format!("\n# {name}\n"),
            None => all += &format!("{row}\n  {}", shown(row)),
        }
    }
    insta::assert_snapshot!(all);
}

#[test]
fn a_further_field_can_never_say_one_of_the_forms_own_words() {
    let fields = object(json!({"action": "continue", "halted": false, "data": {}, "trace": 1}));
    let said = HookResult::deny("no").native(ID, fields);
    let flat = Flat::of(&said, &event(), &[]);
    let written = flat.to_json();
    assert_eq!(written["action"], "deny");
    assert_eq!(written.get("halted"), None);
    assert_eq!(
        (&written["data"], &written["trace"]),
        (&Value::Null, &json!(1))
    );
}

#[test]
fn the_five_actions_of_seed_001_outrank_each_other_in_its_order() {
    let said = |json: Value| flat(json).answer(&event());
    let rising = [
        said(json!({"action": "continue"})),
        said(json!({"action": "modify", "data": {"note": 2}})),
        said(json!({"action": "inject_context", "context_injection": "x"})),
        said(json!({"action": "ask_user", "approval_prompt": "?"})),
        said(json!({"action": "deny", "reason": "no"})),
    ];
    let word = |result: &HookResult| Flat::of(result, &event(), &[]).action.as_str();
    let expected = ["continue", "continue", "inject_context", "ask_user", "deny"];
    for (low, lighter) in rising.iter().enumerate() {
        for (high, graver) in rising.iter().enumerate().skip(low) {
            assert_eq!(word(&lighter.clone().then(graver.clone())), expected[high]);
            assert_eq!(word(&graver.clone().then(lighter.clone())), expected[high]);
        }
    }
}

#[test]
fn an_answer_to_an_elicitation_is_none_of_ours() {
    assert!(!owns(&object(json!({"action": "accept", "content": {}}))));
    assert!(owns(&object(json!({"action": "deny"}))));
    assert!(owns(&object(json!({"action": null}))));
    assert!(!owns(&object(
        json!({"permission": "deny", "user_message": "hm"})
    )));
    assert!(!owns(&object(json!({"reason": "hm"}))));
}

fn texts() -> impl Strategy<Value = String> {
    "[a-zß🛒\"\\\\{}][a-z \n]{0,8}"
}

fn reasons() -> impl Strategy<Value = Box<[Reason]>> {
    let reason = (texts(), proptest::option::of("[a-z]{1,4}"), any::<bool>());
    let reason = reason.prop_map(|(text, code, has_data)| {
        let mut reason = Reason::new(text);
        reason.code = code.map(Into::into);
        reason.detail = has_data.then(|| json!({"data": {"k": 1}}));
        reason
    });
    proptest::collection::vec(reason, 1..3).prop_map(Into::into)
}

fn questions() -> impl Strategy<Value = Box<[Question]>> {
    let labels = prop_oneof![
        Just("Allow"),
        Just("Allow always"),
        Just("Deny"),
        Just("Go")
    ];
    let question = (
        texts(),
        0..900_u64,
        any::<bool>(),
        proptest::collection::vec(labels, 0..3),
    );
    let question = question.prop_map(|(prompt, seconds, allows, labels)| {
        let mut question = Question::new(prompt);
        question.timeout = std::time::Duration::from_secs(seconds);
        question.default = if allows {
            DefaultAnswer::Allow
        } else {
            DefaultAnswer::Deny
        };
        question.options = labels.into_iter().map(Choice::labelled).collect();
        question
    });
    proptest::collection::vec(question, 1..3).prop_map(Into::into)
}

fn verdicts() -> impl Strategy<Value = Verdict> {
    prop_oneof![
        Just(Verdict::Continue),
        texts().prop_map(|text| HookResult::allow_because(text).verdict),
        questions().prop_map(|questions| Verdict::Ask { questions }),
        reasons().prop_map(|reasons| Verdict::Deny { reasons }),
        reasons().prop_map(|reasons| Verdict::Halt { reasons }),
    ]
}

fn injections() -> impl Strategy<Value = Injection> {
    let role = prop_oneof![Just(Role::System), Just(Role::User), Just(Role::Assistant)];
    (
        texts(),
        role,
        any::<bool>(),
        any::<bool>(),
        proptest::option::of("[a-z]{1,4}"),
    )
        .prop_map(|(text, role, ephemeral, appends, name)| {
            let mut injection = Injection::new(text);
            injection.role = role;
            injection.lifetime = if ephemeral {
                Lifetime::Ephemeral
            } else {
                Lifetime::Stored
            };
            injection.place = if appends {
                Placement::LastToolResult
            } else {
                Placement::Message
            };
            injection.name = name.map(Into::into);
            injection
        })
}

fn notices() -> impl Strategy<Value = Notice> {
    let level = prop_oneof![Just(Level::Info), Just(Level::Warning), Just(Level::Error)];
    (texts(), level).prop_map(|(text, level)| Notice::new(text).at(level))
}

fn results() -> impl Strategy<Value = HookResult> {
    let field = prop_oneof![Just("tool_input"), Just("note"), Just("fresh")];
    let value = proptest::option::of(0..3_i32);
    (
        verdicts(),
        proptest::collection::vec((field, value), 0..3),
        proptest::collection::vec(injections(), 0..3),
        proptest::collection::vec(notices(), 0..3),
        proptest::collection::vec(prop_oneof![Just(ID), Just("claude-code")], 0..2),
        any::<bool>(),
    )
        .prop_map(|(verdict, patch, inject, notify, native, hides)| {
            let mut result = HookResult::from(verdict);
            for (field, value) in patch {
                result = match value {
                    Some(value) => result.modify(field, value),
                    None => result.remove(field),
                };
            }
            let given = result.effects.edit();
            given.inject = inject;
            given.notify = notify;
            given.suppress_output = hides;
            for wire in native {
                result = result.native(wire, Map::from_iter([("trace".to_owned(), json!(1))]));
            }
            result
        })
}

/// The data of the event with every rewrite.
fn chained(result: &HookResult) -> Map {
    let mut data = event().data;
    for rewrite in result.effects.patch() {
        data.set(&rewrite.field, rewrite.value.as_ref());
    }
    data.json().into_owned()
}

const FIELDS: [&str; 6] = [
    "action",
    "data",
    "ephemeral",
    "approval_timeout",
    "context_injections",
    "halted",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_comes_back_from_a_flat_result_differs_only_by_what_the_form_has_no_place_for(said in results()) {
        let told = Flat::of(&said, &event(), &[]);
        let json = told.to_json();
        let read = Flat::from_json(json).unwrap();
        prop_assert_eq!(&read, &told);
        let back = read.emitted(&event());

        let (reasons, questions) = (said.verdict.reasons(), said.verdict.questions());
        let has_place = reasons.len() + questions.len() <= 1 && reasons.iter().all(|reason| reason.code.is_none());
        prop_assert_eq!(back.verdict.kind(), said.verdict.kind());
        prop_assert_eq!(back.verdict.text(), said.verdict.text());
        if has_place {
            prop_assert_eq!(&back.verdict, &said.verdict);
        }
        prop_assert_eq!(back.effects.inject(), said.effects.inject());
        if said.effects.notify().len() > 1 {
            prop_assert_eq!(back.effects.notify().len(), 1);
        } else {
            prop_assert_eq!(back.effects.notify(), said.effects.notify());
        }
        let kept: Vec<_> = said.effects.native().iter().filter(|one| one.wire == ID).collect();
        let found: Vec<_> = back.effects.native().iter().collect();
        prop_assert_eq!(found, kept);
        if said.verdict.kind() < Kind::Deny {
            prop_assert_eq!(chained(&back), chained(&said));
        }
        let hides = |result: &HookResult| result.effects.get().is_some_and(|g| g.suppress_output);
        prop_assert_eq!(hides(&back), hides(&said));
    }

    #[test]
    fn no_object_is_too_strange_to_be_read(keys in proptest::collection::vec(0..FIELDS.len(), 0..6), values in proptest::collection::vec(0..6_u8, 6)) {
        let mut map = Map::new();
        for (key, value) in keys.iter().zip(values) {
            let value = match value {
                0 => Value::Null,
                1 => json!(1e300),
                2 => json!("deny"),
                3 => json!([null, {}, "x"]),
                4 => json!({"action": "deny"}),
                _ => json!(true),
            };
            map.insert(FIELDS[*key].to_owned(), value);
        }
        map.entry("action").or_insert(json!("continue"));
        let denies = map.get("action") == Some(&json!("deny"));
        if let Ok(said) = read(map, &event()) {
            prop_assert!(!denies || said.verdict.kind() >= Kind::Deny);
        } else {
            prop_assert!(!denies);
        }
    }
}
