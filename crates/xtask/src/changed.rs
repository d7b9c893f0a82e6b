//! The changes in the checkout, and the crates that they concern: a quick run tests only these.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::done::Failure;
use crate::say;
use crate::workspace::{Workspace, capture};

/// Files that concern every crate.
const OF_ALL: &[&str] = &[
    "Cargo.toml",
    "Cargo.lock",
    "clippy.toml",
    "rustfmt.toml",
    ".cargo",
];

/// Folders outside the crates that tests read, and the crates whose tests these are.
const READ_BY: &[(&str, &[&str])] = &[
    (
        "fixtures",
        &["anyhook-core", "anyhook-wires", "anyhook-readers"],
    ),
    ("schema", &["xtask"]),
];

/// One crate of the workspace.
#[derive(Debug)]
struct Crate {
    name: String,
    /// Its folder below the root.
    folder: String,
}

/// Finds the crates that have changed since the branch left `main` or what was pushed.
pub(crate) fn crates(workspace: &Workspace) -> Result<BTreeSet<String>, Failure> {
    let all = members(workspace)?;
    let Some(files) = files(workspace) else {
        say::line("git cannot say what has changed: every crate is tested");
        return Ok(all.into_iter().map(|one| one.name).collect());
    };
    let changed = concerned(&all, &files);
    let names: Vec<&str> = changed.iter().map(String::as_str).collect();
    say::line(format!("changed: {}", names.join(" ")));
    Ok(changed)
}

/// The files that differ from the commit that others have, whether they are committed or not. Where none does, those of the
/// last commit: it may have been made a moment ago.
fn files(workspace: &Workspace) -> Option<Vec<String>> {
    let git = |words: &[&str]| capture(workspace.command("git").args(words)).ok();
    let names = |text: String| -> Vec<String> {
        let names = text.split_terminator('\0');
        names.map(str::to_owned).collect()
    };
    let differing = |base: &str| git(&["diff", "--name-only", "-z", base]).map(names);
    let base = |of: &str| git(&["merge-base", "HEAD", of]).map(|base| base.trim().to_owned());
    let base = base("@{upstream}").or_else(|| base("main"))?;
    let mut files = differing(&base)?;
    files.extend(git(&["ls-files", "-z", "--others", "--exclude-standard"]).map(names)?);
    if files.is_empty() {
        files.extend(differing("HEAD~1").into_iter().flatten());
    }
    Some(files)
}

/// The crates of the workspace, by cargo's word.
fn members(workspace: &Workspace) -> Result<Vec<Crate>, Failure> {
    let words = ["metadata", "--no-deps", "--format-version", "1"];
    let text = capture(&mut workspace.cargo(&words))?;
    let metadata: Value = serde_json::from_str(&text)
        .map_err(|cause| Failure::because("what `cargo metadata` printed", cause))?;
    let packages = metadata.get("packages").and_then(Value::as_array);
    let read = |package: &Value| {
        let text = |field: &str| package.get(field).and_then(Value::as_str);
        let manifest = Path::new(text("manifest_path")?).parent()?;
        let folder = manifest.strip_prefix(&workspace.root).ok()?;
        Some(Crate {
            name: text("name")?.to_owned(),
            folder: folder.to_string_lossy().into_owned(),
        })
    };
    let read: Option<Vec<Crate>> = packages.into_iter().flatten().map(read).collect();
    read.ok_or_else(|| {
        Failure::new("`cargo metadata` printed a package without name, place or dependencies")
    })
}

/// The crates that files concern.
fn concerned(all: &[Crate], files: &[String]) -> BTreeSet<String> {
    let is_in = |file: &str, folder: &str| Path::new(file).starts_with(folder);
    let mut concerned = BTreeSet::new();
    for file in files {
        if OF_ALL.iter().any(|of_all| is_in(file, of_all)) {
            concerned.extend(all.iter().map(|one| one.name.clone()));
        }
        let inside = all.iter().filter(|one| is_in(file, &one.folder));
        concerned.extend(inside.map(|one| one.name.clone()));
        let readers = READ_BY.iter().filter(|(folder, _)| is_in(file, folder));
        let names = readers.flat_map(|(_, names)| *names);
        concerned.extend(names.map(|name| (*name).to_owned()));
    }
    concerned
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(files: &[&str]) -> Vec<String> {
        let one = |(name, folder): (&str, &str)| Crate {
            name: name.to_owned(),
            folder: folder.to_owned(),
        };
        let all = [
            ("anyhook-core", "crates/core"),
            ("anyhook-cli", "crates/cli"),
            ("anyhook-benches", "benches"),
        ];
        let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
        let found = concerned(&all.map(one), &files);
        found.into_iter().collect()
    }

    #[test]
    fn a_file_concerns_the_crate_whose_folder_it_is_in() {
        let found = of(&[
            "crates/core/src/fit.rs",
            "benches/Cargo.toml",
            "docs/rules.md",
        ]);
        assert_eq!(found, ["anyhook-benches", "anyhook-core"]);
        assert_eq!(
            of(&["docs/rules.md", "crates/client/x.rs"]),
            Vec::<String>::new()
        );
    }

    #[test]
    fn a_fixture_concerns_the_crates_that_read_it_and_the_lock_file_all_of_them() {
        let read = of(&["fixtures/hosts/goose/PreToolUse.json"]);
        assert_eq!(read, ["anyhook-core", "anyhook-readers", "anyhook-wires"]);
        assert_eq!(of(&["Cargo.lock"]).len(), 3);
    }

    #[test]
    fn the_crates_of_this_workspace_are_known_with_their_folders() {
        let all = members(&Workspace::find().unwrap()).unwrap();
        let xtask = all.iter().find(|one| one.name == "xtask").unwrap();
        assert_eq!(xtask.folder, "crates/xtask");
        let is_known = |name: &&str| all.iter().any(|one| one.name == **name);
        assert!(READ_BY.iter().flat_map(|(_, names)| *names).all(is_known));
    }
}
