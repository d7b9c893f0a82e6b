//! Cases in which a person answers: the person who is asked.

use anyhook_testing::{How, Put, Ran};
use serde_json::json;

use crate::package::{Package, command, lines, told};

const ASKS: &str =
    r#"echo '{"permissionDecision": "ask", "permissionDecisionReason": "push to main?"}'"#;
const BASE: &str = "name: only\nevent: pre-tool-use\nmode: dispatch\n";

fn with(interactive: &str, decision: &str) -> String {
    format!("{BASE}interactive: {interactive}\nexpected:\n  decision: {decision}\n")
}

#[test]
fn the_person_of_a_case_answers_what_a_hook_asks() {
    let package = Package::of(ASKS);
    for (said, decision) in [
        ("allow once", "continue"),
        ("Allow", "continue"),
        ("allow always", "continue"),
        ("deny", "deny"),
        ("timeout", "deny"),
        ("[allow]", "continue"),
    ] {
        assert_eq!(
            package.try_case(&with(said, decision)),
            ["pass only"],
            "{said}"
        );
    }
    assert_eq!(
        package.try_case(&format!("{BASE}expected:\n  decision: ask\n")),
        ["pass only"],
        "without a person the question stays one"
    );
}

#[test]
fn a_question_without_an_answer_fails_the_case_and_says_what_was_asked() {
    let package = Package::of(ASKS);
    assert_eq!(
        package.try_case(&with("[]", "ask")),
        [
            "fail only; interactive: `pre-tool-use[0][0]` asks \"push to main?\", and the case has no answer to it"
        ]
    );
    assert_eq!(
        package.try_case(&with("maybe", "ask")),
        [
            "fail only; interactive: `pre-tool-use[0][0]` asks \"push to main?\", and `maybe` is none of its choices: \
          `Allow`, `Deny`"
        ]
    );
    assert_eq!(
        package.try_case(&with("[allow, allow]", "continue")),
        ["fail only; interactive: the case has 2 answers, and the person was asked 1 times"]
    );
}

#[test]
fn several_questions_are_answered_in_turn_up_to_the_first_no() {
    let asks = |text: &str| {
        command(&format!(
            "echo '{{\"permissionDecision\": \"ask\", \"permissionDecisionReason\": \"{text}\"}}'"
        ))
    };
    let package = Package::new(&json!({"pre-tool-use": [{"hooks": [asks("one?"), asks("two?")]}]}));
    package.case("a", &with("[allow, deny]", "deny"));
    let ran = package.run();
    assert_eq!(lines(&ran), ["pass only"]);
    let put: Vec<(&str, Option<&str>)> = put(&ran[0])
        .iter()
        .map(|Put { question, said, .. }| (question.as_str(), said.as_deref()))
        .collect();
    assert_eq!(put, [("one?", Some("allow")), ("two?", Some("deny"))]);
    package.case("a", &with("[deny]", "deny"));
    assert_eq!(lines(&package.run()), ["pass only"]);
}

fn put(ran: &Ran) -> &[Put] {
    &ran.evidence.as_ref().unwrap().put
}

#[test]
fn a_host_that_asks_by_itself_is_left_to_ask() {
    let package = Package::of(ASKS);
    let case = |host: &str, decision: &str| {
        format!("{BASE}as: {host}\ninteractive: allow once\nexpected:\n  decision: {decision}\n")
    };
    assert_eq!(
        package.try_case(&case("claude-code", "ask")),
        ["pass only[as=claude-code]"]
    );
    // Codex has no question at this event: the approver of the person is asked.
    assert_eq!(
        package.try_case(&case("codex-cli", "continue")),
        ["pass only[as=codex-cli]"]
    );
}

#[test]
fn who_speaks_in_a_case_is_told_in_words_that_are_checked_first() {
    let package = Package::of(ASKS);
    let wrong = |text: &str| {
        package.case("only", &format!("{BASE}{text}"));
        let suite = package.read();
        assert!(suite.cases.is_empty(), "{text}");
        told(&suite).join("; ")
    };
    assert_eq!(
        wrong("interactive: true\n"),
        "only.yaml:4:14: `interactive` is what the person answers: a text, or a list of texts"
    );
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
    let how = How::default();
    how.interrupted
        .store(true, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(lines(&package.run_as(&how)), [""; 0]);
}
