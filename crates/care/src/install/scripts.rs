//! Hosts that run one executable file per event.

use std::path::Path;

use anyhook_wires::settings::command;

use super::plan::{Wanted, missing_folders};
use super::target::Target;
use super::{Change, InstallError, Installer, Keeping};

impl Installer<'_> {
    /// Plans a script for each event, in every folder of the host that is in use, else in the first.
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
                let target = self.script(settings, file, row.name)?;
                let there = target.text().ok().filter(|text| is_our_script(text));
                let program = wanted.program(there.map(str::to_owned).into_iter());
                let text = command::script(host, row, program);
                self.script_change(wanted, target, text)
            })
            .collect()
    }

    fn script_change(
        &self,
        wanted: &Wanted<'_>,
        target: Target,
        text: String,
    ) -> Result<Change, InstallError> {
        let is_ours = target.text().is_ok_and(is_our_script);
        if target.bytes.is_some() && !is_ours {
            let what = "is a hook already, and the host runs only one";
            return Err(InstallError::Unfit {
                path: target.path,
                what,
            });
        }
        let record = self.record(&target.path)?;
        let bytes = target.bytes.as_deref();
        let known = record.filter(|record| bytes.is_some_and(|bytes| record.wrote(bytes)));
        let folders = known.map_or_else(|| missing_folders(&target.path), |record| record.folders);
        let record = Keeping::Write {
            before: None,
            taken: None,
            folders,
        };
        Ok(Change {
            entries: 1,
            executable: true,
            ..target.change(wanted.host.id(), Some(text.into_bytes()), record)
        })
    }
}

/// Tells whether a script does nothing but call us.
pub(super) fn is_our_script(text: &str) -> bool {
    text.strip_prefix("#!/bin/sh\n")
        .is_some_and(command::is_ours)
}
