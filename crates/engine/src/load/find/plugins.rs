//! Plugins of Claude Code that the person installed and enabled: packages of the person for every other agent.
//!
//! Only the person's own files tell which they are, those that were installed for one project included. A project may enable or
//! disable plugins too, and that holds under Claude Code alone: a stranger's repository neither brings a package here nor takes
//! one away.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::finds::ManifestFiles;
use super::{SearchFolder, of_package};
use crate::files::read_json;
use crate::folders;
use crate::load::Layer;
use crate::world::World;

/// The host that runs them itself.
const HOST: &str = "claude-code";
/// Where it keeps what is enabled.
const SETTINGS: &str = "~/.claude/settings.json";
/// Where it keeps what is installed, beside that.
const INSTALLED: &str = "plugins/installed_plugins.json";

/// Adds the manifests of the plugins, unless their own host calls.
pub(super) fn add(
    world: &World,
    walks: &[Vec<SearchFolder<'_>>],
    host: &str,
    found: &mut ManifestFiles,
) {
    let is_own = anyhook_wires::host(host).is_some_and(|host| host.id() == HOST);
    if is_own || world.places.is_none() {
        return;
    }
    let roots = installed(world, walks).unwrap_or_default();
    for file in roots.iter().flat_map(|root| of_package(root)) {
        found.add(file, Layer::Package);
    }
}

/// Returns the folders of the plugins that the person installed, for every project or for one of these, and did not switch off.
fn installed(world: &World, walks: &[Vec<SearchFolder<'_>>]) -> Option<Vec<PathBuf>> {
    let host = anyhook_wires::host(HOST)?;
    let settings = folders::place(world, host, SETTINGS)?;
    let list: Value = read_json(&settings.parent()?.join(INSTALLED)).ok()?;
    let settings: Value = read_json(&settings).unwrap_or_default();
    let mut roots = Vec::new();
    for (id, entries) in list.get("plugins")?.as_object()? {
        let enabled = settings.pointer("/enabledPlugins");
        let enabled = enabled.and_then(|all| all.get(id)?.as_bool());
        // An older form has one entry where the newer one has a list.
        let one = std::slice::from_ref(entries);
        let entries = entries.as_array().map_or(one, Vec::as_slice);
        let paths = entries.iter().filter(|entry| is_on(entry, enabled, walks));
        let paths = paths.filter_map(|entry| entry.get("installPath")?.as_str());
        roots.extend(paths.map(PathBuf::from).filter(|path| path.is_absolute()));
    }
    roots.sort();
    roots.dedup();
    Some(roots)
}

/// Tells whether an entry is on, by what the person's own settings say of its plugin. One that the person installed for a
/// project is on there unless they say no: the project's settings, which say yes under Claude Code, are a stranger's.
fn is_on(entry: &Value, enabled: Option<bool>, walks: &[Vec<SearchFolder<'_>>]) -> bool {
    let word = |name: &str| entry.get(name).and_then(Value::as_str);
    match word("scope") {
        None | Some("user" | "managed") => enabled == Some(true),
        Some("project" | "local") => {
            let is_same = |folder: &Path, project: &Path| {
                folder.canonicalize().is_ok_and(|folder| folder == project)
            };
            let is_here = |path: &str| {
                let project = Path::new(path).canonicalize();
                let mut folders = walks.iter().flatten();
                project.is_ok_and(|project| folders.any(|level| is_same(level.folder, &project)))
            };
            enabled != Some(false) && word("projectPath").is_some_and(is_here)
        }
        Some(_) => false,
    }
}
