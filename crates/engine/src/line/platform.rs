//! At the start of a session: what this platform can do, for the packages of a project that has some.

use std::path::{Path, PathBuf};

use anyhook_core::event::Event;
use anyhook_core::events;

use super::remember::Memory;
use super::{Caller, Line};
use crate::layers::PACKAGES;
use crate::load::{self, Layer};
use crate::platform::{Folder, Wrote, of_host, write};
use crate::trust::{Standing, Trust};

/// The mark of a session that has it.
const MARK: &str = "anyhook:platform-capabilities";

impl Line<'_> {
    /// Writes the facts of the host that calls into the nearest project with a folder for packages, once in a session.
    /// Only where the person trusts something of that project: an agent must not have a file written by walking there.
    /// What goes wrong is told, and changes no answer.
    pub(super) fn tell_platform(&self, event: &Event, memory: &mut Memory<'_>) {
        if event.name.as_str() != events::SESSION_START || self.caller != Caller::Host {
            return;
        }
        let projects = self.projects(Some(event));
        let Some(project) = projects.iter().find_map(|folder| with_packages(folder)) else {
            return;
        };
        if !self.trusts_in(&project, &projects) || !memory.first_of_session(MARK) {
            return;
        }
        match write(&project, &of_host(self.host), Folder::Wanted) {
            Ok(Wrote::Yes | Wrote::Same | Wrote::NoFolder) => {}
            Err(error) => {
                let why = crate::files::with_causes(&error);
                memory.tell(vec![format!(
                    "the packages here were not told what there is: {why}"
                )]);
            }
        }
    }

    /// Tells whether a file of this project, or of a package in it, is trusted as it is now.
    fn trusts_in(&self, project: &Path, projects: &[PathBuf]) -> bool {
        let Some(places) = &self.world.places else {
            return false;
        };
        let trust = Trust::of(places);
        let (found, _) = self.all_found(projects);
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
