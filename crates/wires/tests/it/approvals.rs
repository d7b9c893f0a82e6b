//! A form of `allow` that an agent does not look at approves nothing here.
//!
//! Every form of every host is said at every event of every host, in its place and out of it, and the host's own reader
//! is the judge: what it does not take for an approval must not be heard as one.

use anyhook_core::result::{HookResult, Kind};
use anyhook_readers::{Gate, reader};
use anyhook_wires::Host;
use anyhook_wires::hosts::HOSTS;
use serde_json::{Map, Value, json};

use crate::case::{Case, left};
use crate::fixtures::ended;

/// The words that approve somewhere, and some that look so.
const WORDS: &[&str] = &[
    "allow", "approve", "Allow", "accept", "yes", "proceed", "continue",
];

/// The fields in which a word decides somewhere, and some that look so.
const FIELDS: &[&str] = &[
    "decision",
    "permissionDecision",
    "permission_decision",
    "permission",
    "behavior",
    "action",
    "outcome",
    "status",
    "verdict",
];

/// What an answer says about a decision, at one level of it.
fn decisions() -> Vec<Map<String, Value>> {
    let mut all = Vec::new();
    for word in WORDS {
        for field in FIELDS {
            all.push(json!({*field: word}));
        }
        all.push(json!({"decision": {"behavior": word}}));
        all.push(json!({"decision": {"permission": word}}));
        all.push(json!({"permission": {"behavior": word}}));
    }
    all.push(json!({"approve": true}));
    all.push(json!({"approved": true}));
    all.push(json!({"allow": true}));
    all.push(json!({"allowed": true}));
    all.push(json!({"continue": true}));
    let all = all.into_iter();
    all.map(|said| said.as_object().unwrap().clone()).collect()
}

/// Every answer: a decision at the top, inside `hookSpecificOutput` under each of these names, in snake case, and beside
/// an object of the event; alone and with a rewrite.
fn answers(own: &str) -> Vec<Value> {
    let mut all = Vec::new();
    for said in decisions() {
        for rewrite in [
            None,
            Some("updatedInput"),
            Some("modifiedArgs"),
            Some("updated_input"),
        ] {
            let mut said = said.clone();
            if let Some(field) = rewrite {
                said.insert(field.to_owned(), json!({"command": "true"}));
            }
            all.push(Value::Object(said.clone()));
            for name in [
                own,
                "PreToolUse",
                "PermissionRequest",
                "preToolUse",
                "tool:pre",
            ] {
                let mut inner = said.clone();
                inner.insert("hookEventName".to_owned(), name.into());
                all.push(json!({"hookSpecificOutput": inner}));
            }
            all.push(json!({"hookSpecificOutput": said}));
            all.push(json!({"hook_specific_output": said}));
            let mut beside = said.clone();
            beside.insert(
                "hookSpecificOutput".to_owned(),
                json!({"hookEventName": own, "additionalContext": "x"}),
            );
            all.push(Value::Object(beside));
        }
    }
    all
}

/// Every host but those whose hooks answer us, in any of the forms that universal hooks have.
fn hosts() -> impl Iterator<Item = &'static Host> {
    let hosts = HOSTS.iter().copied();
    hosts.filter(|host| !["universal", "amplifier"].contains(&host.id()))
}

/// The first payload of every event of every host.
fn all() -> Vec<Case> {
    hosts().flat_map(|host| Case::firsts(host.id())).collect()
}

/// Those that a reader judges.
fn places() -> Vec<Case> {
    let mut all = all();
    all.retain(|case| reader(case.wire.id()).is_some());
    all
}

/// Tells whether an approval may be heard in an answer: by the host's reader, or else by its table.
fn approves(case: &Case, stdout: &str, exit: i32) -> bool {
    if reader(case.wire.id()).is_some() {
        return gate(case, stdout, exit) == Gate::RunsWithoutPrompt;
    }
    let row = case.wire.row(&case.native);
    row.is_some_and(|row| row.can.says(Kind::Allow))
}

fn gate(case: &Case, stdout: &str, exit: i32) -> Gate {
    case.does(&ended(exit, stdout, "")).gate
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "takes seconds"]
    fn an_allow_that_its_own_host_would_ignore_is_never_heard_as_one() {
        let (mut compared, mut heard, mut wrong) = (0_u32, 0_u32, Vec::new());
        for place in all() {
            for answer in answers(&place.native) {
                let stdout = answer.to_string();
                for exit in [0, 1, 2] {
                    compared += 1;
                    let said = place.hears(&ended(exit, &stdout, ""));
                    if !said.is_ok_and(|said| said.verdict.kind() == Kind::Allow) {
                        continue;
                    }
                    heard += 1;
                    if !approves(&place, &stdout, exit) {
                        wrong.push(format!("{} exit {exit}: {stdout}", place.what()));
                    }
                }
            }
        }
        assert!(
            wrong.is_empty(),
            "{} of {compared}:\n{}",
            wrong.len(),
            wrong.join("\n")
        );
        assert!(
            compared > 100_000 && heard > 100,
            "{compared} compared, {heard} heard"
        );
    }

    #[test]
    #[ignore = "takes seconds"]
    fn what_is_said_for_a_misplaced_allow_approves_nothing_either() {
        let mut wrong = Vec::new();
        for place in places() {
            let silence = place.says(HookResult::proceed()).1;
            // An agent that wants a word takes even "nothing to say" for an approval.
            if gate(&place, &silence.stdout, 0) == Gate::RunsWithoutPrompt {
                continue;
            }
            for answer in answers(&place.native) {
                let stdout = answer.to_string();
                let Ok(said) = place.hears(&ended(0, &stdout, "")) else {
                    continue;
                };
                let ours = place.does(&left(&place.says(said).1)).gate;
                let theirs = gate(&place, &stdout, 0);
                if ours == Gate::RunsWithoutPrompt && theirs != ours {
                    let native = &place.native;
                    wrong.push(format!(
                        "{} {native}: {stdout} ({theirs:?})",
                        place.wire.id()
                    ));
                }
            }
        }
        assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    }

    #[test]
    #[ignore = "takes seconds"]
    fn an_allow_of_another_hosts_hook_is_judged_by_the_host_that_it_is_written_for() {
        let mut wrong = Vec::new();
        let (places, judged) = (places(), |host: &&Host| reader(host.id()).is_some());
        for place in &places {
            let others = hosts().filter(judged);
            for other in others.filter(|other| other.id() != place.wire.id()) {
                let mut rows = other.rows().iter();
                let row = rows.find(|row| row.event == place.event.name.as_str());
                let Some(row) = row else { continue };
                let there = Case {
                    wire: other,
                    native: row.name.to_owned(),
                    payload: other.write_as(&place.event, row.name),
                    event: place.event.clone(),
                };
                for said in decisions() {
                    for name in [row.name, &place.native] {
                        let mut inner = said.clone();
                        inner.insert("hookEventName".to_owned(), name.into());
                        for answer in [json!({"hookSpecificOutput": inner}), json!(said)] {
                            let stdout = answer.to_string();
                            let raw = ended(0, &stdout, "");
                            let heard = other.read_result(&raw, &place.event);
                            let approves =
                                heard.is_ok_and(|said| said.verdict.kind() == Kind::Allow);
                            if approves && there.does(&raw).gate != Gate::RunsWithoutPrompt {
                                wrong.push(format!("{} for {}", other.id(), place.what()));
                            }
                        }
                    }
                }
            }
        }
        wrong.dedup();
        assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    }
}
