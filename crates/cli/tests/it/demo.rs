//! The main job on real input: the demo's package over the recorded session.

use serde_json::Value;

use crate::env::{TestEnv, repository};

#[test]
fn the_demo_answers_each_event_of_the_recorded_session_as_its_table_says() {
    let left = TestEnv::new().run(&["demo", "--format", "json"], b"");
    assert_eq!(left.code, 0, "{left:?}");
    let reports: Vec<Value> = left
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let table =
        std::fs::read_to_string(repository().join("fixtures/sessions/shop.expected.json")).unwrap();
    let expected: Vec<Value> = serde_json::from_str(&table).unwrap();
    assert!(
        expected.len() >= 25,
        "a whole session has at least 25 events"
    );
    assert_eq!(reports.len(), expected.len());
    for (report, expected) in reports.iter().zip(&expected) {
        let effects = |name: &str| {
            report["result"]["effects"][name]
                .as_array()
                .is_some_and(|all| !all.is_empty())
        };
        let came = serde_json::json!({
            "line": expected["line"],
            "event": report["event"]["native"],
            "verdict": report["result"]["verdict"],
            "rewrites": effects("patch"),
            "injects": effects("inject"),
        });
        let mut wanted = expected.clone();
        wanted
            .as_object_mut()
            .unwrap()
            .retain(|key, _| key != "said_by");
        assert_eq!(came, wanted, "line {}: {report:#}", expected["line"]);
        let failed = report["steps"]
            .as_array()
            .unwrap()
            .iter()
            .any(|step| step["became"].get("failed").is_some());
        assert!(!failed, "no hook of the demo fails: {report:#}");
    }
}

#[test]
fn the_demo_shows_a_timeline_a_summary_and_one_why() {
    let left = TestEnv::new().run(&["demo"], b"");
    assert_eq!(left.code, 0, "{left:?}");
    for part in [
        "PreToolUse",
        "deny",
        "ask",
        "rewrote tool_input",
        "inject",
        "summary",
        "anyhook why ",
        "decided by",
    ] {
        assert!(
            left.stdout.contains(part),
            "{part:?} is missing in:\n{}",
            left.stdout
        );
    }
}
