//! Whose the home is, and which project a session is in.

use std::fs;
use std::path::{Path, PathBuf};

use anyhook::core::result::Kind;
use anyhook::event::{Caller, Context};
use anyhook::state::FileState;
use anyhook::world::World;
use serde_json::{Value, json};

use crate::lines::{line, world};

/// A home with a guard of the person's own, and a project beside it.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        for name in ["home/config", "home/notes", "project/src"] {
            fs::create_dir_all(place.at(name)).unwrap();
        }
        let rules = json!({"version": 1, "hooks": {"pre-tool-use": [{"hooks": [
            {"type": "rule", "when": "deletes('**/')", "then": {"deny": "no folder goes"}},
            {"type": "rule", "when": "!stays_in('./**') && tool_name == 'Write'",
                "then": {"deny": "outside of the project"}},
        ]}]}});
        fs::write(place.at("home/config/hooks.json"), rules.to_string()).unwrap();
        place
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What an agent without a variable for its project hears of a call.
    fn told(&self, cwd: &Path, tool: &str, input: &Value) -> Kind {
        let world = World {
            cwd: cwd.to_owned(),
            env: [].into(),
            ..world(&self.at("home"))
        };
        let state = FileState::new(self.at("home/state/sessions"));
        let line = Context {
            host: anyhook::wires::host("codex-cli").unwrap(),
            caller: Caller::Host,
            state: Some(&state),
            ..line(&world)
        };
        let payload = json!({
            "session_id": "s1", "cwd": cwd, "hook_event_name": "PreToolUse", "tool_name": tool,
            "tool_input": input,
        });
        let answered = line.run(payload.to_string().as_bytes());
        answered.report.result.verdict.kind()
    }

    fn bash(&self, cwd: &Path, command: &str) -> Kind {
        self.told(cwd, "Bash", &json!({"command": command}))
    }

    fn write(&self, cwd: &Path, file: &str) -> Kind {
        self.told(cwd, "Write", &json!({"file_path": file, "content": "x"}))
    }
}

#[test]
fn a_persons_guards_hold_in_the_home_and_in_every_folder_above_it() {
    let home = Path::new("home");
    for folder in [
        home,
        &home.join("notes"),
        Path::new(""),
        Path::new("/tmp"),
        Path::new("/"),
    ] {
        for is_repository in [false, true] {
            let place = Place::new();
            if is_repository {
                fs::create_dir(place.at("home/.git")).unwrap();
            }
            let cwd = place.folder.path().join(folder);
            assert_eq!(place.bash(&cwd, "ls"), Kind::Continue, "{cwd:?}");
            assert_eq!(place.bash(&cwd, "rm -rf src"), Kind::Deny, "{cwd:?}");
        }
    }
}

#[test]
fn a_home_that_came_with_a_repository_or_with_hooks_for_an_agent_is_a_strangers() {
    let brings: [fn(&Path); 2] = [
        |home| fs::create_dir(home.join(".git")).unwrap(),
        |home| {
            fs::create_dir(home.join(".claude")).unwrap();
            fs::write(home.join(".claude/settings.json"), "{}").unwrap();
        },
    ];
    for brings in brings {
        let place = Place::new();
        brings(place.folder.path());
        assert_eq!(place.bash(place.folder.path(), "ls"), Kind::Ask);
    }
}

#[test]
fn the_project_of_a_session_stays_where_it_began() {
    let place = Place::new();
    let project = place.at("project");
    assert_eq!(place.bash(&project, "ls"), Kind::Continue);
    let root = Path::new("/");
    assert_eq!(place.write(root, "/etc/passwd"), Kind::Deny);
    assert_eq!(place.write(&place.at("home"), "~/.bashrc"), Kind::Deny);
    assert_eq!(place.write(root, "etc/passwd"), Kind::Deny);
    // What is in the project is so from every folder, and a relative name counts from where the agent is.
    let inside = project.join("src/new.rs");
    assert_eq!(place.write(root, inside.to_str().unwrap()), Kind::Continue);
    assert_eq!(place.write(&project.join("src"), "x"), Kind::Continue);
    assert_eq!(place.write(&project.join("src"), "../../x"), Kind::Deny);
}

#[test]
fn a_project_hook_holds_after_the_agent_left_the_project() {
    let place = Place::new();
    let project = place.at("project");
    fs::create_dir(project.join("hooks")).unwrap();
    let rule = json!({"version": 1, "hooks": {"pre-tool-use": [{"hooks": [
        {"type": "rule", "when": "true", "then": {"deny": "not here"}},
    ]}]}});
    let manifest = project.join("hooks/hooks.json");
    fs::write(&manifest, rule.to_string()).unwrap();
    let trust = anyhook::trust::Trust::new(place.at("home/state/trust"));
    trust.pin(&manifest, 0).unwrap();
    assert_eq!(place.bash(&project, "ls"), Kind::Deny);
    assert_eq!(place.bash(Path::new("/"), "ls"), Kind::Deny);
}

#[test]
fn a_worktree_of_the_same_repository_is_the_project_and_a_folder_that_says_so_is_not() {
    let place = Place::new();
    let (project, worktree) = (place.at("project"), place.at("worktree"));
    let known = project.join(".git/worktrees/w");
    fs::create_dir_all(&known).unwrap();
    fs::create_dir_all(worktree.join("src")).unwrap();
    let link = format!("gitdir: {}\n", known.display());
    fs::write(worktree.join(".git"), &link).unwrap();
    fs::write(known.join("commondir"), "../..\n").unwrap();
    assert_eq!(place.bash(&project, "ls"), Kind::Continue);
    assert_eq!(
        place.write(&worktree.join("src"), "x"),
        Kind::Deny,
        "not yet one"
    );
    fs::write(
        known.join("gitdir"),
        worktree.join(".git").to_str().unwrap(),
    )
    .unwrap();
    assert_eq!(place.write(&worktree.join("src"), "x"), Kind::Continue);
    assert_eq!(place.write(&worktree, "../x"), Kind::Deny);
    fs::write(place.at("home/.git"), &link).unwrap();
    assert_eq!(place.write(&place.at("home"), "x"), Kind::Deny);
}
