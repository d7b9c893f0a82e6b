//! What agents wrote down themselves: imported once, and held against the record.

use std::path::Path;

use serde_json::{Value, json};

use crate::env::{Shows as _, TestEnv, repository};

/// A home in which five agents kept a session each.
fn with_transcripts() -> TestEnv {
    let rule = json!({"name": "seen", "type": "rule", "when": "false", "then": {"deny": "never"}});
    let env = TestEnv::hook("pre-tool-use", &rule);
    copy(
        &repository().join("fixtures/transcripts"),
        &env.path("home"),
    );
    env
}

fn copy(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            std::fs::create_dir_all(&target).unwrap();
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn outcomes(env: &TestEnv, host: &str) -> Vec<(String, String)> {
    let args = ["log", "--json", "-n", "100", "--host", host];
    let lines = env.run(&args, b"").stdout;
    let records = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let told = |record: Value| {
        let action = &record["action"];
        let input = &action["data"]["tool_input"];
        let what = ["command", "file_path", "path"]
            .iter()
            .find_map(|name| input[name].as_str());
        let outcome = action["imported"]["outcome"].as_str().unwrap().to_owned();
        (what.unwrap_or("?").to_owned(), outcome)
    };
    records.map(told).collect()
}

const CLAUDE: &str =
    "home/.claude/projects/-home-dev-shop/1deeb170-09b2-47b5-9656-56bdd12c9435.jsonl";

#[test]
fn the_calls_of_five_agents_become_records_once() {
    let env = with_transcripts();
    let spoiled = env.path(CLAUDE);
    let text = std::fs::read_to_string(&spoiled).unwrap();
    let lines = text.lines().count();
    std::fs::write(&spoiled, text + "{\"half\": \n").unwrap();
    let first = env.anyhook("log import --json").json();
    assert_eq!(
        (first["files"].clone(), first["known"].clone()),
        (json!(6), json!(0))
    );
    assert_eq!(first["bad"], json!([[spoiled, lines + 1]]));
    assert_eq!(
        (&first["strange"], &first["unreadable"]),
        (&json!([]), &json!([]))
    );
    let again = env.anyhook("log import --json").json();
    assert_eq!(
        (&again["added"], &again["known"]),
        (&json!(0), &first["added"])
    );
    let pair = |what: &str, outcome: &str| (what.to_owned(), outcome.to_owned());
    assert_eq!(
        outcomes(&env, "claude-code"),
        [
            pair("/home/dev/shop/.env", "refused"),
            pair("git push --force origin main", "refused"),
            pair("echo npm > manager.txt", "ran"),
            pair("echo hello > made.txt", "ran"),
            pair("/home/dev/shop/note.txt", "ran"),
            pair("/home/dev/shop/README.md", "ran"),
            pair("touch asked.txt", "refused"),
            pair("exit 3", "failed"),
        ]
    );
    let codex = outcomes(&env, "codex-cli");
    assert_eq!(codex[1], pair("git push --force origin main", "refused"));
    assert_eq!(codex[7], pair("exit 3", "failed"));
    assert_eq!(
        outcomes(&env, "copilot-cli")[6],
        pair("touch asked.txt", "refused")
    );
    assert_eq!(outcomes(&env, "gemini-cli").len(), 8);
    assert_eq!(
        outcomes(&env, "cursor"),
        [
            pair("/home/dev/shop/README.md", "unknown"),
            pair("npm install", "unknown"),
            pair("git push --force origin main", "unknown"),
            pair("/home/dev/shop/note.txt", "unknown"),
            pair("/home/dev/shop", "ran"),
        ]
    );
    assert_eq!(env.anyhook("log verify").code, 0);
}

/// Hooks of Cursor hear an id that is in no transcript, and other fields of the input.
#[test]
fn calls_about_which_a_hook_of_cursor_was_asked_are_found_by_what_they_do() {
    let env = with_transcripts();
    let asked = |tool: &str, input: Value| {
        let payload = json!({
            "conversation_id": "7f0c2c1e-9a5b-4c6e-8f43-0d1a2b3c4d5e", "generation_id": "g", "model": "m",
            "hook_event_name": "preToolUse", "cursor_version": "3.18.2",
            "workspace_roots": [env.path("project")], "tool_name": tool, "tool_input": input, "tool_use_id": "t-1",
            "cwd": env.path("project"),
        });
        env.told_by("cursor", &payload)
    };
    asked(
        "Shell",
        json!({"command": "npm install", "working_directory": "/home/dev/shop"}),
    );
    asked(
        "Shell",
        json!({"command": "rm -r /", "working_directory": "/home/dev/shop"}),
    );
    asked(
        "Write",
        json!({"file_path": "/home/dev/shop/note.txt", "content": "hello\n"}),
    );
    let came = env.anyhook("log import cursor --json").json();
    assert_eq!(
        (&came["added"], &came["known"]),
        (&json!(3), &json!(2)),
        "{came}"
    );
    let again = env.anyhook("log import cursor --json").json();
    assert_eq!(
        (&again["added"], &again["known"]),
        (&json!(0), &json!(5)),
        "{again}"
    );
}

#[test]
fn the_truth_meter_names_exactly_the_calls_that_passed_no_hook() {
    let env = with_transcripts();
    for host in [".codex", ".gemini", ".copilot", ".cursor"] {
        std::fs::remove_dir_all(env.path("home").join(host)).unwrap();
    }
    // The hook was asked about all calls but two.
    let text = std::fs::read_to_string(env.path(CLAUDE)).unwrap();
    let mut asked = 0;
    for line in text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
    {
        let parts = line["message"]["content"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        for part in parts.iter().filter(|part| part["type"] == "tool_use") {
            if ["toolu_call_3_0", "toolu_call_6_0"].contains(&part["id"].as_str().unwrap()) {
                continue;
            }
            let mut call = env.pre(part["name"].as_str().unwrap(), &part["input"]);
            call["session_id"] = line["sessionId"].clone();
            call["tool_use_id"] = part["id"].clone();
            env.claude(&call);
            asked += 1;
        }
    }
    let left = env.anyhook("doctor --coverage --json");
    let found = left.json();
    assert_eq!(
        (found["calls"].clone(), found["passed"].clone()),
        (json!(asked + 2), json!(asked))
    );
    let missed: Vec<_> = found["missed"].as_array().unwrap().iter().collect();
    let told = |missed: &Value| {
        let fields = ["host", "version", "tool", "outcome"]
            .map(|name| missed[name].as_str().unwrap().to_owned());
        (
            fields.join(" "),
            missed["example"][0].as_str().unwrap().to_owned(),
        )
    };
    let mut told: Vec<_> = missed.into_iter().map(told).collect();
    told.sort();
    assert_eq!(
        told,
        [
            (
                "claude-code 2.1.330 Bash ran".into(),
                "echo hello > made.txt".into()
            ),
            (
                "claude-code 2.1.330 Bash refused".into(),
                "touch asked.txt".into()
            ),
        ]
    );
    assert_eq!(left.code, 1, "a call that ran without a hook is a hole");
    let shown = env.anyhook("doctor --coverage").stdout;
    shown.shows("6 of 8 tool calls passed a hook");
    shown.shows("1 ran without one");
    // An import is no hook.
    env.anyhook("log import");
    let again = env.anyhook("doctor --coverage --json").json();
    assert_eq!(again["passed"], json!(asked));
    let none = env.anyhook("doctor --coverage=2099-01-01");
    assert_eq!(none.code, 0, "{none:?}");
}
