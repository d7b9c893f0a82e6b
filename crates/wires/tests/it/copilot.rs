//! The answers that only Copilot has.

use anyhook_core::result::HookResult;
use serde_json::{Value, json};

use crate::case::{Case, left};
use crate::fixtures::ended;

#[test]
fn every_answer_that_only_copilot_has_is_heard_and_said_as_it_was() {
    let table = [
        (
            "userPromptTransformed",
            HookResult::proceed(),
            json!({"modifiedTransformedPrompt": "x"}),
        ),
        (
            "preMcpToolCall",
            HookResult::proceed(),
            json!({"metaToUse": {"a": 1}}),
        ),
        (
            "subagentStop",
            HookResult::proceed(),
            json!({"modifiedResponse": "x"}),
        ),
        (
            "permissionRequest",
            HookResult::deny("no"),
            json!({"interrupt": true}),
        ),
    ];
    for (event, verdict, fields) in table {
        let case = Case::first("copilot-cli", event);
        let heard = case.hears(&ended(0, &fields.to_string(), "")).unwrap();
        let (_, reply, losses) = case.says(verdict.then(heard));
        assert_eq!(losses, [], "{event}");
        let expected: Vec<(String, Value)> =
            fields.as_object().unwrap().clone().into_iter().collect();
        assert_eq!(
            case.does(&left(&reply)).native,
            expected,
            "{event} {reply:?}"
        );
    }
}

#[test]
fn an_interruption_without_a_refusal_is_not_said() {
    let case = Case::first("copilot-cli", "permissionRequest");
    let heard = case.hears(&ended(0, r#"{"interrupt":true}"#, "")).unwrap();
    assert_eq!(case.wire.write_result(&case.event, &heard).stdout, "");
}
