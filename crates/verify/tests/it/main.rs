//! The scripted model, asked as agents ask it, and the agents of the lab beside what is kept of them.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may fail where it stands"
)]

use anyhook_truth::TRUTHS;
use anyhook_verify::agents::AGENTS;
use anyhook_verify::model::{ModelTurn, ScriptedModel};
use serde_json::{Value, json};

/// Each protocol: its path, and a request that offers a tool.
fn protocols() -> [(&'static str, Value); 4] {
    let function = json!({"type": "function", "function": {"name": "Bash"}});
    [
        ("/v1/messages", json!({"tools": [{"name": "Bash"}]})),
        ("/v1/responses", json!({"tools": [{"name": "Bash"}]})),
        ("/v1/chat/completions", json!({"tools": [function]})),
        (
            "/v1beta/models/m:generateContent",
            json!({"tools": [{"functionDeclarations": [{"name": "Bash"}]}]}),
        ),
    ]
}

fn ask(url: &str, request: &Value) -> String {
    let mut sent = ureq::post(url).send(request.to_string()).unwrap();
    sent.body_mut().read_to_string().unwrap()
}

/// The same request for a stream: Gemini has another path for it.
fn streamed(path: &str, request: &Value) -> (String, Value) {
    let mut request = request.clone();
    request["stream"] = json!(true);
    (path.replace(":generate", ":streamGenerate"), request)
}

/// Every document that an answer consists of.
fn documents(text: &str) -> Vec<Value> {
    if text.starts_with('{') {
        return vec![serde_json::from_str(text).unwrap()];
    }
    let lines = text.lines().filter_map(|line| line.strip_prefix("data: "));
    let lines = lines.filter(|line| *line != "[DONE]");
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn every_protocol_is_answered_whole_and_as_a_stream_with_what_the_script_says() {
    for (path, request) in protocols() {
        let call = || ModelTurn::calls([("Bash".to_owned(), json!({"command": "touch given-1"}))]);
        let script = [
            call(),
            ModelTurn::says("It is done."),
            call(),
            ModelTurn::says("It is done."),
        ];
        let model = ScriptedModel::start(script).unwrap();
        let (stream, asked) = streamed(path, &request);
        for (path, request) in [(path, &request), (&*stream, &asked)] {
            let url = format!("{}{path}", model.url());
            let called: String = documents(&ask(&url, request))
                .iter()
                .map(Value::to_string)
                .collect();
            assert!(
                called.contains("\"Bash\"") && called.contains("touch given-1"),
                "{path} {called}"
            );
            let said: String = documents(&ask(&url, request))
                .iter()
                .map(Value::to_string)
                .collect();
            assert!(said.contains("It is done."), "{path} {said}");
        }
        assert_eq!(model.stop().len(), 4, "{path}");
    }
}

#[test]
fn a_request_that_offers_no_tool_takes_no_turn_of_the_script() {
    let model = ScriptedModel::start([ModelTurn::says("The turn.")]).unwrap();
    let url = format!("{}/v1/messages", model.url());
    let title = ask(&url, &json!({"messages": []}));
    let turn = ask(&url, &json!({"messages": [], "tools": [{"name": "Bash"}]}));
    assert!(!title.contains("The turn.") && turn.contains("The turn."));
    let turns: Vec<bool> = model.stop().iter().map(|request| request.is_turn).collect();
    assert_eq!(turns, [false, true]);
}

#[test]
fn there_is_one_truth_file_for_each_agent_of_the_lab_in_the_pinned_version() {
    let mut pinned: Vec<(&str, &str)> = AGENTS
        .iter()
        .map(|agent| (agent.host.as_str(), agent.package.version.as_str()))
        .collect();
    let mut kept: Vec<(&str, &str)> = TRUTHS
        .iter()
        .map(|(host, version, _)| (*host, *version))
        .collect();
    pinned.sort_unstable();
    kept.sort_unstable();
    assert_eq!(kept, pinned, ".ci/nightly lab, then the rows of `TRUTHS`");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../truth/seen");
    let entries = std::fs::read_dir(folder).unwrap();
    let mut files: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort_unstable();
    let names: Vec<String> = kept
        .iter()
        .map(|(host, version)| format!("{host}-{version}.json"))
        .collect();
    assert_eq!(files, names, "a file of another version is removed");
}
