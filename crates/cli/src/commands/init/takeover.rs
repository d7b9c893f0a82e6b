//! `anyhook init --from`: the hooks of an agent go out of its file and into a hooks.json.

use std::path::Path;

use anyhook::files;
use anyhook::survey::{LayerFile, Survey};
use anyhook::trust::{PinStatus, Trust};
use anyhook::wires::native_files::NativeFormat;
use anyhook::wires::settings::Scope;
use anyhook::world::World;

use super::super::convert::HookFormat;
use super::super::install::{all, installer, short, this_program};
use super::super::trust;
use super::{first_cases, is_there, said, write};
use crate::error::{self, CliError};
use crate::exit::Exit;
use crate::person;
use crate::ui::{self, paint, visible};

/// Takes the hooks of one scope over into a manifest that is not there yet, if the person wants it: what guards an agent is
/// not changed by a machine.
pub(super) fn run(
    from: HookFormat,
    scope: Scope,
    manifest: &Path,
    world: &World,
) -> Result<Exit, CliError> {
    let HookFormat::Agent(format) = from else {
        let what = "--from takes the name of an agent";
        let help = "a hooks.json is universal already: anyhook check";
        return Err(CliError::new(Exit::Usage, what).help(help));
    };
    if manifest.symlink_metadata().is_ok() {
        let help = format!(
            "print the agent's hooks as universal ones, and copy them into it: anyhook init --from {} --to universal FILE",
            format.host
        );
        return Err(is_there(manifest).help(help));
    }
    person::is_there("anyhook init --from")?;
    person::proves(world)?;
    let program = this_program()?;
    let installer = installer(world, &program);
    let found = installer.plan_takeover(format, scope);
    let Some(takeover) = found.map_err(|error| all(&[error]))? else {
        return Err(nothing_to_take(format, scope, world));
    };
    let file = visible(&short(&takeover.file, world));
    if scope == Scope::Project && !takeover.file.starts_with(files::real(&world.cwd)) {
        let what = format!(
            "the hooks of `{}` stand in `{file}`, above this folder",
            format.host
        );
        return Err(CliError::new(Exit::Usage, what).help("type it in the project's own folder"));
    }
    for lost in &takeover.lost {
        let what = format!("{file}:{}: {}", lost.at.line, lost.what);
        ui::err(&ui::remark(ui::ASK, "lost", &what));
    }
    for kept in &takeover.kept {
        let what = format!(
            "a hook of type {} on {} stays in {file}",
            kept.kind, kept.event
        );
        ui::err(&ui::remark(ui::ASK, "note", &what));
    }
    write(manifest, &takeover.hooks)?;
    said(Path::new("."), &short(manifest, world))?;
    ui::out(&format!(
        "\nThese hooks go out of {file}, and Anyhook asks them, under every agent. `anyhook uninstall` puts them back.\n"
    ))?;
    let trust = Trust::of(error::places(world)?);
    let was = trust.standing(&takeover.file);
    let agreed = if scope == Scope::Project {
        trust::ask(&trust, manifest, world.clock.now())? == Exit::Done
    } else {
        person::is_yes(&person::ask("Take them over? [y/N] ")?)
    };
    if !agreed {
        std::fs::remove_file(manifest).map_err(|error| CliError::unwritable(manifest, error))?;
        ui::out("nothing was taken over, and the new hooks.json is gone again\n")?;
        return Ok(Exit::Negative);
    }
    installer
        .carry_out(&takeover.plan)
        .map_err(|error| twice(&error, &file))?;
    // What is left of it was trusted with what went out of it. The copy that holds both would run on.
    let again = || {
        trust.pin(&takeover.file, world.clock.now())?;
        trust.record(&takeover.file)
    };
    let is_kept = match was {
        PinStatus::Trusted => again().is_ok(),
        PinStatus::Changed(_) => false,
        PinStatus::Never(_) | PinStatus::Unreadable(_) => true,
    };
    if !is_kept {
        let note =
            "what you trusted of it runs on, beside hooks.json, until you type: anyhook trust";
        ui::err(&ui::remark(ui::ASK, "note", &format!("{file}: {note}")));
    }
    ui::out(&format!("{}  {file}\n", paint(ui::PASS, "changed")))?;
    if scope == Scope::Project {
        first_cases(&world.cwd, Path::new("."))?;
    }
    Ok(Exit::Done)
}

/// Says what else can be done with the hooks of an agent: a file that `install` would not write stays as it is.
fn nothing_to_take(format: &'static NativeFormat, scope: Scope, world: &World) -> CliError {
    let host = format.host;
    let what = format!("no hooks of `{host}` here that can be taken over");
    let is_of_host = |file: &LayerFile| {
        let of_file = NativeFormat::of_file(&file.file);
        file.is_there() && of_file.is_some_and(|(found, _)| found.host == host)
    };
    let mut files = Survey::of(world, "").files.into_iter();
    let file = files.find(|file| scope == Scope::Project && is_of_host(file));
    let help = match file.map(|file| visible(&short(&file.file, world))) {
        None => "leave --from out; with --user it takes your own hooks over".to_owned(),
        Some(file) => format!(
            "those of {file} run as they are under your other agents after: anyhook trust\n\
             or print them as a hooks.json, and take them out of that file: \
             anyhook init --from {host} --to universal {file}"
        ),
    };
    CliError::new(Exit::NoInput, what).help(help)
}

/// Says what is left to do where the agent's file could not be changed.
fn twice(error: &anyhook::install::InstallError, file: &str) -> CliError {
    let what = format!(
        "{file} still has the hooks, and hooks.json has them too: {}",
        error.chain()
    );
    CliError::new(Exit::CannotCreate, what)
        .help("remove hooks.json, mend the cause, and try again: else they run twice")
}
