//! The client in JavaScript and the plugin for `OpenCode`, under Node where it is installed.

use std::path::Path;
use std::process::Command;

use anyhook_serve::Limits;
use serde_json::json;

use super::home::Home;

#[test]
fn the_plugin_for_opencode_refuses_rewrites_and_informs_and_its_client_fails_closed() {
    let version = Command::new("node").arg("--version").output();
    if !version.is_ok_and(|said| said.status.success()) {
        eprintln!("not run: there is no `node` on PATH, so the client in JavaScript is not tested");
        return;
    }
    let says = |line: &str| json!([{"hooks": [{"type": "command", "command": line}]}]);
    let rewrites = |when: &str, input: &str| {
        let said = format!(
            r#"{{"hookSpecificOutput": {{"hookEventName": "PreToolUse", "updatedInput": {input}}}}}"#
        );
        json!({"type": "command", "command": format!("if grep -q '{when}'; then echo '{said}'; fi")})
    };
    let asks = r#"echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "ask", "permissionDecisionReason": "sure?"}}'"#;
    let keeps = r#"echo '{"hookSpecificOutput": {"hookEventName": "PreCompact", "additionalContext": "keep the plan"}}'"#;
    let home = Home::with(&json!({
        "pre-tool-use": [
            {"matcher": "Bash", "hooks": [
                {"type": "rule", "when": "runs('git push')", "then": {"deny": "not today"}},
                {"type": "rule", "when": "runs('halt')", "then": {"halt": "stop here"}},
                rewrites("npm install", r#"{"command": "pnpm install"}"#)]},
            {"matcher": "Read", "hooks": [rewrites("/link", r#"{"file_path": "/target"}"#)]},
            {"matcher": "Write", "hooks": [{"type": "command", "command": asks}]},
            {"matcher": "mcp__my.srv__.*", "hooks": [{"type": "command", "command": "echo 'no server' >&2; exit 2"}]}],
        "post-tool-use": says("echo 'seen after' >&2; exit 2"),
        "session-start": says("echo 'on main'"),
        "pre-prompt": says("if grep -q password; then echo 'a secret' >&2; exit 2; fi; echo 'mind the rules'"),
        "pre-compact": says(keeps),
        "permission-request": [{"hooks": [
            {"type": "rule", "when": "runs('git push')", "then": {"deny": "not today"}},
            {"type": "rule", "when": "runs('git status')", "then": {"allow": "it reads"}}]}],
        "stop": says("echo 'not yet' >&2; exit 2"),
    }));
    let served = home.serve(Limits::default());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // OpenCode loads `.js` alone; Node wants another name for what is a module.
    for (file, to) in [
        ("clients/typescript/anyhook.mjs", "anyhook.mjs"),
        ("clients/opencode/anyhook-plugin.js", "anyhook-plugin.mjs"),
        ("clients/opencode/plugin.test.mjs", "plugin.test.mjs"),
    ] {
        std::fs::copy(root.join(file), home.path("home").join(to)).unwrap();
    }
    let address = served.running.address.as_deref().unwrap();
    let said = Command::new("node")
        .arg(home.path("home/plugin.test.mjs"))
        .env("TOKEN", &served.token)
        .env("SOCKET", &served.running.socket)
        .env("PORT", address.rsplit(':').next().unwrap())
        .env("PROJECT", home.path("project"))
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&said.stderr);
    assert!(said.status.success(), "{error}");
    assert_eq!(String::from_utf8_lossy(&said.stdout), "all held\n");
}
