//! What uninstalling would write. Nothing here writes.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhook_wires::Host;
use anyhook_wires::hosts::HOSTS;
use anyhook_wires::settings::edit;
use anyhook_wires::settings::{Scope, Settings, SettingsFile, Shape};

use super::record::{Before, Record};
use super::scripts::is_our_script;
use super::target::{Target, read};
use super::{Adopted, Change, InstallError, Installer, Keeping, Plan, Which};

impl Installer<'_> {
    /// Plans to take our entries out of the settings of a scope, or of all: every file that we have a record of, and those
    /// of this project and this person that hold an entry of ours. All errors are returned at once.
    pub fn plan_undo(&self, which: Which, scope: Option<Scope>) -> Result<Plan, Vec<InstallError>> {
        let records = self.records().map_err(|error| vec![error])?;
        let mut plan = Plan::default();
        let mut errors = Vec::new();
        for host in HOSTS.iter().copied() {
            let is_meant = match which {
                Which::All => true,
                Which::One(one) => one.id() == host.id(),
            };
            let Some(settings) = host.settings().filter(|_| is_meant) else {
                continue;
            };
            let records = records.iter().filter(|record| record.host == host.id());
            let records: Vec<&Record> = records
                .filter(|record| scope.is_none() || record.scope() == scope)
                .collect();
            for change in self.undo_host(host, settings, scope, &records) {
                match change {
                    Ok(change) => plan.changes.extend(change),
                    Err(error) => errors.push(error),
                }
            }
        }
        if errors.is_empty() {
            Ok(plan)
        } else {
            Err(errors)
        }
    }

    fn undo_host(
        &self,
        host: &'static dyn Host,
        settings: &'static Settings,
        scope: Option<Scope>,
        records: &[&Record],
    ) -> Vec<Result<Option<Change>, InstallError>> {
        let mut done: Vec<PathBuf> = Vec::new();
        let mut all = Vec::new();
        for record in records {
            let mut files = settings.files.iter();
            let Some(file) = files.find(|file| file.path == record.named) else {
                continue;
            };
            let name = record.path.file_name().and_then(OsStr::to_str);
            let row = name.and_then(|name| host.rows().iter().find(|row| row.name == name));
            let event = row
                .map(|row| row.name)
                .filter(|_| settings.shape == Shape::Scripts);
            done.push(record.path.clone());
            let bytes = read(&record.path);
            all.push(bytes.and_then(|bytes| {
                let target = Target {
                    file,
                    path: record.path.clone(),
                    event,
                    bytes,
                };
                self.undo_file(host, settings, target, Some(record))
            }));
        }
        let scopes = Scope::ALL
            .into_iter()
            .filter(|one| scope.is_none_or(|scope| scope == *one));
        for file in scopes.flat_map(|scope| settings.files_of(scope, self.os)) {
            for target in self.targets(host, settings, file) {
                match target {
                    Ok(target) if done.contains(&target.path) => {}
                    Ok(target) => all.push(self.undo_file(host, settings, target, None)),
                    // Nobody asked about a project: standing at home is no reason to stop.
                    Err(InstallError::HomeIsNoProject { .. }) if scope.is_none() => {}
                    Err(error) => all.push(Err(error)),
                }
            }
        }
        all
    }

    fn targets(
        &self,
        host: &dyn Host,
        settings: &'static Settings,
        file: &'static SettingsFile,
    ) -> Vec<Result<Target, InstallError>> {
        if settings.shape == Shape::Scripts {
            let rows = host.rows().iter();
            return rows
                .map(|row| self.script(settings, file, row.name))
                .collect();
        }
        let path = self.expand(settings, file.path);
        vec![path.and_then(|path| self.open(file, path))]
    }

    fn undo_file(
        &self,
        host: &'static dyn Host,
        settings: &'static Settings,
        target: Target,
        record: Option<&Record>,
    ) -> Result<Option<Change>, InstallError> {
        let is_script = settings.shape == Shape::Scripts;
        let untouched = match (record, &target.bytes) {
            (Some(record), Some(bytes)) if record.wrote(bytes) => self.before(record),
            _ => Before::Lost,
        };
        let moved = self.moved(host, &target, record)?;
        let restored = matches!(untouched, Before::Known(_));
        let after = match untouched {
            Before::Known(before) => before,
            Before::Lost if is_script => script_without(&target),
            Before::Lost => text_without(settings, &target, record, moved.as_deref())?,
        };
        if record.is_none() && after == target.bytes {
            return Ok(None);
        }
        let folders = record
            .map(|record| record.folders.clone())
            .unwrap_or_default();
        Ok(Some(Change {
            host: host.id(),
            scope: target.file.scope,
            path: target.path,
            before: target.bytes,
            after,
            entries: 0,
            kept: Vec::new(),
            notes: Vec::new(),
            file: target.file,
            executable: is_script,
            restored,
            adopted: moved.map(|path| Adopted { path, after: None }),
            record: Keeping::Remove { folders },
        }))
    }
}

/// Takes our entries out of a text that somebody else wrote in too, and puts back what was moved to us.
fn text_without(
    settings: &'static Settings,
    target: &Target,
    record: Option<&Record>,
    moved: Option<&Path>,
) -> Result<Option<Vec<u8>>, InstallError> {
    let form = target.form(settings);
    let failed = |source| InstallError::Text {
        path: target.path.clone(),
        source,
    };
    let mut text = edit::remove(target.text()?, form).map_err(failed)?;
    if let Some(bytes) = moved.map(read).transpose()?.flatten() {
        let taken = String::from_utf8_lossy(&bytes);
        text = edit::put_back(&text, form, &taken).map_err(failed)?;
    } else if target.bytes.is_none() {
        return Ok(None);
    }
    let is_ours_alone = record.is_some_and(Record::made_it) && edit::is_empty(&text, form);
    Ok((!is_ours_alone).then(|| text.into_bytes()))
}

fn script_without(target: &Target) -> Option<Vec<u8>> {
    let is_ours = target.text().is_ok_and(is_our_script);
    target.bytes.clone().filter(|_| !is_ours)
}
