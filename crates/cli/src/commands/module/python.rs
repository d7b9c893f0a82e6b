//! Modules in Python: Python validates them, where it has the package `anyhook`.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhook::mounts::{Catalogue, ModuleEntry, ModuleSource, MountErrorKind};
use anyhook::world::World;

use crate::error::CliError;
use crate::exit::Exit;
use crate::form::JsonFlag;

const ADVICE: &str = "install it from a checkout with `pip install ./bindings/python`, or name a Python that has it in `ANYHOOK_PYTHON`";

/// Tells whether an entry is a module in Python: a file of it, or a folder that is no package of hooks and holds a project.
pub(super) fn is_one(entry: &ModuleEntry, world: &World) -> bool {
    let Some(ModuleSource::Folder(folder)) = &entry.source else {
        return false;
    };
    if folder.is_file() {
        return folder.extension().is_some_and(|end| end == "py");
    }
    let holds = |name: &str| folder.join(name).is_file();
    let found = Catalogue::new(world.clone()).find(entry, Path::new(""));
    found.is_err_and(|error| error.reason == MountErrorKind::NotAModule)
        && (holds("pyproject.toml") || holds("__init__.py"))
}

/// Has Python validate a module; what it writes is written as it is.
pub(super) fn validate(
    folder: &Path,
    args: &super::validate::ValidateArgs,
    form: JsonFlag,
    world: &World,
) -> Result<Exit, CliError> {
    let python = world.var("ANYHOOK_PYTHON").unwrap_or("python3".as_ref());
    let shown = Path::new(python).display().to_string();
    let mut probe = Command::new(python);
    probe.args(["-c", "import anyhook"]).stdin(Stdio::null());
    let probed = probe.output().map_err(|error| {
        let what = format!("`{shown}` cannot be started, and Python validates modules in Python");
        CliError::new(Exit::Config, what)
            .help(ADVICE)
            .because(error)
    })?;
    if !probed.status.success() {
        let what = format!(
            "`{shown}` does not have the package `anyhook`, which validates modules in Python"
        );
        return Err(CliError::new(Exit::Config, what).help(ADVICE));
    }
    let mut command = Command::new(python);
    command
        .args(["-m", "anyhook", "module", "validate"])
        .arg(folder);
    command.args(["--type", &args.kind]);
    if form.is_json() {
        command.args(["--output", "json"]);
    }
    let status = command.status().map_err(|error| {
        CliError::new(Exit::Io, format!("`{shown}` cannot be started")).because(error)
    })?;
    Ok(match status.code() {
        Some(0) => Exit::Done,
        Some(1) => Exit::Negative,
        _ => Exit::Data,
    })
}
