//! The plan of an installation: the changes that it would make. Nothing here writes.

use std::path::{Path, PathBuf};

use anyhook_engine::load::Strictness;
use anyhook_wires::hosts::HOSTS;
use anyhook_wires::settings::command::{self, ProgramReference};
use anyhook_wires::settings::edit;
use anyhook_wires::settings::posted::TOKEN;
use anyhook_wires::settings::{Scope, Settings, entries};
use anyhook_wires::{Host, Neutral};

use super::program::called;
use super::record::PreviousContent;
use super::target::TargetFile;
use super::{
    InstallError, InstallOptions, InstallPlan, Installer, Obstacle, Original, PlannedChange,
    RecordStep,
};

/// What installing needs to know everywhere.
pub(super) struct InstallRequest<'a> {
    pub(super) host: &'static Host,
    pub(super) settings: &'static Settings,
    pub(super) scope: Scope,
    pub(super) how: InstallOptions,
    /// The program as entries call it that are not strict.
    pub(super) usual: ProgramReference<'a>,
}

impl<'a> InstallRequest<'a> {
    /// The host has no file of this scope.
    pub(super) fn no_scope(&self) -> InstallError {
        let (host, scope) = (self.host.id(), self.scope.name());
        let what = format!("`{host}` has no {scope} settings");
        InstallError::new(Obstacle::Lacking, what, "take another --scope")
    }

    /// Returns how entries call the program, where these stand already.
    pub(super) fn program(&self, mut there: impl Iterator<Item = String>) -> ProgramReference<'a> {
        let is_strict = self.how.strictness == Strictness::Strict
            || there.any(|line| command::called(&line).is_some_and(|it| it.is_strict));
        ProgramReference {
            is_strict,
            ..self.usual
        }
    }
}

impl Installer<'_> {
    /// Plans to put our entries into the settings of a scope, for one host, or for every one that is found here. All errors of all hosts are returned at once.
    pub fn plan(
        &self,
        which: Option<&'static Host>,
        scope: Scope,
    ) -> Result<InstallPlan, Vec<InstallError>> {
        self.plan_as(which, scope, InstallOptions::default())
    }

    /// Plans it with entries of this kind.
    pub fn plan_as(
        &self,
        which: Option<&'static Host>,
        scope: Scope,
        how: InstallOptions,
    ) -> Result<InstallPlan, Vec<InstallError>> {
        let one = |error| vec![error];
        if how.server.is_some() && scope != Scope::User {
            let name = scope.name();
            let what =
                format!("entries of {name} settings cannot post to the server of one person");
            let help = "--http goes with --scope user";
            return Err(one(InstallError::new(Obstacle::Unusable, what, help)));
        }
        let mut plan = InstallPlan::default();
        let stable = self.stable(scope).map_err(one)?;
        let usual = ProgramReference {
            server: how.server,
            ..called(scope, &stable).map_err(one)?
        };
        let mut errors = Vec::new();
        for (host, settings) in self.hosts(which, &mut plan).map_err(one)? {
            let wanted = InstallRequest {
                host,
                settings,
                scope,
                how,
                usual,
            };
            match self.host(&wanted) {
                Ok(changes) => plan.changes.extend(changes),
                Err(error) if error.obstacle == Obstacle::Lacking && which.is_none() => {
                    plan.skip(host, error.to_string());
                }
                Err(error) => errors.push(error),
            }
        }
        let calls = |change: &PlannedChange| {
            let host = anyhook_wires::host(change.host);
            let settings = host.and_then(|host| host.facts().settings);
            settings.is_some_and(|settings| !settings.asks_server())
        };
        plan.program = plan.changes.iter().any(calls).then_some(stable);
        errors.is_empty().then_some(plan).ok_or(errors)
    }

    /// Returns the hosts that are meant and found, and notes those that are not.
    fn hosts(
        &self,
        which: Option<&'static Host>,
        plan: &mut InstallPlan,
    ) -> Result<Vec<(&'static Host, &'static Settings)>, InstallError> {
        if let Some(host) = which {
            let facts = host.facts();
            let settings = facts.settings.ok_or_else(|| {
                let id = host.id();
                let what =
                    format!("`{id}` keeps no hooks in files, so there is nothing to install");
                InstallError::new(Obstacle::Unusable, what, facts.instead)
            })?;
            return Ok(vec![(host, settings)]);
        }
        let mut hosts = Vec::new();
        for host in HOSTS.iter().copied() {
            let Some(settings) = host.facts().settings else {
                continue;
            };
            if self.finds(host, settings).is_none() {
                plan.skip(host, not_found(host, settings));
            } else if settings.asks_server() {
                // Without its server a plugin refuses every call: it is installed for those who name the agent.
                let id = host.id();
                let why = format!("its plugin asks a server: anyhook install --host {id}");
                plan.skip(host, why);
            } else {
                hosts.push((host, settings));
            }
        }
        Ok(hosts)
    }

    fn host(&self, wanted: &InstallRequest<'_>) -> Result<Vec<PlannedChange>, InstallError> {
        let (host, settings) = (wanted.host, wanted.settings);
        let asks_server = host.facts().posts.is_some() || settings.asks_server();
        if wanted.how.server.is_some() && !asks_server {
            let what = format!(
                "`{}` starts a program for every event, and posts none to a server",
                host.id()
            );
            let help = "install it without --http";
            return Err(InstallError::new(Obstacle::Lacking, what, help));
        }
        if settings.own_files(host).is_some() {
            return self.scripts(wanted);
        }
        let target = self.target(host, settings, wanted.scope)?;
        let target = target.ok_or_else(|| wanted.no_scope())?;
        let taken = edit::RemovedEntries {
            rest: target.text()?.to_owned(),
            taken: None,
        };
        Ok(vec![self.text_change(wanted, target, taken)?])
    }

    /// Plans our entries in a file of which `rest` stays, without the hooks that are `taken` over to us.
    pub(super) fn text_change(
        &self,
        wanted: &InstallRequest<'_>,
        target: TargetFile,
        taken: edit::RemovedEntries,
    ) -> Result<PlannedChange, InstallError> {
        let failed = |source| target.unedited(source);
        let ours = target.entries()?.into_iter();
        let ours = ours.filter(edit::FoundEntry::is_ours);
        let ours = ours.flat_map(|found| found.commands);
        let entries = entries(wanted.host, wanted.settings, wanted.program(ours));
        let after = edit::add(&taken.rest, target.form, &entries).map_err(failed)?;
        let mut original = self.original(&target)?;
        original.taken = match (original.taken, taken.taken) {
            (Some(earlier), Some(more)) => {
                Some(edit::put_back(&earlier, target.form, &more).map_err(failed)?)
            }
            (earlier, more) => earlier.or(more),
        };
        Ok(PlannedChange {
            entries: entries.len(),
            notes: notes(wanted),
            ..target.change(Some(after.into_bytes()), RecordStep::Write(original))
        })
    }

    /// Returns what was there before us.
    ///
    /// What a person wrote comes back by uninstalling, also an entry that calls us; what an earlier install wrote does not,
    /// even if its record is lost.
    pub(super) fn original(&self, target: &TargetFile) -> Result<Original, InstallError> {
        let record = self.record(&target.path)?;
        let taken = record.as_ref().and_then(|record| record.taken.clone());
        let Some(bytes) = &target.bytes else {
            return Ok(Original {
                content: None,
                taken,
                folders: missing_folders(&target.path),
            });
        };
        if let Some(record) = record
            && record.wrote(bytes)
            && let PreviousContent::Known(content) = self.before(&record)
        {
            return Ok(Original {
                content,
                taken,
                folders: record.folders,
            });
        }
        let failed = |source| target.unedited(source);
        let mut text = self.without_rows(target)?;
        let found = edit::find(&text, target.form).map_err(failed)?;
        let mut commands = found.iter().flat_map(|found| &found.commands);
        if commands.any(|command| command::is_installed(command)) {
            text = edit::remove(&text, target.form).map_err(failed)?;
        }
        if let Some(taken) = &taken {
            text = edit::put_back(&text, target.form, taken).map_err(failed)?;
        }
        Ok(Original {
            content: Some(text.into_bytes()),
            taken,
            folders: Vec::new(),
        })
    }
}

fn not_found(host: &Host, settings: &Settings) -> String {
    let folders = settings.found_by.iter().map(|path| (*path).to_owned());
    let programs = host
        .facts()
        .executables
        .iter()
        .map(|name| format!("`{name}` on PATH"));
    let all: Vec<String> = folders.chain(programs).collect();
    if all.is_empty() {
        return "it does not run here: name it to write its settings".to_owned();
    }
    format!("not found here: no {}", all.join(", no "))
}

fn notes(wanted: &InstallRequest<'_>) -> Vec<String> {
    let InstallRequest {
        host,
        settings,
        scope,
        ..
    } = *wanted;
    let without = settings.without.iter();
    let mut notes: Vec<String> = without
        .map(|(event, why)| format!("no entry for {event}: {why}"))
        .collect();
    let others = HOSTS
        .iter()
        .filter(|other| other.facts().also_reads.contains(&host.id()));
    let others: Vec<&str> = others.map(|other| other.id()).collect();
    if !others.is_empty() && scope != Scope::Managed {
        notes.push(format!(
            "may be read by {} too: they would then call anyhook, and twice where they have entries of their own",
            others.join(", ")
        ));
    }
    notes.extend(approves(host, settings));
    notes.extend(wanted.how.server.and_then(|port| posted(host, port)));
    notes
}

/// Says what posted entries need, and what is lost by them.
fn posted(host: &Host, port: u16) -> Option<String> {
    let posts = host.facts().posts?;
    Some(format!(
        "{} are posted to `anyhook serve` on port {port}: keep it running (anyhook serve --open), make a token (anyhook serve \
         --token {}) and set {TOKEN} to it where the agent starts. Without the server or the token a version that knows \
         `onFailure` blocks what a hook could block, and an older one asks no hook",
        posts.events.join(", "),
        host.id(),
    ))
}

/// Says at which of the events that get an entry the agent takes silence for an approval.
fn approves(host: &Host, settings: &Settings) -> Option<String> {
    let rows = host.rows().iter();
    let names: Vec<&str> = rows
        .filter(|row| row.neutral() == Neutral::Allow && settings.has(row.name))
        .map(|row| row.name)
        .collect();
    (!names.is_empty()).then(|| {
        format!(
            "nothing to say is an approval at {}: what no hook decides about, {} runs without asking you",
            names.join(", "),
            host.id()
        )
    })
}

/// Returns the folders that have to be made for a file, the innermost first.
pub(super) fn missing_folders(path: &Path) -> Vec<PathBuf> {
    let above = path.ancestors().skip(1);
    above
        .take_while(|folder| !folder.exists())
        .map(Path::to_owned)
        .collect()
}
