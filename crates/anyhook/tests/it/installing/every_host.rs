//! Every host of the table: into its own form, in every scope, and out again.

use std::path::{Path, PathBuf};

use anyhook::core::manifest::{Group, Manifest};
use anyhook::install::{InstallError, InstallPlan};
use anyhook::wires::Host;
use anyhook::wires::hosts::HOSTS;
use anyhook::wires::native_files::{NativeFormat, Syntax};
use anyhook::wires::settings::{Scope, Settings, SettingsLayout};
use serde_json::{Value, json};

use super::Home;

fn hosts() -> impl Iterator<Item = (&'static Host, &'static Settings)> {
    HOSTS
        .iter()
        .filter_map(|host| Some((*host, host.facts().settings?)))
}

/// Tells whether a host keeps its hooks in JSON: scripts and plugins have tests of their own, and TOML those of its editor.
fn has_json(settings: &Settings) -> bool {
    let is_toml = settings
        .files
        .iter()
        .any(|file| file.path.rsplit('.').next() == Some("toml"));
    !matches!(
        settings.shape,
        SettingsLayout::Scripts | SettingsLayout::Plugin(_)
    ) && !is_toml
}

impl Home {
    fn plan_of(&self, host: &'static Host, scope: Scope) -> Result<InstallPlan, Vec<InstallError>> {
        self.ask(|installer| installer.plan(Some(host), scope))
    }

    fn carry_out(&self, plan: &InstallPlan) {
        self.ask(|installer| installer.carry_out(plan)).unwrap();
    }

    /// Managed entries are taken out by those who name their scope.
    fn undo_of(&self, host: &'static Host) {
        for scope in [None, Some(Scope::Managed)] {
            self.undo(Some(host), scope);
        }
    }

    fn place(&self, path: &str) -> PathBuf {
        match (path.strip_prefix("~/"), path.strip_prefix('/')) {
            (Some(rest), _) => self.path("home").join(rest),
            (None, Some(rest)) => self.path("root").join(rest),
            (None, None) => self.path("project").join(path),
        }
    }
}

/// A file of a host with one foreign hook in it.
fn foreign(settings: &Settings, at: &[&str], event: &str) -> Value {
    let entry = json!({"type": "command", "command": "./a.sh"});
    let hooks = match settings.shape {
        SettingsLayout::Groups | SettingsLayout::ToolGroups => {
            json!({event: [{"matcher": "x", "hooks": [entry]}]})
        }
        SettingsLayout::Entries | SettingsLayout::Scripts | SettingsLayout::Plugin(_) => {
            json!({event: [entry]})
        }
        SettingsLayout::List => json!([{"name": "a", "trigger": event, "action": entry}]),
    };
    at.iter()
        .rev()
        .fold(hooks, |inner, name| json!({*name: inner}))
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

#[test]
fn every_host_in_every_scope_leaves_nothing_behind() {
    for (host, settings) in hosts() {
        let home = Home::new();
        for scope in Scope::ALL {
            // The program of managed settings stays: entries elsewhere may call it.
            let tree = || {
                let mut tree = home.tree();
                tree.retain(|path, _| !path.starts_with(home.path("root/usr")));
                tree
            };
            let before = tree();
            let Ok(plan) = home.plan_of(host, scope) else {
                let file = settings.files_of(scope, "linux").next();
                assert!(file.is_none(), "{}", host.id());
                continue;
            };
            home.carry_out(&plan);
            assert!(
                plan.changes.iter().all(|change| change.path.exists()),
                "{plan:?}"
            );
            home.undo_of(host);
            assert_eq!(tree(), before, "{} {}", host.id(), scope.name());
        }
    }
}

#[test]
fn foreign_hooks_of_every_host_stay_and_come_back_byte_for_byte() {
    for (host, settings) in hosts().filter(|(_, settings)| has_json(settings)) {
        let is_tried = |scope| matches!(scope, Scope::User | Scope::Project);
        for file in settings.files.iter().filter(|file| is_tried(file.scope)) {
            let home = Home::new();
            let event = host.rows().last().unwrap().name;
            let text = serde_json::to_string_pretty(&foreign(settings, file.at, event)).unwrap();
            let path = home.place(file.path);
            write(&path, &text);
            let plan = home.plan_of(host, file.scope).unwrap();
            assert_eq!(plan.changes[0].path, path, "hooks go where hooks are");
            home.carry_out(&plan);
            let installed = std::fs::read_to_string(&path).unwrap();
            assert!(
                installed.contains("./a.sh") && installed.contains(host.id()),
                "{installed}"
            );
            home.undo_of(host);
            let back = std::fs::read_to_string(&path).unwrap();
            assert_eq!(back, text, "{} {}", host.id(), file.path);
        }
    }
}

#[test]
fn hooks_of_every_host_that_is_read_are_taken_over_and_put_back() {
    for (host, settings) in hosts().filter(|(_, settings)| has_json(settings)) {
        let Some(file) = settings.files_of(Scope::User, "linux").next() else {
            continue;
        };
        let Some(format) = NativeFormat::of_host(host.id()) else {
            continue;
        };
        let home = Home::new();
        let mut rows = host.rows().iter().rev();
        let event = rows.find(|row| settings.has(row.name)).unwrap().name;
        let path = home.place(file.path);
        let text = serde_json::to_string(&foreign(settings, file.at, event)).unwrap();
        write(&path, &text);
        let takeover = home.ask(|installer| installer.plan_takeover(format, Scope::User).unwrap());
        let takeover = takeover.unwrap_or_else(|| panic!("{}: {text}", host.id()));
        assert_eq!(takeover.kept, []);
        home.carry_out(&takeover.plan);
        let installed = std::fs::read_to_string(&path).unwrap();
        assert!(installed.contains(host.id()), "{installed}");
        assert!(!installed.contains("./a.sh"), "{installed}");
        // It is the same hook, by the same name, in the words of its host.
        let was = format.read(&text, Syntax::Json).unwrap().manifest.groups;
        let is = Manifest::parse(&takeover.hooks).unwrap().manifest.groups;
        let known = |groups: &[Group]| {
            let entry = &groups[0].entries[0];
            let name = groups[0].name_of(entry);
            (name, groups[0].speaks.clone(), entry.action.clone())
        };
        assert_eq!((known(&is), is.len()), (known(&was), 1), "{}", host.id());
        home.undo_of(host);
        let back = std::fs::read_to_string(&path).unwrap();
        assert_eq!(back, text, "{}", host.id());
    }
}

#[test]
fn a_foreign_script_in_the_place_of_ours_is_refused_and_stays() {
    for (host, settings) in
        hosts().filter(|(_, settings)| settings.shape == SettingsLayout::Scripts)
    {
        let home = Home::new();
        let file = settings.files_of(Scope::Project, "linux").next().unwrap();
        let path = home.place(file.path).join(host.rows()[0].name);
        write(&path, "#!/bin/sh\n./a.sh\n");
        let errors = home.plan_of(host, Scope::Project).unwrap_err();
        let said = errors[0].to_string();
        assert!(said.contains("is a hook already"), "{said}");
        let stays = std::fs::read_to_string(&path).unwrap();
        assert_eq!(stays, "#!/bin/sh\n./a.sh\n");
    }
}
