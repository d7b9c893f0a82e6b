//! Lines as most tests of them want one.

use std::path::Path;

use anyhook::core::report::Report;
use anyhook::event::{Caller, Context};
use anyhook::world::{UserFolders, World};
use serde_json::{Value, json};

/// A world whose person has this home, and works in it.
pub(crate) fn world(home: &Path) -> World {
    let places = UserFolders {
        home: home.into(),
        config: home.join("config"),
        state: home.join("state"),
    };
    World {
        cwd: home.into(),
        places: Some(places),
        ..World::real()
    }
}

/// A line of Claude Code for a person who tries something: it finds its files by itself, and remembers nothing.
pub(crate) fn line(world: &World) -> Context<'_> {
    Context::new(
        world,
        anyhook::wires::host("claude-code").unwrap(),
        Caller::Person,
    )
}

/// What came of a call of a tool under these hooks.
pub(crate) fn report(hooks: &Value) -> Report {
    let place = tempfile::tempdir().unwrap();
    let manifest = place.path().join("hooks.json");
    std::fs::write(&manifest, hooks.to_string()).unwrap();
    let world = World {
        cwd: place.path().into(),
        places: None,
        ..World::real()
    };
    let line = Context {
        manifest: Some(manifest),
        ..line(&world)
    };
    let payload = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}});
    line.run(payload.to_string().as_bytes()).report
}
