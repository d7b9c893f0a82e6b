//! The modules that are built in, together on one session.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhook::Session;
use anyhook::modules::find;
use anyhook::session::{Acted, Setup};
use anyhook::world::{Places, World};
use serde_json::{Value, json};

fn world(folder: &Path) -> Arc<World> {
    Arc::new(World {
        cwd: folder.join("shop"),
        places: Some(Places {
            home: folder.join("home"),
            config: folder.join("config"),
            state: folder.join("state"),
        }),
        ..World::real()
    })
}

/// Every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found
}

#[test]
fn ids_and_times_of_an_event_are_left_alone_on_every_way() {
    let place = tempfile::tempdir().unwrap();
    let id = "550e8400-e29b-41d4-a716-446655440000";
    let session = Session::with(id, Setup::default());
    for module in ["redaction", "logging"] {
        find(module)
            .unwrap()
            .mount_in(world(place.path()), &session, &Value::Null)
            .unwrap();
    }
    let Acted { event, .. } =
        session.emit_blocking("tool:post", json!({"tool_use_id": "toolu_1", "n": 1}));
    let mut data = event.data.json().into_owned();
    data.shift_remove("timestamp");
    assert_eq!(
        Value::Object(data),
        json!({"tool_use_id": "toolu_1", "n": 1, "session_id": id})
    );
    let log = &files(&place.path().join("state"))[0];
    assert!(log.to_string_lossy().contains(id), "{}", log.display());
}
