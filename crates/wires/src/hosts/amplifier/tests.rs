use anyhook_core::result::HookId;

use super::*;

fn read(json: &Value, hint: Option<&str>) -> Result<Event, DecodeError> {
    AMPLIFIER.read_event(json.to_string().as_bytes(), hint)
}

fn pre() -> Value {
    json!({"event": "tool:pre", "data": {
        "session_id": "s1", "tool_name": "bash", "tool_input": {"command": "npm i"}}})
}

/// What is read in a payload of an event that the command line may name, and what a result becomes there.
fn shown(row: &str) -> String {
    let (hint, row) = row.split_once(' ').unwrap();
    let (payload, result) = row
        .split_once(" | ")
        .unwrap_or((row, r#"{"verdict": "continue"}"#));
    let payload = serde_json::from_str(payload).unwrap();
    let event = match read(&payload, (hint != "-").then_some(hint)) {
        Ok(event) => event,
        Err(error) => return format!("  error: {error}\n"),
    };
    let (data, subject) = (Value::Object(event.json().into_owned()), &event.subject);
    let mut all = format!(
        "  {} {:?} {subject:?} {data}\n",
        event.name,
        event.session()
    );
    if AMPLIFIER.write_event(&event) != payload {
        all += &format!("  written: {}\n", AMPLIFIER.write_event(&event));
    }
    let told = |result: HookResult| {
        let can = AMPLIFIER.can(&event);
        let (fitted, _) = result.fit(event.name.class(), event.name.mutable(), &can);
        let reply = AMPLIFIER.write_result(&event, &fitted);
        assert_eq!((&*reply.stderr, reply.exit), ("", 0));
        serde_json::from_str::<Map>(&reply.stdout).unwrap()
    };
    let silence = told(HookResult::proceed());
    let mut flat = told(serde_json::from_str(result).unwrap());
    flat.retain(|field, value| silence.get(field) != Some(value));
    all + &format!("  told: {}\n", Value::Object(flat))
}

#[test]
fn what_is_read_in_a_payload_and_what_a_result_becomes_there() {
    let mut all = String::new();
    for row in include_str!("tests/rows.txt").lines() {
        match row.strip_prefix("# ") {
            Some(name) => all += &format!("\n# {name}\n"),
            None => all += &format!("{row}\n{}", shown(row)),
        }
    }
    insta::assert_snapshot!(all);
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
