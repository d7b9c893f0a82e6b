//! Manifests that a person trusted for a folder or one above it, even if they are gone now.

use std::path::{Path, PathBuf};

use anyhook_wires::native_files::NativeFormat;

use super::finds::Finds;
use super::{Left, PLUGINS, Search, locals_of, manifests_of, named, names_of_hosts, of_native};
use crate::files::links;
use crate::layers::PACKAGES;
use crate::load::Layer;
use crate::trust::{Pins, Trust};

impl Finds {
    /// Adds every manifest that was trusted for these folders or for one above, and every package of the person, whatever
    /// stands between: a guard must not end by being deleted, by a nearer manifest, or by a repository that is made around the
    /// agent.
    pub(super) fn add_pinned(&mut self, search: &Search<'_>, trust: &Trust) {
        let home = search.world.home();
        let packages = home.map(|home| trust.packages(&home.join(PACKAGES.1)));
        if !trust.is_empty() {
            self.add_pinned_here(search, trust);
        }
        self.add_packages(packages.unwrap_or_default());
    }

    fn add_pinned_here(&mut self, search: &Search<'_>, trust: &Trust) {
        let pins = trust.pins();
        let mut seen: Vec<PathBuf> = Vec::new();
        for project in search.projects {
            let left = Left::of(search.world, project, search.host);
            // A project that became a link was another folder when its hooks were trusted.
            let names = links::names(project);
            for folder in names.iter().flat_map(|name| name.ancestors()) {
                if !seen.iter().any(|other| other == folder) {
                    seen.push(folder.to_owned());
                    self.add_pinned_of(folder, &pins, &left);
                }
            }
            for file in trust.of_worktree(project, candidates) {
                self.add(file, Layer::Project);
            }
            // A file of a folder of hooks that is gone is in no list of that folder; the pins know its name.
            for file in pins.manifests() {
                let Some((format, folder)) = NativeFormat::of_file(file) else {
                    continue;
                };
                let name = file.strip_prefix(&folder).unwrap_or(file);
                let is_ours = left.is_ours(format, &name.to_string_lossy());
                let above = folder.parent().filter(|above| above.ends_with(PLUGINS));
                let project = above.and_then(|above| above.ancestors().nth(2));
                let is_inside = |folder: &Path| names.iter().any(|name| name.starts_with(folder));
                if is_ours && is_inside(project.unwrap_or(&folder)) {
                    self.add(file.to_owned(), Layer::Project);
                }
            }
        }
    }

    /// Adds what was trusted in one folder.
    fn add_pinned_of(&mut self, folder: &Path, pins: &Pins, left: &Left<'_>) {
        let own = manifests_of(folder).map(|file| (file, Layer::Project));
        let local = locals_of(folder).map(|file| (file, Layer::Local));
        for (file, layer) in own.chain(local).filter(|(file, _)| pins.holds(file)) {
            self.add(file, layer);
        }
        for (format, name) in names_of_hosts() {
            let mut files = named(folder, name);
            files.retain(|file| pins.holds(file) && left.is_ours(format, name));
            for file in files {
                self.add(file, of_native(name));
            }
        }
        self.add_packages(pins.packages(&folder.join(PACKAGES.0)));
    }

    /// Adds packages that were trusted, also those that are gone.
    fn add_packages(&mut self, trusted: Vec<PathBuf>) {
        for file in trusted {
            self.add(file, Layer::Package);
        }
    }
}

/// The files of a folder that may be manifests of a project.
fn candidates(folder: &Path) -> Vec<PathBuf> {
    manifests_of(folder).chain(locals_of(folder)).collect()
}
