//! The plan of an uninstallation: the changes that it would make. Nothing here writes.

use anyhook_wires::Host;
use anyhook_wires::hosts::HOSTS;
use anyhook_wires::settings::edit::{self, SettingsForm};
use anyhook_wires::settings::{Scope, Settings};

use super::record::{InstallRecord, PreviousContent};
use super::sandbox::files_of;
use super::target::{TargetFile, read};
use super::{InstallError, InstallPlan, Installer, Obstacle, PlannedChange, RecordStep};

/// What a person should know of hooks that were taken over.
const BACK: &str = "its own hooks are back, and the hooks.json that took them over has them too: remove them there before you \
                    install again, or they run twice";

impl Installer<'_> {
    /// Plans to take the entries of one host, or of all, out of the settings of a scope, or of all but the managed one: every file that we have a record of, and those
    /// of this project and this person that hold an entry of ours.
    ///
    /// All errors are returned at once. A file that we have no record of and that cannot be read is no error: most likely
    /// nothing of ours is in it. It is named among the skipped.
    pub fn plan_undo(
        &self,
        which: Option<&'static Host>,
        scope: Option<Scope>,
    ) -> Result<InstallPlan, Vec<InstallError>> {
        let mut plan = InstallPlan::default();
        let mut errors = Vec::new();
        let records = self.records().map_err(|error| vec![error])?;
        // What holds for every user of the machine is taken out by those who say so.
        let is_meant = |of: Scope| scope.map_or(of != Scope::Managed, |scope| scope == of);
        let is_in_scope =
            |record: &&InstallRecord| record.scope().map_or(scope.is_none(), is_meant);
        let records: Vec<&InstallRecord> = records.iter().filter(is_in_scope).collect();
        for host in HOSTS.iter().copied() {
            let is_meant = which.is_none_or(|one| one.id() == host.id());
            let Some(settings) = host.facts().settings.filter(|_| is_meant) else {
                continue;
            };
            for record in records.iter().filter(|record| record.host == host.id()) {
                match self.recorded(host, settings, record) {
                    Ok(change) => plan.changes.extend(change),
                    // The entries of hooks go all the same.
                    Err(error) if error.obstacle == Obstacle::OtherSandbox => {
                        plan.skip(host, format!("{error}: {}", error.help()));
                    }
                    Err(error) => errors.push(error),
                }
            }
            for found in self.unrecorded(host, scope, &records) {
                match found {
                    Ok(change) => plan.changes.extend(change),
                    Err(error) => plan.skip(host, error.chain()),
                }
            }
        }
        errors.is_empty().then_some(plan).ok_or(errors)
    }

    /// Tells whether entries of ours stand in the settings of a host, in any scope. Nothing runs.
    pub fn is_asked_by(&self, host: &'static Host) -> bool {
        let targets = self.targets(host, Scope::ALL.into_iter()).into_iter();
        targets.flatten().any(|target| target.is_ours())
    }

    fn recorded(
        &self,
        host: &'static Host,
        settings: &'static Settings,
        record: &InstallRecord,
    ) -> Result<Option<PlannedChange>, InstallError> {
        let mut files = settings.files.iter().chain(files_of(host.id()));
        let Some(file) = files.find(|file| file.path == record.named) else {
            return Ok(None);
        };
        let path = record.path.clone();
        if path.canonicalize().is_ok_and(|real| real != path) {
            let what = "leads somewhere else than when it was written";
            return Err(InstallError::unfit(&path, what));
        }
        let target = TargetFile {
            host,
            form: SettingsForm { settings, file },
            bytes: read(&path)?,
            path,
        };
        self.undo_file(target, Some(record))
    }

    fn unrecorded(
        &self,
        host: &'static Host,
        scope: Option<Scope>,
        records: &[&InstallRecord],
    ) -> Vec<Result<Option<PlannedChange>, InstallError>> {
        let is_meant = |one: &Scope| scope.map_or(*one != Scope::Managed, |scope| scope == *one);
        let targets = self.targets(host, Scope::ALL.into_iter().filter(is_meant));
        let is_known =
            |target: &TargetFile| records.iter().any(|record| record.path == target.path);
        let changes = targets.into_iter().filter_map(|target| match target {
            Ok(target) if is_known(&target) => None,
            Ok(target) => Some(self.undo_file(target, None)),
            // The person did not ask about a project: standing at home is nothing to tell.
            Err(error) if error.obstacle == Obstacle::AtHome && scope.is_none() => None,
            Err(error) => Some(Err(error)),
        });
        changes.collect()
    }

    /// Opens every file of these scopes in which entries of ours may stand.
    fn targets(
        &self,
        host: &'static Host,
        scopes: impl Iterator<Item = Scope>,
    ) -> Vec<Result<TargetFile, InstallError>> {
        let Some(settings) = host.facts().settings else {
            return Vec::new();
        };
        let names = settings.own_files(host);
        let names = names.map_or_else(|| vec![None], |names| names.into_iter().map(Some).collect());
        let files = scopes.flat_map(|scope| settings.files_of(scope, self.os));
        let targets = files.flat_map(|file| {
            let form = SettingsForm { settings, file };
            names.iter().map(move |name| self.open(host, form, *name))
        });
        targets.collect()
    }

    fn undo_file(
        &self,
        target: TargetFile,
        record: Option<&InstallRecord>,
    ) -> Result<Option<PlannedChange>, InstallError> {
        let is_script = target.is_script();
        let untouched = match (record, &target.bytes) {
            (Some(record), Some(bytes)) if record.wrote(bytes) => self.before(record),
            _ => PreviousContent::Lost,
        };
        let is_restored = matches!(untouched, PreviousContent::Known(_));
        let after = match untouched {
            PreviousContent::Known(before) => before,
            PreviousContent::Lost if is_script => {
                target.bytes.clone().filter(|_| !target.is_ours())
            }
            PreviousContent::Lost => self.text_without(&target, record)?,
        };
        if record.is_none() && after == target.bytes {
            return Ok(None);
        }
        let folders = record.map(|record| record.folders.clone());
        let taken = record.and_then(|record| record.taken.as_ref());
        let notes = taken.map(|_| BACK.to_owned()).into_iter().collect();
        let step = RecordStep::Remove(folders.unwrap_or_default());
        Ok(Some(PlannedChange {
            notes,
            is_script,
            is_restored,
            ..target.change(after, step)
        }))
    }

    /// Takes what is ours out of a text that others wrote in too, and puts back what was taken over to us.
    fn text_without(
        &self,
        target: &TargetFile,
        record: Option<&InstallRecord>,
    ) -> Result<Option<Vec<u8>>, InstallError> {
        let form = target.form;
        let failed = |source| target.unedited(source);
        let mut text = edit::remove(&self.without_rows(target)?, form).map_err(failed)?;
        if let Some(taken) = record.and_then(|record| record.taken.as_deref()) {
            text = edit::put_back(&text, form, taken).map_err(failed)?;
        } else if target.bytes.is_none() {
            return Ok(None);
        }
        let is_ours_alone =
            record.is_some_and(|record| record.before.is_none()) && edit::is_empty(&text, form);
        Ok((!is_ours_alone).then(|| text.into_bytes()))
    }
}
