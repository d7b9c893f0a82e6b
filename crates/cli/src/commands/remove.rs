//! `anyhook add --remove`: takes a package away that was added, and its line of the lock file.

use std::path::PathBuf;

use anyhook::packages::PackageState;
use anyhook::trust::Trust;
use anyhook::world::World;

use super::add::{self, AddArgs};
use crate::error::CliError;
use crate::exit::Exit;
use crate::packages;
use crate::person;
use crate::ui;

/// Removes a package, its line in the lock file, and the trust in it. Everything else stays as it is, byte for byte.
pub(super) fn run(name: &str, args: &AddArgs) -> Result<Exit, CliError> {
    person::no_agent_above("anyhook add --remove")?;
    let world = World::real();
    let packages = packages::of(args.user, &world)?;
    let state = packages.state(name).map_err(packages::problem)?;
    let Some(state) = state else {
        return Err(add::no_package(name, &packages));
    };
    if state == PackageState::Differs && !args.force {
        let what =
            format!("the files of `{name}` were changed since it was added, so it is not removed");
        let help =
            format!("anyhook add --remove {name} --force removes it, and the changes are lost");
        return Err(CliError::new(Exit::Negative, what).help(help));
    }
    let package = packages.folder().join(name);
    let mut pinned: Vec<PathBuf> = Vec::new();
    let trust = world.places.as_ref().map(Trust::of);
    if let Some(trust) = &trust {
        pinned = packages.manifests(name);
        pinned.extend(trust.packages(packages.folder()));
        let is_pinned = |file: &PathBuf| !matches!(trust.is_pinned(file), Ok(false));
        pinned.retain(|file| file.starts_with(&package) && is_pinned(file));
    }
    if !pinned.is_empty() {
        // To remove it forgets the trust in it, which a person alone may do.
        person::is_there("anyhook add --remove")?;
    }
    packages.remove(name).map_err(packages::problem)?;
    for (trust, file) in trust
        .iter()
        .flat_map(|trust| pinned.iter().map(move |file| (trust, file)))
    {
        trust.forget(file).map_err(|error| {
            let what = format!("`{name}` is removed, and the trust in it could not be forgotten");
            let help = format!("anyhook trust --forget {}", packages::shown(file, &world));
            CliError::new(Exit::CannotCreate, what)
                .because(error)
                .help(help)
        })?;
    }
    ui::done(&format!("removed: {name}\n"))
}
