//! Hooks that are switched off: by which file, and which cannot be.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use anyhook_core::hook::{Hook, SourceLocation};
use anyhook_core::manifest::{DisableEntry, Entry, Group, Manifest};

use super::{Layer, LoadedHooks, ManifestFile, Remark, hook, plain, shown, source};
use crate::trust::package_root;

/// A hook that a file switched off, or tried to.
///
/// ```
/// use std::fs;
///
/// use anyhook_engine::load::{DisableSource, ManifestFile, Layer, LoadOptions, DisabledHook, load};
///
/// let place = tempfile::tempdir()?;
/// let file = place.path().join("hooks.json");
/// fs::write(&file, r#"{"version": 1, "disable": ["style"], "hooks": {"stop": [{"hooks": [
///     {"type": "command", "command": "./format.sh", "name": "style"},
///     {"type": "command", "command": "./done.sh", "name": "done", "enabled": false}
/// ]}]}}"#)?;
/// let loaded = load(&[ManifestFile { file, layer: Layer::User }], None, LoadOptions::default());
/// let off: Vec<_> = loaded.off.iter().map(|DisabledHook { hook, .. }| &*hook.info.name).collect();
/// assert_eq!((loaded.hooks.len(), off), (0, vec!["done", "style"]));
/// assert!(matches!(loaded.off[0].by, DisableSource::Itself));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct DisabledHook {
    /// The hook.
    pub hook: Arc<Hook>,
    /// What switched it off.
    pub by: DisableSource,
}

/// What switched a hook off.
///
/// ```
/// use anyhook_engine::load::DisableSource;
/// assert_eq!(DisableSource::Itself.to_string(), "its own `enabled`");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DisableSource {
    /// Its own entry says `"enabled": false`.
    Itself,
    /// A file names it in `disable`.
    Named(SourceLocation),
}

impl std::fmt::Display for DisableSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Itself => f.write_str("its own `enabled`"),
            Self::Named(SourceLocation { file, line }) => {
                write!(f, "`disable` in {}:{line}", plain(file))
            }
        }
    }
}

/// One file that was read, and which hooks it gave.
pub(super) struct FileHooks<'f> {
    pub(super) found: &'f ManifestFile,
    /// What it says, where that may run: a file that no person trusted switches nothing off.
    pub(super) manifest: Option<Manifest>,
    pub(super) hooks: Range<usize>,
}

impl FileHooks<'_> {
    /// The entries that take part, in the order of the hooks that were made of them.
    fn entries(&self, enabled: bool) -> impl Iterator<Item = (&Group, &Entry)> {
        let groups = self.manifest.iter().flat_map(|manifest| &manifest.groups);
        groups
            .flat_map(|group| group.entries.iter().map(move |entry| (group, entry)))
            .filter(move |(_, entry)| entry.enabled == enabled)
    }

    fn switches(&self) -> impl Iterator<Item = HookSwitch<'_>> {
        let by = self.found;
        let names = self.manifest.iter().flat_map(|manifest| &manifest.disable);
        names.map(move |name| HookSwitch { by, name })
    }
}

/// A name by which a file switches a hook off.
struct HookSwitch<'f> {
    by: &'f ManifestFile,
    name: &'f DisableEntry,
}

impl HookSwitch<'_> {
    /// Tells whether it is the name of a hook of this file.
    fn means(&self, of: &ManifestFile, group: &Group, entry: &Entry) -> bool {
        let is_same = |file: &Path| {
            let [one, other] = [file, &of.file].map(|file| file.canonicalize().ok());
            one.is_some() && one == other
        };
        let may_be = match self.name.file.as_deref().map(Path::new) {
            None => !self.is_ambiguous(),
            Some(file) => {
                file == of.file || file.file_name() == of.file.file_name() && is_same(file)
            }
        };
        may_be && self.name.means(group, entry)
    }

    /// Tells whether it is the name of a place, in a file that speaks for every project: in each of them another hook stands
    /// there.
    fn is_ambiguous(&self) -> bool {
        self.name.file.is_none() && self.name.is_place() && speaks_for_all(self.by)
    }

    /// Tells whether no hook of these files has the name, as far as all of them are read. What a file that speaks for every
    /// project names may stand in another one.
    fn is_of_no_hook(&self, files: &[FileHooks<'_>]) -> bool {
        let all = |enabled| files.iter().flat_map(move |file| file.entries(enabled));
        let is_meant = |(group, entry): (&Group, &Entry)| self.name.means(group, entry);
        let is_read = files.iter().all(|file| file.manifest.is_some());
        let is_open = self.name.file.is_some() || speaks_for_all(self.by);
        !is_open && is_read && !all(true).chain(all(false)).any(is_meant)
    }

    /// Says why it switches nothing off, where that is so.
    fn is_useless(&self, files: &[FileHooks<'_>]) -> Option<String> {
        let (file, line) = (shown(&self.by.file), self.name.at.line);
        let called = plain(&self.name.name);
        if self.is_ambiguous() {
            Some(format!(
                "`{file}:{line}`: `{called}` is a place in a file, and the file is not named, so this switches nothing off; \
                 type in the project: anyhook list off '{called}'"
            ))
        } else if self.is_of_no_hook(files) {
            Some(format!(
                "`{file}:{line}`: no hook is called `{called}`, so this switches nothing off; their names: anyhook list"
            ))
        } else {
            None
        }
    }
}

/// Tells whether a file speaks for every project.
fn speaks_for_all(by: &ManifestFile) -> bool {
    matches!(by.layer, Layer::Managed | Layer::User)
}

/// Takes out what is switched off.
pub(super) fn apply(files: &[FileHooks<'_>], loaded: &mut LoadedHooks) {
    for file in files {
        let path = &file.found.file;
        let off = file.entries(false).map(|(group, entry)| DisabledHook {
            hook: Arc::new(hook(group, entry, path)),
            by: DisableSource::Itself,
        });
        loaded.off.extend(off);
    }
    let switches: Vec<_> = files.iter().flat_map(FileHooks::switches).collect();
    if switches.is_empty() {
        return;
    }
    for switch in &switches {
        if let Some(why) = switch.is_useless(files) {
            loaded.remark(&switch.by.file, why);
        }
    }
    // From the last on, so that the places of the others stay what they are.
    for of in files.iter().rev() {
        let entries: Vec<_> = of.entries(true).zip(of.hooks.clone()).collect();
        for ((group, entry), at) in entries.into_iter().rev() {
            let is_it = |switch: &&HookSwitch<'_>| switch.means(of.found, group, entry);
            let mut named = switches.iter().filter(is_it);
            let is_allowed = |switch: &&HookSwitch<'_>| may_switch_off(switch.by, of.found);
            if let Some(switch) = named.clone().find(is_allowed) {
                let hook = Arc::new(loaded.hooks.remove(at));
                let by = DisableSource::Named(source(&switch.by.file, switch.name.at.line));
                loaded.off.push(DisabledHook { hook, by });
            } else if let Some(switch) = named.next() {
                let name = group.name_of(entry);
                let text = format!(
                    "`{}:{}` may not switch off the hook `{}` of `{}`, which is of a layer further out; it stays on",
                    shown(&switch.by.file),
                    switch.name.at.line,
                    plain(&name),
                    shown(&of.found.file),
                );
                let mark = format!("disable:{}:{name}", switch.by.file.display());
                loaded.remarks.push(Remark::new(mark, text));
            }
        }
    }
}

/// Tells whether a file may switch off hooks of another: those of its own layer and of nearer ones. What a project says
/// holds below its own folder only, and a package speaks for itself.
///
/// ```
/// use anyhook_engine::load::{ManifestFile, Layer, may_switch_off};
///
/// let project = |folder: &str| ManifestFile {
///     file: format!("{folder}/hooks/hooks.json").into(),
///     layer: Layer::Project,
/// };
/// assert!(may_switch_off(&project("/p"), &project("/p/vendor")));
/// assert!(!may_switch_off(&project("/p/vendor"), &project("/p")), "a guard of the whole stays");
/// ```
pub fn may_switch_off(by: &ManifestFile, of: &ManifestFile) -> bool {
    if of.layer == Layer::Managed || by.layer > of.layer {
        return false;
    }
    speaks_for_all(by) || package_root(&of.file).starts_with(package_root(&by.file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layer_switches_off_its_own_and_nearer_ones_and_none_a_managed_one() {
        let at = |file: &str, layer| ManifestFile {
            file: file.into(),
            layer,
        };
        let all = [
            at("/etc/anyhook/hooks.json", Layer::Managed),
            at("/h/.config/anyhook/hooks.json", Layer::User),
            at("/p/hooks/hooks.json", Layer::Project),
            at("/p/hooks/hooks.local.json", Layer::Local),
            at("/p/.agent-packages/x/hooks/hooks.json", Layer::Package),
        ];
        let may: Vec<Vec<bool>> = all
            .iter()
            .map(|by| all.iter().map(|of| may_switch_off(by, of)).collect())
            .collect();
        assert_eq!(
            may,
            [
                [false, true, true, true, true],
                [false, true, true, true, true],
                [false, false, true, true, true],
                [false, false, false, true, true],
                [false, false, false, false, true],
            ]
        );
    }

    #[test]
    fn a_name_that_no_hook_has_is_told_where_every_file_is_read_and_speaks_for_itself() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("hooks/hooks.json");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        let text = r#"{"version": 1, "disable": ["stile", "style", "gone"], "hooks": {"stop": [{"hooks": [
            {"type": "rule", "name": "style", "then": {"notify": "x"}},
            {"type": "rule", "name": "gone", "enabled": false, "then": {"notify": "x"}}]}]}}"#;
        std::fs::write(&file, text).unwrap();
        let told = |layer| {
            let found = ManifestFile {
                file: file.clone(),
                layer,
            };
            let how = crate::load::LoadOptions {
                trust: crate::load::TrustScope::All,
                ..Default::default()
            };
            let loaded = crate::load::load(&[found], None, how);
            loaded
                .remarks
                .into_iter()
                .map(|remark| remark.text)
                .collect::<Vec<_>>()
        };
        let [told_of_project] = &told(Layer::Project)[..] else {
            panic!("{:?}", told(Layer::Project))
        };
        assert!(
            told_of_project.contains("no hook is called `stile`"),
            "{told_of_project}"
        );
        assert_eq!(
            told(Layer::User),
            [""; 0],
            "it may stand in another project"
        );
    }

    #[test]
    fn a_package_and_a_project_speak_for_what_stands_below_them_alone() {
        let package = |name: &str| ManifestFile {
            file: format!("/p/.agent-packages/{name}/hooks/hooks.json").into(),
            layer: Layer::Package,
        };
        assert!(!may_switch_off(&package("a"), &package("b")));
        let project = ManifestFile {
            file: "/p/hooks/hooks.json".into(),
            layer: Layer::Project,
        };
        let of_home = ManifestFile {
            file: "/h/.aam/packages/x/hooks/hooks.json".into(),
            layer: Layer::Package,
        };
        assert!(!may_switch_off(&project, &of_home));
    }
}
