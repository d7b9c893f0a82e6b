//! The modules that are built in, asked through `hooks.json` by real processes.

use serde_json::json;

use crate::env::{TestEnv, on};

fn token() -> String {
    ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat()
}

#[test]
fn no_report_on_the_disk_holds_a_secret() {
    let rule = json!({"type": "rule", "then": {"deny": "`{{tool_input.command}}` is not for you"}});
    let env = TestEnv::with(&on("pre-tool-use", &json!([{"hooks": [rule]}])));
    let secret = token();
    let left = env.claude(&env.pre("Bash", &json!({"command": format!("echo {secret}")})));
    assert_eq!(left.decision().as_deref(), Some("deny"));
    let reports =
        std::fs::read_to_string(env.state().join("reports/record-00000001.jsonl")).unwrap();
    assert!(
        reports.contains("[REDACTED:SECRET:github-token]"),
        "{reports}"
    );
    assert!(!reports.contains(&secret));
}

#[test]
fn the_guide_names_every_module_and_its_file_is_without_a_finding() {
    let guide = std::fs::read_to_string(crate::env::repository().join("docs/modules.md")).unwrap();
    for module in anyhook::modules::MODULES {
        let summary = module.summary;
        let row = format!("| {summary} |");
        assert!(guide.contains(&row), "{row}");
    }
    let (_, rest) = guide.split_once("```json\n").unwrap();
    let (example, _) = rest.split_once("```").unwrap();
    let env = TestEnv::new();
    let file = env.manifest(example);
    assert_eq!(anyhook::load::parse(&file, example).unwrap().findings, []);
    let left = env.run(&["check"], b"");
    assert_eq!(left.code, 0, "{left:?}");
}
