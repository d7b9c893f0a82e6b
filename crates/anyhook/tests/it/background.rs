//! Hooks that no event should wait for, where no supervisor takes them, as in a test.

use anyhook::core::fit::{LossKind, Substitute};
use anyhook::core::report::Report;
use anyhook::core::result::Kind;
use serde_json::{Value, json};

use crate::lines::report;

/// A hook that prints this before each call.
fn prints(answer: &str, fields: &Value) -> Value {
    let mut hook = json!({"type": "command", "command": format!("printf '%s' '{answer}'")});
    for (name, value) in fields.as_object().unwrap() {
        hook[name] = value.clone();
    }
    json!({"version": 1, "hooks": {"pre-tool-use": [{"hooks": [hook]}]}})
}

fn lost(report: &Report) -> Vec<(LossKind, Substitute)> {
    let losses = report.losses.iter();
    losses
        .map(|loss| (loss.what.clone(), loss.became))
        .collect()
}

#[test]
fn without_a_supervisor_a_hook_in_the_background_is_waited_for_and_decides_nothing() {
    let answer = json!({"hookSpecificOutput": {
        "permissionDecision": "deny", "permissionDecisionReason": "no",
        "updatedInput": {"command": "true"}, "additionalContext": "seen",
    }});
    let report = report(&prints(&answer.to_string(), &json!({"async": true})));
    assert_eq!(report.result.verdict.kind(), Kind::Continue);
    assert_eq!(report.result.effects.patch(), []);
    assert_eq!(&*report.result.effects.inject()[0].text, "seen");
    let nothing = |what| (what, Substitute::Nothing);
    let expected = [
        LossKind::Verdict(Kind::Deny),
        LossKind::Rewrite("tool_input".into()),
    ];
    assert_eq!(lost(&report), expected.map(nothing));
}

#[test]
fn a_hook_that_prints_async_is_waited_for_and_that_is_a_loss() {
    let answer = json!({"async": true, "hookSpecificOutput": {
        "permissionDecision": "deny", "permissionDecisionReason": "no",
    }});
    let is_lost = [(LossKind::Native("async".into()), Substitute::Nothing)];
    let said = report(&prints(&answer.to_string(), &json!({})));
    assert_eq!(said.result.verdict.kind(), Kind::Deny, "it refuses as ever");
    assert_eq!(lost(&said), is_lost);
    let silent = report(&prints(r#"{"async": true}"#, &json!({})));
    assert_eq!(silent.result.verdict.kind(), Kind::Continue);
    assert_eq!(lost(&silent), is_lost);
}

#[test]
fn what_a_hook_of_claude_code_says_beside_a_printed_async_decides_nothing_and_its_texts_are_kept() {
    let line = r#": ${CLAUDE_PLUGIN_ROOT}; echo '{"async": true, "asyncTimeout": 100000}'; echo busy
        echo '{"decision": "block", "reason": "no", "systemMessage": "looked"}'"#;
    let hook = json!({"type": "command", "command": line});
    let said = report(&json!({"hooks": {"PreToolUse": [{"hooks": [hook]}]}}));
    assert_eq!(said.result.verdict.kind(), Kind::Continue);
    assert_eq!(&*said.result.effects.notify()[0].text, "looked");
    let what = [
        LossKind::Native("async".into()),
        LossKind::Verdict(Kind::Deny),
    ];
    assert_eq!(lost(&said), what.map(|what| (what, Substitute::Nothing)));
}

#[test]
fn a_guard_that_prints_async_refuses() {
    for answer in [
        r#"{"async": true}"#,
        "{\n  \"async\": true\n}",
        r#"{"async": true, "hookSpecificOutput": {"permissionDecision": "allow"}}"#,
        r#"{"async": true, "hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "no"}}"#,
    ] {
        let said = report(&prints(answer, &json!({"guard": true})));
        assert_eq!(said.result.verdict.kind(), Kind::Deny, "{answer}");
        assert_eq!(
            lost(&said),
            [(LossKind::Native("async".into()), Substitute::Nothing)]
        );
    }
}
