//! Hosts that run one executable file per event.

use std::path::Path;

use anyhook_wires::settings::command;

use super::plan::{Wanted, missing_folders};
use super::record::Before;
use super::target::Target;
use super::{Adopted, Adopting, Change, InstallError, Installer, Keeping};

impl Installer<'_> {
    /// Plans a script for each event, in every folder of the host that somebody uses, else in the first.
    pub(super) fn scripts(&self, wanted: &Wanted<'_>) -> Result<Vec<Change>, InstallError> {
        let (host, settings) = (wanted.host, wanted.settings);
        let mut folders = Vec::new();
        for file in settings.files_of(wanted.scope, self.os) {
            let folder = self.expand(settings, file.path)?;
            folders.push((file, folder.parent().is_some_and(Path::exists)));
        }
        let used = folders.iter().any(|(_, used)| *used);
        let folders = folders.into_iter().filter(|(_, is)| *is || !used);
        let folders: Vec<_> = folders.take(if used { usize::MAX } else { 1 }).collect();
        if folders.is_empty() {
            let (host, scope) = (host.id(), wanted.scope);
            return Err(InstallError::NoScope { host, scope });
        }
        let rows = host.rows().iter();
        let rows = rows.filter(|row| settings.has(row.name));
        let pairs = rows.flat_map(|row| folders.iter().map(move |(file, _)| (*file, row)));
        pairs
            .map(|(file, row)| {
                let text = command::script(host, row, wanted.program);
                self.script_change(wanted, self.script(settings, file, row.name)?, text)
            })
            .collect()
    }

    fn script_change(
        &self,
        wanted: &Wanted<'_>,
        target: Target,
        text: String,
    ) -> Result<Change, InstallError> {
        let record = self.record(&target.path)?;
        let is_ours = target.text().is_ok_and(is_our_script);
        let is_foreign = target.bytes.is_some() && !is_ours;
        let mut adopted = None;
        if is_foreign && wanted.adopting == Adopting::No {
            let what = "is a hook already, and the host runs only one: move it to us with --adopt";
            return Err(InstallError::Unfit {
                path: target.path,
                what,
            });
        }
        if is_foreign {
            let path = self.adopted_path(wanted.host, &target)?;
            adopted = Some(Adopted {
                path,
                after: target.bytes.clone(),
            });
        }
        let known = record.filter(|record| {
            target
                .bytes
                .as_deref()
                .is_some_and(|bytes| record.wrote(bytes))
        });
        let (before, folders, was) = match known {
            Some(record) => {
                let before = match self.before(&record) {
                    Before::Known(before) => before,
                    Before::Lost => None,
                };
                (before, record.folders, record.adopted)
            }
            None if is_foreign => (target.bytes.clone(), Vec::new(), None),
            None => (None, missing_folders(&target.path), None),
        };
        let place = adopted.as_ref().map(|adopted| adopted.path.clone()).or(was);
        Ok(Change {
            host: wanted.host.id(),
            scope: wanted.scope,
            path: target.path,
            before: target.bytes,
            after: Some(text.into_bytes()),
            entries: 1,
            kept: Vec::new(),
            notes: Vec::new(),
            file: target.file,
            executable: true,
            restored: false,
            adopted,
            record: Keeping::Write {
                before,
                adopted: place,
                folders,
            },
        })
    }
}

/// Tells whether a script does nothing but call us.
pub(super) fn is_our_script(text: &str) -> bool {
    text.strip_prefix("#!/bin/sh\n")
        .is_some_and(command::is_ours)
}
