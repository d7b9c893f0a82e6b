//! Gemini CLI's own traps: what no other host has.

use anyhook_core::result::HookResult;
use anyhook_core::transcript::End;
use anyhook_readers::{Behaviour, Gate, Gravity};
use anyhook_wires::{Host, host};
use serde_json::{Value, json};

use crate::case::Case;
use crate::fixtures::ended;

const ID: &str = "gemini-cli";

fn gemini() -> &'static dyn Host {
    host("gemini").unwrap()
}

fn such(native: &str, is_it: impl Fn(&Value) -> bool) -> Case {
    Case::such(ID, native, is_it)
}

fn first(native: &str) -> Case {
    Case::first(ID, native)
}

#[test]
fn a_tool_of_the_host_does_not_pose_as_one_of_a_server() {
    let mut posing = first("BeforeTool").payload;
    posing["mcp_context"] = json!({"server_name": "x", "tool_name": "harmless"});
    let event = Case::new(ID, "BeforeTool", posing.clone()).event;
    assert_eq!(event.data.json()["tool_name"], "Bash");
    assert!(event.also.contains(&"Bash"));
    assert_eq!(gemini().write_event(&event), posing);
}

#[test]
fn a_new_result_replaces_the_old_one_as_a_text() {
    for (result, text) in [
        (json!("[redacted]"), "[redacted]"),
        (json!({"llmContent": "none", "returnDisplay": ""}), "none"),
        (json!({"stdout": "x"}), r#"{"stdout":"x"}"#),
        (json!(""), "a hook took the output away"),
    ] {
        let meant = HookResult::proceed().modify("tool_result", result);
        let (answer, done) = first("AfterTool").told(meant);
        assert_eq!(answer, json!({"decision": "deny", "reason": text}));
        assert_eq!(done.result, Some(json!(text)));
    }
}

#[test]
fn new_arguments_are_sent_whole_and_in_the_host_s_own_words() {
    let call = such("BeforeTool", |payload| payload["tool_name"] == "replace");
    let mut input = call.event.data.json()["tool_input"].clone();
    assert_eq!(input["replace_all"], true);
    input["new_string"] = json!("c");
    let meant = HookResult::proceed().modify("tool_input", input);
    let (answer, done) = call.told(meant);
    let mut expected = call.payload["tool_input"].clone();
    expected["new_string"] = json!("c");
    assert_eq!(answer["hookSpecificOutput"]["tool_input"], expected);
    assert_eq!(answer.get("decision"), None);
    assert_eq!(done.input, Some(expected));
    assert_eq!(done.gravity(), Gravity::Nothing);
}

/// The document merges what is given, so an argument that a hook took away would come back.
#[test]
fn an_argument_that_was_taken_away_refuses_the_call_unless_it_does_nothing() {
    let call = first("BeforeTool");
    let meant = HookResult::proceed().modify("tool_input", json!({"command": "ls"}));
    let (answer, done) = call.told(meant);
    assert_eq!(
        answer,
        json!({"decision": "deny", "reason": "A hook took `dir_path` out of `tool_input`, and Gemini CLI might put \
            it back. Try again with: {\"command\":\"ls\"}"})
    );
    assert_eq!(done.gravity(), Gravity::Refuse);
    let meant =
        HookResult::proceed().modify("tool_input", json!({"command": "ls", "dir_path": "."}));
    let (_, done) = call.told(meant);
    assert_eq!(done.gravity(), Gravity::Nothing);
    assert_eq!(done.input.unwrap()["command"], "ls");
}

#[test]
fn new_arguments_that_are_no_object_refuse_the_call() {
    let meant = HookResult::proceed().modify("tool_input", json!("ls"));
    let (answer, done) = first("BeforeTool").told(meant);
    assert_eq!(answer["decision"], "deny");
    assert_eq!(done.gravity(), Gravity::Refuse);
}

#[test]
fn the_answers_that_only_this_host_has_take_effect() {
    let table = [
        (
            "AfterTool",
            HookResult::proceed(),
            json!({"tailToolCallRequest": {"name": "glob", "args": {}}}),
        ),
        (
            "AfterAgent",
            HookResult::deny("again"),
            json!({"clearContext": true}),
        ),
        (
            "BeforeModel",
            HookResult::deny("cached"),
            json!({"llm_response": {"candidates": []}}),
        ),
        (
            "AfterModel",
            HookResult::proceed(),
            json!({"llm_response": {"candidates": []}}),
        ),
        (
            "BeforeToolSelection",
            HookResult::proceed(),
            json!({"toolConfig": {"mode": "NONE"}}),
        ),
    ];
    for (native, verdict, fields) in table {
        let fields = fields.as_object().unwrap().clone();
        let meant = verdict.then(HookResult::proceed().native(ID, fields.clone()));
        let payload = first(native);
        let (answer, done) = payload.told(meant.clone());
        let expected: Vec<(String, Value)> = fields.into_iter().collect();
        assert_eq!(done.native, expected, "{native}");
        let raw = ended(0, &answer.to_string(), "");
        let heard = payload.hears(&raw).unwrap();
        assert_eq!(heard, meant, "{native}");
    }
}

#[test]
fn an_answer_of_its_own_is_not_said_where_the_event_has_none_and_never_overrides_ours() {
    let fields = json!({"decision": "allow", "tool_input": {}, "clearContext": true});
    let native = HookResult::proceed().native(ID, fields.as_object().unwrap().clone());
    let meant = HookResult::deny("no").then(native);
    let (answer, _) = first("BeforeModel").told(meant);
    assert_eq!(answer, json!({"decision": "deny", "reason": "no"}));
}

#[test]
fn a_request_to_the_model_is_rewritten_whole_or_refused() {
    let payload = first("BeforeModel");
    let mut request = payload.payload["llm_request"].clone();
    request["model"] = json!("gemini-3-flash");
    let meant = HookResult::proceed().modify("llm_request", request.clone());
    let (_, done) = payload.told(meant);
    assert_eq!(done.native, [("llm_request".to_owned(), request)]);
    let meant = HookResult::proceed().modify("llm_request", json!({"model": "gemini-3-flash"}));
    let (answer, _) = payload.told(meant);
    assert_eq!(answer["decision"], "deny");
}

#[test]
fn a_hook_that_died_or_never_started_is_no_softer_than_under_its_host() {
    let call = first("BeforeTool");
    let mut raw = ended(0, r#"{"decision": "deny", "reason": "frozen"}"#, "");
    raw.end = End::Signal(9);
    let heard = call.hears(&raw).unwrap();
    assert_eq!(heard, HookResult::deny("frozen"));
    raw.end = End::TimedOut;
    assert!(call.hears(&raw).is_err());
    let mut raw = ended(0, "", "");
    raw.end = End::Signal(9);
    assert!(call.hears(&raw).is_err());
    raw.end = End::NotStarted("no such file".to_owned());
    let heard = call.hears(&raw).unwrap();
    assert_eq!(heard, HookResult::deny("no such file"));
}

#[test]
fn a_hook_that_replaces_a_result_here_restrains_every_other_host_too() {
    let claude = host("claude-code").unwrap();
    let done = json!({"hook_event_name": "PostToolUse", "session_id": "s", "tool_name": "Bash",
        "tool_input": {"command": "ls"}, "tool_response": {"stdout": "a"}});
    let event = claude
        .read_event(done.to_string().as_bytes(), None)
        .unwrap();
    let raw = ended(0, r#"{"decision": "deny", "reason": "[redacted]"}"#, "");
    let heard = gemini().read_result(&raw, &event).unwrap();
    let expected = HookResult::deny("[redacted]").modify("tool_result", json!("[redacted]"));
    assert_eq!(heard, expected);
}

/// What a hook says that was written for Claude Code and nothing else: it reads Claude Code's payload and answers so.
fn of_claude(case: &Case, hook: impl Fn(&Value) -> (i32, String, String)) -> Behaviour {
    let claude = host("claude-code").unwrap();
    let (exit, stdout, stderr) = hook(&claude.write_event(&case.event));
    let raw = ended(exit, &stdout, &stderr);
    case.told(claude.read_result(&raw, &case.event).unwrap()).1
}

#[test]
fn a_guard_and_a_rewriter_of_claude_code_work_unchanged_under_gemini() {
    let call = such("BeforeTool", |payload| payload["tool_name"] == "replace");
    let guard = |payload: &Value| {
        assert_eq!(payload["hook_event_name"], "PreToolUse");
        let is_edit = payload["tool_name"] == "Edit";
        let path = payload["tool_input"]["file_path"].as_str().unwrap();
        assert!(is_edit && path.ends_with("cart.ts"));
        (2, String::new(), "the cart is frozen".to_owned())
    };
    let done = of_claude(&call, guard);
    assert_eq!(done.gate, Gate::Refused { erased: false });
    assert_eq!(done.model_sees, ["the cart is frozen"]);

    let rewriter = |payload: &Value| {
        let mut input = payload["tool_input"].clone();
        input["replace_all"] = json!(false);
        let specific = json!({"hookEventName": "PreToolUse", "permissionDecision": "allow",
            "updatedInput": input});
        (
            0,
            json!({"hookSpecificOutput": specific}).to_string(),
            String::new(),
        )
    };
    let done = of_claude(&call, rewriter);
    let mut expected = call.payload["tool_input"].clone();
    expected["allow_multiple"] = json!(false);
    assert_eq!(done.input, Some(expected));
    assert_eq!(done.gate, Gate::Runs);

    let stopper = |payload: &Value| {
        assert_eq!(
            payload["last_assistant_message"],
            "Done: src/cart/discount.ts"
        );
        let answer = json!({"decision": "block", "reason": "test first"});
        (0, answer.to_string(), String::new())
    };
    let done = of_claude(&first("AfterAgent"), stopper);
    assert_eq!(done.gate, Gate::KeepsWorking);
    assert_eq!(done.model_sees, ["test first"]);
}

#[test]
fn the_one_address_of_a_fetch_is_where_guards_look_and_a_new_one_reaches_the_prompt() {
    let of = |prompt: &str| {
        let mut fetch = such("BeforeTool", |one| one["tool_name"] == "web_fetch").payload;
        fetch["tool_input"]["prompt"] = prompt.into();
        let event = Case::new(ID, "BeforeTool", fetch.clone()).event;
        assert_eq!(gemini().write_event(&event), fetch);
        event
    };
    let url = |prompt: &str| of(prompt).data.json()["tool_input"].get("url").cloned();
    assert_eq!(
        url("Read <https://a.example/x>, please"),
        Some(json!("https://a.example/x"))
    );
    assert_eq!(url("Read https://a.example and http://b.example"), None);
    assert_eq!(url("Read it"), None);
    let event = of("Read https://a.example/x.");
    let input = json!({"prompt": "Read https://a.example/x.", "url": "https://b.example/y"});
    let said = HookResult::allow().modify("tool_input", input);
    let reply = gemini().write_result(&event, &said);
    let said: Value = serde_json::from_str(&reply.stdout).unwrap();
    assert_eq!(
        said["hookSpecificOutput"]["tool_input"],
        json!({"prompt": "Read https://b.example/y."})
    );
}
