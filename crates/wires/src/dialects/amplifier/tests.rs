use anyhook_core::effects::{Injection, Level, Lifetime, Notice, Placing, Role};
use anyhook_core::question::{Choice, Grants, Question, Remember, Settled};
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

fn wrong(json: Value) -> String {
    Flat::from_json(object(json)).unwrap_err().to_string()
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

#[test]
fn a_bad_value_is_an_error_that_names_field_and_value() {
    let told = [
        wrong(json!({"action": "DENY"})),
        wrong(json!({"data": []})),
        wrong(json!({"reason": 7})),
        wrong(json!({"context_injection_role": "tool"})),
        wrong(json!({"ephemeral": "yes"})),
        wrong(json!({"approval_options": ["Allow", 2]})),
        wrong(json!({"approval_timeout": -1})),
        wrong(json!({"approval_default": null})),
        wrong(json!({"user_message_level": "loud", "suppress_output": 1})),
        wrong(json!({"context_injections": [{"content": "a"}, {"role": "me"}]})),
    ];
    assert_eq!(
        told,
        [
            "`action` must be continue, deny, modify, inject_context or ask_user, and is `\"DENY\"`",
            "`data` must be an object or null, and is `[]`",
            "`reason` must be a string or null, and is `7`",
            "`context_injection_role` must be system, user or assistant, and is `\"tool\"`",
            "`ephemeral` must be true or false, and is `\"yes\"`",
            "`approval_options` must be a list of labels or null, and is `[\"Allow\",2]`",
            "`approval_timeout` must be a number of seconds from 0, and is `-1`",
            "`approval_default` must be allow or deny, and is `null`",
            "`suppress_output` must be true or false, and is `1`; \
             `user_message_level` must be info, warning or error, and is `\"loud\"`",
            "`context_injections` must be a list of texts with a `content`, and is `[{\"content\":\"a\"},{\"role\":\"me\"}]`",
        ]
    );
}

#[test]
fn unknown_fields_are_kept_through_the_composite_and_back() {
    let json = json!({"action": "continue", "trace": [1], "reason": "fine", "user_message": "hi",
        "user_message_source": "lint"});
    let said = flat(json).answer(&event());
    let back = Flat::of(&said, &event(), &[]);
    let written = back.to_json();
    assert_eq!(written["trace"], json!([1]));
    assert_eq!(written["reason"], "fine");
    assert_eq!(written["user_message_source"], "lint");
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
fn modify_is_read_as_the_fields_that_changed_were_added_or_went_away() {
    let data = json!({"tool_name": "bash", "tool_input": {"command": "pnpm i"}, "checked": true});
    let said = flat(json!({"action": "modify", "data": data})).answer(&event());
    let expected = HookResult::proceed()
        .modify("tool_input", json!({"command": "pnpm i"}))
        .modify("checked", true)
        .remove("note");
    assert_eq!(said, expected);
    let nothing = flat(json!({"action": "modify"})).answer(&event());
    assert_eq!(nothing, HookResult::proceed());
}

#[test]
fn the_data_of_a_continue_is_a_reply_and_changes_nothing() {
    let said = flat(json!({"data": {"recommended_tool": "calculator"}})).answer(&event());
    assert_eq!(said.effects.patch(), []);
    let given = said.effects.get().unwrap();
    assert_eq!(
        given.reply,
        Some(json!({"recommended_tool": "calculator"}).into())
    );
    let back = Flat::of(&said, &event(), &[]);
    assert_eq!(back.data, Some(event().data.json().into_owned()));
}

#[test]
fn after_a_refusal_the_data_is_the_refusing_hooks_own_else_none() {
    let (own, bare) = (
        json!({"action": "deny", "reason": "a", "data": {"why": 1}}),
        json!({"action": "deny", "reason": "a"}),
    );
    let said = HookResult::proceed()
        .modify("tool_input", json!({"command": "pnpm i"}))
        .then(flat(own).answer(&event()));
    let told = Flat::of(&said, &event(), &[]);
    assert_eq!(told.data, Some(object(json!({"why": 1}))));
    assert_eq!(told.emitted(&event()).verdict, said.verdict);
    let told = Flat::of(&flat(bare).answer(&event()), &event(), &[]);
    assert_eq!(told.data, None);
}

#[test]
fn halt_and_allow_have_flat_forms_that_are_read_back() {
    let both = [
        (HookResult::halt("budget is spent"), "deny", "halted"),
        (
            HookResult::allow_because("read-only"),
            "continue",
            "allowed",
        ),
    ];
    for (said, action, flag) in both {
        let told = Flat::of(&said, &event(), &[]);
        let json = told.to_json();
        assert_eq!(
            (&json["action"], &json[flag]),
            (&json!(action), &json!(true))
        );
        let back = Flat::from_json(json).unwrap();
        assert_eq!(back, told);
        assert_eq!(back.emitted(&event()), said);
    }
}

#[test]
fn emit_never_says_modify_and_a_hook_does() {
    let said = HookResult::proceed().modify("tool_input", json!({"command": "pnpm i"}));
    let chained =
        object(json!({"tool_name": "bash", "tool_input": {"command": "pnpm i"}, "note": 1}));
    let emitted = Flat::of(&said, &event(), &[]);
    assert_eq!(
        (emitted.action, emitted.data.as_ref()),
        (Action::Continue, Some(&chained))
    );
    assert_eq!(emitted.emitted(&event()), said);
    let answer = Flat::answering(&said, &event(), &[]);
    assert_eq!(
        (answer.action, answer.data.as_ref()),
        (Action::Modify, Some(&chained))
    );
    assert_eq!(answer.answer(&event()), said);
}

#[test]
fn the_precedence_of_seed_001_an_ask_stands_before_an_injection_and_neither_is_lost() {
    let asks = json!({"action": "ask_user", "approval_prompt": "Deploy?"});
    let injects = json!({"action": "inject_context", "context_injection": "branch: main"});
    let together = flat(asks)
        .answer(&event())
        .then(flat(injects).answer(&event()));
    let told = Flat::of(&together, &event(), &[]);
    assert_eq!(told.action, Action::AskUser);
    assert_eq!(told.approval_prompt.as_deref(), Some("Deploy?"));
    assert_eq!(told.context_injection.as_deref(), Some("branch: main"));
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
fn several_injections_are_joined_by_a_blank_line_with_the_settings_of_the_first() {
    let mut first = Injection::new("todo: 2");
    first.role = Role::User;
    first.lifetime = Lifetime::Ephemeral;
    first.place = Placing::LastToolResult;
    let said = HookResult::proceed()
        .injecting(first)
        .inject("branch: main");
    let told = Flat::of(&said, &event(), &[]);
    assert_eq!(
        told.context_injection.as_deref(),
        Some("todo: 2\n\nbranch: main")
    );
    assert_eq!(told.context_injection_role, Role::User);
    assert!(told.ephemeral && told.append_to_last_tool_result);
    assert_eq!(told.emitted(&event()), said);
}

#[test]
fn append_to_last_tool_result_counts_only_beside_ephemeral() {
    let place = |ephemeral: bool| {
        let json = json!({"action": "inject_context", "context_injection": "x",
            "append_to_last_tool_result": true, "ephemeral": ephemeral});
        flat(json).answer(&event()).effects.inject()[0].place
    };
    assert_eq!(
        (place(false), place(true)),
        (Placing::Message, Placing::LastToolResult)
    );
}

#[test]
fn only_the_labels_of_amplifier_grant_unless_an_option_says_what_it_means() {
    let json = json!({"action": "ask_user", "approval_options": [
        "Allow once", "ALLOW ALWAYS", "Approve", {"label": "Yes", "grants": "allow", "remember": "session"}]});
    let said = flat(json).answer(&event());
    let meant: Vec<_> = said.verdict.questions()[0]
        .options
        .iter()
        .map(|choice| (&*choice.label, choice.grants, choice.remember))
        .collect();
    assert_eq!(
        meant,
        [
            ("Allow once", Grants::Proceed, Remember::Once),
            ("ALLOW ALWAYS", Grants::Proceed, Remember::Session),
            ("Approve", Grants::Deny, Remember::Once),
            ("Yes", Grants::Allow, Remember::Session),
        ]
    );
}

#[test]
fn several_questions_become_one_with_the_shortest_patience_and_the_graver_default() {
    let mut first = Question::new("Deploy?");
    first.default = Settled::Allow;
    let mut second = Question::new("To production?");
    second.timeout = std::time::Duration::from_secs(20);
    second.options = vec![Choice {
        label: "Go".into(),
        grants: Grants::Proceed,
        remember: Remember::Once,
    }];
    let said = HookResult::asks(first).then(HookResult::asks(second));
    let told = Flat::of(&said, &event(), &[]);
    assert_eq!(
        told.approval_prompt.as_deref(),
        Some("Deploy?\nTo production?")
    );
    assert_eq!(
        (told.approval_timeout, told.approval_default),
        (20.0, Settled::Deny)
    );
    assert_eq!(told.approval_options, None);
}

#[test]
fn a_refusal_with_a_broken_field_beside_it_stands_and_anything_lighter_is_a_fault() {
    let deny = read(
        object(json!({"action": "deny", "reason": "no", "data": 3})),
        &event(),
    );
    let said = deny.unwrap();
    assert_eq!(said.verdict, HookResult::deny("no").verdict);
    assert_eq!(said.effects.notify()[0].level, Level::Warning);
    let fault = read(object(json!({"action": "continue", "data": 3})), &event());
    assert_eq!(
        &*fault.unwrap_err().text,
        "`data` must be an object or null, and is `3`"
    );
}

#[test]
fn a_refusal_of_hooks_json_inside_a_flat_result_is_one() {
    for json in [
        json!({"action": "continue", "decision": "block", "reason": "frozen"}),
        json!({"action": "contineu", "decision": "block", "reason": "frozen"}),
        json!({"action": "modify", "hookSpecificOutput": {"hookEventName": "PreToolUse",
            "permissionDecision": "deny", "permissionDecisionReason": "frozen"}}),
    ] {
        let said = read(object(json.clone()), &event()).unwrap();
        assert_eq!(
            (said.verdict.kind(), &*said.verdict.text()),
            (Kind::Deny, "frozen"),
            "{json}"
        );
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
            Settled::Allow
        } else {
            Settled::Deny
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
                Placing::LastToolResult
            } else {
                Placing::Message
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
