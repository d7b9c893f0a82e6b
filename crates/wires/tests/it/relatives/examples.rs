//! Calls and answers by example.

use anyhook_core::fit::{Became, Loss, Lost};
use anyhook_readers::Gate;
use anyhook_wires::fitted;

use super::*;

#[test]
fn the_same_call_is_the_same_event_whichever_relative_made_it() {
    let calls = [
        ("codex-cli", "Bash", json!({"command": "ls"})),
        ("qwen-code", "run_shell_command", json!({"command": "ls"})),
        ("factory-droid", "Execute", json!({"command": "ls"})),
        ("devin-cli", "exec", json!({"command": "ls"})),
    ];
    for (id, tool, input) in calls {
        let data = call(id, tool, input).data.json().into_owned();
        let (name, input) = (&data["tool_name"], &data["tool_input"]);
        assert_eq!(
            (name, input),
            (&json!("Bash"), &json!({"command": "ls"})),
            "{id}"
        );
    }
}

#[test]
fn a_patch_of_factory_droid_has_files_whatever_its_argument_is_called() {
    let patch = "*** Begin Patch\n*** Delete File: .env\n*** End Patch";
    for argument in ["input", "patch", "command", "diff"] {
        let event = call("factory-droid", "ApplyPatch", json!({ argument: patch }));
        let data = event.data.json().into_owned();
        assert_eq!(
            data["tool_input"]["files"],
            json!([{"path": ".env", "change": "delete"}])
        );
        let written = host("factory-droid").unwrap().write_event(&event);
        assert_eq!(written["tool_input"], json!({ argument: patch }));
    }
}

/// A command of Factory Droid, with two arguments.
fn execute() -> Event {
    let input = json!({"command": "ls", "timeout": 9});
    call("factory-droid", "Execute", input)
}

#[test]
fn an_argument_cannot_be_taken_away_where_new_ones_are_laid_over_the_old() {
    let event = execute();
    let rewrite = |input: Value| {
        said(
            "factory-droid",
            &event,
            HookResult::allow().modify("tool_input", input),
        )
    };
    let kept = rewrite(json!({"command": "ls -l", "timeout": 9}));
    assert_eq!(
        kept["hookSpecificOutput"]["updatedInput"],
        json!({"command": "ls -l", "timeout": 9})
    );
    let gone = rewrite(json!({"command": "ls -l"}));
    assert_eq!(
        gone["hookSpecificOutput"],
        json!({"hookEventName": "PreToolUse", "permissionDecision": "deny",
            "permissionDecisionReason": "a hook took the argument `timeout` away, which cannot be said here"})
    );
}

#[test]
fn what_a_hook_of_factory_droid_changes_is_heard_beside_what_it_leaves() {
    let event = execute();
    let answer = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow",
        "updatedInput": {"command": "ls -l"}}});
    let raw = ended(0, &answer.to_string(), "");
    let heard = host("factory-droid")
        .unwrap()
        .read_result(&raw, &event)
        .unwrap();
    let input = heard
        .effects
        .rewrite("tool_input")
        .and_then(|rewrite| rewrite.value.clone());
    assert_eq!(
        input.map(|value| value.json()),
        Some(json!({"command": "ls -l", "timeout": 9}))
    );
}

#[test]
fn a_rewrite_alone_is_said_without_a_decision_where_the_host_takes_it_so_and_refused_elsewhere() {
    let rewrite = |id: &str, tool: &str, verdict: HookResult| {
        let event = call(id, tool, json!({"command": "ls"}));
        let result = verdict.modify("tool_input", json!({"command": "ls -l"}));
        said(id, &event, result)["hookSpecificOutput"].clone()
    };
    let alone = rewrite("factory-droid", "Execute", HookResult::proceed());
    assert_eq!(
        alone,
        json!({"hookEventName": "PreToolUse", "updatedInput": {"command": "ls -l"}})
    );
    for (id, tool, verdict) in [
        ("factory-droid", "Execute", HookResult::ask("sure?")),
        ("qwen-code", "run_shell_command", HookResult::proceed()),
        ("qwen-code", "run_shell_command", HookResult::allow()),
        ("qwen-code", "run_shell_command", HookResult::ask("sure?")),
    ] {
        let answer = rewrite(id, tool, verdict);
        assert_eq!(answer["permissionDecision"], "deny", "{id}");
    }
    let corrected = rewrite("qwen-code", "run_shell_command", HookResult::proceed());
    let reason = corrected["permissionDecisionReason"].as_str().unwrap();
    assert!(reason.contains("ls -l"), "the corrected value: {reason}");
}

/// What becomes of a result that is fitted, written and read by the agent.
fn becomes(id: &str, payload: &Value, result: HookResult) -> (Behaviour, Vec<Loss>) {
    let wire = host(id).unwrap();
    let event = wire
        .read_event(payload.to_string().as_bytes(), None)
        .unwrap();
    let (fitted, losses) = fitted(wire, &event, result, &wire.can(&event));
    let reply = wire.write_result(&event, &fitted);
    let done = reader(id).unwrap().reads(&Answer {
        event: payload["hook_event_name"].as_str().unwrap(),
        payload,
        stdout: reply.stdout.as_bytes(),
        stderr: reply.stderr.as_bytes(),
        exit: i32::from(reply.exit),
    });
    (done, losses)
}

/// A payload that an agent wrote itself.
fn captured(id: &str, event: &str) -> Value {
    let all = payloads(id).into_iter();
    let mut own = all.filter(|(name, payload)| name == event && payload["cwd"] == "/home/dev/shop");
    own.next().unwrap_or_else(|| panic!("{id} {event}")).1
}

#[test]
fn a_question_under_droid_is_a_refusal_in_every_permission_mode() {
    for mode in [
        Some("off"),
        Some("spec"),
        Some("auto-low"),
        Some("auto-high"),
        None,
    ] {
        let mut payload = captured("factory-droid", "PreToolUse");
        payload["permission_mode"] = json!(mode);
        payload["transcript_path"] = json!("/home/dev/.factory/s.jsonl");
        let (done, losses) = becomes("factory-droid", &payload, HookResult::ask("sure?"));
        assert_eq!(done.gravity(), Gravity::Refuse, "{mode:?}");
        assert_eq!(losses[0].what, Lost::Verdict(Kind::Ask), "{mode:?}");
    }
}

#[test]
fn feedback_after_a_tool_reaches_the_model_of_every_relative() {
    for id in ["codex-cli", "qwen-code", "factory-droid"] {
        let payload = captured(id, "PostToolUse");
        let (done, _) = becomes(id, &payload, HookResult::deny("2 lint errors"));
        assert_eq!((done.gate, done.result), (Gate::Runs, None), "{id}");
        assert_eq!(done.model_sees, ["2 lint errors"], "{id}");
    }
}

#[test]
fn a_text_before_a_tool_that_the_host_loses_waits_for_the_next_event() {
    for id in ["qwen-code", "factory-droid"] {
        let payload = captured(id, "PreToolUse");
        let (done, losses) = becomes(id, &payload, HookResult::proceed().inject("node 22"));
        assert_eq!((done.gate, done.ignored), (Gate::Runs, vec![]), "{id}");
        assert_eq!(losses[0].became, Became::Later, "{id}");
    }
}

#[test]
fn a_halt_that_its_host_does_not_keep_is_said_as_no_halt() {
    for (id, event) in [
        ("qwen-code", "PreToolUse"),
        ("codex-cli", "PostToolUse"),
        ("factory-droid", "SessionStart"),
    ] {
        let payload = captured(id, event);
        let (done, losses) = becomes(id, &payload, HookResult::halt("budget is spent"));
        assert_ne!(done.gravity(), Gravity::Halt, "{id}");
        assert_eq!(losses[0].what, Lost::Verdict(Kind::Halt), "{id}");
    }
    let payload = captured("qwen-code", "PreToolUse");
    let (done, _) = becomes("qwen-code", &payload, HookResult::halt("budget is spent"));
    assert_eq!(done.gravity(), Gravity::Refuse);
}

#[test]
fn devin_cli_is_never_told_of_an_approval_and_none_is_heard() {
    let wire = host("devin-cli").unwrap();
    let payload = json!({"hook_event_name": "PermissionRequest", "tool_name": "exec", "tool_input": {"command": "ls"}});
    let event = wire
        .read_event(payload.to_string().as_bytes(), None)
        .unwrap();
    assert_eq!(said("devin-cli", &event, HookResult::allow()), "");
    let approve = ended(0, r#"{"decision": "approve"}"#, "");
    assert_eq!(
        wire.read_result(&approve, &event),
        Ok(HookResult::proceed())
    );
    assert_eq!(said("devin-cli", &event, HookResult::deny("no")), "no\n");
}

#[test]
fn a_guard_and_a_rewriter_written_for_claude_code_work_under_every_relative() {
    let claude = host("claude-code").unwrap();
    let answers = json!([
        {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
            "permissionDecisionReason": "frozen"}},
        {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow",
            "updatedInput": {"command": "ls -l"}}},
    ]);
    for (id, tool) in [
        ("codex-cli", "Bash"),
        ("qwen-code", "run_shell_command"),
        ("factory-droid", "Execute"),
    ] {
        let event = call(id, tool, json!({"command": "ls"}));
        // The hook reads the form that it was written for.
        let seen = claude.write_event(&event);
        assert_eq!(
            (&seen["tool_name"], &seen["tool_input"]["command"]),
            (&json!("Bash"), &json!("ls"))
        );
        let done = |answer: &Value| {
            let heard = claude
                .read_result(&ended(0, &answer.to_string(), ""), &event)
                .unwrap();
            said(id, &event, heard)["hookSpecificOutput"].clone()
        };
        assert_eq!(done(&answers[0])["permissionDecision"], "deny", "{id}");
        let changed = done(&answers[1]);
        if id == "qwen-code" {
            // It ignores new arguments, so the old command does not run.
            assert_eq!(changed["permissionDecision"], "deny", "{id}");
        } else {
            assert_eq!(changed["updatedInput"], json!({"command": "ls -l"}), "{id}");
        }
    }
}
