//! A replay of a history through 20 rules, beside a loop that parses each line to a `Value` and applies the same conditions.
//!
//! `ANYHOOK_EVENTS=1000000 cargo bench -p anyhook-benches --bench replay`; without the variable it takes 100,000 events.

#![allow(clippy::print_stdout, reason = "a bench prints its table")]
#![allow(missing_docs, reason = "a bench has no public items")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a bench without its files has nothing to measure"
)]

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, BufWriter, Write as _};
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use anyhook::stores::Filter;
use anyhook_benches::{Claim, claims, spent};
use anyhook_testing::replay::{Change, Comparison, History, Hooks, Reading, compare};
use serde_json::{Value, json};

const WORDS: [&str; 20] = [
    "--force",
    "rm -rf",
    "sudo",
    "curl",
    "| sh",
    "chmod 777",
    "mkfs",
    "dd if=",
    ":(){",
    "shutdown",
    "npm publish",
    "cargo publish",
    "kubectl delete",
    "terraform destroy",
    "DROP TABLE",
    ".env",
    "id_rsa",
    "production",
    "--no-verify",
    "reset --hard",
];

fn manifest() -> Value {
    let rules = WORDS.iter().enumerate().map(|(number, word)| {
        json!({"type": "rule", "name": format!("rule-{number}"), "when": format!("tool_input.command.contains('{word}')"),
               "then": {"deny": format!("no {word}")}})
    });
    json!({"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": rules.collect::<Value>()}]}})
}

fn write_history(file: &Path, many: usize) {
    let mut out = BufWriter::new(File::create(file).unwrap());
    for number in 0..many {
        let word = if number % 50 == 0 {
            WORDS[number / 50 % 20]
        } else {
            "--lib"
        };
        let command =
            format!("cd /home/dev/shop && cargo test -p part-{number} {word} 2>&1 | tail -40");
        let line = json!({
            "version": 1, "id": format!("r{number}"), "at": 1_790_000_000_000_u64 + number as u64,
            "event": {"name": "tool:pre", "host": "claude-code", "native": "PreToolUse", "session": format!("s{}", number / 200), "subject": "Bash"},
            "result": {"verdict": "continue"}, "said": {"verdict": "continue"},
            "hooks": [{"name": "rule-1", "kind": "rule"}], "steps": [], "took_us": 120,
            "action": {
                "project": "/home/dev/shop", "person": "dev (1000)", "policy": "0123456789abcdef",
                "data": {"session_id": format!("s{}", number / 200), "transcript_path": "/home/dev/.claude/projects/shop/s.jsonl",
                    "cwd": "/home/dev/shop", "permission_mode": "default", "tool_name": "Bash", "tool_use_id": format!("toolu_{number}"),
                    "tool_input": {"command": command, "description": "Run the tests of one part", "timeout": 120_000}},
            },
        });
        writeln!(out, "{line}").unwrap();
    }
}

/// What a person would write in an hour: it knows no host, no session, no folding, and keeps nothing.
fn naive(file: &Path) -> u64 {
    let mut lines = BufReader::with_capacity(1 << 18, File::open(file).unwrap());
    let (mut line, mut denied) = (Vec::new(), 0);
    while lines.read_until(b'\n', &mut line).unwrap() > 0 {
        let value: Value = serde_json::from_slice(&line).unwrap();
        let is_bash = value["event"]["name"] == "tool:pre" && value["event"]["subject"] == "Bash";
        let command = value["action"]["data"]["tool_input"]["command"].as_str();
        if let (true, Some(command)) = (is_bash, command) {
            // Each rule is asked, as in a policy: the first one does not hide the others from the report.
            let holds = WORDS.iter().filter(|word| command.contains(**word)).count();
            denied += u64::from(holds > 0);
        }
        line.clear();
    }
    denied
}

fn replay(file: &Path, hooks: &Path, jobs: usize) -> u64 {
    let comparison = Comparison {
        before: None,
        after: Hooks::File(hooks.to_owned()),
        program: None,
    };
    let reading = Reading {
        history: History::File(file.to_owned()),
        filter: Filter::default(),
        after: None,
        most: None,
        jobs: NonZeroUsize::new(jobs).unwrap(),
        interrupted: Arc::default(),
    };
    compare(&comparison, &reading)
        .unwrap()
        .0
        .count(Change::Refused)
}

/// The most memory that this process had, in MiB.
fn peak() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib: Option<f64> = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
    kib.unwrap_or_default() / 1024.0
}

/// The loop in Python, as a person would write it there: it knows no host, compares nothing and keeps nothing.
const LOOP: &str = r#"
import json, sys
words, denied = json.loads(sys.argv[2]), 0
with open(sys.argv[1], "rb") as lines:
    for line in lines:
        value = json.loads(line)
        event = value["event"]
        if event["name"] == "tool:pre" and event["subject"] == "Bash":
            command = value["action"]["data"]["tool_input"].get("command")
            if command and sum(word in command for word in words):
                denied += 1
print(denied)
"#;

/// A replay in Python: as the loop, and it says which rules answered, compares the verdict with the recorded one, and counts
/// verdicts and differences. It has no sessions, no report of each event, and no rule but this kind.
const REPLAY: &str = r#"
import json, sys
from collections import Counter
words = json.loads(sys.argv[2])
rules = [(f"rule-{number}", word) for number, word in enumerate(words)]
strictness = {"allow": 0, "continue": 1, "ask": 2, "deny": 3, "halt": 4}
verdicts, changes = Counter(), Counter()
with open(sys.argv[1], "rb") as lines:
    for line in lines:
        value = json.loads(line)
        event = value["event"]
        by = []
        if event["name"] == "tool:pre" and event["subject"] == "Bash":
            command = value["action"]["data"]["tool_input"].get("command")
            if command:
                by = [name for name, word in rules if word in command]
        verdict = "deny" if by else "continue"
        verdicts[verdict] += 1
        was = (value.get("said") or value["result"])["verdict"]
        if strictness[verdict] > strictness[was]:
            changes["newly-refused", by[0]] += 1
        elif strictness[verdict] < strictness[was]:
            changes["newly-allowed", None] += 1
print(sum(count for (change, _), count in changes.items() if change == "newly-refused"))
"#;

fn python(program: &str, file: &Path) -> u64 {
    let ran = Command::new("python3")
        .args(["-c", program])
        .arg(file)
        .arg(json!(WORDS).to_string())
        .output();
    let said = String::from_utf8(ran.unwrap().stdout).unwrap();
    said.trim().parse().unwrap()
}

fn main() {
    let many: usize = std::env::var("ANYHOOK_EVENTS")
        .ok()
        .and_then(|many| many.parse().ok())
        .unwrap_or(100_000);
    let place = tempfile::tempdir().unwrap();
    let (history, hooks) = (
        place.path().join("history.jsonl"),
        place.path().join("hooks.json"),
    );
    write_history(&history, many);
    fs::write(&hooks, manifest().to_string()).unwrap();
    // The processor time, so that other work on the machine counts less: of all threads, and of the one that waits for them.
    let time = |work: &dyn Fn() -> u64| {
        let best = (0..3).map(|_| {
            let [all, own] = spent();
            assert_eq!(work(), many.div_ceil(50) as u64);
            let [all_after, own_after] = spent();
            [all_after - all, own_after - own]
        });
        best.min_by(|one, other| one[0].total_cmp(&other[0]))
            .unwrap()
    };
    let [floor, _] = time(&|| naive(&history));
    let [one, _] = time(&|| replay(&history, &hooks, 1));
    let [two, reader] = time(&|| replay(&history, &hooks, 2));
    let [bare, _] = time(&|| python(LOOP, &history));
    let [python, _] = time(&|| python(REPLAY, &history));
    println!(
        "{many} events, seconds of processor time: loop {floor:.2}, replay {one:.2}, by two threads {two:.2} (reading {reader:.2}), \
         loop in Python {bare:.2}, replay in Python {python:.2}; {:.0} MiB",
        peak()
    );
    println!(
        "{}",
        claims(&[
            Claim::at_most(
                "a replay takes at most 5 times the processor time of the loop",
                one / floor,
                5.0
            ),
            Claim::at_least(
                "on two free cores two threads are 1.6 times as fast as one",
                one / reader.max(two / 2.0),
                1.6
            ),
            Claim::at_most(
                "it takes no longer than the loop in Python",
                one / bare,
                1.0
            ),
            Claim::at_most(
                "it takes no longer than a replay in Python",
                one / python,
                1.0
            ),
            Claim::at_most("it takes less than 200 MiB", peak(), 200.0),
        ])
    );
}
