//! Any result: the generators that the laws share.

use std::time::Duration;

use anyhook_core::effects::{
    Effects, Injection, Level, Lifetime, NativeAnswer, Notice, Placement, Rewrite, RewriteFallback,
    Role,
};
use anyhook_core::event::{Datum, Map};
use anyhook_core::question::{AnswerLifetime, Answerer, Choice, DefaultAnswer, Grants, Question};
use anyhook_core::result::{HookId, HookResult, Reason, Verdict};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

pub(crate) fn text() -> impl Strategy<Value = Box<str>> {
    select(vec![
        "",
        "a",
        "no secrets",
        "zwei\nZeilen",
        "\u{1f980} \"quoted\"",
    ])
    .prop_map(Box::from)
}

pub(crate) fn value() -> impl Strategy<Value = Value> {
    let long = "x".repeat(3_000);
    select(vec![
        Value::Null,
        json!(true),
        json!(-7),
        json!(0.5),
        json!("text"),
        json!({"b": [1, null], "a": {"deep": "er"}}),
        json!(long),
    ])
}

pub(crate) fn by() -> impl Strategy<Value = Option<HookId>> {
    option::of((0..5u32).prop_map(HookId))
}

fn reason() -> impl Strategy<Value = Reason> {
    (text(), option::of(text()), option::of(value()), by()).prop_map(|(text, code, detail, by)| {
        Reason {
            text,
            code,
            detail,
            by,
        }
    })
}

fn choice() -> impl Strategy<Value = Choice> {
    let grants = select(vec![Grants::Proceed, Grants::Allow, Grants::Deny]);
    let remember = select(vec![
        AnswerLifetime::Once,
        AnswerLifetime::Session,
        AnswerLifetime::Always,
    ]);
    (text(), grants, remember).prop_map(|(label, grants, remember)| Choice {
        label,
        grants,
        remember,
    })
}

fn question() -> impl Strategy<Value = Question> {
    (
        text(),
        vec(choice(), 0..3),
        (0..1_000_000u64).prop_map(Duration::from_millis),
        select(vec![DefaultAnswer::Allow, DefaultAnswer::Deny]),
        select(vec![Answerer::Anyone, Answerer::Host]),
        by(),
    )
        .prop_map(|(prompt, options, timeout, default, who, by)| Question {
            prompt,
            options,
            timeout,
            default,
            who,
            by,
        })
}

pub(crate) fn verdict() -> impl Strategy<Value = Verdict> {
    prop_oneof![
        2 => Just(Verdict::Continue),
        1 => vec(reason(), 1..3).prop_map(|r| Verdict::Allow { reasons: r.into() }),
        1 => vec(question(), 1..3).prop_map(|q| Verdict::Ask { questions: q.into() }),
        1 => vec(reason(), 1..3).prop_map(|r| Verdict::Deny { reasons: r.into() }),
        1 => vec(reason(), 1..3).prop_map(|r| Verdict::Halt { reasons: r.into() }),
    ]
}

fn rewrite() -> impl Strategy<Value = Rewrite> {
    (
        select(vec!["tool_input", "tool_result", "note"]),
        option::of(value().prop_map(Datum::Json)),
        select(vec![
            RewriteFallback::Deny,
            RewriteFallback::Ask,
            RewriteFallback::Drop,
        ]),
        by(),
    )
        .prop_map(|(field, value, if_unsayable, by)| Rewrite {
            field: field.into(),
            value,
            if_unsayable,
            by,
        })
}

fn injection() -> impl Strategy<Value = Injection> {
    (
        text(),
        select(vec![Role::System, Role::User, Role::Assistant]),
        select(vec![Lifetime::Stored, Lifetime::Ephemeral]),
        select(vec![Placement::Message, Placement::LastToolResult]),
        option::of(text()),
        by(),
    )
        .prop_map(|(text, role, lifetime, place, name, by)| Injection {
            text,
            role,
            lifetime,
            place,
            name,
            by,
        })
}

fn notice() -> impl Strategy<Value = Notice> {
    let level = select(vec![Level::Info, Level::Warning, Level::Error]);
    (text(), level, by()).prop_map(|(text, level, by)| Notice { text, level, by })
}

fn native() -> impl Strategy<Value = NativeAnswer> {
    let fields = value().prop_map(|value| Map::from_iter([("field".to_owned(), value)]));
    (select(vec!["claude-code", "codex"]), fields, by()).prop_map(|(wire, fields, by)| {
        NativeAnswer {
            wire: wire.into(),
            fields,
            by,
        }
    })
}

prop_compose! {
    fn effects()(
        patch in vec(rewrite(), 0..4),
        inject in vec(injection(), 0..3),
        notify in vec(notice(), 0..3),
        native in vec(native(), 0..3),
        reply in option::of(value().prop_map(Datum::Json)),
        suppress_output in any::<bool>(),
        empty in any::<bool>(),
    ) -> Effects {
        let mut effects = Effects::default();
        if !empty {
            let given = effects.edit();
            given.patch = patch;
            given.inject = inject;
            given.notify = notify;
            given.native = native;
            given.reply = reply;
            given.suppress_output = suppress_output;
        }
        effects
    }
}

pub(crate) fn result() -> impl Strategy<Value = HookResult> {
    (verdict(), effects()).prop_map(|(verdict, effects)| HookResult { verdict, effects })
}
