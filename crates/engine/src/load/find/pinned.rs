//! Manifests that a person trusted for a folder or one above it, even if they are gone now.

use std::path::{Path, PathBuf};

use anyhook_wires::native_files::NativeFormat;

use super::finds::ManifestFiles;
use super::{HostFileCheck, ManifestSearch, PLUGINS, locals_of, manifests_of, of_native};
use crate::files::links;
use crate::layers::{PACKAGES, packages_of};
use crate::load::Layer;
use crate::trust::Trust;

impl ManifestFiles {
    /// Adds every manifest that was trusted for these folders or for one above, and every package of the person, whatever
    /// stands between: a guard must not end by being deleted, by a nearer manifest, or by a repository that is made around the
    /// agent.
    pub(super) fn add_pinned(&mut self, search: &ManifestSearch<'_>, trust: &Trust) {
        let pins = trust.pinned();
        if pins.is_empty() {
            return;
        }
        for project in search.projects {
            let left = HostFileCheck::of(search.world, project, search.host);
            // A project that became a link was another folder when its hooks were trusted.
            let names = links::names(project);
            let is_above = |folder: &Path| names.iter().any(|name| name.starts_with(folder));
            for file in &pins {
                if let Some(layer) = layer_of(file, &left, &is_above) {
                    self.add(file.clone(), layer);
                }
            }
            let may_be = |folder: &Path| manifests_of(folder).chain(locals_of(folder)).collect();
            for file in trust.of_worktree(project, may_be) {
                self.add(file, Layer::Project);
            }
        }
        let own = search.world.home().map(|home| home.join(PACKAGES.1));
        let of_person = |file: &PathBuf| own.is_some() && packages_of(file) == own.as_deref();
        for file in pins.into_iter().filter(of_person) {
            self.add(file, Layer::Package);
        }
    }
}

/// Returns the layer of a manifest by its name alone, if it is one of a folder in or above the project.
fn layer_of(
    file: &Path,
    left: &HostFileCheck<'_>,
    is_above: &dyn Fn(&Path) -> bool,
) -> Option<Layer> {
    let is_of = |layer: &Layer| layer.folder_of(file).is_some_and(is_above);
    if let Some(layer) = [Layer::Project, Layer::Local].into_iter().find(is_of) {
        return Some(layer);
    }
    if let Some(packages) = packages_of(file) {
        let folder = packages.parent().filter(|_| packages.ends_with(PACKAGES.0));
        return folder.is_some_and(is_above).then_some(Layer::Package);
    }
    let (format, folder) = NativeFormat::of_file(file)?;
    let name = file.strip_prefix(&folder).unwrap_or(file).to_string_lossy();
    let plugins = folder.parent().filter(|above| above.ends_with(PLUGINS));
    let project = plugins.and_then(|above| above.ancestors().nth(2));
    let is_here = left.is_ours(format, &name) && is_above(project.unwrap_or(&folder));
    is_here.then(|| of_native(&name))
}
