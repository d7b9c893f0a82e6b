//! What hooks of Copilot and of VS Code answer, heard by us and by the reader: we are never softer than the host itself.

use anyhook_core::result::{HookResult, Kind};
use anyhook_readers::{Answer, Gate, Gravity, reader};
use anyhook_wires::host;
use serde_json::{Value, json};

use crate::fixtures::{ended, files, folder, payloads, tagged};

fn first(id: &str, event: &str) -> Value {
    let all = payloads(id);
    let found = all.into_iter().find(|(name, _)| name == event);
    found.unwrap_or_else(|| panic!("{id} {event}")).1
}

fn gravity(kind: Kind) -> Gravity {
    match kind {
        Kind::Allow => Gravity::Allow,
        Kind::Continue => Gravity::Nothing,
        Kind::Ask => Gravity::Ask,
        Kind::Deny => Gravity::Refuse,
        Kind::Halt => Gravity::Halt,
    }
}

#[test]
fn a_native_answer_is_never_heard_softer_than_its_own_host_hears_it() {
    for id in ["copilot-cli", "copilot-cloud", "vscode-local"] {
        for (event, answers) in files(&folder(id).join("responses")) {
            let event = tagged(&event);
            let payload = first(id, event);
            let wire = host(id).unwrap();
            let read = wire
                .read_event(payload.to_string().as_bytes(), Some(event))
                .unwrap();
            for (name, answer) in answers.as_object().unwrap() {
                let stdout = match &answer["stdout"] {
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                let stderr = answer["stderr"].as_str().unwrap();
                let exit = i32::try_from(answer["exit"].as_i64().unwrap()).unwrap();
                let theirs = reader(id).unwrap().reads(&Answer {
                    event,
                    payload: &payload,
                    stdout: stdout.as_bytes(),
                    stderr: stderr.as_bytes(),
                    exit,
                });
                // A fault is what the loader makes of it: for this host, a refusal.
                let Ok(ours) = wire.read_result(&ended(exit, &stdout, stderr), &read) else {
                    continue;
                };
                let (class, mutable) = (read.name.class(), read.name.mutable());
                let (ours, _) = ours.fit(class, mutable, &wire.can(&read));
                let ours = gravity(ours.verdict.kind());
                let least = theirs.gravity();
                assert!(ours >= least, "{id} {event} {name}: {ours:?} {theirs:?}");
            }
        }
    }
}

#[test]
fn every_answer_that_only_copilot_has_is_heard_and_said_as_it_was() {
    let table = [
        (
            "userPromptTransformed",
            HookResult::proceed(),
            json!({"modifiedTransformedPrompt": "x"}),
        ),
        (
            "preMcpToolCall",
            HookResult::proceed(),
            json!({"metaToUse": {"a": 1}}),
        ),
        (
            "subagentStop",
            HookResult::proceed(),
            json!({"modifiedResponse": "x"}),
        ),
        (
            "permissionRequest",
            HookResult::deny("no"),
            json!({"interrupt": true}),
        ),
    ];
    let wire = host("copilot-cli").unwrap();
    for (event, verdict, fields) in table {
        let payload = first("copilot-cli", event);
        let read = wire
            .read_event(payload.to_string().as_bytes(), Some(event))
            .unwrap();
        let heard = wire
            .read_result(&ended(0, &fields.to_string(), ""), &read)
            .unwrap();
        let said = verdict.then(heard);
        let (said, losses) = said.fit(read.name.class(), read.name.mutable(), &wire.can(&read));
        assert_eq!(losses, [], "{event}");
        let reply = wire.write_result(&read, &said);
        let done = reader("copilot-cli").unwrap().reads(&Answer {
            event,
            payload: &payload,
            stdout: reply.stdout.as_bytes(),
            stderr: b"",
            exit: 0,
        });
        let expected: Vec<(String, Value)> =
            fields.as_object().unwrap().clone().into_iter().collect();
        assert_eq!(done.native, expected, "{event} {reply:?}");
    }
}

#[test]
fn an_interruption_without_a_refusal_is_not_said() {
    let wire = host("copilot-cli").unwrap();
    let payload = first("copilot-cli", "permissionRequest");
    let event = wire
        .read_event(payload.to_string().as_bytes(), Some("permissionRequest"))
        .unwrap();
    let heard = wire
        .read_result(&ended(0, r#"{"interrupt":true}"#, ""), &event)
        .unwrap();
    assert_eq!(wire.write_result(&event, &heard).stdout, "");
}

#[test]
fn a_guard_of_claude_code_refuses_a_call_of_copilot() {
    let copilot = host("copilot-cli").unwrap();
    let claude = host("claude-code").unwrap();
    let payload = first("copilot-cli", "preToolUse");
    let event = copilot
        .read_event(payload.to_string().as_bytes(), Some("preToolUse"))
        .unwrap();
    let told = claude.write_event(&event);
    assert_eq!(
        (
            &told["hook_event_name"],
            &told["tool_name"],
            &told["tool_input"]["command"]
        ),
        (&json!("PreToolUse"), &json!("Bash"), &json!("npm test"))
    );
    let guard = ended(2, "", "tests are frozen");
    let said = claude.read_result(&guard, &event).unwrap();
    let reply = copilot.write_result(&event, &said);
    let done = reader("copilot-cli").unwrap().reads(&Answer {
        event: "preToolUse",
        payload: &payload,
        stdout: reply.stdout.as_bytes(),
        stderr: reply.stderr.as_bytes(),
        exit: i32::from(reply.exit),
    });
    assert_eq!(
        (done.gate, done.model_sees),
        (
            Gate::Refused { erased: false },
            vec!["tests are frozen".to_owned()]
        )
    );
}
