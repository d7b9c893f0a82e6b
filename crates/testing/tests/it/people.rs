//! What a model says in a case, and a person who ends the run.

use anyhook_testing::TestOptions;

use crate::package::{Package, lines, told};

const ASKS: &str =
    r#"echo '{"permissionDecision": "ask", "permissionDecisionReason": "push to main?"}'"#;
const BASE: &str = "name: only\nevent: pre-tool-use\nmode: dispatch\n";

#[test]
fn what_a_model_says_in_a_case_is_told_in_words_that_are_checked_first() {
    let package = Package::of(ASKS);
    let wrong = |text: &str| {
        package.case("only", &format!("{BASE}{text}"));
        let suite = package.read();
        assert!(suite.cases.is_empty(), "{text}");
        told(&suite).join("; ")
    };
    assert_eq!(
        wrong("input:\n  model-response: {error: 200}\n"),
        "only.yaml:5:19: `error` is `timeout`, or the status of a server from 300 to 599, and stands alone"
    );
    assert!(wrong("input:\n  model-response: 3\n").contains("a model answers with a text"));
    assert_eq!(
        wrong("expected:\n  prompt-contains: [x]\n"),
        "only.yaml:5:21: nothing is asked of a model: say what it answers with `input.model-response`"
    );
}

#[test]
fn a_person_who_ends_the_run_ends_its_hooks_and_no_case_is_told() {
    let package = Package::of("sleep 300");
    package.case("a", "name: a\nevent: pre-tool-use\n");
    let how = TestOptions::default();
    how.interrupted
        .store(true, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(lines(&package.run_as(&how)), [""; 0]);
}
