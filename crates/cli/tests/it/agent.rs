//! `anyhook demo agent`, as a person calls them.

use serde_json::Value;

use crate::env::TestEnv;

/// Real tools and the package `guardrails`, with a scripted model.
#[test]
fn the_demo_of_the_agent_goes_through_its_guards() {
    let left = TestEnv::new().anyhook("demo agent --json");
    assert_eq!(left.code, 0, "{left:?}");
    let reports: Vec<Value> = left
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let decided: Vec<String> = reports
        .iter()
        .filter(|report| report["result"]["verdict"] == "deny")
        .map(|report| {
            format!(
                "{} {}",
                report["event"]["name"].as_str().unwrap(),
                report["event"]["subject"]
            )
        })
        .collect();
    assert_eq!(
        decided,
        ["tool:pre \"read\"", "tool:pre \"bash\"", "stop null"]
    );
    let failed = reports
        .iter()
        .flat_map(|report| report["steps"].as_array().unwrap());
    let failed: Vec<&Value> = failed
        .filter(|step| step.to_string().contains("fault"))
        .collect();
    assert_eq!(failed, Vec::<&Value>::new());
}
