//! What is written as JSON is read back as it was.

use std::sync::Arc;
use std::time::Duration;

use anyhook_core::event::EventName;
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::fit::{Became as Said, Can, Loss, Lost, Undelivered};
use anyhook_core::hook::{HookInfo, Source};
use anyhook_core::report::{Asked, Became, Heading, Report, Step, VERSION, WhyNot};
use anyhook_core::result::{HookId, HookResult, Injection, Notice};
use anyhook_core::taxonomy::Class;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

use crate::table::{Timing, run, table};
use crate::{any, config};

fn loss() -> impl Strategy<Value = Loss> {
    let what = select(vec![
        Lost::Verdict(anyhook_core::result::Kind::Ask),
        Lost::Rewrite("tool_input".into()),
        Lost::BareRewrite,
        Lost::Injection,
        Lost::Native("codex".into()),
    ]);
    let became = select(vec![
        Said::Injection,
        Said::Notice,
        Said::Later,
        Said::Default,
        Said::Nothing,
    ]);
    let text = proptest::option::of(prop_oneof![
        any::text().prop_map(|text| Undelivered::Injection(Injection::new(text))),
        any::text().prop_map(|text| Undelivered::Notice(Notice::new(text))),
    ]);
    (what, became, any::by(), text).prop_map(|(what, became, by, text)| Loss {
        what,
        became,
        by,
        text,
    })
}

prop_compose! {
    fn report()(
        ran in table().prop_map(|table| run(&table, Timing::in_order()).finished),
        result in any::result(),
        said in proptest::option::of(any::result()),
        losses in proptest::collection::vec(loss(), 0..3),
        took in proptest::option::of((0..10_000_000u64).prop_map(Duration::from_micros)),
        name in select(vec!["tool:pre", "stop", "my-hook:debug"]),
        text in any::text(),
    ) -> Report {
        Report {
            version: VERSION,
            id: text.clone(),
            parent: None,
            at: took.map(|_| -1),
            event: Heading {
                name: EventName::new(name),
                host: text.clone(),
                native: text.clone(),
                session: Some(text.clone()),
                subject: None,
            },
            result,
            said,
            hooks: Arc::new([Arc::new(HookInfo { name: text.clone(), ..HookInfo::default() })]),
            steps: ran.steps,
            losses,
            remarks: vec![text],
            audit: Vec::new(),
            took,
            action: None,
        }
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_result_is_read_back_as_it_was_written(result in any::result()) {
        let written = serde_json::to_string(&result).unwrap();
        let read: HookResult = serde_json::from_str(&written).unwrap();
        prop_assert_eq!(read, result, "{}", written);
    }

    #[test]
    fn a_report_is_read_back_as_it_was_written(report in report()) {
        let written = serde_json::to_string(&report).unwrap();
        let read: Report = serde_json::from_str(&written).unwrap();
        prop_assert_eq!(read, report, "{}", written);
    }
}

#[test]
fn setting_a_field_to_null_is_not_removing_it() {
    let set = HookResult::proceed().modify("note", serde_json::Value::Null);
    let removed = HookResult::proceed().remove("note");
    assert_eq!(
        serde_json::to_value(&set).unwrap()["effects"]["patch"],
        json!([{"field": "note", "value": null, "if_unsayable": "deny"}])
    );
    assert_eq!(
        serde_json::to_value(&removed).unwrap()["effects"]["patch"],
        json!([{"field": "note", "if_unsayable": "deny"}])
    );
}

#[test]
fn an_unknown_verdict_is_an_error_that_names_it() {
    let error = serde_json::from_value::<HookResult>(json!({"verdict": "shrug"})).unwrap_err();
    insta::assert_snapshot!(error, @"unknown variant `shrug`, expected one of `continue`, `allow`, `ask`, `deny`, `halt`");
}

#[test]
fn a_rich_report_reads_well() {
    let hooks = [
        ("no-secrets", 3, true),
        ("pnpm", 9, false),
        ("lint", 15, false),
        ("new-rule", 21, false),
    ];
    let info = |(name, line, guard): (&str, u32, bool)| {
        Arc::new(HookInfo {
            name: name.into(),
            source: Some(Source {
                file: "hooks/hooks.json".into(),
                line,
            }),
            matcher: Some("Bash".into()),
            guard,
            shadow: name == "new-rule",
            ..HookInfo::default()
        })
    };
    let by = |mut result: HookResult, hook: u32| {
        for rewrite in &mut result.effects.edit().patch {
            rewrite.by = Some(HookId(hook));
        }
        result
    };
    let rewrite = by(
        HookResult::proceed().modify("tool_input", json!({"command": "pnpm add left-pad"})),
        1,
    );
    let can = Can {
        rewrite: &["tool_input"],
        coupling: anyhook_core::can::Coupling::Permission,
        ..Can::EVERYTHING
    };
    let (said, losses) = rewrite.clone().fit(Class::Gate, &["tool_input"], &can);
    let step = |hook, became, again| Step {
        hook: HookId(hook),
        became,
        again,
        took: Some(Duration::from_micros(1_900)),
    };
    let fault = Fault::new(FaultKind::TimedOut, "it took longer than 30 s");
    let report = Report {
        version: VERSION,
        id: "7f3a".into(),
        parent: None,
        at: Some(1_767_225_600_000),
        event: Heading {
            name: EventName::new("PreToolUse"),
            host: "claude-code".into(),
            native: "PreToolUse".into(),
            session: Some("s-1".into()),
            subject: Some("Bash".into()),
        },
        result: rewrite.clone(),
        said: Some(said),
        hooks: hooks.map(info).into(),
        steps: vec![
            step(0, Became::Said(None), Asked::First),
            step(1, Became::Said(Some(Box::new(rewrite))), Asked::First),
            step(
                2,
                Became::Failed {
                    fault: Box::new(fault),
                    verdict: anyhook_core::result::Kind::Continue,
                },
                Asked::First,
            ),
            step(
                3,
                Became::Would(Box::new(HookResult::deny("left-pad is not allowed here"))),
                Asked::First,
            ),
            step(0, Became::Said(None), Asked::Again),
            Step {
                hook: HookId(2),
                became: Became::NotAsked(WhyNot::Once),
                again: Asked::Again,
                took: None,
            },
        ],
        losses,
        remarks: vec!["`hooks/extra.json` is not trusted: `anyhook trust hooks/extra.json`".into()],
        audit: Vec::new(),
        took: Some(Duration::from_micros(30_004_200)),
        action: None,
    };
    insta::assert_json_snapshot!(report);
}
