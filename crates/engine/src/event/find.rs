//! Which hooks hold where an event happened: the files are found, admitted as far as they are trusted, and read.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhook_core::event::Event;
use anyhook_core::hook::{Hook, Hooks};

use super::{Caller, Context, HookSelector};
use crate::files::links::LONGEST_PATH;
use crate::guarded;
use crate::load::{self, Layer, LoadedHooks, ManifestFile, ManifestFiles, ManifestSearch, Remark};
use crate::policy::{self, PolicyRevision};
use crate::rules::LastCall;
use crate::trust::Trust;
use crate::world::UserFolders;

/// The hooks that hold in one place, loaded once for one event of it or for many.
#[derive(Debug, Default)]
pub struct PlaceHooks {
    hooks: Hooks,
    /// The same behind the guard of what guards; nothing where that is not asked.
    guarded: Option<Hooks>,
    pub(super) loaded: LoadedHooks,
    pub(super) found: Vec<ManifestFile>,
    /// What the last call does, for the guard of what guards and all rules.
    pub(super) last: LastCall,
}

impl PlaceHooks {
    /// Returns the hooks that are asked, in order.
    pub fn hooks(&self) -> &[Arc<Hook>] {
        self.hooks.list()
    }

    /// Leaves the guard of what guards out: two that are compared both have it.
    #[must_use]
    pub fn unguarded(mut self) -> Self {
        self.guarded = None;
        self
    }

    /// Returns the files that were looked at.
    pub fn files(&self) -> &[PathBuf] {
        &self.loaded.files
    }

    /// Returns what a person should know of these files.
    pub fn remarks(&self) -> impl Iterator<Item = &str> {
        let remarks = self.loaded.remarks.iter();
        remarks.map(|remark| remark.text.as_str())
    }

    /// Returns the hooks that are asked about an event.
    pub(super) fn about(&self, event: &Event) -> Cow<'_, Hooks> {
        let guarded = self.guarded.as_ref();
        let all = guarded.filter(|_| event.name.as_str() == guarded::EVENT);
        let all = all.unwrap_or(&self.hooks);
        // Few hooks are about some of the events of their own host only.
        if all.list().iter().all(|hook| hook.speaks.is_none()) {
            return Cow::Borrowed(all);
        }
        let about = all.list().iter().filter(|hook| is_about(hook, event));
        Cow::Owned(about.cloned().collect())
    }
}

impl Context<'_> {
    /// Loads the hooks that hold where an event happened; under a host the guard of what guards is asked before those that are
    /// chosen.
    ///
    /// ```
    /// use std::fs;
    ///
    /// use anyhook_engine::core::event::Event;
    /// use anyhook_engine::core::result::Kind;
    /// use anyhook_engine::event::{Caller, Context};
    /// use anyhook_engine::world::World;
    /// use serde_json::json;
    ///
    /// let place = tempfile::tempdir()?;
    /// let manifest = place.path().join("hooks.json");
    /// fs::write(
    ///     &manifest,
    ///     r#"{"version": 1, "hooks": {"pre-tool-use": [{"hooks": [
    ///     {"type": "rule", "when": "pushes('force')", "then": {"deny": "no forced push"}}
    /// ]}]}}"#,
    /// )?;
    /// let world = World { cwd: place.path().into(), places: None, ..World::real() };
    /// let host = anyhook_engine::wires::host("claude-code").ok_or("no such host")?;
    /// let context = Context { manifest: Some(manifest), ..Context::new(&world, host, Caller::Again) };
    /// let event = |command| Event::new("tool:pre", json!({"tool_name": "Bash", "tool_input": {"command": command}}));
    /// let held = context.hold(&event("ls"), &mut |hooks, _| hooks);
    /// assert!(held.hooks().len() == 1 && held.files().len() == 1);
    /// let kind = |command| context.again(event(command), &held).report.result.verdict.kind();
    /// assert_eq!((kind("git push"), kind("git push -f")), (Kind::Continue, Kind::Deny));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn hold(&self, event: &Event, choose: &mut HookSelector<'_>) -> PlaceHooks {
        let about = (self.caller == Caller::Host).then_some(event);
        let (mut loaded, found) = self.loaded(&self.projects(Some(event)), about);
        let hooks = std::mem::take(&mut loaded.hooks);
        let last = LastCall::default();
        let own = (self.caller == Caller::Host)
            .then(|| Arc::new(self.guard(&hooks, &loaded, event, &last)));
        let hooks: Hooks = choose(hooks, event).into_iter().collect();
        let all = |own| std::iter::once(own).chain(hooks.list().iter().cloned());
        PlaceHooks {
            guarded: own.map(|own| all(own).collect()),
            hooks,
            loaded,
            found,
            last,
        }
    }

    /// Loads the hooks of these projects, and tells from which files: for one event, or for every one.
    pub(super) fn loaded(
        &self,
        projects: &[PathBuf],
        about: Option<&Event>,
    ) -> (LoadedHooks, Vec<ManifestFile>) {
        let trust = self.own_places(projects).map(Trust::of);
        let (found, remarks) = self.found(projects, trust.as_ref());
        let policy = self.policy(found.iter());
        let stamp = policy
            .as_ref()
            .and_then(|policy| policy.stamp.as_ref().ok());
        let vouched = stamp.map(|stamp| stamp.trusted.clone()).unwrap_or_default();
        let trust = trust.map(|trust| trust.vouched_for(&vouched));
        let mut loaded = load::load_about(&found, trust.as_ref(), self.loading, about);
        if self.manifest.is_none()
            && let Some(policy) = policy
        {
            loaded.under(self.world, &policy);
        }
        loaded.remarks.extend(remarks);
        loaded.remarks.extend(self.misconfigured());
        loaded.remarks.extend(self.miscalled());
        (loaded, found)
    }

    /// Returns what a person should know of the files of settings where something in them is wrong.
    fn misconfigured(&self) -> Option<Remark> {
        let config = self.world.config();
        let (what, error) = if let Err(error) = &config.record {
            let what = "what to record cannot be read, so no input is recorded until you mend it";
            (what, error.clone())
        } else {
            let what = "a setting cannot be used, so its default or the stricter value holds until you mend it";
            (what, config.mistakes().into_iter().next()?)
        };
        let text = format!("{what}: {}", crate::files::with_causes(&error));
        Some(Remark::new("settings", text))
    }

    /// Returns what a person should know of the line that calls us where something on it is no flag or no value of one.
    fn miscalled(&self) -> Option<Remark> {
        if self.mistakes.is_empty() {
            return None;
        }
        let (host, mistakes) = (self.host.id(), self.mistakes.join("; "));
        let text = format!(
            "its entry in the settings of {host} has a mistake, so this event is asked about strictly: {mistakes}. Write the \
             entries anew: anyhook install --host {host}; the flags: anyhook run --help"
        );
        Some(Remark::new("command line", text))
    }

    /// Returns the revision of the policy whose files were found: what the record names is what ran.
    fn policy<'f>(&self, found: impl Iterator<Item = &'f ManifestFile>) -> Option<PolicyRevision> {
        let revisions = self.world.managed.join(policy::FOLDER);
        let managed = found.filter(|found| found.layer == Layer::Managed);
        let mut managed = managed.filter(|found| found.file.starts_with(&revisions));
        let first = &managed.next()?.file;
        Some(PolicyRevision::at(crate::trust::package_root(first)))
    }

    /// Returns our folders; none where they stand in a project, which may have brought what is in them.
    fn own_places(&self, projects: &[PathBuf]) -> Option<&UserFolders> {
        let places = self.world.places.as_ref()?;
        let folders = [&*places.state, &*places.config];
        (!load::is_inside(self.world, &folders, projects)).then_some(places)
    }

    /// Returns the files that hold: the named one, else those of the person and of the project, and under a host also those that
    /// were trusted and are gone; and what a person should know about the folders in which they stand. With trust our own
    /// folders are outside of the projects.
    fn found(
        &self,
        projects: &[PathBuf],
        trust: Option<&Trust>,
    ) -> (Vec<ManifestFile>, Vec<Remark>) {
        let is_host = self.caller == Caller::Host;
        if let Some(file) = &self.manifest {
            let file = self.world.absolute(file);
            let layer = if is_host {
                Layer::Project
            } else {
                Layer::Named
            };
            return (vec![ManifestFile { file, layer }], Vec::new());
        }
        let search = ManifestSearch {
            trusting: self.loading.trust,
            pinned: trust.filter(|_| is_host),
            own: trust.map(|_| Layer::User),
            ..ManifestSearch::new(self.world, projects, self.host.id())
        };
        let ManifestFiles { files, remarks, .. } = search.files();
        (files, remarks)
    }

    /// Returns the project that the host names in its environment.
    pub(super) fn told_project(&self) -> Option<PathBuf> {
        let name = self.host.facts().project_variable?;
        self.world.var(name).map(PathBuf::from)
    }

    /// Returns every folder that may be the project's: what the host says in its environment, else where the session began;
    /// what the event says, and where we run. The hooks of all of them hold: an event must not choose who guards it by
    /// naming another folder.
    pub(super) fn projects(&self, event: Option<&Event>) -> Vec<PathBuf> {
        let origin = event.and_then(|event| event.origin.as_ref());
        let began = || origin?.project.as_deref().map(Path::to_owned);
        let of_session = self.told_project().or_else(began);
        let own = Some(self.world.cwd.clone());
        let cwd = event.and_then(cwd);
        // A session that begins in the whole system begins where its agent runs.
        let is_system = cwd.as_ref().is_some_and(|cwd| cwd.parent().is_none());
        let (first, then) = if is_system { (own, cwd) } else { (cwd, own) };
        let mut projects: Vec<PathBuf> = Vec::new();
        for folder in [of_session, first, then].into_iter().flatten() {
            // One that was deleted still has folders above it, in which hooks hold.
            let is_path = folder.as_os_str().len() <= LONGEST_PATH;
            if is_path && folder.is_absolute() && !projects.contains(&folder) {
                projects.push(folder);
            }
        }
        projects
    }

    /// Returns the folder that hooks are told is the project's.
    pub(super) fn project(&self, event: &Event) -> PathBuf {
        let projects = self.projects(Some(event));
        let there = projects.iter().find(|folder| folder.is_dir());
        let above = || {
            let above = projects.last()?.ancestors().find(|folder| folder.is_dir());
            above.map(PathBuf::from)
        };
        there
            .cloned()
            .or_else(above)
            .unwrap_or_else(|| PathBuf::from("/"))
    }

    /// Returns the folders whose files come from a stranger: those that may be the project's, but never one that holds
    /// the person's home or the whole system.
    pub(super) fn strangers(&self, event: &Event) -> Vec<PathBuf> {
        let home = self.world.places.as_ref().map(|places| &places.home);
        let mut folders = self.projects(Some(event));
        let real: Vec<_> = folders
            .iter()
            .filter_map(|folder| folder.canonicalize().ok())
            .collect();
        for folder in real {
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        folders.retain(|folder| {
            folder.parent().is_some() && !home.is_some_and(|home| home.starts_with(folder))
        });
        folders
    }
}

/// Tells whether a hook is about this event as its own host tells it: a host that has several events for one of ours
/// tells each of them, and a hook on one of those is not asked about the others. Under any other host there is one event,
/// and all of them are asked.
fn is_about(hook: &Hook, event: &Event) -> bool {
    let (Some(speaks), Some(origin)) = (&hook.speaks, &event.origin) else {
        return true;
    };
    let row = |name: &str| {
        anyhook_wires::host(&speaks.host)?
            .row(name)
            .map(|row| row.name)
    };
    speaks.host != origin.host || row(&speaks.native) == row(&origin.native)
}

/// Returns the folder that an event says it happened in.
pub(super) fn cwd(event: &Event) -> Option<PathBuf> {
    let cwd = event.text("cwd")?;
    (cwd.len() <= LONGEST_PATH).then(|| PathBuf::from(&*cwd))
}
