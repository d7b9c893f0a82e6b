//! What several tests of this crate stand on: a world below a folder, a line in it, and git.

use std::path::Path;
use std::process::{Command, Output};

use crate::event::{Caller, Context};
use crate::world::{UserFolders, World};

/// A world whose person has a home in this folder, and works in it.
pub(crate) fn world(folder: &Path) -> World {
    World {
        places: Some(UserFolders {
            home: folder.join("home"),
            config: folder.join("config"),
            state: folder.join("state"),
        }),
        ..nobody(folder)
    }
}

/// A world without a home, in this folder.
pub(crate) fn nobody(folder: &Path) -> World {
    World {
        cwd: folder.into(),
        places: None,
        ..World::real()
    }
}

/// A line of Claude Code for a person who tries the hooks of a folder.
pub(crate) fn line<'w>(world: &'w World, folder: &Path) -> Context<'w> {
    let host = anyhook_wires::host("claude-code").unwrap();
    Context {
        manifest: Some(folder.join("hooks.json")),
        ..Context::new(world, host, Caller::Person)
    }
}

/// Runs git as a person with no settings would.
pub(crate) fn git(folder: &Path, words: &[&str]) -> Output {
    let person = [
        "user.name=a",
        "user.email=a@b",
        "protocol.file.allow=always",
    ];
    Command::new("git")
        .args(person.iter().flat_map(|setting| ["-c", setting]))
        .args(words)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_EDITOR", "true")
        .output()
        .unwrap()
}
