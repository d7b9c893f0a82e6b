//! Layers: whose hooks run, and who may switch off whose.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhook::core::report::Report;
use anyhook::core::result::Kind;
use anyhook::event::{Caller, Context};
use anyhook::layers::Layer;
use anyhook::load::{self, LoadOptions, LoadedHooks, ManifestFile};
use anyhook::trust::Trust;
use anyhook::world::{UserFolders, World};
use serde_json::{Value, json};

use crate::lines::line;

/// A machine with a person and a project, and nothing on it.
struct Machine {
    folder: tempfile::TempDir,
    world: World,
}

impl Machine {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for dir in ["home", "p/deep", "managed", "config"] {
            fs::create_dir_all(root.join(dir)).unwrap();
        }
        let places = UserFolders {
            home: root.join("home"),
            config: root.join("config"),
            state: root.join("state"),
        };
        let world = World {
            cwd: root.join("p/deep"),
            places: Some(places),
            managed: root.join("managed"),
            ..World::real()
        };
        Self { folder, world }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn write(&self, name: &str, manifest: &Value) -> PathBuf {
        let file = self.path(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, serde_json::to_string_pretty(manifest).unwrap()).unwrap();
        file
    }

    fn trust(&self) -> Trust {
        Trust::new(self.path("state/trust"))
    }

    fn found(&self) -> Vec<ManifestFile> {
        let folders = std::slice::from_ref(&self.world.cwd);
        load::find(&self.world, folders, "claude-code", None)
    }

    /// Loads what is trusted.
    fn loads(&self) -> LoadedHooks {
        load::load(&self.found(), Some(&self.trust()), LoadOptions::default())
    }

    /// Trusts everything that is there, and loads it.
    fn loaded(&self) -> LoadedHooks {
        let found = self.found().into_iter();
        for found in found.filter(|found| found.layer.needs_trust()) {
            self.trust().pin(&found.file, 0).unwrap();
        }
        self.loads()
    }

    fn asked(&self, tool: &str) -> Report {
        self.told(&self.world.cwd, tool, &json!({}))
    }

    fn told(&self, cwd: &Path, tool: &str, input: &Value) -> Report {
        let line = Context {
            caller: Caller::Host,
            ..line(&self.world)
        };
        let payload = json!({
            "hook_event_name": "PreToolUse", "session_id": "s", "cwd": cwd,
            "tool_name": tool, "tool_input": input,
        });
        line.run(payload.to_string().as_bytes()).report
    }

    fn kind(&self, tool: &str) -> Kind {
        self.asked(tool).result.verdict.kind()
    }
}

const MANAGED: &str = "managed/hooks.json";
const USER: &str = "config/hooks.json";
const PROJECT: &str = "p/hooks/hooks.json";
const LOCAL: &str = "p/hooks/hooks.local.json";
const PACKAGE: &str = "p/.agent-packages/style/hooks/hooks.json";
const OF_HOME: &str = "home/.aam/packages/mine/hooks/hooks.json";

/// A manifest with one rule of this name, which switches these off.
fn rule(name: &str, disable: &[&str]) -> Value {
    json!({"version": 1, "disable": disable, "hooks": {"pre-tool-use": [{"hooks": [
        {"type": "rule", "name": name, "then": {"deny": format!("{name} says no")}}
    ]}]}})
}

fn reasons(report: &Report) -> Vec<&str> {
    let reasons = report.result.verdict.reasons();
    reasons.iter().map(|reason| &*reason.text).collect()
}

fn names(loaded: &LoadedHooks) -> Vec<&str> {
    loaded.hooks.iter().map(|hook| &*hook.info.name).collect()
}

#[test]
fn the_hooks_of_all_layers_run_the_outermost_first() {
    use Layer::{Local, Managed, Package, Project, User};
    let machine = Machine::new();
    for (file, name) in [
        (OF_HOME, "of-home"),
        (PACKAGE, "package"),
        (LOCAL, "local"),
        (PROJECT, "project"),
        (USER, "user"),
        (MANAGED, "managed"),
    ] {
        machine.write(file, &rule(name, &[]));
    }
    let layers: Vec<_> = machine.found().iter().map(|found| found.layer).collect();
    assert_eq!(layers, [Managed, User, Project, Local, Package, Package]);
    let loaded = machine.loaded();
    let all = ["managed", "user", "project", "local", "package", "of-home"];
    assert_eq!(names(&loaded), all);
    assert_eq!((loaded.off.len(), loaded.remarks.len()), (0, 0));
    let report = machine.asked("Write");
    assert_eq!(reasons(&report), all.map(|name| format!("{name} says no")));
}

#[test]
fn what_a_stranger_brings_runs_only_when_it_is_trusted() {
    let machine = Machine::new();
    for (file, name) in [
        (PROJECT, "project"),
        (LOCAL, "local"),
        (PACKAGE, "package"),
        (OF_HOME, "of-home"),
    ] {
        machine.write(file, &rule(name, &[]));
    }
    machine.write(MANAGED, &rule("managed", &[]));
    machine.write(USER, &rule("user", &[]));
    let loaded = machine.loads();
    assert_eq!(names(&loaded), ["managed", "user"]);
    let remarks = &loaded.remarks;
    assert_eq!(remarks.len(), 4, "each is told: {remarks:?}");
}

#[test]
fn what_is_not_trusted_switches_nothing_off() {
    let machine = Machine::new();
    machine.write(PROJECT, &rule("project", &[]));
    machine.loaded();
    // A local file that a stranger put there after the project was trusted.
    machine.write(LOCAL, &rule("local", &["project", "package"]));
    machine.write(PACKAGE, &rule("package", &[]));
    machine.trust().pin(&machine.path(PACKAGE), 0).unwrap();
    let loaded = machine.loads();
    assert_eq!(names(&loaded), ["project", "package"]);

    // And one that was trusted, and then edited to say so.
    let machine = Machine::new();
    machine.write(PROJECT, &rule("project", &[]));
    machine.write(PACKAGE, &rule("package", &[]));
    machine.loaded();
    machine.write(PROJECT, &rule("project", &["package"]));
    let loaded = machine.loads();
    assert!(names(&loaded).contains(&"package"), "{:?}", names(&loaded));
}

#[test]
fn a_nested_project_takes_nothing_away_from_the_one_around_it() {
    let machine = Machine::new();
    machine.write(PROJECT, &rule("outer", &[]));
    machine.loaded();
    fs::create_dir_all(machine.path("p/deep/.git")).unwrap();
    machine.write("p/deep/hooks/hooks.json", &rule("inner", &["outer"]));
    machine.loaded();
    let report = machine.asked("Write");
    assert_eq!(reasons(&report), ["inner says no", "outer says no"]);
    let mut remarks = report.remarks.iter();
    assert!(remarks.any(|remark| remark.contains("may not switch off")));
}

#[test]
fn a_package_that_was_trusted_guards_when_it_is_deleted() {
    let machine = Machine::new();
    machine.write(PACKAGE, &rule("package", &[]));
    machine.write(OF_HOME, &rule("of-home", &[]));
    machine.loaded();
    assert_eq!(machine.kind("Write"), Kind::Deny);
    fs::remove_dir_all(machine.path("p/.agent-packages")).unwrap();
    fs::remove_dir_all(machine.path("home/.aam")).unwrap();
    let said = machine.asked("Write").result.verdict;
    assert_eq!((said.kind(), said.questions().len()), (Kind::Deny, 0));
    // A person who forgets it ends that, without the files.
    let trust = machine.trust();
    for file in [PACKAGE, OF_HOME] {
        assert!(trust.forget(&machine.path(file)).unwrap());
    }
    assert_eq!(machine.kind("Write"), Kind::Continue);
}

#[test]
fn the_files_of_every_layer_are_guarded() {
    let machine = Machine::new();
    machine.write(PACKAGE, &rule("package", &[]));
    let guards = |file: PathBuf| {
        let write = json!({"file_path": file, "content": "{}"});
        let report = machine.told(&machine.path("p"), "Write", &write);
        report.result.verdict.kind()
    };
    // What would be believed at once, though it is not there yet.
    for file in [MANAGED, USER, PACKAGE, "config/config.toml"] {
        assert_eq!(guards(machine.path(file)), Kind::Ask, "{file}");
    }
    // A new file of the project needs a person's trust. One that is there may have it.
    for file in [PROJECT, LOCAL, "p/.anyhook/hooks.local.json"] {
        assert_eq!(guards(machine.path(file)), Kind::Continue, "{file}");
        machine.write(file, &rule("one", &[]));
        assert_eq!(guards(machine.path(file)), Kind::Ask, "{file}");
    }
    assert_eq!(guards(machine.path("p/README.md")), Kind::Continue);
}

/// A plugin of Claude Code keeps its hooks where its description says.
#[test]
fn a_plugin_whose_description_names_its_hooks_is_found_trusted_and_guards_when_it_is_deleted() {
    let machine = Machine::new();
    let plugin = "p/.agent-packages/advisor";
    let file = format!("{plugin}/claude-hooks/hooks.json");
    machine.write(&file, &rule("advisor", &[]));
    let description = json!({"name": "advisor", "hooks": "./claude-hooks/hooks.json"});
    machine.write(
        &format!("{plugin}/.claude-plugin/plugin.json"),
        &description,
    );
    assert_eq!(names(&machine.loaded()), ["advisor"]);
    assert_eq!(machine.kind("Write"), Kind::Deny);
    fs::remove_dir_all(machine.path(plugin)).unwrap();
    assert_eq!(machine.kind("Write"), Kind::Deny);
}

#[test]
fn a_spoiled_copy_is_asked_about_at_the_events_of_its_hooks() {
    let machine = Machine::new();
    let manifest = json!({"version": 1, "hooks": {"pre-tool-use": [
        {"matcher": "Write", "hooks": [{"type": "command", "command": "./check.sh"}]}
    ]}});
    machine.write(PROJECT, &manifest);
    let live = machine.path("p/check.sh");
    fs::write(&live, "exit 0\n").unwrap();
    machine.loaded();
    let kinds = || ["Write", "Bash"].map(|tool| machine.kind(tool));
    assert_eq!(kinds(), [Kind::Continue; 2]);
    let kept = machine.trust().kept();
    for file in [&live, &kept[0].copy.join("check.sh")] {
        fs::set_permissions(file, Permissions::from_mode(0o700)).unwrap();
        fs::write(file, "exit 0 # edited\n").unwrap();
    }
    assert_eq!(kinds(), [Kind::Ask, Kind::Continue]);
    // The live file is what was trusted, so the copy is made of it again.
    fs::write(&live, "exit 0\n").unwrap();
    fs::set_permissions(&live, Permissions::from_mode(0o644)).unwrap();
    assert_eq!(kinds(), [Kind::Continue; 2]);
    assert_eq!(
        fs::read_to_string(kept[0].copy.join("check.sh")).unwrap(),
        "exit 0\n"
    );
}

#[test]
fn what_may_refuse_is_waited_for_even_where_its_entry_says_async() {
    let machine = Machine::new();
    for entry in [
        json!({"async": true, "type": "rule", "then": {"deny": "no"}}),
        json!({"async": true, "guard": true, "type": "command", "command": "exit 2"}),
    ] {
        machine.write(
            USER,
            &json!({"version": 1, "hooks": {"pre-tool-use": [{"hooks": [entry]}]}}),
        );
        assert_eq!(machine.kind("Bash"), Kind::Deny, "{entry}");
    }
}

#[test]
fn a_manifest_that_is_no_utf_8_is_asked_about() {
    let machine = Machine::new();
    let file = machine.write(USER, &rule("caf#", &[]));
    let mut latin = fs::read(&file).unwrap();
    for byte in latin.iter_mut().filter(|byte| **byte == b'#') {
        *byte = 0xe9;
    }
    fs::write(&file, latin).unwrap();
    let said = machine.asked("Bash").result.verdict;
    let text = said.text();
    assert!(said.kind() == Kind::Ask && text.contains("UTF-8"), "{text}");
}
