//! The folder in which a lead writes a policy: a project like any other, with a `policy.json`.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use anyhook::files;
use anyhook::load;
use anyhook::packages::{LOCK_FILE, PackageState, Packages};

use crate::bundle::{Bundle, BundleFile};
use crate::error::{PolicyError, Trouble};
use crate::paths;
use crate::rules::PolicyRules;

const RULES: &str = "policy.json";
const PACKAGES: &str = ".agent-packages";

impl Bundle {
    /// Reads the folder of a lead, and refuses what no machine could use.
    pub fn build(folder: &Path) -> Result<Self, PolicyError> {
        let rules = folder.join(RULES);
        let text = read(&rules)?;
        let rules = PolicyRules::read(&text).map_err(|error| error.of_file(&rules))?;
        let mut found = Vec::new();
        for top in paths::ON_TOP {
            if folder.join(top).symlink_metadata().is_ok() {
                take(folder, top, &mut found)?;
            }
        }
        locked(folder)?;
        let bundle = Self {
            rules,
            files: found,
        };
        bundle.text()?;
        bundle.usable(folder)?;
        Ok(bundle)
    }

    /// Refuses hooks that this program would not run as they stand, and exceptions from hooks that are not there.
    pub(crate) fn usable(&self, folder: &Path) -> Result<(), PolicyError> {
        let mut names = Vec::new();
        for file in self.manifests(folder) {
            let text = read(&file)?;
            let parsed = load::parse(&file, &String::from_utf8_lossy(&text)).and_then(load::usable);
            let manifest = parsed.map_err(|finding| {
                let what = format!(
                    "`{}:{}:{}` cannot be used: {}",
                    file.display(),
                    finding.at.line,
                    finding.at.column,
                    finding.message
                );
                PolicyError::unfit(what, format!("anyhook check {}", file.display()))
            })?;
            let hooks = load::hooks(&manifest, &file).into_iter();
            names.extend(hooks.map(|hook| hook.info.name.clone()));
        }
        let is_there = |hook: &str| names.iter().any(|name| **name == *hook);
        let mut exceptions = self.rules.exceptions.iter();
        match exceptions.find(|granted| !is_there(&granted.hook)) {
            Some(granted) => Err(PolicyError::unfit(
                format!(
                    "an exception names the hook `{}`, and the policy has none that is called so",
                    granted.hook
                ),
                "anyhook list shows the names of hooks",
            )),
            None => Ok(()),
        }
    }

    /// Returns the manifests among its files, below the folder where they stand.
    pub(crate) fn manifests(&self, folder: &Path) -> Vec<std::path::PathBuf> {
        let packages = Packages::at(folder.join(PACKAGES));
        let of_package = |path: &str| {
            let below = path.strip_prefix(".agent-packages/")?;
            Some(below.split_once('/')?.0.to_owned())
        };
        let names: BTreeSet<String> = self.paths().filter_map(of_package).collect();
        let of_packages = names.iter().flat_map(|name| packages.manifests(name));
        std::iter::once(folder.join("hooks/hooks.json"))
            .chain(of_packages)
            .collect()
    }
}

fn read(file: &Path) -> Result<Vec<u8>, PolicyError> {
    let unread = |why| Trouble::Form.error(format!("`{}` cannot be read: {why}", file.display()));
    files::read_document(file).map_err(unread)
}

/// Takes what stands at a path: a file, or everything below a folder.
fn take(root: &Path, path: &str, found: &mut Vec<BundleFile>) -> Result<(), PolicyError> {
    let file = root.join(path);
    let meta = file
        .symlink_metadata()
        .map_err(PolicyError::io("look at", &file))?;
    if meta.is_dir() {
        for entry in fs::read_dir(&file).map_err(PolicyError::io("read", &file))? {
            let name = entry.map_err(PolicyError::io("read", &file))?.file_name();
            // A name that is no text becomes one that is not there.
            match &*name.to_string_lossy() {
                ".git" => {}
                name => take(root, &format!("{path}/{name}"), found)?,
            }
        }
        return Ok(());
    }
    if !meta.is_file() {
        let why = format!("`{}` is no regular file", file.display());
        return Err(Trouble::Hostile.error(why));
    }
    found.push(BundleFile {
        path: path.to_owned(),
        bytes: fs::read(&file).map_err(PolicyError::io("read", &file))?,
        run: meta.permissions().mode() & 0o100 != 0,
    });
    Ok(())
}

/// Refuses packages that are not those of their lock file.
fn locked(folder: &Path) -> Result<(), PolicyError> {
    let folder = folder.join(PACKAGES);
    let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let packages = Packages::at(folder.clone());
    for name in names.filter(|name| name != LOCK_FILE) {
        let why = match packages.state(&name)? {
            Some(PackageState::Intact) => continue,
            Some(PackageState::Differs) => "is not what its lock file says".to_owned(),
            Some(PackageState::Unread(why)) => why,
            None => "is not in the lock file".to_owned(),
        };
        let what = format!("the package `{name}` of `{}` {why}", folder.display());
        return Err(PolicyError::unfit(
            what,
            "add it with anyhook add, or bring it up to date with anyhook add --update",
        ));
    }
    Ok(())
}
