//! Understanding an event: what happened, in which project, and which hooks apply.

use std::path::{Path, PathBuf};

use anyhook_core::event::{Event, EventName};
use anyhook_core::hook::{Hook, Hooks};
use anyhook_core::ports::Store;
use anyhook_core::report::{Heading, Report, VERSION};
use anyhook_core::result::HookResult;
use anyhook_core::taxonomy::Class;
use anyhook_wires::{DecodeError, NativeEvent, Reply};
use serde_json::Value;

use super::{Answered, Cache, Caller, Line};
use crate::files::links::LONGEST_PATH;
use crate::guarded;
use crate::load::{self, Found, Layer, Loaded, Remark};
use crate::policy::{self, Policy};
use crate::rules::LastCall;
use crate::text;
use crate::trust::Trust;
use crate::world::Places;

/// An event, and the hooks that hold where it happened.
#[derive(Debug)]
pub(super) struct Understood {
    /// The event.
    pub(super) event: Event,
    /// What the files say.
    pub(super) loaded: Loaded,
}

impl Line<'_> {
    /// Reads the payload and the files. A payload that cannot be read is refused where a guard stands, and let pass
    /// where none does.
    pub(super) fn understand(
        &self,
        payload: &[u8],
        cache: &Cache,
    ) -> Result<Understood, Box<Answered>> {
        match self.host.read_event(payload, self.hint) {
            Ok(mut event) => {
                self.find_project(&mut event);
                let loaded = self.load(&self.projects(Some(&event)), cache);
                Ok(Understood { event, loaded })
            }
            Err(error) => Err(Box::new(self.unread(&error, cache))),
        }
    }

    /// Loads the hooks for an event of an agent.
    fn load(&self, projects: &[PathBuf], cache: &Cache) -> Loaded {
        self.loaded(projects, cache, Trust::of)
    }

    /// Loads the hooks for one who only looks: nothing is noted, and nothing counts as told.
    pub(super) fn look(&self, projects: &[PathBuf]) -> Loaded {
        self.loaded(projects, &Cache::default(), Trust::looking)
    }

    fn loaded(&self, projects: &[PathBuf], cache: &Cache, trust: fn(&Places) -> Trust) -> Loaded {
        let trust = self.own_places(projects).map(trust);
        let (found, remarks) = self.all_found(projects, trust.as_ref());
        let policy = self.policy(found.iter());
        let stamp = policy
            .as_ref()
            .and_then(|policy| policy.stamp.as_ref().ok());
        let vouched = stamp.map(|stamp| stamp.trusted.clone()).unwrap_or_default();
        let trust = trust.map(|trust| trust.vouched_for(&vouched));
        let mut loaded = load::load_known(&found, trust.as_ref(), self.loading, cache.manifests());
        if self.manifest.is_none()
            && let Some(policy) = policy
        {
            loaded.under(self.world, &policy);
        }
        loaded.remarks.extend(remarks);
        loaded.remarks.extend(self.misconfigured());
        loaded
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
        Some(Remark {
            mark: "settings".to_owned(),
            text: format!("{what}: {}", crate::files::with_causes(&error)),
        })
    }

    /// Returns the revision of the policy whose files were found: what the record names is what ran.
    fn policy<'f>(&self, found: impl Iterator<Item = &'f Found>) -> Option<Policy> {
        let revisions = self.world.managed.join(policy::FOLDER);
        let managed = found.filter(|found| found.layer == Layer::Managed);
        let mut managed = managed.filter(|found| found.file.starts_with(&revisions));
        let first = &managed.next()?.file;
        Some(Policy::at(crate::trust::package_root(first)))
    }

    /// Returns the pins of the person; none where they stand in a project, which may have brought them.
    pub(super) fn trust(&self, projects: &[PathBuf]) -> Option<Trust> {
        self.own_places(projects).map(Trust::of)
    }

    /// Returns our folders; none where they stand in a project, which may have brought what is in them.
    pub(super) fn own_places(&self, projects: &[PathBuf]) -> Option<&Places> {
        let places = self.world.places.as_ref()?;
        let folders = [&*places.state, &*places.config];
        (!load::is_inside(self.world, &folders, projects)).then_some(places)
    }

    /// Returns the files that hold, and under a host also those that were trusted and are gone; and what a person should
    /// know about the folders in which they stand.
    pub(super) fn all_found(
        &self,
        projects: &[PathBuf],
        trust: Option<&Trust>,
    ) -> (Vec<Found>, Vec<Remark>) {
        let (mut found, remarks) = self.found(projects);
        if let (Some(trust), None, Caller::Host) = (trust, &self.manifest, self.caller) {
            let host = self.host.id();
            load::add_pinned((self.world, trust), projects, host, &mut found);
            let home = self.world.places.iter().map(|places| &*places.home);
            home.for_each(|home| load::add_pinned_of_home(trust, home, &mut found));
        }
        (found, remarks)
    }

    /// Returns the files that hold: the named one, else those of the person and of the project.
    fn found(&self, projects: &[PathBuf]) -> (Vec<Found>, Vec<Remark>) {
        if let Some(file) = &self.manifest {
            let layer = match self.caller {
                Caller::Host => Layer::Project,
                Caller::Person | Caller::Again => Layer::Named,
            };
            let file = self.world.absolute(file);
            return (vec![Found { file, layer }], Vec::new());
        }
        let finds = load::find_all(self.world, projects, self.host.id(), self.loading.trust);
        let remarks = finds.remarks().to_vec();
        (finds.into_files(), remarks)
    }

    /// Finds out where the session of an event began, where the host does not say what its project is.
    pub(super) fn find_project(&self, event: &mut Event) {
        let kept = match (self.told_project(), self.session(event), self.state) {
            (None, Some(session), Some(state)) => state.look(&session),
            _ => None,
        };
        let project = kept.and_then(|kept| kept.project).map(PathBuf::from);
        if let (Some(project), Some(origin)) = (project, &mut event.origin) {
            origin.project = Some(project.into());
        }
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
    pub(super) fn strangers(&self, event: &Event, cache: &Cache) -> Vec<PathBuf> {
        let home = self.world.places.as_ref().map(|places| &places.home);
        let mut folders = self.projects(Some(event));
        let real: Vec<_> = folders
            .iter()
            .filter_map(|folder| cache.real(folder))
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

    /// Adds, under a host, the guard that keeps the guarded from unguarding.
    pub(super) fn hooks(
        &self,
        chosen: Vec<Hook>,
        loaded: &Loaded,
        event: &Event,
    ) -> (Hooks, LastCall) {
        let last = LastCall::default();
        let own = (self.caller == Caller::Host && event.name == EventName::new(guarded::EVENT))
            .then(|| self.guarding(&chosen, loaded, event).hook(&last));
        let asked = chosen.into_iter().filter(|hook| is_about(hook, event));
        (own.into_iter().chain(asked).collect(), last)
    }

    /// Answers a payload that cannot be read.
    fn unread(&self, error: &DecodeError, cache: &Cache) -> Answered {
        // The command line says what the host's settings say; what broken bytes seem to say must not outrank it.
        let told = self.hint.filter(|hint| self.host.row(hint).is_some());
        let name = told.or(error.event.as_deref()).or(self.hint);
        let row = name.and_then(|name| self.host.row(name));
        let loaded = self.load(&self.projects(None), cache);
        let refused = match row {
            Some(row) => self.guarded_event(row, &loaded),
            // Which event it is cannot be known: it counts as every gate that a guard stands at.
            None => self
                .host
                .rows()
                .iter()
                .any(|row| self.guarded_event(row, &loaded)),
        };
        let why = unread_reason(error, refused);
        let mut report = self.unread_report(row, &why, name);
        let mut reply = Reply::default();
        if refused {
            let reason = self.reason_with_id(&why, &report.id);
            reply = self.host.refuse_unread(row, &reason);
            report.result = HookResult::deny(why);
            report.said = Some(HookResult::deny(reason));
        }
        if row.is_none()
            && let Some(error) = name.and_then(|name| self.host.misnamed(name))
        {
            reply = error;
        }
        let texts = loaded
            .remarks
            .iter()
            .map(|remark| remark.text.as_str().into());
        report.remarks.extend(texts);
        // There is no session to tell of a store that fails, and the verdict never changes by it.
        let _ = self.store.map(|store| store.append(&report));
        Answered {
            reply,
            report,
            left: None,
        }
    }

    fn guarded_event(&self, row: &NativeEvent, loaded: &Loaded) -> bool {
        let name = EventName::new(row.event);
        if name.class() != Class::Gate {
            return false;
        }
        // Where a record is required, what leaves none does not go on either.
        let is_recorded = self.store.is_some_and(Store::is_required);
        let is_strict = self.loading.strict == load::Strictness::Strict;
        is_recorded || is_strict || load::guards(&loaded.hooks, &name)
    }

    pub(super) fn unread_report(
        &self,
        row: Option<&NativeEvent>,
        why: &str,
        name: Option<&str>,
    ) -> Report {
        Report {
            version: VERSION,
            id: (self.world.ids)(),
            parent: None,
            at: Some(self.world.clock.now()),
            event: Heading {
                name: EventName::new(
                    row.map_or_else(|| name.unwrap_or("unknown"), |row| row.event),
                ),
                host: self.host.id().into(),
                native: name.unwrap_or_default().into(),
                session: None,
                subject: None,
            },
            result: HookResult::default(),
            said: None,
            hooks: [].into(),
            steps: Vec::new(),
            losses: Vec::new(),
            remarks: vec![why.into()],
            audit: Vec::new(),
            took: None,
            action: None,
        }
    }
}

/// Tells whether a hook is about this event as its own host tells it: a host that has several events for one of ours
/// tells each of them, and a hook on one of those is not asked about the others. Under any other host there is one event,
/// and all of them are asked.
pub(super) fn is_about(hook: &Hook, event: &Event) -> bool {
    let (Some(speaks), Some(origin)) = (&hook.speaks, &event.origin) else {
        return true;
    };
    let row = |name: &str| {
        anyhook_wires::host(speaks.host)?
            .row(name)
            .map(|row| row.name)
    };
    speaks.host != origin.host || row(&speaks.native) == row(&origin.native)
}

/// Returns the folder that an event says it happened in.
pub(super) fn cwd(event: &Event) -> Option<PathBuf> {
    event
        .data
        .json()
        .get("cwd")
        .and_then(Value::as_str)
        .filter(|cwd| cwd.len() <= LONGEST_PATH)
        .map(PathBuf::from)
}

fn unread_reason(error: &DecodeError, refused: bool) -> String {
    let place = error
        .at
        .map(|(line, column)| format!(" at line {line}, column {column}"))
        .unwrap_or_default();
    // What the payload says is shown as it is, but must not draw on a terminal.
    let what: String = text::plain(&error.what).chars().take(200).collect();
    let so = if refused {
        "A guard stands here and could not be asked, so the action is refused. Try again in another way, or tell the user."
    } else {
        "No guard stands here, so the action goes on."
    };
    format!("anyhook could not read this event{place}: {what}. {so}")
}
