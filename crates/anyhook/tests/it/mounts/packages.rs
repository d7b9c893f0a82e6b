//! Packages of hooks as modules: what they declare is asked like code of the program, by the runners of `run`.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhook::Session;
use anyhook::core::event::Event;
use anyhook::core::hook::Hook;
use anyhook::core::report::{Became, Report, WhyNot};
use anyhook::core::result::{HookResult, Kind};
use anyhook::mounts::{Catalogue, Packages, Plan};
use anyhook::registry::Patience;
use anyhook::session::Setup;
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
fn where_packages_have_to_be_pinned_one_that_was_never_trusted_is_not_mounted_and_a_changed_one_is_the_trusted_one()
 {
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
    assert_eq!(outcome().error(), None);
}

/// A hook that writes down what it is told about being asked again.
fn rechecked(file: &Path, guard: bool) -> Value {
    let line = format!(
        "echo \"again=$ANYHOOK_RECHECK $ANYHOOK_COMMAND\" >> '{}'",
        file.display()
    );
    json!({"type": "command", "command": line, "name": "look", "guard": guard})
}

fn rewrites(session: &anyhook::Session) {
    let rewrite =
        |_: &Event| HookResult::proceed().modify("tool_input", json!({"command": "make safe"}));
    session
        .hooks()
        .register(Hook::on("tool:pre", rewrite).named("rewrite").priority(50));
}

/// Emits one call, and returns what the hook of the package wrote.
fn written_by(session: &anyhook::Session, file: &Path) -> Vec<String> {
    rewrites(session);
    let call = json!({"tool_name": "Bash", "tool_input": {"command": "make"}});
    let acted = session.emit_blocking("tool:pre", call);
    assert_eq!(acted.report.faults().count(), 0, "{:#?}", acted.report);
    let text = fs::read_to_string(file).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn a_hook_of_a_package_is_told_that_it_is_asked_again() {
    for (guard, isolate, config) in [
        (false, None, json!({})),
        (
            true,
            None,
            json!({"enabled_events": ["tool:pre"], "log_level": "error"}),
        ),
        (true, Some(std::time::Duration::from_mins(1)), json!({})),
    ] {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("asked.txt");
        let hooks = json!({"pre-tool-use": [{"hooks": [rechecked(&file, guard)]}]});
        package(place.path(), "p", &hooks);
        let session = anyhook::Session::with(
            "s1",
            anyhook::session::Setup {
                isolate,
                ..Default::default()
            },
        );
        let text = json!({"hooks": [{"module": "p", "source": "./p", "config": config}]});
        let plan = Plan::read(&place.path().join("plan.json"), &text.to_string()).unwrap();
        let outcomes = Catalogue::new(world(place.path())).mount_blocking(&session, &plan);
        assert_eq!(told(&outcomes), ["p: 1 handlers"]);
        assert_eq!(
            written_by(&session, &file),
            ["again= make", "again=1 make safe"],
            "guard: {guard}, isolated: {isolate:?}"
        );
    }
}

/// A session whose own hooks may take no time at all, and a package of one command on `pre-tool-use`.
fn impatient(folder: &Path, entry: &Value) -> Session {
    package(folder, "p", &json!({"pre-tool-use": [{"hooks": [entry]}]}));
    let setup = Setup {
        isolate: Some(Duration::from_millis(50)),
        ..Setup::default()
    };
    let session = Session::with("s1", setup);
    let plan = Plan::read(
        &folder.join("plan.yaml"),
        "hooks: [{module: p, source: ./p}]",
    )
    .unwrap();
    let outcomes = Catalogue::new(world(folder)).mount_blocking(&session, &plan);
    assert_eq!(told(&outcomes), ["p: 1 handlers"]);
    session
}

#[test]
fn a_command_of_a_package_has_its_own_deadline_whatever_the_session_gives_its_own_hooks() {
    let slow = "sleep 0.4; echo 'the slow check says no' >&2; exit 2";
    for entry in [
        json!({"type": "command", "command": slow, "timeout": 20}),
        // 30 seconds are the default.
        json!({"type": "command", "command": slow}),
    ] {
        let place = tempfile::tempdir().unwrap();
        let session = impatient(place.path(), &entry);
        let acted = session.emit_blocking("tool:pre", json!({"tool_name": "Write"}));
        let verdict = &acted.report.result.verdict;
        let said = (verdict.kind(), verdict.text());
        assert_eq!(said, (Kind::Deny, "the slow check says no".to_owned()));
    }
}

#[test]
fn a_hook_that_does_not_look_at_an_event_was_not_asked_and_what_came_too_late_is_told() {
    let place = tempfile::tempdir().unwrap();
    package(
        place.path(),
        "p",
        &json!({"pre-tool-use": [{"hooks": [
            {"type": "command", "command": "tidy ${file}", "name": "tidy"},
            {"type": "command", "command": "exit 2", "name": "else", "when": "tool_input.query == 'ls'"},
            {"type": "command", "command": "exit 2", "name": "late", "async": true}
        ]}]}),
    );
    let (session, _) = mounted(place.path(), "hooks: [{module: p, source: ./p}]");
    let call = json!({"tool_name": "WebSearch", "tool_input": {"query": "x"}});
    let report = session.emit_blocking("tool:pre", call.clone()).report;
    let became: Vec<&Became> = report.steps.iter().map(|step| &step.became).collect();
    let [
        Became::NotAsked(WhyNot::NoValue),
        Became::NotAsked(WhyNot::Condition),
        Became::Said(Some(late)),
    ] = became[..]
    else {
        panic!("{became:?}")
    };
    let told = &late.effects.notify()[0].text;
    assert!(
        told.starts_with("`deny` of a hook that goes on in the background"),
        "{told}"
    );
    assert_eq!(report.result.verdict.kind(), Kind::Continue);
    let collected = session
        .hooks()
        .collect_blocking("tool:pre", call, Patience::default());
    assert_eq!(collected.report.faults().count(), 0);
}

/// What became of each hook, by its name.
fn became(report: &Report) -> Vec<(String, String)> {
    let steps = report.steps.iter().map(|step| {
        let name = report.hook(step.hook).map(|hook| hook.name.to_string());
        let what = match &step.became {
            Became::NotAsked(why) => format!("{why:?}"),
            _ => "asked".to_owned(),
        };
        (name.unwrap_or_default(), what)
    });
    steps.collect()
}

#[test]
fn a_hook_for_one_time_that_passed_events_over_is_asked_about_the_first_that_is_for_it() {
    let place = tempfile::tempdir().unwrap();
    let once = |name: &str, fields: Value| {
        let mut entry = json!({"type": "command", "command": "exit 0", "name": name, "once": true});
        let more = fields.as_object().unwrap().clone();
        entry.as_object_mut().unwrap().extend(more);
        entry
    };
    package(
        place.path(),
        "p",
        &json!({"pre-tool-use": [
            {"matcher": "Write", "hooks": [once("matched", json!({}))]},
            {"hooks": [
                once("condition", json!({"when": "tool_name == 'Write'"})),
                once("file", json!({"command": ": ${file}"})),
                {"type": "rule", "name": "rule", "once": true,
                    "when": "tool_name == 'Write'", "then": {"inject": "read it again first"}},
            ]},
        ]}),
    );
    let (session, _) = mounted(place.path(), "hooks: [{module: p, source: ./p}]");
    let asked = |tool: &str, input: Value| {
        let call = json!({"tool_name": tool, "tool_input": input});
        became(&session.emit_blocking("tool:pre", call).report)
    };
    let row = |name: &str, what: &str| (name.to_owned(), what.to_owned());
    let passed = [
        row("matched", "NoMatch"),
        row("condition", "Condition"),
        row("file", "NoValue"),
        row("rule", "Condition"),
    ];
    for _ in 0..2 {
        assert_eq!(asked("WebSearch", json!({"query": "x"})), passed);
    }
    let write = json!({"file_path": "a.txt", "content": "x"});
    assert_eq!(
        asked("Write", write.clone()),
        ["matched", "condition", "file", "rule"].map(|name| row(name, "asked"))
    );
    assert_eq!(asked("Write", write), []);
    assert_eq!(heard(&session, "tool:pre"), [""; 0]);
}

#[test]
fn where_no_snapshot_is_taken_a_rule_does_not_give_way_for_one() {
    let place = tempfile::tempdir().unwrap();
    package(
        place.path(),
        "keep",
        &json!({"pre-tool-use": [{"hooks": [
            {"type": "rule", "when": "deletes('src/**')", "then": {"deny": "Keep src."}, "when unknown": "snapshot"},
            {"type": "rule", "when": "deletes('notes')", "then": {"snapshot": true, "or": "ask"}}
        ]}]}),
    );
    let (session, outcomes) = mounted(place.path(), "hooks: [{module: keep, source: ./keep}]");
    assert_eq!(outcomes, ["keep: 2 handlers"]);
    let verdict = |command: &str| {
        let call =
            json!({"tool_name": "Bash", "tool_input": {"command": command}, "cwd": place.path()});
        let acted = session.emit_blocking("tool:pre", call);
        acted.report.result.verdict.kind()
    };
    assert_eq!(verdict("eval \"$X\""), Kind::Deny);
    assert_eq!(verdict("rm notes"), Kind::Ask);
    assert_eq!(verdict("ls"), Kind::Continue);
}
