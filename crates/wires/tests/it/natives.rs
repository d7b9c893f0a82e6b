//! The answers that only Claude Code has: each is heard from a hook, said as it was, and takes effect in the host.

use anyhook_core::event::Map;
use anyhook_core::result::HookResult;
use anyhook_readers::Gate;
use anyhook_wires::Reply;
use serde_json::{Value, json};

use crate::case::{Case, left};
use crate::fixtures::ended;

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

fn sent(name: &str) -> Case {
    Case::first(ID, name)
}

fn said(case: &Case, result: HookResult) -> Reply {
    let (_, reply, losses) = case.says(result);
    assert_eq!(losses, [], "{}", case.what());
    reply
}

#[test]
fn an_answer_that_only_claude_code_has_takes_effect_there() {
    for (name, verdict, native) in table() {
        let case = sent(name);
        let reply = said(&case, verdict.native(ID, fields(&native)));
        let behaviour = case.does(&left(&reply));
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
        let case = sent(name);
        let meant = verdict.native(ID, fields(&native));
        let reply = said(&case, meant.clone());
        let heard = case.hears(&left(&reply)).unwrap();
        assert_eq!(heard.verdict.kind(), meant.verdict.kind(), "{name}");
        // Heard once more, it says the same: the fields stay where this host has them.
        assert_eq!(said(&case, heard), reply, "{name}");
    }
}

#[test]
fn an_answer_of_another_host_is_a_loss_here() {
    let case = sent("SessionStart");
    let result = HookResult::proceed().native("cursor", fields(&json!({"env": {}})));
    let (fitted, _, losses) = case.says(result);
    assert!(fitted.is_identity());
    assert_eq!(losses.len(), 1);
}

#[test]
fn a_switch_of_the_model_is_allowed_asked_about_and_refused() {
    let case = sent("PreModelSwitch");
    let gate = |result: HookResult| {
        let behaviour = case.does(&left(&said(&case, result)));
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
    let case = sent("WorktreeCreate");
    let heard = |exit: i32, stdout: &str, stderr: &str| {
        let said = case.hears(&ended(exit, stdout, stderr)).unwrap();
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
    let case = sent("WorktreeCreate");
    for path in [
        json!("/tmp/fix\n/etc"),
        json!(" /tmp/fix"),
        json!(""),
        json!(7),
    ] {
        let native = Map::from_iter([("worktreePath".to_owned(), path)]);
        let reply = said(&case, HookResult::proceed().native(ID, native));
        let behaviour = case.does(&left(&reply));
        assert_eq!(behaviour.gate, Gate::Refused { erased: false });
        assert_eq!(behaviour.native, []);
    }
}

#[test]
fn a_message_about_an_added_directory_reaches_the_model_only_after_a_command() {
    for (source, reaches) in [("slash_command", true), ("register_repo_root", false)] {
        let mut payload = sent("DirectoryAdded").payload;
        payload["source"] = json!(source);
        let case = Case::new(ID, "DirectoryAdded", payload);
        let (_, reply, losses) = case.says(HookResult::proceed().inject("this is a library"));
        let sees = case.does(&left(&reply)).model_sees;
        let expected: &[&str] = if reaches { &["this is a library"] } else { &[] };
        assert_eq!(
            (sees, losses.is_empty()),
            (expected.iter().map(ToString::to_string).collect(), reaches)
        );
        let heard = case
            .hears(&ended(0, r#"{"systemMessage": "a library"}"#, ""))
            .unwrap();
        assert_eq!(heard.effects.inject().len(), usize::from(reaches));
    }
}
