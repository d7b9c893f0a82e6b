//! Prompt hooks in tests: no network, no key, and the reader of real answers.

use serde_json::json;

use crate::env::{Left, TestEnv, on};

/// A package with a hook that asks a model, and one case that says what the model answers.
fn tested(case: &str) -> Left {
    let env = TestEnv::new();
    let hook = json!({"type": "prompt", "prompt": "Is it safe? $ARGUMENTS"});
    env.manifest(&on("pre-tool-use", &json!([{"hooks": [hook]}])).to_string());
    env.write(
        "project/hooks/tests/cases/a.yaml",
        &format!("name: a\nevent: pre-tool-use\n{case}"),
    );
    env.run(&["test", "-v"], b"")
}

fn answer(response: &str, expected: &str) -> String {
    format!("input:\n  model-response: {response}\nexpected: {{{expected}}}\n")
}

#[test]
fn a_prompt_hook_is_tested_with_what_the_model_says() {
    for (response, expected) in [
        ("{ok: true}", "decision: continue"),
        (
            "{ok: false, reason: rm is for nobody}",
            "decision: deny, reason-contains: [rm is for nobody]",
        ),
        ("'{\"ok\": false, \"reason\": \"no\"}'", "decision: deny"),
        ("'```json\\n{\"ok\": true}\\n```'", "fault: invalid_answer"),
        (
            "\"```json\\n{\\\"ok\\\": true}\\n```\"",
            "decision: continue",
        ),
        ("'I think {\"ok\": true} is right'", "fault: invalid_answer"),
        (
            "{permissionDecision: ask, permissionDecisionReason: sure?}",
            "decision: ask",
        ),
        ("{error: 429}", "fault: errored"),
        ("{error: timeout}", "fault: errored"),
    ] {
        let left = tested(&answer(response, expected));
        assert_eq!(left.code, 0, "{response}: {left:?}");
        assert!(left.stdout.contains("✓ pass  a"), "{response}: {left:?}");
    }
}

#[test]
fn what_a_model_would_be_asked_is_looked_at() {
    let case = answer(
        "{ok: true}",
        r#"prompt-contains: ["Is it safe?", '"command":"true"']"#,
    );
    let left = tested(&case);
    assert_eq!(left.code, 0, "{left:?}");
    let left = tested(&answer("{ok: true}", "prompt-contains: [Is it fast]"));
    assert_eq!(left.code, 1);
    assert!(
        left.stdout
            .contains("prompt-contains: the model is not asked anything with \"Is it fast\""),
        "{left:?}"
    );
}

#[test]
fn a_prompt_hook_whose_case_says_nothing_is_skipped_aloud() {
    let left = tested("expected: {decision: deny}\n");
    assert_eq!(left.code, 0, "{left:?}");
    assert!(
        left.stdout.contains("- skip  a") && left.stdout.contains("`input.model-response`"),
        "{left:?}"
    );
}

#[test]
fn no_variable_and_no_file_brings_an_answer_in_the_place_of_a_model() {
    // What a test has comes with its stage. The process that asks takes it from the process that started it, and from no other.
    let env = TestEnv::new();
    let judging = json!({"prompt": "p", "session": null, "millis": 1000});
    let mut line = env.command(&["ask-model", &judging.to_string()]);
    line.env("ANYHOOK_STAND_IN", r#"{"says": {"ok": true}}"#);
    let left = crate::env::finish(crate::env::start(line, b"{}"));
    assert_ne!(left.code, 0, "{left:?}");
    assert_eq!(left.stdout, "");
}
