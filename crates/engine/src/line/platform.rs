//! The start of a session: writes what this platform can do for the packages of a project.

use std::path::{Path, PathBuf};

use anyhook_core::event::Event;
use anyhook_core::events;

use super::{Caller, Line};
use crate::layers::PACKAGES;
use crate::load::{self, Layer};
use crate::platform::{Folder, of_host, write};
use crate::trust::{Standing, Trust};

/// The mark of a session that has it.
pub(super) const MARK: &str = "anyhook:platform-capabilities";

impl Line<'_> {
    /// Returns the nearest project with a folder for packages, at the start of a session. Only where the person trusts
    /// something of that project: an agent must not have a file written by walking there.
    pub(super) fn platform_to_tell(&self, event: &Event) -> Option<PathBuf> {
        if event.name.as_str() != events::SESSION_START || self.caller != Caller::Host {
            return None;
        }
        let projects = self.projects(Some(event));
        let project = projects.iter().find_map(|folder| with_packages(folder))?;
        self.trusts_in(&project, &projects).then_some(project)
    }

    /// Writes the facts of the host that calls into a project. Returns what went wrong; it changes no answer.
    pub(super) fn tell_platform(&self, project: &Path) -> Option<String> {
        let error = write(project, &of_host(self.host), Folder::Wanted).err()?;
        let why = crate::files::with_causes(&error);
        Some(format!(
            "the packages here were not told what there is: {why}"
        ))
    }

    /// Tells whether a file of this project, or of a package in it, is trusted as it is now.
    fn trusts_in(&self, project: &Path, projects: &[PathBuf]) -> bool {
        let Some(places) = &self.world.places else {
            return false;
        };
        let trust = Trust::of(places);
        let (found, _) = self.all_found(projects, self.trust(projects).as_ref());
        let real = |path: &Path| path.canonicalize().ok();
        let root = real(project);
        let mut of_project = found.iter().filter(|found| {
            let is_of_project = match found.layer {
                Layer::Project | Layer::Local | Layer::Package => true,
                Layer::Managed | Layer::User | Layer::Named => false,
            };
            let file = real(&found.file);
            is_of_project
                && file
                    .zip(root.as_deref())
                    .is_some_and(|(file, root)| file.starts_with(root))
        });
        of_project.any(|found| trust.standing(&found.file) == Standing::Trusted)
    }
}

/// Finds the nearest folder up to the root of the repository that has packages.
fn with_packages(project: &Path) -> Option<PathBuf> {
    let walk = load::upwards(project);
    let mut folders = walk.into_iter();
    let found = folders.find(|folder| folder.join(PACKAGES.0).symlink_metadata().is_ok())?;
    Some(found.to_owned())
}
