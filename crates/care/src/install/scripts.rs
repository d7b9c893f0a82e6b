//! Hosts that run one executable file per event, and those that load a plugin of ours.

use std::path::Path;

use anyhook_wires::settings::command;
use anyhook_wires::settings::edit::SettingsForm;

use super::plan::{InstallRequest, missing_folders};
use super::target::TargetFile;
use super::{InstallError, Installer, Original, PlannedChange, RecordStep};

/// The files of our plugins, as they are called where agents load them.
const SHIPPED: &[(&str, &str)] = &[
    (
        "anyhook-plugin.js",
        include_str!("../../clients/opencode/anyhook-plugin.js"),
    ),
    (
        "index.ts",
        include_str!("../../clients/pi/anyhook-extension.js"),
    ),
    (
        "anyhook-amp.ts",
        include_str!("../../clients/amp/anyhook-plugin.ts"),
    ),
    (
        "anyhook.mjs",
        include_str!("../../clients/typescript/anyhook.mjs"),
    ),
];

/// How each of them begins, in any version.
const BEGINS: &[&str] = &[
    "// Anyhook for ",
    "// @ts-check\n// A client of `anyhook serve`",
];

impl Installer<'_> {
    /// Plans a script for each event, in every folder of the host that is in use, else in the first.
    pub(super) fn scripts(
        &self,
        wanted: &InstallRequest<'_>,
    ) -> Result<Vec<PlannedChange>, InstallError> {
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
            return Err(wanted.no_scope());
        }
        let names = settings.own_files(host).unwrap_or_default();
        let loaded = names.first().copied();
        let names = names.into_iter().filter(|name| settings.has(name));
        let pairs = names.flat_map(|name| folders.iter().map(move |(file, _)| (*file, name)));
        pairs
            .map(|(file, name)| {
                let target = self.open(host, SettingsForm { settings, file }, Some(name))?;
                let there = target.text().ok().filter(|text| is_our_script(text));
                let program = wanted.program(there.map(str::to_owned).into_iter());
                let row = host.row(name);
                let (text, entries) = match SHIPPED.iter().find(|(shipped, _)| *shipped == name) {
                    // The first file is the one that is loaded.
                    Some((_, text)) if loaded == Some(name) => {
                        ((*text).to_owned(), host.rows().len())
                    }
                    Some((_, text)) => ((*text).to_owned(), 0),
                    None => {
                        let script = row.map(|row| command::script(host, row, program));
                        (script.unwrap_or_default(), 1)
                    }
                };
                let change = self.script_change(target, text)?;
                Ok(PlannedChange { entries, ..change })
            })
            .collect()
    }

    fn script_change(
        &self,
        target: TargetFile,
        text: String,
    ) -> Result<PlannedChange, InstallError> {
        if target.bytes.is_some() && !target.is_ours() {
            let what = "is a hook already, and the host runs only one";
            return Err(InstallError::unfit(&target.path, what));
        }
        let bytes = target.bytes.as_deref();
        let record = self.record(&target.path)?;
        let known = record.filter(|record| bytes.is_some_and(|bytes| record.wrote(bytes)));
        let original = Original {
            folders: known.map_or_else(|| missing_folders(&target.path), |record| record.folders),
            ..Original::default()
        };
        Ok(PlannedChange {
            is_script: true,
            ..target.change(Some(text.into_bytes()), RecordStep::Write(original))
        })
    }
}

/// Tells whether a script does nothing but call us, or a file is one of our plugins.
pub(crate) fn is_our_script(text: &str) -> bool {
    let script = text.strip_prefix("#!/bin/sh\n");
    BEGINS.iter().any(|begin| text.starts_with(begin)) || script.is_some_and(command::is_ours)
}
