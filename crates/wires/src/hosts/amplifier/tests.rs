use anyhook_core::result::HookId;

use super::*;

fn read(json: &Value, hint: Option<&str>) -> Result<Event, DecodeError> {
    AMPLIFIER.read_event(json.to_string().as_bytes(), hint)
}

fn pre() -> Value {
    json!({"event": "tool:pre", "data": {
        "session_id": "s1", "tool_name": "bash", "tool_input": {"command": "npm i"}}})
}

fn said(event: &Event, result: HookResult) -> Value {
    let can = AMPLIFIER.can(event);
    let (fitted, _) = result.fit(event.name.class(), event.name.mutable(), &can);
    let reply = AMPLIFIER.write_result(event, &fitted);
    assert_eq!((&*reply.stderr, reply.exit), ("", 0));
    serde_json::from_str(&reply.stdout).unwrap()
}

#[test]
fn an_event_is_read_with_its_session_and_written_as_it_was() {
    let event = read(&pre(), None).unwrap();
    assert_eq!(event.name.as_str(), "tool:pre");
    assert_eq!(event.session(), Some("s1"));
    assert_eq!(event.subject.as_deref(), Some("bash"));
    assert_eq!(AMPLIFIER.write_event(&event), pre());
    let old = json!({"event": "error:tool", "data": {"tool_name": "bash", "error": "no"}});
    let event = read(&old, None).unwrap();
    assert_eq!(event.name.as_str(), "tool:error");
    assert_eq!(AMPLIFIER.write_event(&event), old);
}

#[test]
fn the_event_that_the_command_line_names_holds_against_the_payload() {
    let named = |json: &Value, hint| read(json, hint).map(|event| event.name.to_string());
    assert_eq!(
        named(&pre(), Some("session:end")),
        Ok("session:end".to_owned())
    );
    assert_eq!(named(&pre(), Some("PreToolUse")), Ok("tool:pre".to_owned()));
    assert_eq!(
        named(&json!({"data": {}}), Some("my-hook:debug")),
        Ok("my-hook:debug".to_owned())
    );
    assert_eq!(
        named(&json!({"event": "my-hook:debug"}), None),
        Ok("my-hook:debug".to_owned())
    );
}

#[test]
fn what_cannot_be_read_is_an_error_in_words() {
    let error = |json: Value| read(&json, None).unwrap_err().to_string();
    assert_eq!(
        [
            error(json!({})),
            error(json!({"event": 7})),
            error(json!({"event": "tool:pre", "tool_name": "bash"})),
            error(json!({"event": "tool:pre", "data": []})),
            error(json!({"event": "tool:pre", "data": {"tool_name": "bash"}})),
            error(json!({"event": "tool:pre", "data": {"tool_name": ["bash"]}})),
        ],
        [
            "the payload has no `event`, and nothing else names the event",
            "`event` must be a string, and is a number",
            "the payload has no `data`",
            "`data` must be an object, and is an array",
            "`tool_input` must be of kind object, and is missing",
            "`tool_name` must be a string, and is an array",
        ]
    );
}

#[test]
fn a_rewrite_is_a_modify_with_the_whole_data() {
    let event = read(&pre(), None).unwrap();
    let result = HookResult::proceed().modify("tool_input", json!({"command": "pnpm i"}));
    let flat = said(&event, result);
    assert_eq!(flat["action"], "modify");
    let data =
        json!({"session_id": "s1", "tool_name": "bash", "tool_input": {"command": "pnpm i"}});
    assert_eq!(flat["data"], data);
}

#[test]
fn what_happened_already_is_not_refused_but_told() {
    let json = json!({"event": "tool:post", "data": {"tool_name": "bash", "tool_result": "ok"}});
    let event = read(&json, None).unwrap();
    let flat = said(&event, HookResult::deny("lint: 2 errors"));
    assert_eq!(
        (&flat["action"], &flat["context_injection"]),
        (&json!("inject_context"), &json!("lint: 2 errors"))
    );
    let event = read(&json!({"event": "session:resume", "data": {}}), None).unwrap();
    let flat = said(&event, HookResult::deny("no"));
    assert_eq!(
        (&flat["action"], &flat["user_message"]),
        (&json!("continue"), &json!("no"))
    );
}

#[test]
fn an_event_that_cannot_be_read_is_refused_where_it_can_be_and_never_emptied() {
    let unread = |name: Option<&str>| -> Value {
        let row = name.and_then(|name| AMPLIFIER.row(name));
        serde_json::from_str(&AMPLIFIER.refuse_unread(row, "broken").stdout).unwrap()
    };
    for (name, action) in [
        (Some("tool:pre"), "deny"),
        (None, "deny"),
        (Some("tool:post"), "continue"),
    ] {
        let flat = unread(name);
        assert_eq!(
            (&flat["action"], &flat["data"]),
            (&json!(action), &Value::Null)
        );
    }
    assert_eq!(unread(Some("tool:post"))["user_message"], "broken");
}

fn post(data: &Value) -> Event {
    read(&json!({"event": "tool:post", "data": data}), None).unwrap()
}

#[test]
fn hooks_see_the_result_of_a_tool_as_tool_result_whichever_name_came() {
    for given in [
        json!({"tool_name": "bash", "result": "ok", "tool_call_id": "c1"}),
        json!({"tool_name": "bash", "tool_result": "ok", "tool_call_id": "c1"}),
        json!({"tool_name": "bash", "tool_result": "ok", "tool_call_id": "c1", "result": "ok"}),
    ] {
        let event = post(&given);
        let seen = json!({"tool_name": "bash", "tool_result": "ok", "tool_call_id": "c1"});
        assert_eq!(Value::Object(event.json().into_owned()), seen, "{given}");
        let written = json!({"event": "tool:post", "data": given});
        assert_eq!(AMPLIFIER.write_event(&event), written);
    }
}

#[test]
fn a_changed_tool_result_is_said_under_the_name_that_came() {
    let changed = |given: Value| {
        let event = post(&given);
        let flat = said(&event, HookResult::proceed().modify("tool_result", "***"));
        assert_eq!(flat["action"], "modify");
        flat["data"].clone()
    };
    assert_eq!(changed(json!({"result": "key"})), json!({"result": "***"}));
    assert_eq!(
        changed(json!({"tool_result": "key"})),
        json!({"tool_result": "***"})
    );
    assert_eq!(
        changed(json!({"result": "key", "tool_result": "key"})),
        json!({"result": "***", "tool_result": "***"})
    );
    // Two names with two values are two fields.
    assert_eq!(
        changed(json!({"result": "other", "tool_result": "key"})),
        json!({"result": "other", "tool_result": "***"})
    );
}

#[test]
fn the_result_of_what_is_no_tool_keeps_its_name() {
    let given =
        json!({"event": "agent:complete", "data": {"agent_name": "scout", "result": "found"}});
    let event = read(&given, None).unwrap();
    assert_eq!(event.text("result").as_deref(), Some("found"));
    assert_eq!(AMPLIFIER.write_event(&event), given);
}

#[test]
fn what_is_told_names_the_hook_that_said_it() {
    let hook = |name: &str| {
        Arc::new(HookInfo {
            name: name.into(),
            ..HookInfo::default()
        })
    };
    let event = read(&pre(), None).unwrap();
    let mut result = HookResult::proceed()
        .inject("two files changed")
        .notify("tidied");
    let effects = result.effects.edit();
    effects.inject[0].by = Some(HookId(1));
    effects.notify[0].by = Some(HookId(0));
    let hooks = [hook("tidy"), hook("status")];
    let reply = AMPLIFIER.write_result_of(&event, &result, &hooks);
    let flat: Value = serde_json::from_str(&reply.stdout).unwrap();
    assert_eq!(
        (
            &flat["context_injections"][0]["hook_name"],
            &flat["user_message_source"]
        ),
        (&json!("status"), &json!("tidy"))
    );
}

#[test]
fn every_event_of_the_catalogue_has_a_row_and_can_be_told_what_its_class_lets_it_hear() {
    let is_ours = |name: &str| {
        anyhook_core::events::ALL
            .iter()
            .any(|(_, known)| *known == name)
    };
    let specs = taxonomy::EVENTS.iter().filter(|spec| is_ours(spec.name));
    let wanted: Vec<_> = specs
        .map(|spec| (spec.name, can(spec.class, spec.mutable)))
        .collect();
    let rows = AMPLIFIER.rows().iter();
    let rows: Vec<_> = rows.map(|row| (row.name, row.can)).collect();
    assert_eq!(rows, wanted);
}
