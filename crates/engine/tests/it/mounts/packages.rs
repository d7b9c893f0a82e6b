//! Packages of hooks as modules: what they declare is asked like code of the program, by the runners of `run`.

use std::fs;
use std::path::Path;

use anyhook::core::event::Event;
use anyhook::core::hook::Hook;
use anyhook::core::result::{HookResult, Kind};
use anyhook::mounts::{Catalogue, Packages, Plan};
use anyhook::trust::Trust;
use serde_json::{Value, json};

use super::{heard, session, told, world};

/// Writes a package below a folder.
fn package(folder: &Path, name: &str, hooks: &Value) {
    let root = folder.join(name).join("hooks");
    fs::create_dir_all(&root).unwrap();
    let manifest = json!({"version": 1, "hooks": hooks});
    fs::write(root.join("hooks.json"), manifest.to_string()).unwrap();
}

fn mounted(folder: &Path, text: &str) -> (anyhook::Session, Vec<String>) {
    let session = session();
    let plan = Plan::read(&folder.join("plan.yaml"), text).unwrap();
    let outcomes = Catalogue::new(world(folder)).mount_blocking(&session, &plan);
    (session, told(&outcomes))
}

#[test]
fn the_hooks_of_a_package_become_handlers_and_read_what_run_gives_them() {
    let place = tempfile::tempdir().unwrap();
    let script = r#"test "$ANYHOOK_EVENT" = pre-tool-use -o "$ANYHOOK_EVENT" = tool:pre || exit 1; grep -q '"tool_name"' && echo "no $PACKAGE_ROOT" >&2; exit 2"#;
    package(
        place.path(),
        "guard",
        &json!({
            "pre-tool-use": [{"matcher": "Bash", "priority": 20, "hooks": [
                {"type": "command", "command": script, "name": "no-shell", "guard": true},
                {"type": "rule", "when": "tool_input.command == 'make'", "then": {"inject": "make is slow"}, "name": "slow"}
            ]}],
            "session-start": [{"hooks": [{"type": "command", "command": "echo welcome", "once": true}]}]
        }),
    );
    let (session, outcomes) = mounted(place.path(), "hooks: [{module: guard, source: ./guard}]");
    assert_eq!(outcomes, ["guard: 3 handlers"]);
    assert_eq!(heard(&session, "tool:pre"), ["no-shell", "slow"]);

    let call = json!({"tool_name": "Bash", "tool_input": {"command": "make"}});
    let acted = session.emit_blocking("tool:pre", call);
    let verdict = &acted.report.result.verdict;
    let root = place.path().join("guard");
    assert_eq!(
        (verdict.kind(), &*verdict.text()),
        (Kind::Deny, format!("no {}", root.display()).as_str())
    );
    let by = acted
        .report
        .decided_by()
        .and_then(|id| acted.report.hook(id))
        .unwrap();
    assert_eq!((&*by.name, by.guard, by.priority), ("no-shell", true, 20));
    assert!(
        by.source
            .as_ref()
            .is_some_and(|source| source.file.ends_with("guard/hooks/hooks.json"))
    );

    assert!(
        session
            .emit_blocking("tool:pre", json!({"tool_name": "Read"}))
            .report
            .result
            .is_identity()
    );
    let texts = |acted: &anyhook::session::Acted| acted.report.result.effects.inject().len();
    assert_eq!(
        texts(&session.emit_blocking("session:start", json!({"source": "startup"}))),
        1
    );
    assert_eq!(
        texts(&session.emit_blocking("session:start", json!({"source": "startup"}))),
        0,
        "`once` is once"
    );
    session.unmount_blocking("guard");
    assert_eq!(heard(&session, "tool:pre"), [""; 0]);
}

#[test]
fn a_guard_of_a_package_that_fails_refuses_and_sees_the_final_input() {
    let place = tempfile::tempdir().unwrap();
    package(
        place.path(),
        "p",
        &json!({"pre-tool-use": [{"hooks": [
            {"type": "command", "command": "exit 3", "name": "broken", "guard": true}
        ]}], "pre-prompt": [{"hooks": [
            {"type": "rule", "when": "prompt.contains('secret')", "then": {"deny": "no secrets"}, "name": "final", "guard": true}
        ]}]}),
    );
    let (session, _) = mounted(
        place.path(),
        "hooks: [{module: p, source: ./p, priority: 1}]",
    );
    let acted = session.emit_blocking("tool:pre", json!({"tool_name": "Bash"}));
    assert_eq!(acted.report.result.verdict.kind(), Kind::Deny);
    assert_eq!(acted.report.faults().count(), 1);

    // Whoever rewrites behind a guard has the guard asked again (D7).
    session.hooks().register(
        Hook::on("prompt:submit", |_: &Event| {
            HookResult::proceed().modify("prompt", json!("a secret"))
        })
        .priority(50),
    );
    let acted = session.emit_blocking("prompt:submit", json!({"prompt": "hello"}));
    assert_eq!(acted.report.result.verdict.text(), "no secrets");
}

#[test]
fn a_bad_entry_of_a_package_is_a_fault_of_that_entry_and_a_bad_package_no_module() {
    let place = tempfile::tempdir().unwrap();
    package(
        place.path(),
        "half",
        &json!({"pre-tool-use": [{"hooks": [
            {"type": "commnad", "command": "true", "guard": true},
        ]}]}),
    );
    package(place.path(), "config", &json!({}));
    fs::create_dir_all(place.path().join("torn/hooks")).unwrap();
    fs::write(place.path().join("torn/hooks/hooks.json"), "{\"hooks\": ").unwrap();
    fs::create_dir_all(place.path().join("python")).unwrap();
    fs::write(place.path().join("python/pyproject.toml"), "").unwrap();
    let text = "hooks:\n- {module: half, source: ./half}\n- {module: torn, source: ./torn}\n- {module: python, source: ./python}\n- {module: config, source: ./config, config: {level: 1}}\n- {module: gone, source: ./gone}\n";
    let (session, outcomes) = mounted(place.path(), text);
    assert_eq!(outcomes[0], "half: 1 handlers");
    assert!(
        outcomes[1].starts_with("torn: not_a_module: `"),
        "{}",
        outcomes[1]
    );
    assert!(
        outcomes[2].ends_with("python` holds no module"),
        "{}",
        outcomes[2]
    );
    assert_eq!(
        outcomes[3],
        "config: bad_config: a package of hooks has no setting `level`"
    );
    assert!(
        outcomes[4].ends_with("gone` is no folder"),
        "{}",
        outcomes[4]
    );
    // The guard that could not be understood refuses.
    let acted = session.emit_blocking("tool:pre", json!({"tool_name": "Bash"}));
    assert_eq!(acted.report.result.verdict.kind(), Kind::Deny);
}

#[test]
fn where_packages_have_to_be_pinned_one_that_nobody_trusted_or_that_changed_is_not_mounted() {
    let place = tempfile::tempdir().unwrap();
    package(
        place.path(),
        "p",
        &json!({"stop": [{"hooks": [{"type": "command", "command": "exit 0"}]}]}),
    );
    let file = place
        .path()
        .join("p/hooks/hooks.json")
        .canonicalize()
        .unwrap();
    let trust = Trust::new(place.path().join("pins"));
    let catalogue = Catalogue::new(world(place.path())).packages(Packages::Pinned(trust.clone()));
    let plan = Plan::read(
        &place.path().join("plan.yaml"),
        "hooks: [{module: p, source: ./p}]",
    )
    .unwrap();
    let outcome = || catalogue.mount_blocking(&session(), &plan).remove(0);
    let error = outcome().error().cloned().unwrap();
    assert_eq!(error.reason.code(), "not_trusted");
    assert!(
        error
            .help
            .is_some_and(|help| help.contains("anyhook trust"))
    );

    trust.pin(&file, 0).unwrap();
    assert_eq!(outcome().error(), None);
    fs::write(
        &file,
        fs::read_to_string(&file)
            .unwrap()
            .replace("exit 0", "exit 2"),
    )
    .unwrap();
    assert!(
        outcome()
            .error()
            .is_some_and(|error| error.text.contains("was edited"))
    );
}

#[test]
fn handlers_of_packages_do_not_block_whoever_awaits_them() {
    let place = tempfile::tempdir().unwrap();
    package(
        place.path(),
        "p",
        &json!({"tool:pre": [{"hooks": [
            {"type": "command", "command": "exit 2"}
        ]}]}),
    );
    let (session, _) = mounted(place.path(), "hooks: [{module: p, source: ./p}]");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let kinds = runtime.block_on(async {
        let one = || async {
            session
                .emit("tool:pre", json!({}))
                .await
                .report
                .result
                .verdict
                .kind()
        };
        let (a, b) = (one().await, one().await);
        [a, b]
    });
    assert_eq!(kinds, [Kind::Deny; 2]);
}
