//! Runs that compact, and runs with a child.

use super::*;

/// Events of a conversation that is made shorter, that asks for permissions, and that fails.
const LONG: &str =
    r#"[{"calls": [{"name": "bash", "input": {"command": "seq 20000"}}]}, "a summary", "done"]"#;

fn long(order: &'static anyhook_agent::order::Order) -> Vec<String> {
    let kit = Kit::new(LONG);
    let permissions = Permissions {
        can_use_tool: Some(Arc::new(|_| Permission::Allow)),
        ..Permissions::default()
    };
    let setup = Setup {
        order,
        permissions,
        limits: Limits {
            window: 1_000,
            ..Limits::default()
        },
        ..kit.setup()
    };
    assert_eq!(kit.agent(setup).run("count").finish, Finish::Stop);
    kit.seen.only(ATHENAS)
}

#[test]
fn a_run_that_is_permitted_and_compacted_fires_its_events_in_our_order() {
    assert_eq!(
        long(&OURS),
        [
            "session:start",
            "prompt:submit",
            "athena:pre-iteration",
            "athena:chat-params",
            "tool:pre",
            "approval:required",
            "user:notification",
            "tool:post",
            "context:pre_compact",
            "athena:pre-compact-stage",
            "athena:pre-compact-stage",
            "athena:pre-compact-stage",
            "context:post_compact",
            "athena:pre-iteration",
            "athena:chat-params",
            "stop",
            "session:end",
        ]
    );
}

#[test]
fn a_run_that_is_permitted_and_compacted_fires_its_events_in_the_order_of_the_original() {
    assert_eq!(
        long(&ATHENA),
        [
            "prompt:submit",
            "session:start",
            "athena:pre-iteration",
            "athena:chat-params",
            "user:notification",
            "tool:pre",
            "tool:post",
            "context:pre_compact",
            "athena:pre-compact-stage",
            "athena:pre-compact-stage",
            "athena:pre-compact-stage",
            "context:post_compact",
            "athena:pre-iteration",
            "athena:chat-params",
            "stop",
            "session:end",
        ]
    );
}

#[test]
fn a_spawn_fires_its_events_and_those_of_the_child_in_the_order_of_both() {
    for order in [&OURS, &ATHENA] {
        let kit = Kit::new(
            r#"[{"calls": [{"name": "spawn_agent", "input": {"prompt": "look"}}]},
                {"calls": [{"name": "read", "input": {"file_path": "a.txt"}}]}, "looked", "done"]"#,
        );
        std::fs::write(kit.path().join("a.txt"), "one\n").unwrap();
        let setup = Setup {
            order,
            ..kit.setup()
        };
        kit.agent(setup).run("go");
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
