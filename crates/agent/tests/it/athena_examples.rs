//! The worked examples of seed 003: its tables, through the loop.

use std::sync::mpsc;

use anyhook::athena::{Outputs, Table};
use anyhook::core::effects::Injection;
use anyhook_agent::agent::Agent;
use anyhook_agent::outcome::Finish;

mod tables;

use crate::athena::{READ, WRITE, answers};
use crate::kit::Kit;

fn mounted(kit: &Kit, table: Table) -> Agent {
    let agent = kit.free();
    table.finish().unwrap().mount(agent.session.hooks());
    agent
}

#[test]
fn a_write_below_a_protected_path_is_denied_and_another_is_not() {
    for (path, may) in [("priv/secrets/key.pem", false), ("priv/public.pem", true)] {
        let kit = Kit::new(&WRITE.replace("a.txt", path));
        let mut agent = mounted(&kit, tables::protected_path());
        agent.run("ship it");
        assert_eq!(kit.path().join(path).exists(), may, "{path}");
        assert_eq!(answers(&agent)[0].1, !may);
        assert_eq!(answers(&agent)[0].0.contains("protected_path"), !may);
    }
}

#[test]
fn the_ticket_is_in_every_request_with_its_name() {
    let kit = Kit::new(READ);
    mounted(&kit, tables::ticket()).run("go");
    let asked = kit.provider.asked();
    assert_eq!(asked.len(), 2);
    for request in asked {
        let told = format!("{request:?}");
        assert_eq!(told.matches("Current ticket: ENG-1234").count(), 1);
    }
}

#[test]
fn deploy_is_a_macro_and_other_prompts_are_themselves() {
    for (prompt, sent) in [
        (
            "/deploy",
            "Deploy the staging branch to production. Steps: ...",
        ),
        ("go on", "go on"),
    ] {
        let kit = Kit::new(r#"["done"]"#);
        mounted(&kit, tables::macros()).run(prompt);
        assert!(kit.last_request().contains(sent));
        assert!(!kit.last_request().contains("/deploy"));
    }
}

#[test]
fn every_failure_of_a_tool_is_told_with_its_call() {
    let (tell, told) = mpsc::channel();
    let kit = Kit::new(
        r#"[{"calls": [{"id": "c7", "name": "read", "input": {"file_path": "nowhere"}}]}, "done"]"#,
    );
    mounted(&kit, tables::telemetry(tell)).run("go");
    let told: Vec<String> = told.try_iter().collect();
    assert_eq!(told.len(), 1);
    assert!(told[0].starts_with("read failed (c7): "), "{told:?}");
}

#[test]
fn what_a_run_came_to_is_kept_and_a_failure_alerts() {
    let of = |script: &str| {
        let ((keep, kept), (alert, alerts)) = (mpsc::channel(), mpsc::channel());
        let kit = Kit::new(script);
        let finish = mounted(&kit, tables::persist(keep, alert)).run("go").finish;
        (
            finish == Finish::Stop,
            kept.try_iter().collect(),
            alerts.try_iter().collect(),
        )
    };
    let none = Vec::<String>::new();
    let kept = vec!["s1: \"all green\"".to_owned()];
    assert_eq!(of(r#"["all green"]"#), (true, kept, none.clone()));
    let alerts = vec!["s1: \"\"".to_owned()];
    assert_eq!(of(r#"[{"error": "no credit"}]"#), (false, none, alerts));
}

#[test]
fn a_table_can_be_asked_without_a_loop() {
    assert_eq!(
        tables::dispatched().unwrap(),
        Outputs {
            injects: vec![Injection {
                name: Some("ticket-context".into()),
                ..Injection::new("Current ticket: ENG-1234").ephemeral()
            }],
            ..Outputs::default()
        }
    );
}
