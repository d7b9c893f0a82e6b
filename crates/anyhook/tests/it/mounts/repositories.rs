//! Modules in repositories: pinned by commit, kept by it, and fetched by a `git` that is told to do nothing else.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhook::mounts::{Catalogue, MountOutcome, Plan};
use anyhook::world::World;
use serde_json::{Value, json};

use super::{session, told, world};

const LOCK: &str = "anyhook.lock";

/// Runs git as a person with no settings would.
pub(super) fn git(folder: &Path, args: &[&str]) -> String {
    let ran = Command::new("git")
        .args([
            "-c",
            "user.name=n",
            "-c",
            "user.email=n@example.com",
            "-c",
            "init.defaultBranch=main",
        ])
        .args(["-c", "protocol.file.allow=always"])
        .args(args)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(
        ran.status.success(),
        "git {args:?}: {}",
        String::from_utf8_lossy(&ran.stderr)
    );
    String::from_utf8(ran.stdout).unwrap().trim().to_owned()
}

struct Place {
    temporary: tempfile::TempDir,
    world: World,
}

impl Place {
    /// A repository with a package of hooks whose only hook refuses with this text.
    fn new(text: &str) -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let world = world(temporary.path());
        let place = Self { temporary, world };
        fs::create_dir_all(place.repository()).unwrap();
        git(&place.repository(), &["init", "--quiet"]);
        place.commit(text);
        place
    }

    fn path(&self) -> &Path {
        self.temporary.path()
    }

    fn repository(&self) -> PathBuf {
        self.path().join("repository")
    }

    fn commit(&self, text: &str) -> String {
        let root = self.repository();
        for folder in ["hooks", "deep/guard/hooks"] {
            fs::create_dir_all(root.join(folder)).unwrap();
            let manifest = json!({"version": 1, "hooks": {"tool:pre": [{"hooks": [
                {"type": "rule", "when": "true", "then": {"deny": format!("{folder}: {text}")}, "name": text}
            ]}]}});
            fs::write(root.join(folder).join("hooks.json"), manifest.to_string()).unwrap();
        }
        git(&root, &["add", "--all"]);
        git(&root, &["commit", "--quiet", "--message", text]);
        git(&root, &["rev-parse", "HEAD"])
    }

    fn source(&self, rest: &str) -> String {
        format!("git+file://{}{rest}", self.repository().display())
    }

    fn plan(&self, source: &str) -> Plan {
        let text = format!("hooks: [{{module: guard, source: \"{source}\"}}]");
        let plan = Plan::read(&self.path().join("plan.yaml"), &text).unwrap();
        assert_eq!(plan.findings, []);
        plan
    }

    /// Mounts a source in a new session, and returns what became of it and what its hook says.
    fn mount(&self, source: &str) -> (MountOutcome, String) {
        let catalogue = Catalogue::new(self.world.clone());
        let session = session();
        let outcome = catalogue
            .mount_blocking(&session, &self.plan(source))
            .remove(0);
        let acted = session.emit_blocking("tool:pre", json!({"tool_name": "Bash"}));
        (outcome, acted.report.result.verdict.text())
    }

    fn says(&self, source: &str) -> String {
        let (outcome, text) = self.mount(source);
        assert_eq!(outcome.error(), None);
        text
    }

    fn fails(&self, source: &str) -> String {
        let (outcome, _) = self.mount(source);
        let error = outcome.error().unwrap();
        assert_eq!(serde_json::json!(error.reason), "not_fetched");
        error.text.clone()
    }

    /// The lock file beside the plan.
    fn lock(&self) -> Value {
        let text = fs::read_to_string(self.path().join(LOCK)).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    /// The files that are kept of all repositories.
    fn kept(&self) -> Vec<PathBuf> {
        let mut folders = vec![self.path().join("home/.cache/anyhook/modules")];
        let mut files = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                if entry.file_type().unwrap().is_dir() {
                    folders.push(entry.path());
                } else {
                    files.push(entry.path());
                }
            }
        }
        files.sort();
        files
    }
}

#[test]
fn a_repository_is_pinned_by_commit_until_it_is_told_to_move() {
    let place = Place::new("one");
    let source = place.source("@main");
    let first = git(&place.repository(), &["rev-parse", "HEAD"]);
    assert_eq!(place.says(&source), "hooks: one");
    let lock = place.lock();
    assert_eq!(lock["modules"][&source]["commit"], first);

    // The branch moves, and the module does not.
    let second = place.commit("two");
    assert_eq!(place.says(&source), "hooks: one");
    assert_eq!(place.lock(), lock);

    fs::remove_file(place.path().join(LOCK)).unwrap();
    assert_eq!(place.says(&source), "hooks: two");
    assert_eq!(place.lock()["modules"][&source]["commit"], second);

    // A commit is asked for by its number, a folder by its name, and a folder does not change the pin.
    assert_eq!(
        place.says(&place.source(&format!("@{first}"))),
        "hooks: one"
    );
    let below = place.source("@main#subdirectory=deep/guard");
    assert_eq!(place.says(&below), "deep/guard/hooks: two");
    assert_eq!(place.says(&place.source("")), "hooks: two");
    let lock = place.lock();
    let pins: Vec<&String> = lock["modules"].as_object().unwrap().keys().collect();
    assert_eq!(
        pins,
        [
            &place.source(""),
            &place.source(&format!("@{first}")),
            &source
        ]
    );
}

#[test]
fn what_is_kept_serves_without_the_repository_and_only_as_it_was() {
    let place = Place::new("one");
    let source = place.source("@main");
    place.says(&source);
    let away = place.path().join("away");
    fs::rename(place.repository(), &away).unwrap();
    assert_eq!(place.says(&source), "hooks: one", "offline");

    // A person edits what is kept: it is not used, and without the repository there is no module.
    let files = place.kept();
    let manifest = files
        .iter()
        .find(|file| !file.to_string_lossy().contains("deep"))
        .unwrap();
    fs::write(manifest, r#"{"version": 1, "hooks": {}}"#).unwrap();
    let failed = place.fails(&source);
    assert!(failed.starts_with("`git fetch` of `file:///"), "{failed}");
    fs::rename(&away, place.repository()).unwrap();
    assert_eq!(place.says(&source), "hooks: one", "it is fetched again");

    // A file that was added counts as an edit.
    fs::write(manifest.with_file_name("more.sh"), "true").unwrap();
    assert_eq!(place.says(&source), "hooks: one");
    assert_eq!(place.kept(), files);
}

#[test]
fn a_lock_file_that_cannot_be_used_moves_no_module() {
    let place = Place::new("one");
    let source = place.source("@main");
    place.says(&source);
    let good = place.lock();
    let file = place.path().join(LOCK);
    let mut other = good.clone();
    other["modules"][&source]["digest"] = "0".repeat(64).into();
    fs::write(&file, other.to_string()).unwrap();
    assert!(
        place
            .fails(&source)
            .contains("has other files than those that were pinned")
    );

    for spoiled in [
        "",
        "{",
        "[]",
        r#"{"version": 2}"#,
        r#"{"version": 1, "modules": {"x": {"commit": "main", "digest": ""}}}"#,
    ] {
        fs::write(&file, spoiled).unwrap();
        let failed = place.fails(&source);
        assert!(failed.contains("cannot be understood"), "{failed}");
        assert_eq!(
            fs::read_to_string(&file).unwrap(),
            spoiled,
            "it is left as it is"
        );
    }
    let gone = place.source("@nowhere");
    fs::write(&file, good.to_string()).unwrap();
    assert!(place.fails(&gone).starts_with("`git fetch`"));
    assert_eq!(place.lock(), good);
}

#[test]
fn nothing_of_a_repository_runs_and_no_link_of_it_is_followed() {
    let place = Place::new("one");
    let root = place.repository();
    let ran = place.path().join("ran");
    let touch = format!("touch {}", ran.display());
    std::os::unix::fs::symlink("/etc/passwd", root.join("passwd")).unwrap();
    std::os::unix::fs::symlink(place.path(), root.join("out")).unwrap();
    fs::write(root.join(".gitattributes"), "* filter=evil\n").unwrap();
    // A submodule whose address would start a program.
    fs::write(
        root.join(".gitmodules"),
        format!("[submodule \"s\"]\n path = s\n url = ext::sh -c \"{touch}\"\n"),
    )
    .unwrap();
    let commit = place.commit("two");
    git(
        &root,
        &[
            "update-index",
            "--add",
            "--cacheinfo",
            &format!("160000,{commit},s"),
        ],
    );
    git(&root, &["commit", "--quiet", "--message", "three"]);
    // What the person's own environment says of git is not handed on.
    let mut hostile = place.world.clone();
    let config = place.path().join("config");
    fs::write(&config, format!("[filter \"evil\"]\n smudge = \"{touch}; cat\"\n[core]\n hooksPath = {}\n fsmonitor = \"{touch}\"\n", place.path().display())).unwrap();
    let hook = place.path().join("post-checkout");
    fs::write(&hook, format!("#!/bin/sh\n{touch}\n")).unwrap();
    fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    for (name, value) in [
        ("GIT_CONFIG_GLOBAL", config.as_os_str()),
        ("GIT_TRACE", "/dev/stderr".as_ref()),
        ("GIT_DIR", "/nowhere".as_ref()),
    ] {
        hostile.env.insert(name.into(), value.into());
    }
    let plan = place.plan(&place.source("@main"));
    let outcomes = Catalogue::new(hostile).mount_blocking(&session(), &plan);
    assert_eq!(told(&outcomes), ["guard: 1 handlers"]);
    assert!(!ran.exists());
    let kept = place.kept();
    let link = kept.iter().find(|file| file.ends_with("passwd")).unwrap();
    assert!(link.symlink_metadata().unwrap().is_file());
    assert_eq!(fs::read_to_string(link).unwrap(), "/etc/passwd");
    assert!(
        !kept
            .iter()
            .any(|file| file.components().any(|part| part.as_os_str() == ".git"))
    );
}

#[test]
fn a_folder_of_a_repository_that_is_a_link_out_of_it_is_no_module() {
    let place = Place::new("one");
    std::os::unix::fs::symlink("/etc", place.repository().join("etc")).unwrap();
    place.commit("two");
    let plan = place.plan(&place.source("@main#subdirectory=etc"));
    let outcomes = Catalogue::new(place.world.clone()).mount_blocking(&session(), &plan);
    assert!(
        told(&outcomes)[0].ends_with("etc` is no folder"),
        "{:?}",
        told(&outcomes)
    );
}
