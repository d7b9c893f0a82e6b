use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use super::*;
use crate::Session;
use crate::session::Setup;
use crate::world::World;

fn world(folder: &Path) -> Arc<World> {
    Arc::new(World {
        cwd: folder.join("shop"),
        ..crate::tests::world(folder)
    })
}

fn session(folder: &Path, id: &str, config: &Value) -> Session {
    let session = Session::with(id, Setup::default());
    ROW.mount_in(world(folder), &session, config).unwrap();
    session
}

/// Every line of every log below a folder, without its time.
fn logged(folder: &Path) -> Vec<Value> {
    let mut lines = Vec::new();
    let mut folders = vec![folder.join("state")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
            lines.extend(text.lines().map(|line| {
                let mut line: Value = serde_json::from_str(line).unwrap();
                assert!(line["ts"].as_str().unwrap().ends_with("+00:00"));
                line.as_object_mut().unwrap().shift_remove("ts");
                line
            }));
        }
    }
    lines
}

fn names(folder: &Path) -> Vec<String> {
    let lines = logged(folder);
    lines
        .iter()
        .map(|line| line["event"].as_str().unwrap().to_owned())
        .collect()
}

const TOLD: &str = r#"{"lvl":"ERROR","schema":{"name":"amplifier.log","ver":"1.0.0"},"event":"tool:post","session_id":"s1","status":"error","duration_ms":12,"data":{"tool_name":"Bash","tool_result":{"out":"[REDACTED:PII:email]"}}}"#;

#[test]
fn a_line_has_the_shape_of_the_original_and_holds_no_secret() {
    let place = tempfile::tempdir().unwrap();
    let session = session(place.path(), "s1", &json!({}));
    session.emit_blocking(
        "tool:post",
        json!({
            "tool_name": "Bash", "status": "error", "duration_ms": 12,
            "tool_result": {"out": "jane@example.org"},
        }),
    );
    assert_eq!(logged(place.path())[0].to_string(), TOLD);
}

#[test]
fn an_event_is_an_error_by_its_name_its_status_or_its_error() {
    let place = tempfile::tempdir().unwrap();
    let session = session(place.path(), "s1", &json!({}));
    for (name, data) in [
        ("tool:error", json!({})),
        ("tool:post", json!({"error": "no"})),
        ("tool:post", json!({"error": null, "status": "ok"})),
    ] {
        session.emit_blocking(name, data);
    }
    let levels: Vec<Value> = logged(place.path())
        .iter()
        .map(|line| line["lvl"].clone())
        .collect();
    assert_eq!(levels, ["ERROR", "ERROR", "INFO"]);
}

#[test]
fn a_hostile_session_id_stays_in_its_folder() {
    let place = tempfile::tempdir().unwrap();
    for id in ["../../../escaped", "/tmp/escaped", "..", ""] {
        session(place.path(), id, &json!({})).emit_blocking("session:start", json!({}));
    }
    assert_eq!(names(place.path()).len(), 4, "all below the state");
    let beside: Vec<_> = fs::read_dir(place.path()).unwrap().flatten().collect();
    assert_eq!(beside.len(), 1, "{beside:?}");
}

#[test]
fn excluded_events_are_not_written() {
    let place = tempfile::tempdir().unwrap();
    let config = json!({"exclude_events": ["llm:*", "PreToolUse"]});
    let session = session(place.path(), "s1", &config);
    for event in ["llm:request", "tool:pre", "llm:response"] {
        session.emit_blocking(event, json!({}));
    }
    session.emit_blocking("tool:post", json!({}));
    assert_eq!(names(place.path()), ["tool:post"]);
}

#[test]
fn streams_are_not_written_unless_told() {
    let place = tempfile::tempdir().unwrap();
    let session = session(place.path(), "s1", &json!({}));
    session.emit_blocking("llm:stream_text_delta", json!({}));
    session.emit_blocking("my-hook:done", json!({}));
    assert_eq!(
        names(place.path()),
        ["my-hook:done"],
        "an event that only a module knows is heard"
    );
}

#[test]
fn a_denied_event_is_written_as_the_hooks_left_it() {
    let place = tempfile::tempdir().unwrap();
    let session = session(place.path(), "s1", &json!({}));
    let redaction = super::super::find("redaction").unwrap();
    redaction
        .mount_in(world(place.path()), &session, &Value::Null)
        .unwrap();
    session
        .hooks()
        .on("prompt:submit", |_: &Event| HookResult::deny("no"));
    session.emit_blocking("prompt:submit", json!({"prompt": "I am jane@example.org"}));
    let lines = logged(place.path());
    assert_eq!(
        lines[0]["data"],
        json!({"prompt": "I am [REDACTED:PII:email]"})
    );
}

#[test]
fn a_failing_disk_is_told_and_changes_nothing() {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join("state")).unwrap();
    fs::write(place.path().join("state/logs"), "no folder").unwrap();
    let session = session(place.path(), "s1", &json!({}));
    let acted = session.emit_blocking("tool:pre", json!({}));
    assert!(acted.processed.result.is_identity());
    let faults: Vec<String> = acted
        .report
        .faults()
        .map(|(_, fault)| fault.to_string())
        .collect();
    assert_eq!(faults.len(), 1);
    assert!(
        faults[0].starts_with("the log could not be written: cannot "),
        "{faults:?}"
    );
}

#[test]
fn a_template_without_the_session_is_an_error() {
    let config = json!({"session_log_template": "~/all.jsonl"});
    let errors = ROW.made(config.as_object().unwrap()).err().unwrap();
    assert_eq!(
        errors.to_string(),
        "`session_log_template` cannot be read: it must have `{session_id}` in it"
    );
}

#[test]
fn no_id_leaves_its_folder_and_no_two_share_a_name() {
    let ids = [
        "s1",
        "S1",
        "",
        ".",
        "..",
        "../../etc/cron.d/x",
        "a/b",
        "a-b",
        "a\0b",
        "~",
        "/",
        "-rf",
        "a\nb",
        "é",
        "e",
        "{project}",
    ];
    let names: std::collections::BTreeSet<String> = ids.iter().map(|id| cleaned(id)).collect();
    assert_eq!(names.len(), ids.len(), "{names:?}");
    for name in &names {
        assert!(!name.starts_with('.') && !name.starts_with('-'), "{name}");
        assert!(!name.contains(['/', '\0', '\n', '{']), "{name}");
    }
    assert!(cleaned(&"x".repeat(5000)).len() < 128);
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "takes seconds"]
    fn a_line_that_would_be_too_long_says_so() {
        let place = tempfile::tempdir().unwrap();
        let session = session(place.path(), "s1", &json!({}));
        let parts: Vec<String> = (0..40).map(|_| "a ".repeat(20_000)).collect();
        session.emit_blocking("tool:post", json!({"tool_result": parts}));
        let line = &logged(place.path())[0];
        assert!(line["data"]["omitted"].as_u64().unwrap() > 1_000_000);
        assert_eq!(line["session_id"], "s1");
    }
}
