//! What agents wrote down themselves: imported once, and held against the record.

use serde_json::{Value, json};

use crate::env::{Shows as _, TestEnv, copy, repository};

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

const CLAUDE: &str =
    "home/.claude/projects/-home-dev-shop/1deeb170-09b2-47b5-9656-56bdd12c9435.jsonl";

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
