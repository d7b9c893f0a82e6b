//! A replay says what the line of `anyhook run` says, and a backtest finds what was changed and nothing else.

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhook::core::report::Report;
use anyhook::event::{Caller, Context};
use anyhook::state::MemoryState;
use anyhook::stores::{Filter, Jsonl, RecordDetail};
use anyhook::wires::hosts::HOSTS;
use anyhook::world::{UserFolders, World};
use anyhook_testing::replay::{
    AnswerChange, Comparison, ComparisonTitle, Exclusion, History, HistoryScan, PastOutcomes,
    ReplayHooks, Replayer, compare, json, text,
};
use serde_json::{Value, json};
use tempfile::TempDir;

fn world(home: &Path) -> World {
    World {
        env: [("PATH".into(), "/usr/bin:/bin".into())].into(),
        cwd: home.join("project"),
        places: Some(UserFolders {
            home: home.to_owned(),
            config: home.join("config"),
            state: home.join("state"),
        }),
        managed: home.join("managed"),
        ids: || "idididid".into(),
        ..World::real()
    }
}

fn payloads(host: &str) -> Vec<(String, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/hosts")
        .join(host);
    let mut all = Vec::new();
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    files.sort();
    for file in files
        .iter()
        .filter(|file| file.extension().is_some_and(|is| is == "json"))
    {
        let name = file.file_stem().unwrap().to_string_lossy();
        let name = name.trim_end_matches(".seen").to_owned();
        let list: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
        all.extend(
            list.as_array()
                .into_iter()
                .flatten()
                .map(|one| (name.clone(), one.clone())),
        );
    }
    all
}

/// Hooks of every kind that has no process, on events of every kind.
fn rules() -> Value {
    let rule = |name: &str, when: &str, then: Value| json!({"type": "rule", "name": name, "when": when, "then": then});
    let any = json!([
        {"hooks": [rule("text", "true", json!({"inject": "from a rule"}))]},
    ]);
    json!({"version": 1, "hooks": {
        "pre-tool-use": [
            {"matcher": "Bash", "hooks": [
                rule("tests", "runs('npm test')", json!({"deny": "no tests"})),
                rule("asks", "runs('rm')", json!({"ask": "really?"})),
            ]},
            {"matcher": "Write|Edit", "hooks": [rule("writes", "writes('**/*.ts')", json!({"deny": "no types"}))]},
            {"matcher": "Read", "hooks": [rule("reads", "touches('**')", json!({"allow": "reading is free"}))]},
            {"hooks": [rule("mode", "has(permission_mode) && permission_mode == 'plan'", json!({"deny": "plan"}))]},
        ],
        "permission-request": [{"hooks": [rule("permits", "true", json!({"allow": "as the rule says"}))]}],
        "post-tool-use": any, "session-start": any, "stop": any, "user-prompt-submit": [
            {"hooks": [rule("prompt", "size(prompt) > 3", json!({"inject": "be short"}))]},
        ],
    }})
}

/// The answers of `run` end with words about its record, which a replay does not have.
fn bare(text: &str) -> String {
    text.replace(" (anyhook why idididid)", "")
        .replace(" The user can let this exact action through: `anyhook approve`, in a terminal of their own.", "")
}

/// A generator with a seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, most: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most
    }
}

fn record(number: usize, session: &str, name: &str, data: &Value) -> Value {
    json!({
        "version": 1, "id": format!("r{number}"), "at": 1_790_000_000_000_u64 + number as u64 * 1000,
        "event": {"name": name, "host": "claude-code", "native": if name == "tool:pre" { "PreToolUse" } else { "PostToolUse" },
                  "session": session, "subject": data["tool_name"]},
        "result": {"verdict": "continue"}, "hooks": [], "steps": [],
        "action": {"project": "/", "data": data},
    })
}

fn call(number: usize, command: &str) -> Value {
    json!({
        "session_id": "s", "cwd": "/", "tool_name": "Bash", "tool_use_id": format!("t{number}"), "permission_mode": "default",
        "tool_input": {"command": command},
    })
}

/// Calls that each hold the mark of one of 30 rules, or of none.
fn history(seed: u64, many: usize) -> (Vec<Value>, BTreeMap<usize, u64>) {
    let (mut dice, mut marks) = (Dice(seed), BTreeMap::new());
    let lines = (0..many).map(|number| {
        let mark = dice.roll(40);
        *marks.entry(mark).or_insert(0) += 1;
        let program = ["make", "git push", "npm run", "cargo test"][dice.roll(4)];
        let command = format!("{program} job-{mark}-x");
        record(
            number,
            &format!("s{}", dice.roll(9)),
            "tool:pre",
            &call(number, &command),
        )
    });
    (lines.collect(), marks)
}

fn rule(number: usize, then: &Value) -> Value {
    json!({"type": "rule", "name": format!("rule-{number}"),
           "when": format!("tool_input.command.contains('job-{number}-')"), "then": then})
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "lists of rules are made where they are named"
)]
fn manifest(rules: Vec<Value>) -> Value {
    json!({"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": rules}]}})
}

struct Bench {
    folder: TempDir,
}

impl Bench {
    fn new(lines: &[Value]) -> Self {
        let bench = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
        bench.write("history.jsonl", &(lines.join("\n") + "\n"));
        bench
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let file = self.folder.path().join(name);
        fs::write(&file, text).unwrap();
        file
    }

    fn comparison(&self, old: &Value, new: &Value) -> Comparison {
        Comparison {
            before: Some(ReplayHooks::File(self.write("old.json", &old.to_string()))),
            after: ReplayHooks::File(self.write("new.json", &new.to_string())),
            program: None,
        }
    }

    fn reading(&self, jobs: usize) -> HistoryScan {
        HistoryScan {
            history: History::File(self.folder.path().join("history.jsonl")),
            filter: Filter::default(),
            jobs: NonZeroUsize::new(jobs).unwrap(),
            interrupted: Arc::default(),
        }
    }
}

#[test]
fn what_is_cut_or_hidden_is_counted_where_a_hook_would_look_at_it_and_never_guessed() {
    let mut cut = record(1, "s", "tool:pre", &call(1, "make job-1-x[CUT:9000 bytes]"));
    cut["action"]["cut"] = json!(["tool_input.command"]);
    let mut hidden = record(
        2,
        "s",
        "tool:pre",
        &call(2, "make job-1- [REDACTED:SECRET:github-token:abc]"),
    );
    hidden["action"]["hidden"] = json!(["github-token"]);
    let mut other = cut.clone();
    other["event"]["subject"] = json!("Teleport");
    other["action"]["data"]["tool_name"] = json!("Teleport");
    let mut bare = record(3, "s", "tool:pre", &call(3, "x"));
    bare.as_object_mut().unwrap().remove("action");
    let bench = Bench::new(&[cut, hidden, other, bare, json!({"torn": 1})]);
    let comparison = bench.comparison(
        &manifest(vec![]),
        &manifest(vec![rule(1, &json!({"deny": "no"}))]),
    );
    let (compared, taken) = compare(&comparison, &bench.reading(1)).unwrap();
    let left = [
        (Exclusion::Cut, 1),
        (Exclusion::Hidden, 1),
        (Exclusion::NoAction, 1),
        (Exclusion::Unread, 1),
    ];
    assert_eq!(compared.left, left.into());
    assert_eq!((compared.asked, compared.groups.len(), taken), (1, 0, 5));
}

#[test]
fn a_difference_is_scored_against_what_became_of_the_action_then() {
    let mut asked = record(1, "s", "tool:pre", &call(1, "make job-1-x"));
    asked["result"] = json!({"verdict": "ask", "questions": [{"prompt": "?"}]});
    let ran = |number| record(number, "s", "tool:post", &call(number, ""));
    let mut refused = record(3, "s", "tool:pre", &call(3, "make job-1-x"));
    refused["said"] = json!({"verdict": "deny", "reasons": [{"text": "no"}]});
    let lines = [
        asked,
        ran(1),
        record(2, "s", "tool:pre", &call(2, "make job-1-x")),
        ran(2),
        refused,
        record(4, "s", "tool:pre", &call(4, "make job-1-x")),
    ];
    let bench = Bench::new(&lines);
    let comparison = bench.comparison(
        &manifest(vec![]),
        &manifest(vec![rule(1, &json!({"deny": "no"}))]),
    );
    let (compared, _) = compare(&comparison, &bench.reading(2)).unwrap();
    let [((change, hook, shape), group)] = &compared.groups.iter().collect::<Vec<_>>()[..] else {
        panic!("{compared:?}")
    };
    assert_eq!(
        (change, hook.as_str(), shape.as_str()),
        (&AnswerChange::Refused, "rule-1", "Bash make")
    );
    let then = PastOutcomes {
        approved: 1,
        ran: 1,
        refused: 1,
    };
    assert_eq!((group.count, &group.then), (4, &then));
}

#[test]
fn a_record_that_was_written_is_a_record_that_is_read() {
    let line = record(1, "s", "tool:pre", &call(1, "ls"));
    assert!(serde_json::from_value::<Report>(line).is_ok());
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "takes seconds"]
    fn a_replay_answers_as_the_line_did_over_the_payloads_of_every_host() {
        let mut compared = BTreeMap::new();
        for host in HOSTS {
            let home = tempfile::tempdir().unwrap();
            let home = home.path().canonicalize().unwrap();
            fs::create_dir_all(home.join("config")).unwrap();
            fs::create_dir_all(home.join("project")).unwrap();
            fs::write(home.join("config/hooks.json"), rules().to_string()).unwrap();
            let state = MemoryState::default();
            let store = Jsonl::new(home.join("record"), RecordDetail::Payload);
            let real = world(&home);
            let all = payloads(host.id());
            let line = |hint| Context {
                hint,
                store: Some(&store),
                state: Some(&state),
                ..Context::new(&real, host, Caller::Host)
            };
            let mut answered = Vec::new();
            for (name, payload) in &all {
                let mut one = line(Some(name)).run(payload.to_string().as_bytes());
                one.settle();
                answered.push((name, one.report));
            }
            let mut replayer = Replayer::new(&ReplayHooks::Today, None, world(&home)).unwrap();
            for (name, report) in answered {
                let line = serde_json::to_vec(&report).unwrap();
                let record: Report = serde_json::from_slice(&line).unwrap();
                let answer = match replayer.ask(&record) {
                    Ok(answer) => answer,
                    Err(left) => {
                        assert!(report.action.is_none(), "{} {name}: {left:?}", host.id());
                        continue;
                    }
                };
                let said = report.said.as_ref().unwrap();
                let reasons = said
                    .verdict
                    .reasons()
                    .iter()
                    .map(|reason| bare(&reason.text));
                let questions = said
                    .verdict
                    .questions()
                    .iter()
                    .map(|question| question.prompt.to_string());
                let texts = said
                    .effects
                    .inject()
                    .iter()
                    .map(|text| text.text.to_string());
                let expected: Vec<String> = reasons.chain(questions).chain(texts).collect();
                assert_eq!(
                    (answer.kind, answer.text),
                    (said.verdict.kind(), expected),
                    "{} {name}",
                    host.id()
                );
                *compared.entry(answer.kind.as_str()).or_insert(0) += 1;
            }
            assert_eq!(
                store.find(&Filter::default()).unwrap().len(),
                payloads(host.id()).len()
            );
        }
        assert!(compared.values().sum::<u32>() > 150, "{compared:?}");
        assert!(
            ["deny", "continue", "allow"]
                .iter()
                .all(|kind| compared.contains_key(kind)),
            "{compared:?}"
        );
    }

    #[test]
    #[ignore = "takes seconds"]
    fn each_of_thirty_seeded_changes_of_a_rule_is_found_and_nothing_else() {
        let (lines, marks) = history(7, 300);
        let bench = Bench::new(&lines);
        let all = || -> Vec<Value> {
            (0..30)
                .map(|number| rule(number, &json!({"deny": format!("no {number}")})))
                .collect()
        };
        let mut dice = Dice(11);
        for number in 0..30 {
            let mut changed = all();
            let way = dice.roll(6);
            let then = match way {
                0 => json!({"ask": "really?"}),
                1 => json!({"allow": "fine"}),
                2 => json!({"deny": "other words"}),
                3 => json!({"modify": {"tool_input": {"command": "true"}}}),
                4 => json!({"inject": "a text"}),
                _ => json!({}),
            };
            let expected: &[AnswerChange] = match way {
                2 => &[AnswerChange::Text],
                3 => &[AnswerChange::Allowed, AnswerChange::Rewrite],
                _ => &[AnswerChange::Allowed],
            };
            if way == 5 {
                changed.remove(number);
            } else {
                changed[number] = rule(number, &then);
            }
            // Half of them the other way round: what was soft becomes a refusal.
            let is_turned = dice.roll(2) == 1;
            let sides = (manifest(all()), manifest(changed));
            let (old, new) = if is_turned {
                (&sides.1, &sides.0)
            } else {
                (&sides.0, &sides.1)
            };
            let turned: Vec<AnswerChange> = expected
                .iter()
                .map(|change| match change {
                    AnswerChange::Allowed if is_turned => AnswerChange::Refused,
                    other => *other,
                })
                .collect();
            let (compared, _) = compare(&bench.comparison(old, new), &bench.reading(1)).unwrap();
            assert_eq!(compared.asked, 300);
            let mut found = BTreeMap::new();
            for ((change, hook, _), group) in &compared.groups {
                assert_eq!(hook, &format!("rule-{number}"), "{way} {number}");
                *found.entry(*change).or_insert(0) += group.count;
            }
            let wanted: BTreeMap<AnswerChange, u64> = turned
                .into_iter()
                .map(|change| (change, marks[&number]))
                .collect();
            assert_eq!(
                found, wanted,
                "way {way} of rule {number}, turned: {is_turned}"
            );
        }
    }

    #[test]
    #[ignore = "takes seconds"]
    fn twice_over_the_same_history_is_the_same_page_by_any_number_of_threads() {
        let (lines, _) = history(3, 900);
        let bench = Bench::new(&lines);
        let rules = |words: &str| {
            manifest(
                (0..30)
                    .map(|number| rule(number, &json!({"deny": words})))
                    .collect(),
            )
        };
        let comparison = bench.comparison(&manifest(Vec::new()), &rules("no"));
        let title = ComparisonTitle {
            before: "a".into(),
            after: "b".into(),
            fails: vec![AnswerChange::Refused],
        };
        let page = |jobs| {
            let (compared, _) = compare(&comparison, &bench.reading(jobs)).unwrap();
            assert!(title.is_failed(&compared));
            (text(&title, &compared), json(&title, &compared).to_string())
        };
        let one = page(1);
        assert!(one.0.contains("newly-refused"), "{}", one.0);
        assert_eq!([page(1), page(2), page(5)], [one.clone(), one.clone(), one]);
    }
}
