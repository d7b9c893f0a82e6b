//! `anyhook trust`, where a person types an answer; what it shows before is in `screens/trusting.txt`.

use std::fs;

use serde_json::json;

use crate::approvals::typed;
use crate::env::{Shows as _, TestEnv, on};

#[test]
fn what_a_person_trusts_is_recorded_and_can_be_forgotten_when_it_is_gone() {
    let env = TestEnv::new();
    let rule = json!([{"hooks": [{"type": "rule", "when": "true", "then": {"deny": "frozen"}}]}]);
    let manifest = env.manifest(&on("pre-tool-use", &rule).to_string());
    let manifest = manifest.to_str().unwrap();
    assert_eq!(typed(&env, "anyhook trust", "y\n").code, 0);
    let record = fs::read_to_string(env.path("home/.config/anyhook/trusted.json")).unwrap();
    record.shows(manifest);
    fs::remove_dir_all(env.path("project/hooks")).unwrap();
    let left = env.bash("one");
    left.decides("deny");
    let forget = format!("anyhook trust --forget {manifest}");
    left.says(&forget);
    let shown = typed(&env, &forget, "");
    assert_eq!(shown.code, 0, "{shown:?}");
    shown.says("forgotten");
    assert_eq!(env.bash("two").stdout, "");
}

#[test]
fn all_files_that_are_not_trusted_are_asked_about_in_turn() {
    let env = TestEnv::new();
    let rule = json!([{"hooks": [{"type": "rule", "when": "true", "then": {"deny": "no"}}]}]);
    for name in ["one", "two"] {
        let file = format!("project/.agent-packages/{name}/hooks/hooks.json");
        env.write(&file, &on("stop", &rule).to_string());
    }
    let shown = typed(&env, "anyhook trust", "y\ny\n");
    assert_eq!((shown.code, env.pins().pinned().len()), (0, 2), "{shown:?}");
}

#[test]
fn names_and_commands_of_a_stranger_forge_nothing_in_the_question_of_trust() {
    let hostile = "x\u{1b}[2J\u{9b}1m\u{202e}y\n  script hooks/fine.sh\r";
    let env = TestEnv::new();
    let entry = json!({"type": "command", "command": hostile, "name": hostile});
    env.manifest(&on(hostile, &json!([{"hooks": [entry]}])).to_string());
    let shown = typed(&env, "anyhook trust", "n\n").text;
    for evil in ["\u{202e}", "\u{9b}", "\u{1b}[2J"] {
        assert!(!shown.contains(evil), "{shown:?}");
    }
    let mut lines = shown.lines().map(str::trim_end);
    assert!(
        !lines.any(|line| line == "  script hooks/fine.sh"),
        "{shown}"
    );
}
