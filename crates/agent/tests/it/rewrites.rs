//! What hooks rewrite is what happens.

use anyhook::core::event::Event;
use anyhook::core::result::{HookResult, Injection};
use serde_json::json;

use crate::kit::Kit;

#[test]
fn what_is_appended_to_a_result_survives_a_rewrite_of_it() {
    let kit = Kit::new(r#"[{"calls": [{"name": "bash", "input": {"command": "echo one"}}]}]"#);
    let mut agent = kit.free();
    agent.on("tool:post", |_: &Event| {
        let beside = Injection {
            place: anyhook::core::effects::Placing::LastToolResult,
            ..Injection::new("checked")
        };
        HookResult::proceed()
            .modify("tool_result", "two")
            .injecting(beside)
    });
    agent.run("go");
    assert!(
        kit.last_request().contains("two\\n\\nchecked"),
        "{}",
        kit.last_request()
    );
}

#[test]
fn an_ephemeral_text_is_in_one_request_and_a_stored_one_in_all() {
    let kit = Kit::new(r#"[{"calls": [{"name": "read", "input": {"file_path": "a"}}]}]"#);
    let mut agent = kit.free();
    agent.on("prompt:submit", |_: &Event| {
        HookResult::proceed()
            .inject("stays")
            .injecting(Injection::new("goes").ephemeral())
    });
    agent.run("go");
    let asked: Vec<String> = kit
        .provider
        .asked()
        .iter()
        .map(|request| format!("{request:?}"))
        .collect();
    let has = |text: &str| {
        asked
            .iter()
            .map(|asked| asked.contains(text))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        (has("stays"), has("goes")),
        (vec![true, true], vec![true, false])
    );
}

#[test]
fn chat_params_change_the_request_and_what_they_add_is_in_it() {
    let kit = Kit::new("[]");
    let mut agent = kit.free();
    agent.on("ChatParams", |event: &Event| {
        let mut request = event.get("request").unwrap().into_owned();
        request["temperature"] = json!(0.5);
        request["tools"] = json!(["read"]);
        let ticket = Injection {
            name: Some("ticket".into()),
            ..Injection::new("ticket: ENG-1234")
        };
        HookResult::proceed()
            .modify("request", request)
            .injecting(ticket)
    });
    agent.run("go");
    let asked = kit.provider.asked();
    assert_eq!((asked[0].temperature, asked[0].tools.len()), (Some(0.5), 1));
    assert!(kit.last_request().contains("ticket: ENG-1234"));
}
