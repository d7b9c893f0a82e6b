//! Plugins of Claude Code that the person installed and enabled: packages of the person for every other agent.
//!
//! Only the person's own files tell which they are. A project may enable or disable plugins too, and that holds under Claude
//! Code alone: a stranger's repository neither brings a package here nor takes one away.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::finds::Finds;
use super::of_package;
use crate::folders;
use crate::load::Layer;
use crate::world::World;

/// The host that runs them itself.
const HOST: &str = "claude-code";
/// Where it keeps what is enabled.
const SETTINGS: &str = "~/.claude/settings.json";
/// Where it keeps what is installed, beside that.
const INSTALLED: &str = "plugins/installed_plugins.json";
/// A longer file is none of them.
const LONGEST: u64 = 4 * 1024 * 1024;

/// Adds the manifests of the plugins, unless their own host calls.
pub(super) fn add(world: &World, host: &str, found: &mut Finds) {
    let is_own = anyhook_wires::host(host).is_some_and(|host| host.id() == HOST);
    if is_own || world.places.is_none() {
        return;
    }
    let roots = installed(world).unwrap_or_default();
    let all = roots.iter().flat_map(|root| of_package(root)).collect();
    let folder = world.places.as_ref().map(|places| &*places.home);
    for file in found.bounded(folder.unwrap_or(Path::new("")), all) {
        found.add(file, Layer::Package);
    }
}

/// Returns the folders of the plugins that the person installed for every project and did not switch off.
fn installed(world: &World) -> Option<Vec<PathBuf>> {
    let host = anyhook_wires::host(HOST)?;
    let settings = folders::place(world, host, SETTINGS)?;
    let list = read(&settings.parent()?.join(INSTALLED))?;
    let settings = read(&settings)?;
    let enabled = settings.get("enabledPlugins")?;
    let mut roots = Vec::new();
    for (id, entries) in list.get("plugins")?.as_object()? {
        if enabled.get(id) != Some(&Value::Bool(true)) {
            continue;
        }
        // An older form has one entry where the newer one has a list.
        let one = std::slice::from_ref(entries);
        let entries = entries.as_array().map_or(one, Vec::as_slice);
        let for_all = |entry: &&Value| {
            let scope = entry.get("scope").and_then(Value::as_str);
            scope.is_none_or(|scope| scope == "user" || scope == "managed")
        };
        let paths = entries.iter().filter(for_all);
        let paths = paths.filter_map(|entry| entry.get("installPath")?.as_str());
        roots.extend(paths.map(PathBuf::from).filter(|path| path.is_absolute()));
    }
    roots.sort();
    Some(roots)
}

fn read(file: &Path) -> Option<Value> {
    let bytes = crate::files::read_up_to(file, LONGEST).ok()?;
    serde_json::from_slice(&bytes).ok()
}
