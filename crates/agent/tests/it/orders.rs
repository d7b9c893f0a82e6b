//! In which order the events of a run happen.

use anyhook::core::event::Event;
use anyhook::core::result::HookResult;
use anyhook_agent::agent::AgentSetup;
use anyhook_agent::limits::RunLimits;
use anyhook_agent::order::EventOrder;
use anyhook_agent::outcome::Finish;
use anyhook_agent::permissions::{Permission, Permissions};
use anyhook_agent::provider::scripted::ScriptedProvider;
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::kit::Kit;

/// The nineteen events of `ex_athena`, under our names.
pub(crate) fn athenas() -> Vec<&'static str> {
    let names = "
        session:start session:end prompt:submit athena:chat-params athena:pre-iteration stop stop-failure
        tool:pre tool:post tool:error approval:required approval:denied athena:tool-denied
        agent:spawn agent:complete context:pre_compact athena:pre-compact-stage context:post_compact
        user:notification";
    names.split_whitespace().collect()
}

#[test]
fn a_permission_is_asked_for_the_call_as_hooks_left_it() {
    let kit = Kit::new(r#"[{"calls": [{"name": "bash", "input": {"command": "rm -rf x"}}]}]"#);
    let asked: Arc<std::sync::Mutex<Vec<String>>> = Arc::default();
    let asks = asked.clone();
    let permissions = Permissions {
        can_use_tool: Some(Arc::new(move |call| {
            asks.lock().unwrap().push(call.input["command"].to_string());
            Permission::Allow
        })),
        ..Permissions::default()
    };
    let mut agent = kit.permitted(permissions);
    agent.on("tool:pre", |_: &Event| {
        HookResult::proceed().modify("tool_input", serde_json::json!({"command": "true"}))
    });
    agent.run("clean up");
    assert_eq!(*asked.lock().unwrap(), ["\"true\""]);
    let all = [
        "tool:pre",
        "approval:required",
        "user:notification",
        "approval:granted",
        "tool:post",
    ];
    assert_eq!(kit.seen.only(&all), all);
}

/// Everything that the three seeds name happens, and none of it by a direct call.
#[test]
fn every_event_of_the_three_seeds_fires_in_a_scripted_session() {
    let kit = Kit::new(
        r#"[
        {"calls": [{"name": "read", "input": {"file_path": "a.txt"}}, {"name": "read", "input": {"file_path": "missing"}}]},
        {"calls": [{"name": "bash", "input": {"command": "seq 20000"}}]},
        {"calls": [{"name": "write", "input": {"file_path": "b.txt", "content": "b"}}]},
        {"calls": [{"name": "spawn_agent", "input": {"prompt": "look"}}]},
        "looked",
        "a summary", "done"]"#,
    );
    std::fs::write(kit.path().join("a.txt"), "one\n").unwrap();
    std::fs::write(kit.path().join("AGENTS.md"), "Use pnpm.\n").unwrap();
    let permissions = Permissions {
        can_use_tool: Some(Arc::new(|call| match call.name.as_str() {
            "bash" => Permission::Allow,
            _ => Permission::Deny(anyhook_agent::permissions::Denial::by_user("no")),
        })),
        ..Permissions::default()
    };
    let limits = RunLimits {
        window: 10_000,
        ..RunLimits::default()
    };
    let mut agent = kit.agent(AgentSetup {
        permissions,
        limits,
        ..kit.setup()
    });
    assert_eq!(agent.run("look around").finish, Finish::Stop);

    // What fails is another run of the same agent, with a provider that fails.
    let broken = Arc::new(
        ScriptedProvider::read(r#"[{"error": "again"}, {"error": "no such model"}]"#).unwrap(),
    );
    let mut agent = kit.with(broken);
    assert_eq!(
        agent.run("hello").finish,
        Finish::Provider("no such model".into())
    );

    let fired: BTreeSet<String> = kit.seen.names().into_iter().collect();
    // Those of the other two seeds that the original does not have.
    let others = "
        execution:start execution:end provider:request provider:response provider:error orchestrator:complete
        decision:tool_resolution decision:agent_resolution decision:context_resolution error:orchestration";
    let all = athenas().into_iter().chain(others.split_whitespace());
    let missing: Vec<_> = all.filter(|name| !fired.contains(*name)).collect();
    assert_eq!(missing, [""; 0]);
    the_common_events_carry_their_data(&kit);
}

fn the_common_events_carry_their_data(kit: &Kit) {
    for (event, fields) in [
        ("execution:start", ["prompt"].as_slice()),
        ("execution:end", &["response"]),
        ("prompt:submit", &["prompt"]),
        ("tool:pre", &["tool_name", "tool_input"]),
        ("tool:post", &["tool_name", "tool_result"]),
        ("tool:error", &["tool_name", "error"]),
        ("provider:request", &["provider", "messages"]),
        ("provider:response", &["provider", "response", "usage"]),
    ] {
        let all = kit.seen.data(event);
        let first = all.first().unwrap();
        for field in fields {
            assert!(!first[*field].is_null(), "{event} has {field}: {first}");
        }
    }
}

/// The catalogue is walked, so that an event which is added to it has to happen here too.
#[test]
fn the_events_of_these_tests_are_those_of_the_catalogue() {
    let mut catalogue: Vec<&str> = anyhook::athena::events()
        .map(|event| {
            anyhook::core::event::EventName::new(event)
                .spec()
                .unwrap()
                .name
        })
        .collect();
    let mut here = athenas();
    catalogue.sort_unstable();
    here.sort_unstable();
    assert_eq!(catalogue, here);
}

#[test]
fn a_spawn_fires_its_events_and_those_of_the_child_in_the_order_of_both() {
    for order in [EventOrder::Ours, EventOrder::Athena] {
        let kit = Kit::new(
            r#"[{"calls": [{"name": "spawn_agent", "input": {"prompt": "look"}}]},
                {"calls": [{"name": "read", "input": {"file_path": "a.txt"}}]}, "looked", "done"]"#,
        );
        std::fs::write(kit.path().join("a.txt"), "one\n").unwrap();
        kit.ordered(order).run("go");
        let whose: Vec<(String, String)> = kit
            .seen
            .0
            .lock()
            .unwrap()
            .iter()
            .filter(|event| {
                let name = event.name.as_str();
                name.starts_with("tool:")
                    || name.starts_with("agent:")
                    || name.starts_with("session:")
            })
            .map(|event| {
                let session = event.text("session_id").unwrap_or_default().into_owned();
                (session, event.name.as_str().to_owned())
            })
            .collect();
        let whose: Vec<(&str, &str)> = whose.iter().map(|(id, name)| (&**id, &**name)).collect();
        assert_eq!(
            whose,
            [
                ("s1", "session:start"),
                ("s1", "tool:pre"),
                ("s1", "agent:spawn"),
                ("s1.1", "session:start"),
                ("s1.1", "tool:pre"),
                ("s1.1", "tool:post"),
                ("s1", "agent:complete"),
                ("s1.1", "session:end"),
                ("s1", "tool:post"),
                ("s1", "session:end"),
            ]
        );
    }
}
