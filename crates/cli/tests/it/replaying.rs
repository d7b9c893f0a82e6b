//! `replay` and `backtest` as a person calls them: real hooks, and nothing of a person's is touched.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::path::PathBuf;

use serde_json::json;

use crate::env::{TestEnv, files_below, on};

/// Every file of the home and the project, with its content.
fn snapshot(env: &TestEnv) -> BTreeMap<PathBuf, Vec<u8>> {
    let all = ["home", "project"].map(|name| files_below(&env.path(name)));
    // When the copies were last looked through is no news of anything: each command that reads them keeps it.
    let copies = env.state().join("trust/copies");
    let all = all.concat().into_iter();
    all.filter(|file| file.parent() != Some(&copies))
        .map(|file| (file.clone(), std::fs::read(file).unwrap()))
        .collect()
}

/// A record of one call of `ls`.
fn history(env: &TestEnv) -> PathBuf {
    let line = json!({
        "version": 1, "id": "r1", "at": 1_790_000_000_000_u64,
        "event": {"name": "tool:pre", "host": "claude-code", "native": "PreToolUse", "session": "s", "subject": "Bash"},
        "result": {"verdict": "continue"}, "hooks": [], "steps": [],
        "action": {"project": env.path("project"), "data": {"tool_name": "Bash", "tool_input": {"command": "ls"}, "cwd": env.path("project")}},
    });
    env.write("history.jsonl", &format!("{line}\n"))
}

#[test]
#[cfg(target_os = "linux")]
fn a_hook_that_writes_a_log_hides_no_new_refusal() {
    let env = TestEnv::new();
    let log = format!("cat >> {}", env.path("home/log").display());
    let log = json!({"type": "command", "name": "log", "command": log});
    let rule =
        json!({"type": "rule", "name": "no-ls", "when": "runs('ls')", "then": {"deny": "no ls"}});
    let with =
        |hooks: serde_json::Value| on("pre-tool-use", &json!([{"hooks": hooks}])).to_string();
    let old = env.write("old.json", &with(json!([log])));
    env.manifest(&with(json!([log, rule])));
    let history = history(&env);
    let files = [old, history].map(|file| file.to_string_lossy().into_owned());
    let args = [
        "backtest",
        "--before",
        &files[0],
        &files[1],
        "--json",
        "--fail-on",
        "newly-refused",
    ];
    let left = env.run(&args, b"");
    let page = left.json();
    assert_eq!(
        (left.code, page["without"]["log"].clone()),
        (1, json!(1)),
        "{page}"
    );
    let group = &page["groups"][0];
    assert_eq!(
        (&group["change"], &group["hook"]),
        (&json!("newly-refused"), &json!("no-ls"))
    );
}

#[test]
#[cfg(target_os = "linux")]
fn a_python_hook_in_a_backtest_can_neither_write_nor_connect() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    server.set_nonblocking(true).unwrap();
    let port = server.local_addr().unwrap().port();
    let env = TestEnv::new();
    let script = format!(
        "import json, os, socket, sys, tempfile\n\
         done = []\n\
         for place in [{:?}, {:?}]:\n\
         \x20   try:\n        open(place, 'w').write('x')\n        done.append('wrote')\n    except OSError: pass\n\
         try:\n    socket.create_connection(('127.0.0.1', {port}), 2)\n    done.append('connected')\nexcept OSError: pass\n\
         open(os.path.join(tempfile.gettempdir(), 'scratch'), 'w').write('x')\n\
         print(json.dumps({{'decision': 'block', 'reason': 'did ' + ','.join(done) + ' at ' + os.environ['SOURCE_DATE_EPOCH']}}))\n",
        env.path("project/written"),
        env.path("home/written"),
    );
    env.write("project/hooks/scripts/look.py", &script);
    let hook = json!({"type": "command", "name": "look", "command": "python3 ${PACKAGE_ROOT}/hooks/scripts/look.py"});
    let old = env.write("old.json", &on("pre-tool-use", &json!([])).to_string());
    env.manifest(
        &on(
            "pre-tool-use",
            &json!([{"matcher": "Bash", "hooks": [hook]}]),
        )
        .to_string(),
    );
    let history = history(&env);
    let before = snapshot(&env);
    let args = [
        "backtest",
        "--before",
        old.to_str().unwrap(),
        history.to_str().unwrap(),
        "--json",
    ];
    let left = env.run(&args, b"");
    assert_eq!(snapshot(&env), before, "nothing was written");
    assert!(server.accept().is_err(), "nothing connected");
    let page = left.json();
    if page["without"]["look"] == json!(1) {
        return; // This kernel cannot confine, so the hook was not started, and that is counted.
    }
    let after = page["groups"][0]["examples"][0]["after"]
        .as_str()
        .unwrap_or_default();
    assert_eq!(after, "deny: did at 1790000000", "{page}");
    assert_eq!(env.run(&args, b"").stdout, left.stdout);
}
