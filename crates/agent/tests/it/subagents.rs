//! Agents inside agents.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use anyhook::core::event::Event;
use anyhook::core::result::HookResult;
use anyhook_agent::agent::{Definition, Setup};
use anyhook_agent::outcome::Finish;
use anyhook_agent::permissions::{Permission, Permissions, Phase};

use crate::kit::Kit;

pub(crate) const SPAWN: &str = r#"{"calls": [{"name": "spawn_agent", "input": {"prompt": "write it", "isolation": "worktree"}}]}"#;
pub(crate) const WRITE: &str = r#"{"calls": [{"name": "write", "input": {"file_path": "child.txt", "content": "from the child"}}]}"#;

pub(crate) fn git(folder: &Path, words: &[&str]) {
    let ran = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(words)
        .output()
        .unwrap();
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
}

/// Makes a repository with one commit.
pub(crate) fn repository(folder: &Path) {
    git(folder, &["init", "--quiet", "--initial-branch", "main"]);
    git(folder, &["config", "user.email", "a@example.org"]);
    git(folder, &["config", "user.name", "A"]);
    std::fs::write(folder.join("a.txt"), "one\n").unwrap();
    git(folder, &["add", "."]);
    git(folder, &["commit", "--quiet", "--message", "one"]);
}

#[test]
fn the_task_of_a_child_can_be_rewritten() {
    let spawn = r#"{"calls": [{"name": "spawn_agent", "input": {"prompt": "delete it"}}]}"#;
    let kit = Kit::new(&format!(r#"[{spawn}, "looked", "done"]"#));
    let mut agent = kit.free();
    agent.on("SubagentStart", |_: &Event| {
        HookResult::proceed().modify("task", "look at it")
    });
    agent.run("go");
    let child = format!("{:?}", kit.provider.asked()[1]);
    assert!(
        child.contains("look at it") && !child.contains("delete it"),
        "{child}"
    );
}

#[test]
fn a_child_is_never_freer_than_its_parent() {
    let spawn =
        r#"{"calls": [{"name": "spawn_agent", "input": {"prompt": "go", "agent": "writer"}}]}"#;
    let kit = Kit::new(&format!(r#"[{spawn}, {WRITE}, "no", "no"]"#));
    let writer = Definition {
        name: "writer".into(),
        system: "You write.".into(),
        permissions: Permissions {
            phase: Phase::BypassPermissions,
            ..Permissions::default()
        },
    };
    let permissions = Permissions {
        phase: Phase::Plan,
        ..Permissions::default()
    };
    let mut agent = kit.agent(Setup {
        agents: vec![writer],
        permissions,
        ..kit.setup()
    });
    agent.run("go");
    assert!(!kit.path().join("child.txt").exists());
    assert_eq!(
        kit.seen.data("decision:agent_resolution")[0]["selected_agent"],
        "writer"
    );
}

#[test]
fn a_hook_of_a_parent_decides_about_every_event_of_its_child() {
    let spawn = r#"{"calls": [{"name": "spawn_agent", "input": {"prompt": "go"}}]}"#;
    let all = [
        "prompt:submit",
        "execution:start",
        "athena:pre-iteration",
        "athena:chat-params",
        "provider:request",
        "tool:pre",
    ];
    // Each of them is refused for the child alone, and what it was about does not happen.
    for refused in all {
        let kit = Kit::new(&format!(r#"[{spawn}, {WRITE}, "no", "no"]"#));
        let mut agent = kit.free();
        agent.on(refused, |event: &Event| {
            match event.text("session_id").as_deref() {
                Some("s1") => HookResult::proceed(),
                _ => HookResult::deny("not for a child"),
            }
        });
        assert_eq!(agent.run("go").finish, Finish::Stop, "{refused}");
        let childs = kit.seen.0.lock().unwrap();
        let of_child = |name: &str| {
            childs.iter().any(|event| {
                event.name.as_str() == name && event.text("session_id").as_deref() == Some("s1.1")
            })
        };
        assert!(of_child(refused) && !of_child("tool:post"), "{refused}");
    }
}

#[test]
fn a_child_sees_its_parents_rewrites_and_texts() {
    let spawn = r#"{"calls": [{"name": "spawn_agent", "input": {"prompt": "write"}}]}"#;
    let kit = Kit::new(&format!(r#"[{spawn}, {WRITE}, "no", "no"]"#));
    let mut agent = kit.free();
    agent.on("tool:pre", |event: &Event| {
        match event.text("tool_name").as_deref() {
            Some("Write") => HookResult::proceed()
                .modify(
                    "tool_input",
                    serde_json::json!({"file_path": "other.txt", "content": "as the parent wants"}),
                )
                .inject("the parent says: other.txt"),
            _ => HookResult::proceed(),
        }
    });
    agent.run("go");
    let written = std::fs::read_to_string(kit.path().join("other.txt")).unwrap();
    assert_eq!(written, "as the parent wants");
    let childs = format!("{:?}", kit.provider.asked()[2]);
    assert!(childs.contains("the parent says"), "{childs}");
    assert!(!kit.last_request().contains("the parent says"));
}

#[test]
fn no_name_leads_around_the_agents_that_are_defined() {
    let spawn =
        r#"{"calls": [{"name": "spawn_agent", "input": {"prompt": "go", "agent": "general"}}]}"#;
    let run = |agents: Vec<Definition>| {
        let kit = Kit::new(&format!(r#"[{spawn}, "looked", "done"]"#));
        kit.agent(Setup {
            agents,
            ..kit.setup()
        })
        .run("go");
        kit.seen.data("agent:spawn").len()
    };
    let scout = Definition {
        name: "scout".into(),
        system: "You look.".into(),
        permissions: Permissions {
            phase: Phase::Plan,
            ..Permissions::default()
        },
    };
    assert_eq!((run(Vec::new()), run(vec![scout])), (1, 0));
}

#[test]
fn the_lists_of_a_child_are_within_those_of_its_parent() {
    let spawn =
        r#"{"calls": [{"name": "spawn_agent", "input": {"prompt": "go", "agent": "free"}}]}"#;
    let names = |all: &[&str]| all.iter().map(|name| (*name).to_owned()).collect();
    for permissions in [
        Permissions {
            phase: Phase::Trusted,
            disallowed: names(&["write"]),
            ..Permissions::default()
        },
        Permissions {
            phase: Phase::Trusted,
            allowed: Some(names(&["read", "spawn_agent"])),
            ..Permissions::default()
        },
    ] {
        let kit = Kit::new(&format!(r#"[{spawn}, {WRITE}, "no", "no"]"#));
        let free = Definition {
            name: "free".into(),
            system: String::new(),
            permissions: Permissions {
                phase: Phase::BypassPermissions,
                allowed: Some(names(&["write", "read"])),
                can_use_tool: Some(Arc::new(|_| Permission::Allow)),
                ..Permissions::default()
            },
        };
        let mut agent = kit.agent(Setup {
            permissions,
            agents: vec![free],
            ..kit.setup()
        });
        agent.run("go");
        assert!(!kit.path().join("child.txt").exists());
        assert_eq!(
            kit.seen.data("athena:tool-denied")[0]["denial"]["code"],
            "phase_gated"
        );
    }
}
