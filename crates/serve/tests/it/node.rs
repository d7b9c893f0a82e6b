//! The client in JavaScript and the plugin for `OpenCode`, under Node where it is installed.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhook_serve::Limits;
use serde_json::{Value, json};

use super::home::{Home, Served};

/// Tells whether a program is there, and says what is not tested without it.
fn is_there(program: &str) -> bool {
    let version = Command::new(program).arg("--version").output();
    let is_there = version.is_ok_and(|said| said.status.success());
    if !is_there {
        eprintln!(
            "not run: there is no `{program}` on PATH, so the client in JavaScript is not tested"
        );
    }
    is_there
}

/// Runs npm without a network, and with nothing that it knows of this person.
fn npm(home: &Home, folder: &Path, args: &[&str]) {
    let said = Command::new("npm")
        .args(args)
        .args(["--offline", "--no-audit", "--no-fund", "--silent"])
        .current_dir(folder)
        .env("HOME", home.path("home"))
        .env("npm_config_cache", home.path("npm"))
        .env("npm_config_update_notifier", "false")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(said.status.success(), "{args:?}: {said:?}");
}

/// Runs a test that is written for Node, against this server.
fn holds(test: &Path, home: &Home, served: &Served) {
    let address = &*served.running.address;
    let said = Command::new("node")
        .arg(test)
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

mod nightly {
    use super::*;

    #[test]
    #[ignore = "needs a browser, Node or an agent"]
    fn the_plugin_for_opencode_refuses_rewrites_and_informs_and_its_client_fails_closed() {
        if !is_there("node") {
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
        holds(&home.path("home/plugin.test.mjs"), &home, &served);
    }

    #[test]
    #[ignore = "needs a browser, Node or an agent"]
    fn the_client_that_npm_packs_and_installs_asks_the_server_fails_closed_and_has_types() {
        if !is_there("node") || !is_there("npm") {
            return;
        }
        let rule =
            json!({"type": "rule", "when": "runs('git push')", "then": {"deny": "not today"}});
        let home = Home::new(&json!([rule]));
        let served = home.serve(Limits::default());
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../clients/typescript");
        let about = std::fs::read(source.join("package.json")).unwrap();
        let about: Value = serde_json::from_slice(&about).unwrap();
        assert_eq!(about["version"], env!("CARGO_PKG_VERSION"));
        let folder = home.path("installed");
        std::fs::create_dir_all(&folder).unwrap();
        npm(
            &home,
            &source,
            &["pack", "--pack-destination", folder.to_str().unwrap()],
        );
        let packed = format!("./anyhook-client-{}.tgz", env!("CARGO_PKG_VERSION"));
        npm(&home, &folder, &["install", &packed]);
        let package = folder.join("node_modules/@anyhook/client");
        let mut files: Vec<_> = std::fs::read_dir(package)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        files.sort();
        assert_eq!(
            files,
            [
                "LICENSE-APACHE",
                "LICENSE-MIT",
                "README.md",
                "anyhook.d.mts",
                "anyhook.mjs",
                "package.json"
            ]
        );
        let test = folder.join("package.test.mjs");
        std::fs::copy(source.join("package.test.mjs"), &test).unwrap();
        holds(&test, &home, &served);
    }
}
