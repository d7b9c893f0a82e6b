//! What a command of a host's own file is given, as its host would: the shell, and variables.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhook_core::hook::Hook;
use anyhook_wires::native_files::{NativeFormat, VariableContent};

use crate::load::ManifestFormat;
use crate::processes::system_program;
use crate::runners::RunnerRequest;

/// Returns the shell that reads a hook's command line.
pub(super) fn shell(hook: &Hook) -> PathBuf {
    let named = format(hook).and_then(|format| system_program(format.shell));
    named.unwrap_or_else(|| PathBuf::from("/bin/sh"))
}

/// Returns the variables that the host of a hook's file sets. `package` and `project` are the folders that were trusted,
/// where they were: a command starts from what a person looked at.
pub(super) fn variables(
    asking: &RunnerRequest<'_>,
    package: &Path,
    project: &Path,
) -> Vec<(&'static str, OsString)> {
    let all = format(asking.hook).map_or(&[][..], |format| format.variables);
    let value = |variable: &VariableContent| match variable {
        VariableContent::Project => project.into(),
        VariableContent::Package => package.into(),
        VariableContent::Cwd => {
            let cwd = asking.event.text("cwd");
            let cwd = cwd.filter(|cwd| !cwd.contains('\0'));
            cwd.map_or_else(|| project.into(), |cwd| OsString::from(&*cwd))
        }
        VariableContent::Session => {
            let session = asking.event.session().unwrap_or_default();
            session.replace('\0', "").into()
        }
        VariableContent::Text(text) => (*text).into(),
    };
    let is_settings = is_settings(asking.hook);
    let set = all
        .iter()
        .filter(|(_, variable)| !is_settings || *variable != VariableContent::Package);
    set.map(|(name, variable)| (*name, value(variable)))
        .collect()
}

/// Tells whether a hook stands in the settings of a host, which belong to no package.
pub(in crate::runners) fn is_settings(hook: &Hook) -> bool {
    let Some(source) = &hook.info.source else {
        return false;
    };
    let file = Path::new(&*source.file);
    match (NativeFormat::of_file(file), ManifestFormat::of(file)) {
        // Some hosts keep a folder of packages in a project.
        (Some((_, project)), _) => NativeFormat::package_of(file).is_none_or(|of| of == project),
        (None, ManifestFormat::Native(..)) => true,
        (None, ManifestFormat::Universal) => false,
    }
}

fn format(hook: &Hook) -> Option<&'static NativeFormat> {
    NativeFormat::of_host(&hook.speaks.as_deref()?.host)
}
