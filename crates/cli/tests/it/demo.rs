//! The main job on real input: the demo's package over the recorded session.

use std::io::{BufRead as _, BufReader};
use std::os::unix::process::ExitStatusExt as _;

use serde_json::Value;

use crate::env::{TestEnv, finish, repository, start};

#[test]
fn the_demo_answers_each_event_of_the_recorded_session_as_its_table_says() {
    let left = TestEnv::new().anyhook("demo --json");
    assert_eq!(left.code, 0, "{left:?}");
    let reports: Vec<Value> = left
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let table =
        std::fs::read_to_string(repository().join("fixtures/sessions/shop.expected.json")).unwrap();
    let expected: Vec<Value> = serde_json::from_str(&table).unwrap();
    assert!(
        expected.len() >= 25,
        "a whole session has at least 25 events"
    );
    assert_eq!(reports.len(), expected.len());
    for (report, expected) in reports.iter().zip(&expected) {
        let effects = |name: &str| {
            report["result"]["effects"][name]
                .as_array()
                .is_some_and(|all| !all.is_empty())
        };
        let came = serde_json::json!({
            "line": expected["line"],
            "event": report["event"]["native"],
            "verdict": report["result"]["verdict"],
            "rewrites": effects("patch"),
            "injects": effects("inject"),
        });
        let mut wanted = expected.clone();
        wanted
            .as_object_mut()
            .unwrap()
            .retain(|key, _| key != "said_by");
        assert_eq!(came, wanted, "line {}: {report:#}", expected["line"]);
        let failed = report["steps"]
            .as_array()
            .unwrap()
            .iter()
            .any(|step| step["became"].get("failed").is_some());
        assert!(!failed, "no hook of the demo fails: {report:#}");
    }
}

#[test]
fn the_demo_shows_what_came_of_each_event_one_why_and_a_loss_with_its_return() {
    let left = TestEnv::new().anyhook("demo");
    for words in [
        "PreToolUse",
        "deny",
        "rewrote tool_input",
        "decided by",
        "Lost, and back",
        "rm -r src",
        "back  src/cart.js\n",
    ] {
        left.says(words);
    }
}

#[test]
fn a_demo_that_a_person_ends_takes_its_folder_away() {
    let env = TestEnv::new();
    let mut demo = env.command(&["demo", "--json"]).spawn().unwrap();
    let mut lines = BufReader::new(demo.stdout.take().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    assert!(first.starts_with('{'), "{first}");
    let kill = format!("kill -INT {}", demo.id());
    assert!(sh(&kill).success());
    // It may wait until its output is read.
    let rest = lines.count();
    let status = demo.wait().unwrap();
    assert_eq!(status.signal(), Some(2), "{status}, after {rest} lines");
    let left = std::fs::read_dir(env.path("home")).unwrap();
    let names = left.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let folders: Vec<String> = names
        .filter(|name| name.starts_with("anyhook-demo"))
        .collect();
    assert_eq!(folders, Vec::<String>::new());
}

fn sh(line: &str) -> std::process::ExitStatus {
    let mut shell = std::process::Command::new("/bin/sh");
    shell.args(["-c", line]).status().unwrap()
}

#[test]
fn a_reader_that_has_gone_away_is_no_error_for_facts_and_one_for_an_answer() {
    let env = TestEnv::new();
    let code = |args: &[&str]| {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = env.command(args);
        command.stdout(writer);
        finish(start(command, env.stop(false).to_string().as_bytes())).code
    };
    assert_eq!(code(&["list", "events"]), 0);
    assert_eq!(code(&["list", "events", "--json"]), 0);
    assert_eq!(code(&["say", "deny", "no"]), 2);
}
