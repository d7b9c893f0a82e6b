//! What holds for every host of the table: its corpus, its reader, its answers.

use std::collections::BTreeSet;

use anyhook_core::can::{RewriteCoupling, Visibility};
use anyhook_core::event::{Datum, Event};
use anyhook_core::handler::HandlerResult;
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::taxonomy::Class;
use anyhook_readers::{Behaviour, Gate, Gravity, reader};
use anyhook_wires::hosts::HOSTS;
use anyhook_wires::{Host, Maturity, Neutral, fitted, host};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

use crate::case::{Case, left, results};
use crate::fixtures::{ended, folder, payloads, tagged};
use crate::said::answers;

/// Hosts whose corpus has pages of its own (`corpus.rs`, `said.rs`), which ask for more than this one.
const APART: &[&str] = &["universal", "amplifier"];

fn hosts() -> impl Iterator<Item = &'static Host> {
    let apart = |host: &&Host| APART.contains(&host.id());
    HOSTS.iter().copied().filter(move |host| !apart(host))
}

fn neutral(case: &Case) -> Neutral {
    let row = case.wire.row(&case.native);
    row.map_or(Neutral::Silent, anyhook_wires::HostRow::neutral)
}

fn cases() -> Vec<Case> {
    hosts().flat_map(|host| Case::all(host.id())).collect()
}

/// The payloads of the hosts that have a reader.
fn judged() -> Vec<Case> {
    let judged = HOSTS.iter().filter(|host| reader(host.id()).is_some());
    judged.flat_map(|host| Case::all(host.id())).collect()
}

#[test]
fn every_host_has_fixtures_and_facts() {
    let mut names = BTreeSet::new();
    for wire in HOSTS {
        assert!(
            !wire.facts().covers.is_empty(),
            "{}: `covers` does not say of which version of the agent its facts are",
            wire.id()
        );
        for name in wire.facts().aliases.iter().chain([&wire.id()]) {
            assert!(names.insert(*name), "two hosts go by {name}");
            assert_eq!(host(name).unwrap().id(), wire.id());
        }
    }
    for wire in hosts() {
        let id = wire.id();
        assert!(
            folder(id).is_dir(),
            "{id} has no payloads: write fixtures/hosts/{id}/EVENT.json for each event, a list of what the agent sends"
        );
        assert!(
            folder(id).join("responses").is_dir(),
            "{id} has no answers: write fixtures/hosts/{id}/responses/EVENT.json, what a hook prints there, each by a name"
        );
    }
}

#[test]
fn every_event_of_a_host_has_a_payload_and_every_payload_a_row() {
    for wire in hosts() {
        let corpus: BTreeSet<String> = payloads(wire.id())
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        let rows: BTreeSet<String> = wire.rows().iter().map(|row| row.name.to_owned()).collect();
        let strangers: Vec<_> = corpus.difference(&rows).collect();
        let id = wire.id();
        assert!(
            strangers.is_empty(),
            "{id} has no row for the files {strangers:?} of fixtures/hosts/{id}: a file is named after its event"
        );
        let missing: Vec<_> = rows.difference(&corpus).collect();
        let is_whole = missing.is_empty() || wire.facts().maturity == Maturity::Experimental;
        assert!(
            is_whole,
            "{id} has no payloads of {missing:?}: write fixtures/hosts/{id}/EVENT.json for each"
        );
    }
}

#[test]
fn every_payload_is_written_as_it_was_read() {
    for case in cases() {
        let what = format!("{} {}", case.wire.id(), case.native);
        assert_eq!(case.wire.write_event(&case.event), case.payload, "{what}");
        let origin = case.event.origin.as_deref().unwrap();
        assert_eq!(
            (&*origin.host, &*origin.native),
            (case.wire.id(), &*case.native),
            "{what}"
        );
    }
}

#[test]
fn every_event_is_canonical_from_every_host() {
    for case in cases() {
        let what = format!("{} {}: {}", case.wire.id(), case.native, case.payload);
        let data = case.event.data.json();
        if case.event.name.as_str() == "tool:pre" {
            assert!(
                data.get("tool_name").is_some_and(Value::is_string),
                "{what}"
            );
            assert!(
                data.get("tool_input").is_some_and(Value::is_object),
                "{what}"
            );
        }
        let is_shell = data.get("tool_name") == Some(&json!("Bash"));
        // A call without any arguments came from a schema, and no agent makes one.
        let is_call = is_shell && data.get("tool_input") != Some(&json!({}));
        if is_call && case.event.name.class() == Class::Gate {
            assert!(data["tool_input"]["command"].is_string(), "{what}");
        }
        let universal = host("universal").unwrap().write_event(&case.event);
        assert_eq!(universal["native"]["host"], case.wire.id(), "{what}");
        let claude = host("claude-code").unwrap().write_event(&case.event);
        assert!(claude["hook_event_name"].is_string(), "{what}");
    }
}

#[test]
fn an_event_of_another_host_is_written_and_read_again_as_the_same_call() {
    let foreign = [
        (
            "tool:pre",
            json!({"session_id": "s", "cwd": "/p", "tool_name": "Bash", "tool_input": {"command": "ls"}}),
        ),
        (
            "tool:pre",
            json!({"session_id": "s", "cwd": "/p", "tool_name": "Write", "tool_input": {"file_path": "/p/a", "content": "x"}}),
        ),
    ];
    for wire in hosts() {
        for (name, data) in &foreign {
            if wire.row(name).is_none() {
                continue;
            }
            let event = Event::new(name, data.clone());
            let written = wire.write_event(&event);
            let Ok(again) = wire.read_event(written.to_string().as_bytes(), Some(name)) else {
                panic!("{} cannot read {written}", wire.id());
            };
            let (was, is) = (event.data.json(), again.data.json());
            assert_eq!(
                is.get("tool_input"),
                was.get("tool_input"),
                "{} {written}",
                wire.id()
            );
            assert_eq!(
                is.get("tool_name"),
                was.get("tool_name"),
                "{} {written}",
                wire.id()
            );
        }
    }
}

#[test]
fn silence_is_neutral_for_every_host() {
    for case in judged()
        .iter()
        .filter(|case| case.native != "WorktreeCreate")
    {
        let reply = case.wire.write_result(&case.event, &HookResult::proceed());
        let done = case.does(&left(&reply));
        let expected = match neutral(case) {
            Neutral::Silent => vec![Gate::Runs],
            Neutral::Allow => vec![Gate::Runs, Gate::RunsWithoutPrompt],
        };
        assert!(
            expected.contains(&done.gate),
            "{} {} {reply:?}",
            case.wire.id(),
            case.native
        );
        assert_eq!(
            done.errors,
            Vec::<String>::new(),
            "{} {}",
            case.wire.id(),
            case.native
        );
        let quiet = (done.model_sees.len(), done.person_sees.len());
        assert_eq!(quiet, (0, 0), "{} {}", case.wire.id(), case.native);
    }
}

#[test]
fn what_every_host_is_told() {
    for wire in hosts() {
        insta::assert_snapshot!(wire.id(), answers(wire.id()));
    }
}

/// The arguments of a call with another text in their first text.
fn rewritten(event: &Event, text: &str) -> Option<Value> {
    let mut input = event.get("tool_input")?.into_owned();
    let first = input
        .as_object_mut()?
        .values_mut()
        .find(|value| value.is_string())?;
    *first = text.into();
    Some(input)
}

#[test]
fn every_host_does_at_least_what_was_meant() {
    let meant = (
        results("[a-z✓][a-z\n]{0,12}[a-z]"),
        proptest::option::of("[a-z]{6,9}"),
    );
    // One result is judged at every event of every host, so there are fewer than the environment wants.
    let wanted = std::env::var("PROPTEST_CASES").map_or(64, |wanted| wanted.parse().unwrap());
    let mut runner = TestRunner::new(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(wanted.min(500))
    });
    let law = runner.run(&meant, |(meant, rewrite)| {
        for case in judged() {
            let mut meant = meant.clone();
            let input = rewrite
                .as_deref()
                .and_then(|text| rewritten(&case.event, text));
            if let Some(input) = input {
                meant = meant.modify("tool_input", input);
            }
            judge(&case, meant);
        }
        Ok(())
    });
    law.unwrap();
}

/// New arguments in every odd form that hooks make.
fn odd_inputs(event: &Event) -> Vec<Value> {
    let mut odd = vec![
        json!("rm -rf /"),
        json!(7),
        json!([]),
        json!({}),
        json!({"other": 1}),
        Value::Null,
    ];
    let Some(Value::Object(input)) = event.get("tool_input").map(std::borrow::Cow::into_owned)
    else {
        return odd;
    };
    for key in input.keys() {
        let mut less = input.clone();
        less.shift_remove(key);
        odd.push(less.into());
        let mut other = input.clone();
        other.insert(key.clone(), json!([1]));
        odd.push(other.into());
    }
    odd
}

#[test]
fn nothing_is_refused_by_the_writing_that_the_fitted_result_does_not_refuse() {
    let mut refused = BTreeSet::new();
    for case in judged() {
        let silence = case.does(&left(
            &case.wire.write_result(&case.event, &HookResult::proceed()),
        ));
        if silence.gravity() >= Gravity::Refuse {
            // The host takes no silence here: it waits for the path of a worktree.
            continue;
        }
        for input in odd_inputs(&case.event) {
            for meant in [
                HookResult::proceed(),
                HookResult::allow(),
                HookResult::ask("go on?"),
            ] {
                let meant = meant.modify("tool_input", input.clone());
                let host = case.wire;
                let (said, losses) = fitted(host, &case.event, meant, &case.wire.can(&case.event));
                assert_eq!(host.overlooks(&case.event, &said), None);
                let done = case.does(&left(&host.write_result(&case.event, &said)));
                let what = format!("{} {} {input}\n{said:#?}\n{done:?}", host.id(), case.native);
                if said.verdict.kind() < Kind::Deny {
                    assert!(done.gravity() < Gravity::Refuse, "{what}");
                } else {
                    assert!(!losses.is_empty(), "{what}");
                    refused.insert(host.id());
                }
            }
        }
    }
    let careful = [
        "claude-code",
        "codex-cli",
        "copilot-cli",
        "cursor",
        "gemini-cli",
    ];
    assert!(careful.iter().all(|id| refused.contains(id)), "{refused:?}");
}

fn judge(case: &Case, meant: HookResult) {
    let (said, _) = fitted(case.wire, &case.event, meant, &case.wire.can(&case.event));
    let reply = case.wire.write_result(&case.event, &said);
    let done = case.does(&left(&reply));
    let what = format!("{}\n{said:#?}\n{reply:?}\n{done:?}", case.what());
    // A worktree that no hook made is an error of its own, whatever is said.
    let is_made = case.native != "WorktreeCreate";
    assert!(!is_made || done.errors.is_empty(), "{what}");
    gravity(case, &said, &done, &what);
    texts(case, &said, &done, &what);
    rewrites(&said, &done, &what);
}

/// The action goes no further than was meant, and nothing is approved without an approval.
fn gravity(case: &Case, said: &HookResult, done: &Behaviour, what: &str) {
    let can = case.wire.can(&case.event);
    let class = case.event.name.class();
    let least = match neutral(case) {
        Neutral::Silent => Gravity::Nothing,
        Neutral::Allow => Gravity::Allow,
    };
    match said.verdict.kind() {
        Kind::Continue => {
            let is_free = said.effects.patch().is_empty() || can.coupling == RewriteCoupling::Free;
            assert!(is_free && done.gravity() >= least, "{what}");
        }
        Kind::Allow => {
            let is_carried =
                can.coupling == RewriteCoupling::Approval && !said.effects.patch().is_empty();
            assert!(can.says(Kind::Allow) || is_carried, "{what}");
        }
        Kind::Ask => assert!(
            can.says(Kind::Ask) && done.gravity() >= Gravity::Ask,
            "{what}"
        ),
        Kind::Deny | Kind::Halt if class == Class::Gate || class == Class::Continuation => {
            let stops = said.verdict.kind() == Kind::Halt && class == Class::Continuation;
            assert!(stops || done.gravity() >= Gravity::Refuse, "{what}");
        }
        Kind::Deny | Kind::Halt => {
            let text = said.verdict.text();
            let texts = done
                .model_sees
                .iter()
                .chain(&done.stops_agent)
                .chain(&done.person_sees);
            assert!(
                texts.into_iter().any(|seen| seen.contains(&*text)),
                "{what}"
            );
        }
    }
}

/// Every text that was kept reaches its reader; some hosts take white space off its ends.
fn texts(case: &Case, said: &HookResult, done: &Behaviour, what: &str) {
    let can = case.wire.can(&case.event);
    assert!(
        can.inject.is_some() || said.effects.inject().is_empty(),
        "{what}"
    );
    assert!(
        can.notify == Visibility::Yes || said.effects.notify().is_empty(),
        "{what}"
    );
    let model = done.model_sees.join("\n");
    for injection in said.effects.inject() {
        assert!(model.contains(injection.text.trim()), "{what}");
    }
    let person = done.person_sees.join("\n");
    for notice in said.effects.notify() {
        assert!(person.contains(notice.text.trim()), "{what}");
    }
}

/// The tool gets the input that was meant, or its own, or does not run.
fn rewrites(said: &HookResult, done: &Behaviour, what: &str) {
    let rewrite = said
        .effects
        .rewrite("tool_input")
        .and_then(|rewrite| rewrite.value.as_ref());
    match rewrite.map(Datum::json) {
        None => assert_eq!(done.input, None, "{what}"),
        Some(_) if done.gravity() >= Gravity::Refuse => {}
        Some(value) => {
            let given = done
                .input
                .as_ref()
                .unwrap_or_else(|| panic!("{what}"))
                .to_string();
            let text = value
                .as_object()
                .unwrap()
                .values()
                .find_map(Value::as_str)
                .unwrap();
            assert!(given.contains(text), "{what}");
        }
    }
}

/// Names of tools are one table for all hosts: what a host calls a tool is an alias of what it is.
#[test]
fn every_tool_of_a_host_is_known_by_its_canonical_name() {
    for wire in HOSTS {
        for tool in wire.facts().tools.rows {
            let known = tool.name == tool.is
                || anyhook_wires::tools::also(tool.name).contains(&tool.is)
                || anyhook_wires::tools::also(tool.name).is_empty();
            assert!(
                known,
                "{}: {} is no other name of {}",
                wire.id(),
                tool.name,
                tool.is
            );
        }
    }
}

/// Hosts whose payloads look alike are told apart by the command line; the tag of a fixture says nothing to them.
#[test]
fn a_fixture_may_have_a_tag_behind_its_event() {
    assert_eq!(tagged("preToolUse.mcp"), "preToolUse");
    assert_eq!(tagged("preToolUse"), "preToolUse");
    assert_eq!(tagged("tool.execute.before.seen"), "tool.execute.before");
}

/// Puts a field before all others of an answer, as text.
fn with_note(stdout: &str, note: &str) -> Option<String> {
    let rest = stdout.trim_start().strip_prefix('{')?;
    let comma = if rest.trim() == "}" { "" } else { "," };
    Some(format!("{{\"reason\": \"{note}\"{comma}{rest}"))
}

#[test]
fn an_answer_with_a_raw_control_character_approves_nothing_and_refuses_all_the_same() {
    let mut approving = BTreeSet::new();
    let mut refusing = BTreeSet::new();
    // What these two read is our own form.
    let theirs = HOSTS
        .iter()
        .filter(|host| !["universal", "amplifier"].contains(&host.id()));
    for wire in theirs {
        for (native, payload) in payloads(wire.id()) {
            let event = wire
                .read_event(payload.to_string().as_bytes(), Some(&native))
                .unwrap();
            let hears = |result: HookResult, note: &str| {
                let (said, _) =
                    result.fit(event.name.class(), event.name.mutable(), &wire.can(&event));
                let reply = wire.write_result(&event, &said);
                let stdout = with_note(&reply.stdout, note)?;
                Some(wire.read_result(
                    &ended(i32::from(reply.exit), &stdout, &reply.stderr),
                    &event,
                ))
            };
            let kind =
                |said: HandlerResult| said.map_or(Kind::Continue, |said| said.verdict.kind());
            if hears(HookResult::allow(), "ab").is_some_and(|said| kind(said) == Kind::Allow) {
                let raw = hears(HookResult::allow(), "a\tb").unwrap();
                let fault = raw.expect_err(&native);
                assert!(
                    fault.text.contains("a raw control character"),
                    "{}",
                    fault.text
                );
                approving.insert(wire.id());
            }
            if hears(HookResult::deny("no"), "ab").is_some_and(|said| kind(said) == Kind::Deny) {
                let raw = hears(HookResult::deny("no"), "a\tb").unwrap();
                assert_eq!(kind(raw), Kind::Deny, "{} {native}", wire.id());
                refusing.insert(wire.id());
            }
        }
    }
    assert!(approving.len() >= 5, "{approving:?}");
    assert!(refusing.len() >= 8, "{refusing:?}");
}
