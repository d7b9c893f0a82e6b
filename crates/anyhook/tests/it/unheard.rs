//! Answers that no host could hear: a rewrite of a field that cannot be changed, and a guard that talks.

use anyhook::core::fit::{LossKind, Substitute};
use anyhook::core::report::Report;
use anyhook::core::result::Kind;
use serde_json::{Value, json};

use crate::lines::report;

/// What came of a call of a tool under one hook.
fn of(entry: &Value) -> Report {
    report(&json!({"version": 1, "hooks": {"pre-tool-use": [{"hooks": [entry]}]}}))
}

#[test]
fn a_rewrite_of_a_rule_that_no_host_hears_is_a_loss_and_does_what_the_rule_says_of_such() {
    let said = |more: Value| {
        let mut entry = json!({"type": "rule", "then": {"modify": {"command": "pnpm i"}}});
        entry
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        let report = of(&entry);
        let kind = report.said.as_ref().unwrap().verdict.kind();
        let losses: Vec<_> = report
            .losses
            .iter()
            .map(|loss| (loss.what.clone(), loss.became))
            .collect();
        (kind, losses)
    };
    let lost = |became| vec![(LossKind::Rewrite("command".into()), became)];
    assert_eq!(
        said(json!({})),
        (Kind::Deny, lost(Substitute::Verdict(Kind::Deny)))
    );
    assert_eq!(
        said(json!({"if-unsayable": "ask"})),
        (Kind::Ask, lost(Substitute::Verdict(Kind::Ask)))
    );
    assert_eq!(
        said(json!({"if-unsayable": "drop"})),
        (Kind::Continue, lost(Substitute::Nothing))
    );
}

#[test]
fn a_guard_that_prints_prose_has_failed_and_any_other_hook_has_not() {
    let kind = |command: &str, guard: bool| {
        let entry = json!({"type": "command", "command": command, "guard": guard});
        of(&entry).said.unwrap().verdict.kind()
    };
    let prose = "echo this is not allowed";
    assert_eq!(
        (kind(prose, true), kind(prose, false)),
        (Kind::Deny, Kind::Continue)
    );
    assert_eq!(kind("echo", true), Kind::Continue);
    assert_eq!(kind("echo '{}'", true), Kind::Continue);
    assert_eq!(kind("printf 'looked\\n{}\\n'", true), Kind::Continue);
}
