//! `replay` and `backtest` as a person calls them: real hooks, and nothing of a person's is touched.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::env::{TestEnv, git, on};

fn force(then: &Value) -> Value {
    let rule = json!({"name": "pushes", "type": "rule", "when": "pushes('force')", "then": then});
    on(
        "pre-tool-use",
        &json!([{"matcher": "Bash", "hooks": [rule]}]),
    )
}

/// Everything below a folder, with its content.
fn all_below(folder: &Path, into: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            into.insert(path.clone(), Vec::new());
            all_below(&path, into);
        } else {
            into.insert(path.clone(), std::fs::read(&path).unwrap());
        }
    }
}

fn snapshot(env: &TestEnv) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    all_below(&env.path("home"), &mut all);
    all_below(&env.path("project"), &mut all);
    // When the copies were last looked through is no news of anything: each command that reads them keeps it.
    all.retain(|path, _| path.parent() != Some(&*env.state().join("trust/copies")));
    all
}

fn bash(env: &TestEnv, command: &str) {
    env.bash(command);
}

#[test]
fn a_backtest_compares_the_file_with_what_is_trusted_with_a_revision_and_with_another_file() {
    let env = TestEnv::with(&force(&json!({"deny": "no"})));
    bash(&env, "git push -f");
    bash(&env, "git push");
    let none = env.anyhook("backtest");
    assert!(
        none.code == 0 && none.stdout.contains("no difference"),
        "{none:?}"
    );
    let git = |args: &[&str]| git(&env.path("project"), args);
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "one"]);
    env.manifest(&force(&json!({"allow": "fine"})).to_string());
    let failing = ["--fail-on", "newly-allowed"];
    for before in [&[][..], &["--before", "git:HEAD"]] {
        let args = [&["backtest", "--json"], before, &failing].concat();
        let left = env.run(&args, b"");
        assert_eq!(left.code, 1, "{left:?}");
        let [group] = &left.json()["groups"].as_array().unwrap().clone()[..] else {
            panic!("{left:?}")
        };
        assert_eq!(
            (&group["change"], &group["count"], &group["then"]["refused"]),
            (&json!("newly-allowed"), &json!(1), &json!(1))
        );
    }
    let args = [&["backtest", "--before", "git:HEAD"][..], &failing].concat();
    let [one, two] = [(), ()].map(|()| env.run(&args, b"").stdout);
    assert!(one == two && one.contains("newly-allowed  1"), "{one}");
    let unknown = env.anyhook("backtest --before git:nowhere");
    assert!(
        unknown.code == 66 && unknown.stderr.contains("git knows no revision"),
        "{unknown:?}"
    );
    let unknown = env.anyhook("backtest --fail-on newly-allow");
    assert!(
        unknown.code == 64 && unknown.stderr.contains("newly-allowed"),
        "{unknown:?}"
    );
    let other = env.write(
        "other/hooks/hooks.json",
        &force(&json!({"deny": "no"})).to_string(),
    );
    let untrusted = env.run(&["backtest", "--after", other.to_str().unwrap()], b"");
    assert!(
        untrusted.code == 66 && untrusted.stderr.contains("was never trusted"),
        "{untrusted:?}"
    );
}

#[test]
fn a_backtest_that_asked_about_nothing_or_could_not_read_all_of_it_is_not_good() {
    let env = TestEnv::with(&force(&json!({"deny": "no"})));
    let code = |file: &str, text: &str, words: &str| {
        let file = env.write(file, text);
        let args = ["backtest", "--fail-on", "newly-allowed"];
        let left = env.run(&[&args[..], &[file.to_str().unwrap()]].concat(), b"");
        assert!(left.code == 65 && left.stderr.contains(words), "{left:?}");
    };
    code(
        "nothing.jsonl",
        "",
        "no event of the history could be asked",
    );
    bash(&env, "git push -f");
    let record = env.anyhook("log --json").stdout;
    code(
        "torn.jsonl",
        &format!("{record}{{\n"),
        "1 lines of the history cannot be read",
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
    let line = json!({
        "version": 1, "id": "r1", "at": 1_790_000_000_000_u64,
        "event": {"name": "tool:pre", "host": "claude-code", "native": "PreToolUse", "session": "s", "subject": "Bash"},
        "result": {"verdict": "continue"}, "hooks": [], "steps": [],
        "action": {"project": env.path("project"), "data": {"tool_name": "Bash", "tool_input": {"command": "ls"}, "cwd": env.path("project")}},
    });
    let history = env.write("history.jsonl", &format!("{line}\n"));
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
