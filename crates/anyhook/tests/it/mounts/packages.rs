//! Packages of hooks as modules: what they declare is asked like code of the program, by the runners of `run`.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhook::Session;
use anyhook::core::event::Event;
use anyhook::core::hook::Hook;
use anyhook::core::report::{Report, SkipReason, StepOutcome};
use anyhook::core::result::{HookResult, Kind};
use anyhook::mounts::{Catalogue, PackageTrust, Plan};
use anyhook::registry::Patience;
use anyhook::session::{SessionEmission, Setup};
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

/// The plan of the package `p`.
const PLAN: &str = "hooks: [{module: p, source: ./p}]";

fn mounted(folder: &Path, text: &str) -> (Session, Vec<String>) {
    let session = session();
    let outcomes = mount(&session, folder, text);
    (session, outcomes)
}

fn mount(session: &Session, folder: &Path, text: &str) -> Vec<String> {
    let plan = Plan::read(&folder.join("plan.yaml"), text).unwrap();
    told(&Catalogue::new(world(folder)).mount_blocking(session, &plan))
}

/// A session on which a package of these hooks is mounted.
fn with_hooks(folder: &Path, hooks: &Value) -> Session {
    package(folder, "p", hooks);
    mounted(folder, PLAN).0
}

fn kind(acted: &SessionEmission) -> Kind {
    acted.report.result.verdict.kind()
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
    let said = format!("no {}", place.path().join("guard").display());
    assert_eq!((verdict.kind(), verdict.text()), (Kind::Deny, said));
    let by = acted.report.decided_by();
    let by = by.and_then(|id| acted.report.hook(id)).unwrap();
    assert_eq!((&*by.name, by.guard, by.priority), ("no-shell", true, 20));
    let source = by.source.as_ref().unwrap();
    assert!(source.file.ends_with("guard/hooks/hooks.json"));

    let read = session.emit_blocking("tool:pre", json!({"tool_name": "Read"}));
    assert!(read.report.result.is_identity());
    let texts = || {
        let acted = session.emit_blocking("session:start", json!({"source": "startup"}));
        acted.report.result.effects.inject().len()
    };
    // `once` is once.
    assert_eq!([texts(), texts()], [1, 0]);
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
    for (outcome, (begins, ends)) in outcomes.iter().zip([
        ("half: 1 handlers", ""),
        ("torn: not_a_module: `", ""),
        ("", "python` holds no module"),
        (
            "config: bad_config: a package of hooks has no setting `level`",
            "",
        ),
        ("", "gone` is no folder"),
    ]) {
        assert!(
            outcome.starts_with(begins) && outcome.ends_with(ends),
            "{outcome}"
        );
    }
    // The guard that could not be understood refuses.
    let acted = session.emit_blocking("tool:pre", json!({"tool_name": "Bash"}));
    assert_eq!(kind(&acted), Kind::Deny);
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
    let file = place.path().join("p/hooks/hooks.json");
    let file = file.canonicalize().unwrap();
    let trust = Trust::new(place.path().join("pins"));
    let catalogue =
        Catalogue::new(world(place.path())).packages(PackageTrust::Pinned(trust.clone()));
    let plan = Plan::read(&place.path().join("plan.yaml"), PLAN).unwrap();
    let outcome = || catalogue.mount_blocking(&session(), &plan).remove(0);
    let error = outcome().error().cloned().unwrap();
    assert_eq!(serde_json::json!(error.reason), "not_trusted");
    assert!(error.help.unwrap().contains("anyhook trust"));

    trust.pin(&file, 0).unwrap();
    assert_eq!(outcome().error(), None);
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("exit 0", "exit 2")).unwrap();
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

/// Emits one call, and returns what the hook of the package wrote.
fn written_by(session: &Session, file: &Path) -> Vec<String> {
    let safe = json!({"command": "make safe"});
    let rewrite = move |_: &Event| HookResult::proceed().modify("tool_input", safe.clone());
    let rewrite = Hook::on("tool:pre", rewrite).named("rewrite").priority(50);
    session.hooks().register(rewrite);
    let call = json!({"tool_name": "Bash", "tool_input": {"command": "make"}});
    let acted = session.emit_blocking("tool:pre", call);
    assert_eq!(acted.report.faults().count(), 0, "{:#?}", acted.report);
    let text = fs::read_to_string(file).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn a_hook_of_a_package_is_told_that_it_is_asked_again() {
    let filtered = json!({"enabled_events": ["tool:pre"], "log_level": "error"});
    for (guard, isolate, config) in [
        (false, None, json!({})),
        (true, None, filtered),
        (true, Some(Duration::from_mins(1)), json!({})),
    ] {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("asked.txt");
        let hooks = json!({"pre-tool-use": [{"hooks": [rechecked(&file, guard)]}]});
        package(place.path(), "p", &hooks);
        let session = isolated(isolate);
        let text = json!({"hooks": [{"module": "p", "source": "./p", "config": config}]});
        let outcomes = mount(&session, place.path(), &text.to_string());
        assert_eq!(outcomes, ["p: 1 handlers"]);
        assert_eq!(
            written_by(&session, &file),
            ["again= make", "again=1 make safe"],
            "guard: {guard}, isolated: {isolate:?}"
        );
    }
}

/// A session whose own hooks may take this time.
fn isolated(isolate: Option<Duration>) -> Session {
    let setup = Setup {
        isolate,
        ..Setup::default()
    };
    Session::with("s1", setup)
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
        package(
            place.path(),
            "p",
            &json!({"pre-tool-use": [{"hooks": [entry]}]}),
        );
        let session = isolated(Some(Duration::from_millis(50)));
        assert_eq!(mount(&session, place.path(), PLAN), ["p: 1 handlers"]);
        let acted = session.emit_blocking("tool:pre", json!({"tool_name": "Write"}));
        let verdict = &acted.report.result.verdict;
        let said = (verdict.kind(), verdict.text());
        assert_eq!(said, (Kind::Deny, "the slow check says no".to_owned()));
    }
}

#[test]
fn a_hook_that_does_not_look_at_an_event_was_not_asked_and_what_came_too_late_is_told() {
    let place = tempfile::tempdir().unwrap();
    let hooks = json!({"pre-tool-use": [{"hooks": [
        {"type": "command", "command": "tidy ${file}", "name": "tidy"},
        {"type": "command", "command": "exit 2", "name": "else", "when": "tool_input.query == 'ls'"},
        {"type": "command", "command": "exit 2", "name": "late", "async": true}
    ]}]});
    let session = with_hooks(place.path(), &hooks);
    let call = json!({"tool_name": "WebSearch", "tool_input": {"query": "x"}});
    let report = session.emit_blocking("tool:pre", call.clone()).report;
    let became: Vec<&StepOutcome> = report.steps.iter().map(|step| &step.became).collect();
    let [
        StepOutcome::NotAsked(SkipReason::NoValue),
        StepOutcome::NotAsked(SkipReason::Condition),
        StepOutcome::Said(Some(late)),
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
            StepOutcome::NotAsked(why) => format!("{why:?}"),
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
    let hooks = json!({"pre-tool-use": [
        {"matcher": "Write", "hooks": [once("matched", json!({}))]},
        {"hooks": [
            once("condition", json!({"when": "tool_name == 'Write'"})),
            once("file", json!({"command": ": ${file}"})),
            {"type": "rule", "name": "rule", "once": true,
                "when": "tool_name == 'Write'", "then": {"inject": "read it again first"}},
        ]},
    ]});
    let session = with_hooks(place.path(), &hooks);
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
    let hooks = json!({"pre-tool-use": [{"hooks": [
        {"type": "rule", "when": "deletes('src/**')", "then": {"deny": "Keep src."}, "when unknown": "snapshot"},
        {"type": "rule", "when": "deletes('notes')", "then": {"snapshot": true, "or": "ask"}}
    ]}]});
    let session = with_hooks(place.path(), &hooks);
    let verdict = |command: &str| {
        let call =
            json!({"tool_name": "Bash", "tool_input": {"command": command}, "cwd": place.path()});
        kind(&session.emit_blocking("tool:pre", call))
    };
    assert_eq!(verdict("eval \"$X\""), Kind::Deny);
    assert_eq!(verdict("rm notes"), Kind::Ask);
    assert_eq!(verdict("ls"), Kind::Continue);
}
