//! Hooks that are switched off: by which file, and which cannot be.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use anyhook_core::hook::{Hook, HookInfo, Source};
use anyhook_core::manifest::{Disabled, Entry, Group, Manifest};

use super::{Found, Layer, Loaded, hook, plain, shown, source};
use crate::trust::package_root;

/// A hook that a file switched off, or tried to.
///
/// ```
/// use std::fs;
///
/// use anyhook_engine::load::{By, Found, Layer, Loading, SwitchedOff, load};
///
/// let place = tempfile::tempdir()?;
/// let file = place.path().join("hooks.json");
/// fs::write(&file, r#"{"version": 1, "disable": ["style"], "hooks": {"stop": [{"hooks": [
///     {"type": "command", "command": "./format.sh", "name": "style"},
///     {"type": "command", "command": "./done.sh", "name": "done", "enabled": false}
/// ]}]}}"#)?;
/// let loaded = load(&[Found { file, layer: Layer::User }], None, Loading::default());
/// let off: Vec<_> = loaded.off.iter().map(|SwitchedOff { hook, .. }| &*hook.info.name).collect();
/// assert_eq!((loaded.hooks.len(), off), (0, vec!["done", "style"]));
/// assert!(matches!(loaded.off[0].by, By::Itself));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct SwitchedOff {
    /// The hook.
    pub hook: Arc<Hook>,
    /// What switched it off.
    pub by: By,
}

/// What switched a hook off.
///
/// ```
/// use anyhook_engine::load::By;
/// assert_eq!(By::Itself.to_string(), "its own `enabled`");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum By {
    /// Its own entry says `"enabled": false`.
    Itself,
    /// A file names it in `disable`.
    Named(Source),
}

impl std::fmt::Display for By {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Itself => f.write_str("its own `enabled`"),
            Self::Named(Source { file, line }) => write!(f, "`disable` in {}:{line}", plain(file)),
        }
    }
}

/// One file that was read, and which hooks it gave.
pub(super) struct Standing<'f> {
    pub(super) found: &'f Found,
    /// What it says, where that may run: a file that no person trusted switches nothing off.
    pub(super) manifest: Option<Manifest>,
    pub(super) hooks: Range<usize>,
}

impl Standing<'_> {
    /// The entries that take part, in the order of the hooks that were made of them.
    fn entries(&self, enabled: bool) -> impl Iterator<Item = (&Group, &Entry)> {
        let groups = self.manifest.iter().flat_map(|manifest| &manifest.groups);
        groups
            .flat_map(|group| group.entries.iter().map(move |entry| (group, entry)))
            .filter(move |(_, entry)| entry.enabled == enabled)
    }

    fn disables(&self) -> impl Iterator<Item = (&Self, &Disabled)> {
        let list = self.manifest.iter().flat_map(|manifest| &manifest.disable);
        list.map(move |disabled| (self, disabled))
    }
}

/// Takes out what is switched off.
pub(super) fn apply(files: &[Standing<'_>], loaded: &mut Loaded) {
    for file in files {
        let path = &file.found.file;
        let off = file.entries(false).map(|(group, entry)| SwitchedOff {
            hook: Arc::new(hook(group, entry, path)),
            by: By::Itself,
        });
        loaded.off.extend(off);
    }
    let disables: Vec<_> = files.iter().flat_map(Standing::disables).collect();
    if disables.is_empty() {
        return;
    }
    for (by, name) in &disables {
        if is_everywhere(name, by.found) {
            loaded.ambiguous(&by.found.file, name);
        } else if name.file.is_none() && is_of_no_hook(name, by.found, files) {
            loaded.switches_nothing(&by.found.file, name);
        }
    }
    // From the last on, so that the places of the others stay what they are.
    for of in files.iter().rev() {
        let entries: Vec<_> = of.entries(true).zip(of.hooks.clone()).collect();
        for ((group, entry), at) in entries.into_iter().rev() {
            let mut named = disables
                .iter()
                .filter(|(by, name)| is_of(name, by.found, of.found) && name.means(group, entry));
            let allowed = named
                .clone()
                .find(|(by, _)| may_switch_off(by.found, of.found));
            if let Some((by, name)) = allowed {
                let hook = Arc::new(loaded.hooks.remove(at));
                let by = By::Named(source(&by.found.file, name.at.line));
                loaded.off.push(SwitchedOff { hook, by });
            } else if let Some((by, name)) = named.next() {
                let by = source(&by.found.file, name.at.line);
                loaded.keep(Arc::new(hook(group, entry, &of.found.file)), by);
            }
        }
    }
}

/// Tells whether a name may be that of a hook of this file.
fn is_of(name: &Disabled, by: &Found, of: &Found) -> bool {
    let Some(file) = name.file.as_deref().map(Path::new) else {
        return !is_everywhere(name, by);
    };
    let is_same = || {
        let [one, other] = [file, &of.file].map(|file| file.canonicalize().ok());
        one.is_some() && one == other
    };
    file == of.file || file.file_name() == of.file.file_name() && is_same()
}

/// Tells whether a name is that of a place, in a file that speaks for every project: in each of them another hook stands
/// there.
fn is_everywhere(name: &Disabled, by: &Found) -> bool {
    let speaks_for_all = matches!(by.layer, Layer::Managed | Layer::User);
    name.file.is_none() && name.is_place() && speaks_for_all
}

/// Tells whether no hook of these files has a name, as far as all of them are read. What a file that speaks for every project
/// names may stand in another one.
fn is_of_no_hook(name: &Disabled, by: &Found, files: &[Standing<'_>]) -> bool {
    let speaks_for_all = matches!(by.layer, Layer::Managed | Layer::User);
    let all = |enabled| files.iter().flat_map(move |file| file.entries(enabled));
    let is_meant = |(group, entry): (&Group, &Entry)| name.means(group, entry);
    let is_read = files.iter().all(|file| file.manifest.is_some());
    !speaks_for_all && is_read && !all(true).chain(all(false)).any(is_meant)
}

impl Loaded {
    /// Says that a name switches nothing off, because no hook has it.
    fn switches_nothing(&mut self, file: &Path, name: &Disabled) {
        let text = format!(
            "`{}:{}`: no hook is called `{}`, so this switches nothing off; their names: anyhook list",
            shown(file),
            name.at.line,
            plain(&name.name),
        );
        self.remark(file, text);
    }

    /// Says that a name switches nothing off, because it could be that of many hooks.
    fn ambiguous(&mut self, file: &Path, name: &Disabled) {
        let (shown_file, called) = (shown(file), plain(&name.name));
        let text = format!(
            "`{shown_file}:{}`: `{called}` is a place in a file, and the file is not named, so this switches nothing off; \
             type in the project: anyhook list off '{called}'",
            name.at.line,
        );
        self.remark(file, text);
    }

    /// Says that a file tried to switch off what is not its own.
    fn keep(&mut self, hook: Arc<Hook>, by: Source) {
        let HookInfo { name, source, .. } = &*hook.info;
        let at = source
            .as_ref()
            .map(|at| plain(&at.file))
            .unwrap_or_default();
        let text = format!(
            "`{}:{}` may not switch off the hook `{}` of `{at}`, which is of a layer further out; it stays on",
            shown(by.file.as_ref().as_ref()),
            by.line,
            plain(name),
        );
        let mark = format!("disable:{}:{name}", by.file);
        self.remarks.push(super::Remark::new(mark, text));
        let by = By::Named(by);
        self.kept.push(SwitchedOff { hook, by });
    }
}

/// Tells whether a file may switch off hooks of another: those of its own layer and of nearer ones. What a project says
/// holds below its own folder only, and a package speaks for itself.
///
/// ```
/// use anyhook_engine::load::{Found, Layer, may_switch_off};
///
/// let project = |folder: &str| Found {
///     file: format!("{folder}/hooks/hooks.json").into(),
///     layer: Layer::Project,
/// };
/// assert!(may_switch_off(&project("/p"), &project("/p/vendor")));
/// assert!(!may_switch_off(&project("/p/vendor"), &project("/p")), "a guard of the whole stays");
/// ```
pub fn may_switch_off(by: &Found, of: &Found) -> bool {
    if of.layer == Layer::Managed || by.layer > of.layer {
        return false;
    }
    match by.layer {
        Layer::Managed | Layer::User => true,
        Layer::Project | Layer::Local | Layer::Package | Layer::Named => {
            package_root(&of.file).starts_with(package_root(&by.file))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layer_switches_off_its_own_and_nearer_ones_and_none_a_managed_one() {
        let at = |file: &str, layer| Found {
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
            let found = Found {
                file: file.clone(),
                layer,
            };
            let how = crate::load::Loading {
                trust: crate::load::Trusting::All,
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
        let package = |name: &str| Found {
            file: format!("/p/.agent-packages/{name}/hooks/hooks.json").into(),
            layer: Layer::Package,
        };
        assert!(!may_switch_off(&package("a"), &package("b")));
        let project = Found {
            file: "/p/hooks/hooks.json".into(),
            layer: Layer::Project,
        };
        let of_home = Found {
            file: "/h/.aam/packages/x/hooks/hooks.json".into(),
            layer: Layer::Package,
        };
        assert!(!may_switch_off(&project, &of_home));
    }
}
