//! What Anyhook's own guard protects at one event.
//!
//! Most calls only read, and reading is free. So an event notes where everything is, and files are looked up for a call that
//! changes something.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhook_core::event::Event;
use anyhook_core::hook::Hook;
use anyhook_core::manifest::Action;
use anyhook_wires::hosts::HOSTS;
use anyhook_wires::settings::Settings;

use super::Context;
use super::find::cwd;
use crate::guarded::{self, ProtectionScope};
use crate::load::{self, HookSources, LoadedHooks};
use crate::rules::LastCall;

/// What an event says about where to look for what is protected.
struct GuardContext {
    sources: HookSources,
    /// Every folder that may be the project's.
    projects: Vec<PathBuf>,
    /// The names of hosts' tables that a variable of the host moves, and where to.
    moved: Vec<(&'static str, PathBuf)>,
    /// The folders in which hooks find programs, as the variable has them.
    path: OsString,
    /// Whether a new file of the project counts without a person's trust.
    trusts_all: bool,
}

impl Context<'_> {
    /// Makes the guard of an event, which looks files up when the first call changes something.
    pub(super) fn guard(
        &self,
        hooks: &[Hook],
        loaded: &LoadedHooks,
        event: &Event,
        last: &LastCall,
    ) -> Hook {
        let commands = hooks.iter().filter_map(|hook| match hook.action()? {
            Action::Command(command) => Some(command.command.clone()),
            _ => None,
        });
        let moved = settings()
            .filter_map(|(settings, name)| Some((name, self.world.moved(settings?, name)?)));
        let places = self.world.places.as_ref();
        let ours = places.map(|places| [places.state.clone(), places.config.clone()]);
        let managed = [self.world.managed.clone()];
        let project = self.project(event);
        let known = ProtectionScope {
            folders: (managed.into_iter().chain(ours.into_iter().flatten()))
                .chain(self.world.data())
                .collect(),
            lines: commands.collect(),
            cwd: cwd(event).unwrap_or_else(|| project.clone()),
            project,
            home: places.map(|places| places.home.clone()),
            compared: self.session(event).is_some() && self.state.is_some(),
            ..ProtectionScope::default()
        };
        let guarding = GuardContext {
            sources: loaded.sources(),
            projects: self.projects(Some(event)),
            moved: moved.collect(),
            path: self.world.var("PATH").unwrap_or_default().to_owned(),
            trusts_all: self.loading.trust == load::TrustScope::All,
        };
        guarded::hook_of(known, move |known| guarding.complete(known), last)
    }
}

/// Every name of a file or folder that guards under a host, with the host's settings. A name with a drive is none here.
fn settings() -> impl Iterator<Item = (Option<&'static Settings>, &'static str)> {
    HOSTS.iter().flat_map(|host| {
        let files = host.facts().guarded();
        let here = files.filter(|name| !name.contains(":\\"));
        here.map(move |name| (host.facts().settings, name))
    })
}

impl GuardContext {
    /// Finds what is protected: what hooks depend on, and the programs that they start.
    fn complete(&self, mut known: ProtectionScope) -> ProtectionScope {
        known.files = self.sources.depends_on();
        // Without a hook there is nothing that the agent could switch off in the project.
        let is_guarded = !known.files.is_empty();
        for (_, name) in settings() {
            let into = if name.ends_with(['/', '\\']) {
                &mut known.folders
            } else {
                &mut known.files
            };
            let moved = self.moved.iter().filter(|(moved, _)| *moved == name);
            into.extend(moved.map(|(_, to)| to.clone()));
            let name = name.strip_suffix('/').unwrap_or(name);
            match (name.strip_prefix("~/"), &known.home) {
                (Some(rest), Some(home)) => into.push(home.join(rest)),
                (None, _) if is_guarded => {
                    into.extend(self.projects.iter().map(|project| project.join(name)));
                }
                (Some(_), None) | (None, _) => {}
            }
        }
        let own = self.projects.iter().flat_map(|project| {
            let manifests = load::manifests_of(project).chain(load::locals_of(project));
            manifests.chain(load::natives_of(project, ""))
        });
        // A new file of the project is not believed before a person trusts it, but where every file counts as trusted.
        let into = if self.trusts_all {
            &mut known.files
        } else {
            &mut known.present
        };
        into.extend(own);
        known.path = self.path();
        known.own = std::env::current_exe().ok();
        known
    }

    /// Returns the folders in which the programs of hooks are found.
    fn path(&self) -> Vec<PathBuf> {
        // A hook finds nothing in a folder of the project before it looked in all others.
        let folders = std::env::split_paths(&self.path).filter(|folder| folder.is_absolute());
        let is_strange = |folder: &PathBuf| self.projects.iter().any(|one| folder.starts_with(one));
        folders.filter(|folder| !is_strange(folder)).collect()
    }
}
