//! The answers that only Claude Code has: each is heard from a hook, said as it was, and takes effect in the host.

use anyhook_core::event::{Event, Map};
use anyhook_core::result::HookResult;
use anyhook_readers::{Answer, Behaviour, Gate, reader};
use anyhook_wires::{Reply, host};
use serde_json::{Value, json};

use crate::fixtures::{ended, payloads};

const ID: &str = "claude-code";

/// Every event with the answers that only this host has for it, under a verdict where they need one.
fn table() -> Vec<(&'static str, HookResult, Value)> {
    let rules = json!([{"type": "addRules", "rules": [{"toolName": "Bash"}], "behavior": "allow",
        "destination": "session"}]);
    let nothing = HookResult::proceed;
    vec![
        (
            "SessionStart",
            nothing(),
            json!({"initialUserMessage": "go", "sessionTitle": "cart",
            "watchPaths": [".envrc"], "reloadSkills": true}),
        ),
        (
            "UserPromptSubmit",
            nothing(),
            json!({"sessionTitle": "cart"}),
        ),
        (
            "UserPromptSubmit",
            HookResult::deny("a secret"),
            json!({"suppressOriginalPrompt": true}),
        ),
        (
            "PermissionRequest",
            HookResult::allow_because(""),
            json!({"updatedPermissions": rules}),
        ),
        (
            "PermissionRequest",
            HookResult::deny("no"),
            json!({"interrupt": true}),
        ),
        ("PermissionDenied", nothing(), json!({"retry": true})),
        (
            "PostToolUse",
            nothing(),
            json!({"classifierContext": "clean"}),
        ),
        (
            "MessageDisplay",
            nothing(),
            json!({"displayContent": "[hidden]"}),
        ),
        ("CwdChanged", nothing(), json!({"watchPaths": [".envrc"]})),
        ("FileChanged", nothing(), json!({"watchPaths": [".envrc"]})),
        (
            "WorktreeCreate",
            nothing(),
            json!({"worktreePath": "/tmp/shop fix"}),
        ),
        (
            "Elicitation",
            nothing(),
            json!({"action": "accept", "content": {"project": "shop"}}),
        ),
        ("ElicitationResult", nothing(), json!({"action": "decline"})),
        (
            "Notification",
            nothing(),
            json!({"terminalSequence": "\u{1b}]9;done\u{7}"}),
        ),
        (
            "StopFailure",
            nothing(),
            json!({"terminalSequence": "\u{7}"}),
        ),
    ]
}

fn fields(json: &Value) -> Map {
    json.as_object().unwrap().clone()
}

fn sent(name: &str) -> (Value, Event) {
    let mut all = payloads(ID).into_iter();
    let (_, payload) = all.find(|(event, _)| event == name).unwrap();
    let event = host(ID)
        .unwrap()
        .read_event(payload.to_string().as_bytes(), None);
    (payload, event.unwrap())
}

fn said(event: &Event, result: HookResult) -> Reply {
    let wire = host(ID).unwrap();
    let (fitted, losses) = result.fit(event.name.class(), event.name.mutable(), &wire.can(event));
    assert_eq!(losses, [], "{}", event.name);
    wire.write_result(event, &fitted)
}

fn done(name: &str, payload: &Value, reply: &Reply) -> Behaviour {
    reader(ID).unwrap().reads(&Answer {
        event: name,
        payload,
        stdout: reply.stdout.as_bytes(),
        stderr: reply.stderr.as_bytes(),
        exit: i32::from(reply.exit),
    })
}

#[test]
fn an_answer_that_only_claude_code_has_takes_effect_there() {
    for (name, verdict, native) in table() {
        let (payload, event) = sent(name);
        let reply = said(&event, verdict.native(ID, fields(&native)));
        let behaviour = done(name, &payload, &reply);
        let mut found: Vec<_> = behaviour.native.clone();
        let mut meant: Vec<_> = fields(&native).into_iter().collect();
        found.sort_by(|(a, _), (b, _)| a.cmp(b));
        meant.sort_by(|(a, _), (b, _)| a.cmp(b));
        assert_eq!(found, meant, "{name}: {behaviour:?}");
        assert_eq!(
            (behaviour.errors, behaviour.ignored),
            (vec![], vec![]),
            "{name}"
        );
    }
}

#[test]
fn an_answer_that_only_claude_code_has_is_heard_as_it_was_said() {
    for (name, verdict, native) in table() {
        let (_, event) = sent(name);
        let meant = verdict.native(ID, fields(&native));
        let reply = said(&event, meant.clone());
        let raw = ended(i32::from(reply.exit), &reply.stdout, &reply.stderr);
        let heard = host(ID).unwrap().read_result(&raw, &event).unwrap();
        assert_eq!(heard.verdict.kind(), meant.verdict.kind(), "{name}");
        // Heard once more, it says the same: the fields stay where this host has them.
        assert_eq!(said(&event, heard), reply, "{name}");
    }
}

#[test]
fn an_answer_of_another_host_is_a_loss_here() {
    let (_, event) = sent("SessionStart");
    let result = HookResult::proceed().native("cursor", fields(&json!({"env": {}})));
    let can = host(ID).unwrap().can(&event);
    let (fitted, losses) = result.fit(event.name.class(), event.name.mutable(), &can);
    assert!(fitted.is_identity());
    assert_eq!(losses.len(), 1);
}

#[test]
fn a_switch_of_the_model_is_allowed_asked_about_and_refused() {
    let (payload, event) = sent("PreModelSwitch");
    let gate = |result: HookResult| {
        let behaviour = done("PreModelSwitch", &payload, &said(&event, result));
        assert_eq!(behaviour.errors, Vec::<String>::new());
        (behaviour.gate, behaviour.person_sees)
    };
    let (allowed, _) = gate(HookResult::allow_because("cheaper"));
    assert_eq!(allowed, Gate::RunsWithoutPrompt);
    let (asked, shown) = gate(HookResult::ask("costs 30 cents"));
    assert_eq!(
        (asked, shown),
        (
            Gate::AskedOf(anyhook_readers::Asked::Person),
            vec!["costs 30 cents".to_owned()]
        )
    );
    let (refused, shown) = gate(HookResult::deny("frozen"));
    assert_eq!(
        (refused, shown),
        (Gate::Refused { erased: false }, vec!["frozen".to_owned()])
    );
}

#[test]
fn a_hook_that_makes_no_worktree_has_refused_it_and_its_last_line_is_the_path() {
    let (_, event) = sent("WorktreeCreate");
    let heard = |exit: i32, stdout: &str, stderr: &str| {
        let said = host(ID)
            .unwrap()
            .read_result(&ended(exit, stdout, stderr), &event)
            .unwrap();
        let native = said
            .effects
            .native()
            .first()
            .map(|one| one.fields["worktreePath"].clone());
        (said.verdict.text(), native)
    };
    assert_eq!(
        heard(0, "cloning\n/tmp/fix\n\n", ""),
        (String::new(), Some(json!("/tmp/fix")))
    );
    let silent = "a hook refused this and gave no reason".to_owned();
    assert_eq!(heard(0, "\n", ""), (silent, None));
    assert_eq!(
        heard(1, "/tmp/fix", "disk full"),
        ("disk full".to_owned(), None)
    );
}

#[test]
fn a_path_of_a_worktree_that_is_no_single_line_is_refused() {
    let (payload, event) = sent("WorktreeCreate");
    for path in [
        json!("/tmp/fix\n/etc"),
        json!(" /tmp/fix"),
        json!(""),
        json!(7),
    ] {
        let native = Map::from_iter([("worktreePath".to_owned(), path)]);
        let behaviour = done(
            "WorktreeCreate",
            &payload,
            &said(&event, HookResult::proceed().native(ID, native)),
        );
        assert_eq!(behaviour.gate, Gate::Refused { erased: false });
        assert_eq!(behaviour.native, []);
    }
}

#[test]
fn a_message_about_an_added_directory_reaches_the_model_only_after_a_command() {
    let (mut payload, _) = sent("DirectoryAdded");
    for (source, reaches) in [("slash_command", true), ("register_repo_root", false)] {
        payload["source"] = json!(source);
        let wire = host(ID).unwrap();
        let event = wire
            .read_event(payload.to_string().as_bytes(), None)
            .unwrap();
        let result = HookResult::proceed().inject("this is a library");
        let (fitted, losses) = result.fit(event.name.class(), &[], &wire.can(&event));
        let reply = wire.write_result(&event, &fitted);
        let sees = done("DirectoryAdded", &payload, &reply).model_sees;
        let expected: &[&str] = if reaches { &["this is a library"] } else { &[] };
        assert_eq!(
            (sees.as_slice(), losses.is_empty()),
            (
                expected
                    .iter()
                    .map(|text| (*text).to_owned())
                    .collect::<Vec<_>>()
                    .as_slice(),
                reaches
            )
        );
        let raw = ended(0, r#"{"systemMessage": "a library"}"#, "");
        let heard = wire.read_result(&raw, &event).unwrap();
        assert_eq!(heard.effects.inject().len(), usize::from(reaches));
    }
}
