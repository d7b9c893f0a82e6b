//! Into the settings of an agent and out again: byte for byte, whatever stands there and whatever happens.

mod every_host;
mod links;
mod moved;
mod sandbox;
mod steps;

use std::collections::BTreeMap;
use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use anyhook::doctor::{Diagnosis, look};
use anyhook::files::digest;
use anyhook::install::{
    InstallError, InstallOptions, InstallPlan, Installer, Obstacle, PlannedChange,
};
use anyhook::load::Strictness;
use anyhook::wires::native_files::claude_code;
use anyhook::wires::settings::Scope;
use anyhook::world::{UserFolders, World};
use serde_json::{Value, json};

/// A home that was never used before, and a program to install.
struct Home {
    root: PathBuf,
    /// Removes it at the end, unless it is another process's.
    _folder: Option<tempfile::TempDir>,
    world: World,
    program: PathBuf,
}

impl Home {
    fn new() -> Self {
        // Every write is brought to the disk; in memory that costs nothing.
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() {
            tempfile::tempdir_in(memory).unwrap()
        } else {
            tempfile::tempdir().unwrap()
        };
        let home = Self::around(folder.path());
        Self {
            _folder: Some(folder),
            ..home
        }
    }

    /// Takes a folder that is there.
    fn around(folder: &Path) -> Self {
        let real = folder.canonicalize().unwrap();
        for name in ["home/.claude", "project/.git", "root"] {
            std::fs::create_dir_all(real.join(name)).unwrap();
        }
        let program = real.join("anyhook");
        std::fs::write(&program, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
        let home = real.join("home");
        let world = World {
            env: BTreeMap::new(),
            cwd: real.join("project"),
            places: Some(UserFolders {
                config: home.join(".config/anyhook"),
                state: home.join(".local/state/anyhook"),
                home,
            }),
            ..World::real()
        };
        Self {
            root: real,
            _folder: None,
            world,
            program,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    fn settings(&self) -> PathBuf {
        self.path("home/.claude/settings.json")
    }

    fn write(&self, text: &str) {
        std::fs::write(self.settings(), text).unwrap();
    }

    fn text(&self) -> String {
        String::from_utf8(std::fs::read(self.settings()).unwrap()).unwrap()
    }

    fn plan_in(&self, scope: Scope) -> Result<InstallPlan, Vec<InstallError>> {
        self.ask(|installer| installer.plan(claude(), scope))
    }

    /// Takes the hooks of Claude Code over, and returns them as a universal file.
    fn take_over(&self, scope: Scope) -> String {
        self.ask(|installer| {
            let takeover = installer.plan_takeover(claude_code(), scope).unwrap();
            let takeover = takeover.expect("hooks that can be taken over");
            installer.carry_out(&takeover.plan).unwrap();
            takeover.hooks
        })
    }

    fn ask<T>(&self, run: impl FnOnce(Installer<'_>) -> T) -> T {
        self.with(|| (), run)
    }

    /// Takes out what is installed, and returns what was taken.
    fn undo(
        &self,
        which: Option<&'static anyhook::wires::Host>,
        scope: Option<Scope>,
    ) -> InstallPlan {
        self.ask(|installer| {
            let plan = installer.plan_undo(which, scope).unwrap();
            installer.carry_out(&plan).unwrap();
            plan
        })
    }

    fn with<T>(&self, probe: fn(), run: impl FnOnce(Installer<'_>) -> T) -> T {
        let root = self.path("root");
        run(Installer {
            world: &self.world,
            program: &self.program,
            root: &root,
            os: "linux",
            probe,
        })
    }

    fn install_in(&self, scope: Scope) -> InstallPlan {
        let plan = self.plan_in(scope).unwrap();
        self.ask(|installer| installer.carry_out(&plan)).unwrap();
        plan
    }

    fn install(&self) -> InstallPlan {
        self.install_in(Scope::User)
    }

    fn uninstall(&self) -> InstallPlan {
        self.undo(claude(), None)
    }

    fn forget(&self) {
        std::fs::remove_dir_all(self.path("home/.local/state/anyhook/install")).unwrap();
    }

    /// Every file and folder of the home, with what is in it, but for our own state and program.
    fn tree(&self) -> BTreeMap<PathBuf, Option<String>> {
        let mut tree = BTreeMap::new();
        let mut folders = vec![self.path("home"), self.path("project"), self.path("root")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap().flatten() {
                let path = entry.path();
                if path.ends_with(".local") {
                    continue;
                }
                if path.is_dir() {
                    folders.push(path.clone());
                    tree.insert(path, None);
                } else {
                    tree.insert(path.clone(), Some(digest(&std::fs::read(&path).unwrap())));
                }
            }
        }
        tree
    }
}

fn claude() -> Option<&'static anyhook::wires::Host> {
    anyhook::wires::host("claude-code")
}

/// Reads JSON, without the lists and objects in which nothing stands.
fn json_of(text: &str) -> Value {
    let mut value: Value =
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    if let Some(hooks) = value.get_mut("hooks").and_then(Value::as_object_mut) {
        hooks.retain(|_, list| list != &json!([]));
    }
    if value.get("hooks") == Some(&json!({})) {
        value.as_object_mut().unwrap().shift_remove("hooks");
    }
    value
}

#[test]
fn what_an_install_wrote_does_not_come_back_though_its_record_is_lost() {
    let home = Home::new();
    home.write("{\n  \"model\": \"opus\"\n}\n");
    home.install();
    home.forget();
    std::fs::rename(&home.program, home.path("other")).unwrap();
    let mut other = Home::new();
    let elsewhere = other.path("elsewhere").into();
    other.world.env.insert("XDG_DATA_HOME".into(), elsewhere);
    other.write(&home.text());
    other.install();
    assert!(other.text().contains("elsewhere"), "{}", other.text());
    other.uninstall();
    assert_eq!(other.text(), "{\n  \"model\": \"opus\"\n}\n");
}

#[test]
fn a_file_that_another_program_wrote_in_since_loses_only_our_entries() {
    let home = Home::new();
    home.write("{\n  \"model\": \"opus\"\n}\n");
    home.install();
    let theirs = "\"sonnet\", // cheaper\n  \"theme\": \"dark\"";
    home.write(&home.text().replace("\"opus\"", theirs));
    let plan = home.uninstall();
    assert!(!plan.changes[0].is_restored);
    assert_eq!(home.text(), format!("{{\n  \"model\": {theirs}\n}}\n"));
}

#[test]
fn an_update_keeps_what_was_there_before_the_first_install() {
    let mut home = Home::new();
    let before = home.tree();
    home.install();
    let elsewhere = home.path("home/.local/elsewhere").into();
    home.world.env.insert("XDG_DATA_HOME".into(), elsewhere);
    let plan = home.install();
    assert!(!plan.changes[0].is_none());
    home.uninstall();
    assert_eq!(home.tree(), before);
}

#[test]
fn a_file_that_we_made_and_another_program_wrote_in_stays() {
    let home = Home::new();
    home.install();
    let text = home.text().replacen('{', "{\n  \"model\": \"opus\",", 1);
    home.write(&text);
    home.uninstall();
    assert_eq!(json_of(&home.text()), json!({"model": "opus"}));
    home.write("");
    home.install();
    home.uninstall();
    assert_eq!(home.text(), "");
}

#[test]
fn a_broken_file_that_we_never_wrote_keeps_nothing_from_being_taken_out() {
    let home = Home::new();
    home.install();
    std::fs::create_dir(home.path("project/.claude")).unwrap();
    std::fs::write(home.path("project/.claude/settings.json"), "{").unwrap();
    let plan = home.uninstall();
    assert!(!home.settings().exists());
    assert_eq!(plan.skipped.len(), 1);
    assert!(plan.skipped[0].why.contains("line 1"), "{plan:?}");
}

#[test]
fn a_shared_file_names_no_path_of_this_person() {
    let home = Home::new();
    home.install_in(Scope::Project);
    let text = std::fs::read_to_string(home.path("project/.claude/settings.json")).unwrap();
    assert!(!text.contains(home.root.to_str().unwrap()), "{text}");
    assert!(text.contains("anyhook is not installed"), "{text}");
    assert!(home.path("home/.local/share/anyhook/bin/anyhook").exists());
    home.uninstall();
    assert!(!home.path("project/.claude").exists());
}

#[test]
fn managed_hooks_of_codex_need_no_trust_and_only_the_administrator_turns_them_off() {
    let home = Home::new();
    let codex = anyhook::wires::host("codex-cli").unwrap();
    home.ask(|installer| {
        let plan = installer.plan(Some(codex), Scope::Managed).unwrap();
        let next = plan.changes[0].next().unwrap();
        assert!(next.contains("requirements.toml"), "{next}");
        installer.carry_out(&plan).unwrap();
    });
    let found = |user: &str, machine: &str, requirements: &str| {
        for (path, text) in [
            ("home/.codex/config.toml", user),
            ("root/etc/codex/config.toml", machine),
            ("root/etc/codex/requirements.toml", requirements),
        ] {
            std::fs::create_dir_all(home.path(path).parent().unwrap()).unwrap();
            std::fs::write(home.path(path), text).unwrap();
        }
        let findings = home.ask(|installer| {
            let seen = look(&installer, Some(codex)).into_iter();
            seen.flat_map(|one| Diagnosis::of(one).findings)
                .collect::<Vec<_>>()
        });
        let findings = findings
            .into_iter()
            .filter(|finding| ["switches", "trust"].contains(&finding.check))
            .map(|finding| finding.file.unwrap())
            .map(|file| file.strip_prefix(&home.root).unwrap().to_owned());
        findings.collect::<Vec<PathBuf>>()
    };
    let off = "[features]\nhooks = false\n";
    let on = "[features]\nhooks = true\n";
    let only = "allow_managed_hooks_only = true\n";
    let path = |name: &str| vec![PathBuf::from(name)];
    assert_eq!(found("", "", ""), Vec::<PathBuf>::new());
    assert_eq!(found(off, "", ""), path("home/.codex/config.toml"));
    assert_eq!(found("", off, ""), path("root/etc/codex/config.toml"));
    assert_eq!(found(off, off, on), Vec::<PathBuf>::new());
    assert_eq!(found("", "", off), path("root/etc/codex/requirements.toml"));
    assert_eq!(found(only, only, only), Vec::<PathBuf>::new());
}

#[test]
fn entries_that_are_strict_stay_strict_until_they_are_taken_out() {
    let home = Home::new();
    let entries = |strictness| {
        home.ask(|installer| {
            let how = InstallOptions {
                strictness,
                ..InstallOptions::default()
            };
            let plan = installer.plan_as(claude(), Scope::User, how).unwrap();
            installer.carry_out(&plan).unwrap();
        });
        [" run ", " --strict"].map(|word| home.text().matches(word).count())
    };
    let [all, none] = entries(Strictness::Lenient);
    assert!(all > 5 && none == 0);
    assert_eq!(entries(Strictness::Strict), [all, all]);
    // A second install makes nothing softer.
    assert_eq!(entries(Strictness::Lenient), [all, all]);
    home.uninstall();
    assert_eq!(entries(Strictness::Lenient), [all, 0]);
}

#[test]
fn managed_entries_are_taken_out_by_those_who_name_their_scope_and_by_no_other() {
    let home = Home::new();
    home.install();
    home.install_in(Scope::Managed);
    let file = home.path("root/etc/claude-code/managed-settings.d/anyhook.json");
    let undo = |scope: Option<Scope>| {
        let changes = home.undo(claude(), scope).changes.into_iter();
        changes.map(|change| change.scope).collect::<Vec<_>>()
    };
    assert_eq!(undo(None), [Scope::User]);
    let text = std::fs::read_to_string(&file).unwrap();
    let entry = "\"/usr/local/lib/anyhook/anyhook run PreToolUse";
    assert!(text.contains(entry), "{text}");
    assert!(home.path("root/usr/local/lib/anyhook/anyhook").exists());
    assert_eq!(undo(Some(Scope::Managed)), [Scope::Managed]);
    assert!(!file.exists());
}

#[test]
fn a_file_that_changes_between_plan_and_write_is_left_alone() {
    let home = Home::new();
    home.write("{}");
    let plan = home.plan_in(Scope::User).unwrap();
    home.write("{\"model\": \"opus\"}");
    let done = home.ask(|installer| installer.carry_out(&plan));
    let error = done.unwrap_err();
    assert_eq!(error.obstacle, Obstacle::Changed, "{error:?}");
    assert_eq!(home.text(), "{\"model\": \"opus\"}");
}

#[test]
fn the_program_is_copied_once_and_replaced_when_it_differs() {
    let home = Home::new();
    home.install();
    let copy = home.path("home/.local/share/anyhook/bin/anyhook");
    let inode = |path: &Path| std::os::unix::fs::MetadataExt::ino(&path.metadata().unwrap());
    let first = inode(&copy);
    home.install();
    assert_eq!(inode(&copy), first);
    std::fs::write(&home.program, "#!/bin/sh\necho new\n").unwrap();
    home.install();
    let text = std::fs::read_to_string(&copy).unwrap();
    assert_eq!(text, "#!/bin/sh\necho new\n");
    assert_eq!(copy.metadata().unwrap().permissions().mode() & 0o777, 0o755);
}

#[test]
fn all_means_every_agent_that_is_found_and_says_which_are_not() {
    let home = Home::new();
    std::fs::remove_dir(home.path("home/.claude")).unwrap();
    let plan = |home: &Home| home.ask(|installer| installer.plan(None, Scope::User));
    let hosts = |plan: &InstallPlan| {
        let changes = plan.changes.iter();
        changes.map(|change| change.host).collect::<Vec<_>>()
    };
    let none = plan(&home).unwrap();
    assert_eq!(hosts(&none), [""; 0]);
    let mut skipped = none.skipped.iter();
    let skipped = skipped.find(|skipped| skipped.host == "claude-code");
    let why = "not found here: no ~/.claude, no ~/.claude.json, no `claude` on PATH";
    assert_eq!(skipped.unwrap().why, why);
    std::fs::create_dir(home.path("home/.claude")).unwrap();
    assert_eq!(hosts(&plan(&home).unwrap()), ["claude-code"]);
}
