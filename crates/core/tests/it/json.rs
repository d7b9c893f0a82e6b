//! What is written as JSON is read back as it was.

use std::sync::Arc;
use std::time::Duration;

use anyhook_core::event::EventName;
use anyhook_core::fit::{Loss, LossKind, Substitute, UndeliveredText};
use anyhook_core::hook::HookInfo;
use anyhook_core::report::{Heading, Report, VERSION};
use anyhook_core::result::{HookResult, Injection, Notice};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

use crate::table::{Timing, run, table};
use crate::{any, config};

fn loss() -> impl Strategy<Value = Loss> {
    let what = select(vec![
        LossKind::Verdict(anyhook_core::result::Kind::Ask),
        LossKind::Rewrite("tool_input".into()),
        LossKind::BareRewrite,
        LossKind::Injection,
        LossKind::Native("codex".into()),
    ]);
    let became = select(vec![
        Substitute::Injection,
        Substitute::Notice,
        Substitute::Later,
        Substitute::Default,
        Substitute::Nothing,
    ]);
    let text = proptest::option::of(prop_oneof![
        any::text().prop_map(|text| UndeliveredText::Injection(Injection::new(text))),
        any::text().prop_map(|text| UndeliveredText::Notice(Notice::new(text))),
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
    let text = include_str!("rich-report.json");
    let report: Report = serde_json::from_str(text).unwrap();
    let written = serde_json::to_string_pretty(&report).unwrap();
    assert_eq!(written, text.trim_end());
}
