//! What a person reads is what runs.

use serde_json::json;

use crate::env::TestEnv;

#[test]
fn what_check_refuses_is_refused_by_run_at_every_gate_and_goes_on_elsewhere() {
    let hook = r#"{"type": "command", "command": "exit 0"}"#;
    let one = |entry: &str| format!(r#"{{"pre-tool-use": [{{"hooks": [{entry}]}}]}}"#);
    let files = [
        format!(r#"{{"version": 2, "hooks": {}}}"#, one(hook)),
        format!(r#"{{"version": "1", "hooks": {}}}"#, one(hook)),
        format!(r#"{{"version": 1, "version": 2, "hooks": {}}}"#, one(hook)),
        format!(
            r#"{{"version": 1, "mode": "shadowed", "hooks": {}}}"#,
            one(hook)
        ),
        format!(r#"{{"version": 1, "disabel": [], "hooks": {}}}"#, one(hook)),
        format!(
            r#"{{"version": 1, "hooks": {}}}"#,
            one(r#"{"type": "comand", "command": "exit 0"}"#)
        ),
        format!(
            r#"{{"version": 1, "hooks": {}}}"#,
            one(r#"{"type": "command", "command": "exit 0", "gaurd": true}"#)
        ),
        r#"{"version": 1, "hooks": {"pre-tool-use": {"hooks": []}}}"#.to_owned(),
        r#"{"version": 1, "hooks": {"pre-tool-use": [{}]}}"#.to_owned(),
        r#"{"version": 1, "hooks": {"pre-tool-use": ["x"]}}"#.to_owned(),
    ];
    for file in files {
        let env = TestEnv::new();
        env.manifest(&file);
        env.trust();
        let checked = env.anyhook("check hooks/hooks.json");
        assert_ne!(checked.code, 0, "{file}");
        let payload = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}});
        let asked = ["run", "PreToolUse", "--host", "claude-code"];
        let left = env.run(&asked, payload.to_string().as_bytes());
        assert_eq!(left.decision().as_deref(), Some("deny"), "{file} {left:?}");
        let payload = json!({"hook_event_name": "SessionEnd", "reason": "clear"});
        let left = env.run(
            &["run", "SessionEnd", "--host", "claude-code"],
            payload.to_string().as_bytes(),
        );
        assert_eq!(left.code, 0, "{file} {left:?}");
    }
}
