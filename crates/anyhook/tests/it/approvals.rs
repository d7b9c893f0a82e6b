//! The line under an agent that cannot ask: what it leaves open, and what an answer changes.

use std::path::Path;

use anyhook::approvals::{ApprovalBook, OpenQuestion};
use anyhook::event::{Caller, Context, EventAnswer as Reported};
use anyhook::state::FileState;
use anyhook::wires::host;
use anyhook::world::World;
use anyhook_core::result::Kind;
use serde_json::json;

use crate::lines::{line, world};

/// A person whose hook asks about each publication.
fn home() -> (tempfile::TempDir, World) {
    let home = tempfile::tempdir().unwrap();
    let world = world(home.path());
    let manifest = world.places.as_ref().unwrap().user_manifest();
    std::fs::create_dir_all(manifest.parent().unwrap()).unwrap();
    let rule = json!({"type": "rule", "when": "runs('npm publish')", "then": {"ask": "Really?"}});
    let hooks = json!({"version": 1, "hooks": {"pre-tool-use": [{"hooks": [rule]}]}});
    std::fs::write(manifest, hooks.to_string()).unwrap();
    (home, world)
}

fn sessions(world: &World) -> FileState {
    FileState::new(world.places.as_ref().unwrap().sessions())
}

fn book(world: &World) -> ApprovalBook {
    ApprovalBook::new(world.places.as_ref().unwrap().approvals())
}

fn open(world: &World) -> OpenQuestion {
    let open = book(world).waiting(world.clock.now()).unwrap();
    <[OpenQuestion; 1]>::try_from(open)
        .unwrap()
        .into_iter()
        .next()
        .unwrap()
}

fn call(world: &World, agent: &str, command: &str, call: &str) -> Reported {
    let payload = json!({
        "session_id": "s-1", "turn_id": "1", "transcript_path": "/t", "cwd": world.cwd, "model": "m",
        "hook_event_name": "PreToolUse", "permission_mode": "default", "tool_name": "Bash",
        "tool_input": {"command": command}, "tool_use_id": call,
    });
    let state = sessions(world);
    let line = Context {
        host: host(agent).unwrap(),
        caller: Caller::Host,
        state: Some(&state),
        ..line(world)
    };
    line.run(payload.to_string().as_bytes())
}

fn said(answered: &Reported) -> Kind {
    answered.report.said.as_ref().unwrap().verdict.kind()
}

#[test]
fn where_the_person_is_shown_nothing_the_code_is_in_the_list_alone() {
    let (_home, world) = home();
    let dark = call(&world, "kimi", "npm publish", "1");
    let reply = format!("{}{}", dark.reply.stdout, dark.reply.stderr);
    let code = open(&world).code;
    assert!(
        reply.contains("Really?") && reply.contains("`anyhook approve`"),
        "{reply}"
    );
    let report = serde_json::to_string(&dark.report).unwrap();
    assert!(!reply.contains(&code) && !report.contains(&code));
}

#[test]
fn a_book_that_cannot_be_used_refuses_as_before_and_is_told() {
    let (_home, world) = home();
    let place: &Path = &world.places.as_ref().unwrap().approvals();
    std::fs::create_dir_all(place.parent().unwrap()).unwrap();
    std::fs::write(place, "in the way").unwrap();
    let answered = call(&world, "codex-cli", "npm publish", "1");
    assert_eq!(said(&answered), Kind::Deny);
    let reply = &answered.reply.stdout;
    assert!(
        reply.contains("the question could not be left open for a person"),
        "{reply}"
    );
    assert!(!reply.contains("anyhook approve"), "{reply}");
}
