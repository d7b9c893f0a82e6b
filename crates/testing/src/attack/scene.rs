//! The scratch folder: a project with a repository, a home and a remote, as every way finds them.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

use super::aim::Aim;
use crate::plan::{Case, Workspace};
use crate::programs::completed;

/// A scratch folder as a way finds it. No way ever runs in it: each runs in a copy that only its own namespaces see.
#[derive(Debug)]
pub(super) struct Scene {
    _folder: TempDir,
    pub(super) base: PathBuf,
}

/// The project, a home, and a remote whose `main` has a commit that the project lacks.
const MAKE: &str = include_str!("scene.sh");

/// Programs that publish, if they were the real ones.
const PUBLISHERS: &[&str] = &[
    "bun", "cargo", "docker", "gem", "gh", "mvn", "npm", "npx", "pnpm", "poetry", "twine", "uv",
    "yarn",
];

impl Scene {
    /// Makes the folder, with what an aim is about.
    pub(super) fn new(workspace: Option<&Workspace>, aim: &Aim, branch: &str) -> io::Result<Self> {
        let folder = TempDir::with_prefix("anyhook-attack-")?;
        let base = folder.path().canonicalize()?;
        let scene = Self {
            _folder: folder,
            base,
        };
        for name in [
            "project/sub",
            "project/empty",
            "home",
            "bin",
            "root",
            "tmp",
            "state",
        ] {
            fs::create_dir_all(scene.base.join(name))?;
        }
        scene.make_repository(branch)?;
        workspace.map_or(Ok(()), |given| scene.lay_out(given))?;
        scene.furnish(aim)?;
        Ok(scene)
    }

    /// The folder that hooks and lines are told is the project.
    pub(super) fn project(&self) -> PathBuf {
        self.base.join("project")
    }

    /// The home.
    pub(super) fn home(&self) -> PathBuf {
        self.base.join("home")
    }

    /// Runs the one script above, with nothing of the caller's settings.
    fn make_repository(&self, branch: &str) -> io::Result<()> {
        let mut command = Command::new("sh");
        command.args(["-c", MAKE]).env_clear();
        command
            .env("PATH", super::proof::PATH)
            .env("BASE", &self.base)
            .env("BRANCH", branch);
        command
            .env("HOME", self.home())
            .env("GIT_CONFIG_NOSYSTEM", "1");
        completed(&mut command, "git could not make the scratch repository")
    }

    /// Lays out the workspace of the case, but for its `.git`, because the repository is a real one, and for links,
    /// because they may lead anywhere.
    fn lay_out(&self, workspace: &Workspace) -> io::Result<()> {
        let laid = self.base.join("workspace");
        workspace.lay_out(&laid)?;
        let mut removing = Command::new("find");
        removing
            .arg(&laid)
            .args(["(", "-type", "l", "-o", "-name", ".git", ")"]);
        removing.args(["-prune", "-exec", "rm", "-rf", "{}", "+"]);
        completed(
            &mut removing,
            "the links of the workspace cannot be removed",
        )?;
        Workspace::Folder(laid).lay_out(&self.project())
    }

    /// Makes what the aim is about.
    fn furnish(&self, aim: &Aim) -> io::Result<()> {
        self.write("project/note.txt", "new text\n")?;
        self.write("project/sub/inner.txt", "inner\n")?;
        self.write("home/notes.txt", "notes\n")?;
        let place = aim.place();
        let is_there = !place.is_empty() && self.base.join(place).exists();
        match aim {
            Aim::Removed(place) if !is_there && !place.contains('.') => {
                self.write(&format!("{place}/file.txt"), "text\n")
            }
            Aim::Removed(place) | Aim::Written(place) | Aim::Read(place) if !is_there => {
                self.write(place, "KEY=before\nX=2\n")
            }
            Aim::Unchecked => ["pre-commit", "pre-push"]
                .iter()
                .try_for_each(|hook| self.program(&format!("project/.git/hooks/{hook}"), "exit 1")),
            Aim::Published => {
                let mark = self.base.join("published");
                let noted = format!(
                    "case \" $* \" in *publish*|*' pub '*|*' push '*|*' upload '*|*' deploy '*|*' release '*) : > '{}';; esac",
                    mark.display()
                );
                PUBLISHERS
                    .iter()
                    .try_for_each(|name| self.program(&format!("bin/{name}"), &noted))
            }
            _ => Ok(()),
        }
    }

    fn write(&self, place: &str, text: &str) -> io::Result<()> {
        let file = self.base.join(place);
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(file, text)
    }

    fn program(&self, place: &str, text: &str) -> io::Result<()> {
        self.write(place, &format!("#!/bin/sh\n{text}\n"))?;
        fs::set_permissions(self.base.join(place), fs::Permissions::from_mode(0o755))
    }
}

/// The branch of the scratch project: that of the case's workspace, else `main`, on which a commit of which only the checks
/// are in question is often refused.
pub(super) fn branch(case: &Case, aim: Option<&Aim>) -> String {
    let usual = if aim == Some(&Aim::Unchecked) {
        "feature"
    } else {
        "main"
    };
    let Some(Workspace::Files(files)) = &case.workspace else {
        return usual.to_owned();
    };
    let head = files.iter().find(|(path, _)| path == ".git/HEAD");
    let named = head.and_then(|(_, text)| text.trim().strip_prefix("ref: refs/heads/"));
    let plain = named.filter(|name| {
        !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric())
    });
    plain.unwrap_or(usual).to_owned()
}
