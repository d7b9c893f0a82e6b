//! Hooks in the background where no supervisor takes them, as in a test.

use std::fs;

use anyhook::core::fit::{Became, Lost};
use anyhook::core::result::Kind;
use anyhook::line::Line;
use anyhook::world::World;
use serde_json::json;

use crate::lines;

#[test]
fn without_a_supervisor_a_hook_in_the_background_is_waited_for_and_decides_nothing() {
    let place = tempfile::tempdir().unwrap();
    let manifest = place.path().join("hooks.json");
    let answer = json!({"hookSpecificOutput": {
        "permissionDecision": "deny", "permissionDecisionReason": "no",
        "updatedInput": {"command": "true"}, "additionalContext": "seen",
    }});
    let line = format!("printf '%s' '{answer}'");
    let hooks = json!({"version": 1, "hooks": {"pre-tool-use": [{"hooks": [
        {"type": "command", "command": line, "async": true},
    ]}]}});
    fs::write(&manifest, hooks.to_string()).unwrap();
    let world = World {
        cwd: place.path().into(),
        places: None,
        ..World::real()
    };
    let line = Line {
        manifest: Some(manifest),
        ..lines::line(&world)
    };
    let payload = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}});
    let report = line.run(payload.to_string().as_bytes()).report;
    assert_eq!(report.result.verdict.kind(), Kind::Continue);
    assert_eq!(report.result.effects.patch(), []);
    assert_eq!(&*report.result.effects.inject()[0].text, "seen");
    let lost: Vec<_> = report
        .losses
        .iter()
        .map(|loss| (&loss.what, loss.became))
        .collect();
    let rewrite = Lost::Rewrite("tool_input".into());
    assert_eq!(
        lost,
        [
            (&Lost::Verdict(Kind::Deny), Became::Nothing),
            (&rewrite, Became::Nothing)
        ]
    );
}
