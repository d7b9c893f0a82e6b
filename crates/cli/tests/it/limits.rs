//! What hooks may say to the model, held to the limits over several processes.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::env::{Left, TestEnv, command, finish, on, start};

/// A project whose one hook says this to the model before every tool call.
fn saying(line: &str) -> TestEnv {
    let hook = command(&format!("anyhook say inject \"{line}\""));
    TestEnv::with(&on("pre-tool-use", &json!([{"hooks": [hook]}])))
}

fn configure(env: &TestEnv, session: &str) {
    env.write(
        "home/.config/anyhook/config.toml",
        &format!("[session]\n{session}\n"),
    );
}

fn told(left: &Left) -> Option<String> {
    let answer: Value = serde_json::from_str(&left.stdout).unwrap_or_default();
    let text = &answer["hookSpecificOutput"]["additionalContext"];
    text.as_str().map(str::to_owned)
}

fn shown(left: &Left) -> String {
    let answer: Value = serde_json::from_str(&left.stdout).unwrap_or_default();
    answer["systemMessage"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

fn prompt(env: &TestEnv) -> Value {
    json!({
        "session_id": "s-1", "transcript_path": "/t.jsonl", "cwd": env.path("project"),
        "permission_mode": "default", "hook_event_name": "UserPromptSubmit", "prompt": "go on",
    })
}

fn bash(env: &TestEnv, command: &str) -> Left {
    env.claude(&env.pre("Bash", &json!({"command": command})))
}

/// The newest report.
fn report(env: &TestEnv) -> Value {
    let reports =
        std::fs::read_to_string(env.state().join("reports/record-00000001.jsonl")).unwrap();
    serde_json::from_str(reports.lines().last().unwrap()).unwrap()
}

#[test]
fn two_run_processes_of_one_session_share_the_budget_of_a_turn_and_a_prompt_begins_the_next() {
    // Five tokens each.
    let env = saying("12345678901234567890");
    configure(&env, "injection_budget_per_turn = 10\nstrict = true");
    let said = ["one", "two", "three"].map(|line| told(&bash(&env, line)).is_some());
    assert_eq!(said, [true, true, false]);
    env.claude(&prompt(&env));
    assert_eq!(
        told(&bash(&env, "four")).as_deref(),
        Some("12345678901234567890")
    );
    // Another session has a budget of its own.
    let mut other = env.pre("Bash", &json!({"command": "five"}));
    other["session_id"] = json!("s-2");
    let said = [(), ()].map(|()| told(&env.claude(&other)).is_some());
    assert_eq!(said, [true, true]);
}

#[test]
fn processes_at_the_same_time_never_spend_more_than_the_budget() {
    let env = saying("12345678901234567890");
    configure(&env, "injection_budget_per_turn = 10\nstrict = true");
    let one = |at: usize| {
        let payload = env
            .pre("Bash", &json!({"command": at.to_string()}))
            .to_string();
        let args = ["run", "--host", "claude-code", "--deadline", "60"];
        start(env.command(&args), payload.as_bytes())
    };
    let children: Vec<_> = (0..6).map(one).collect();
    let said = children
        .into_iter()
        .map(finish)
        .filter(|left| told(left).is_some());
    assert_eq!(said.count(), 2);
}

#[test]
fn a_refused_text_is_a_fault_that_is_told_once_and_stands_in_the_report() {
    let env = saying("12345678901234567890");
    configure(&env, "injection_budget_per_turn = 4\nstrict = true");
    let first = shown(&bash(&env, "one"));
    let why = "its text is 5 tokens more than the 4 of this turn allow";
    assert_eq!(
        first,
        format!("anyhook: the hook `pre-tool-use[0][0]` failed: {why}")
    );
    let report = report(&env);
    let violation = json!({"policy": "session.injection_budget_per_turn", "hook_event": "tool:pre", "details": {
        "hook_name": "pre-tool-use[0][0]", "tokens": 5, "spent": 5, "budget": 4, "refused": true}});
    let error = json!({"hook_name": "pre-tool-use[0][0]", "hook_event": "tool:pre", "kind": "over_limit",
        "error": why});
    assert_eq!(
        report["audit"],
        json!([{"event": "policy:violation", "data": violation}, {"event": "hook:error", "data": error}])
    );
    assert_eq!(report["losses"][0]["what"], "injection");
    assert_eq!(report["losses"][0]["became"], "nothing");
    assert_eq!(shown(&bash(&env, "two")), "");
}

#[test]
fn over_the_budget_a_text_is_delivered_and_flagged_once_a_turn() {
    let env = saying("12345678901234567890");
    configure(&env, "injection_budget_per_turn = 4");
    let flagged = |line: &str| {
        let left = bash(&env, line);
        assert!(told(&left).is_some(), "{left:?}");
        shown(&left).contains("`session.injection_budget_per_turn`")
    };
    assert_eq!([flagged("one"), flagged("two")], [true, false]);
    let events = report(&env)["audit"].clone();
    let events: Vec<&Value> = events
        .as_array()
        .unwrap()
        .iter()
        .map(|told| &told["event"])
        .collect();
    assert_eq!(events, ["policy:violation", "hook:context_injection"]);
    env.claude(&prompt(&env));
    assert!(flagged("three"), "and again in the next turn");
}

#[test]
fn a_long_text_reaches_the_model_as_its_first_whole_lines_with_a_private_file() {
    let env = saying("$(seq 1 4000)");
    let heard = told(&bash(&env, "one")).unwrap();
    assert!(
        heard.len() <= 10_240 && heard.starts_with("1\n2\n3\n"),
        "{}",
        heard.len()
    );
    let last = heard.lines().last().unwrap();
    let (words, file) = last.split_once(" is in the file ").unwrap();
    let file = file.strip_suffix(']').unwrap();
    assert!(words.ends_with("of 18892 bytes; the whole text"), "{last}");
    let whole: Vec<String> = (1..=4000).map(|line| line.to_string()).collect();
    assert_eq!(std::fs::read_to_string(file).unwrap(), whole.join("\n"));
    let mode = std::fs::metadata(file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let report = report(&env);
    assert_eq!(report["losses"][0]["what"], json!({"length": 18_892}));
    assert_eq!(
        report["audit"][0]["data"]["policy"],
        "session.injection_size_limit"
    );
    assert_eq!(report["audit"][1]["data"]["full_size"], 18_892);
}

#[test]
fn a_projects_file_lowers_a_limit_and_never_raises_it() {
    let limits = |session: Value, own: &str| {
        let hook = command("anyhook say inject 12345678901234567890");
        let mut manifest = on("pre-tool-use", &json!([{"hooks": [hook]}]));
        manifest["session"] = session;
        let env = TestEnv::with(&manifest);
        configure(&env, own);
        told(&bash(&env, "one")).is_some()
    };
    let strict = json!({"injection_budget_per_turn": 4, "strict": true});
    assert!(
        !limits(strict, "injection_budget_per_turn = 1000"),
        "lowered"
    );
    let wide = json!({"injection_budget_per_turn": 1000, "strict": false});
    assert!(
        !limits(wide, "injection_budget_per_turn = 4\nstrict = true"),
        "not raised"
    );
}

#[test]
fn settings_that_cannot_be_read_are_told_and_the_defaults_hold() {
    let env = saying("$(seq 1 4000)");
    configure(&env, "injection_size_limit = 1.5");
    assert!(told(&bash(&env, "one")).unwrap().len() <= 10_240);
    let remarks = report(&env)["remarks"].to_string();
    assert!(
        remarks
            .contains("config.toml:2:24`: `session.injection_size_limit` must be a whole number"),
        "{remarks}"
    );
}
