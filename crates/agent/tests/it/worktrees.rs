//! Where children work: what hooks are told of it, and that nothing done there is lost.

use std::path::Path;
use std::process::Command;

use anyhook::core::event::Event;
use anyhook::core::result::HookResult;
use anyhook_agent::agent::AgentSetup;
use anyhook_agent::outcome::Finish;
use serde_json::Value;

use crate::kit::Kit;

const SPAWN: &str = r#"{"calls": [{"name": "spawn_agent", "input": {"prompt": "write it", "isolation": "worktree"}}]}"#;
const WRITE: &str = r#"{"calls": [{"name": "write", "input": {"file_path": "child.txt", "content": "from the child"}}]}"#;

fn git(folder: &Path, words: &[&str]) -> String {
    let ran = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(words)
        .output()
        .unwrap();
    assert!(ran.status.success(), "{ran:?}");
    String::from_utf8_lossy(&ran.stdout).into_owned()
}

/// Makes a repository with one commit.
fn repository(folder: &Path) {
    git(folder, &["init", "--quiet", "--initial-branch", "main"]);
    git(folder, &["config", "user.email", "a@example.org"]);
    git(folder, &["config", "user.name", "A"]);
    std::fs::write(folder.join("a.txt"), "one\n").unwrap();
    git(folder, &["add", "."]);
    git(folder, &["commit", "--quiet", "--message", "one"]);
}

fn listed(folder: &Path) -> usize {
    git(folder, &["worktree", "list"]).lines().count()
}

/// What hooks were told of where a child works, at its start and at its end.
fn told(kit: &Kit) -> Vec<Value> {
    let of = |event| {
        kit.seen
            .data(event)
            .into_iter()
            .map(|data| data["isolation"].clone())
    };
    of("agent:spawn").chain(of("agent:complete")).collect()
}

#[test]
fn hooks_are_told_where_a_child_works_and_what_became_of_it() {
    for (script, left) in [
        (
            format!(r#"[{SPAWN}, {WRITE}, "written", "done"]"#),
            "worktree_kept",
        ),
        (
            format!(r#"[{SPAWN}, "nothing", "done"]"#),
            "worktree_removed",
        ),
    ] {
        let kit = Kit::new(&script);
        repository(kit.path());
        let mut agent = kit.free();
        agent.run("go");
        let [start, end] = &told(&kit)[..] else {
            panic!("two are told")
        };
        assert_eq!(
            (&start["kind"], &end["kind"]),
            (&Value::from("worktree"), &Value::from(left))
        );
        for field in ["path", "branch", "parent_cwd"] {
            assert_eq!(start[field], end[field], "{field}");
        }
        assert_eq!(start["branch"], "agent/s1.1");
        assert_eq!(
            start["parent_cwd"],
            kit.path().canonicalize().unwrap().to_str().unwrap()
        );
        let path = Path::new(start["path"].as_str().unwrap());
        let is_kept = left == "worktree_kept";
        assert_eq!(
            (path.exists(), listed(kit.path())),
            (is_kept, 1 + usize::from(is_kept))
        );
        for tree in &agent.worktrees {
            tree.remove().unwrap();
        }
    }
}

#[test]
fn a_hook_can_refuse_a_child_that_would_work_in_its_parents_folder() {
    let kit = Kit::new(&format!(r#"[{SPAWN}, {WRITE}, "done"]"#));
    repository(kit.path());
    std::fs::write(kit.path().join("b.txt"), "b").unwrap();
    let mut agent = kit.free();
    agent.on("agent:spawn", |event: &Event| {
        match event.get("isolation").unwrap()["kind"].as_str() {
            Some("worktree") => HookResult::proceed(),
            _ => HookResult::deny("commit first"),
        }
    });
    agent.on("tool:pre", |event: &Event| {
        match event.text("tool_name").as_deref() {
            Some("Write") => HookResult::deny("no"),
            _ => HookResult::proceed(),
        }
    });
    agent.run("go");
    assert_eq!(told(&kit).len(), 1);
    assert_eq!(told(&kit)[0]["reason"], "dirty_tree");
}

#[test]
fn a_child_that_is_refused_leaves_no_worktree() {
    let kit = Kit::new(&format!(r#"[{SPAWN}, "done"]"#));
    repository(kit.path());
    let mut agent = kit.free();
    agent.on("agent:spawn", |_: &Event| HookResult::deny("alone"));
    agent.run("go");
    assert_eq!((listed(kit.path()), agent.worktrees.len()), (1, 0));
}

#[test]
fn a_child_of_an_agent_in_a_part_of_a_repository_works_in_the_same_part() {
    let up = r#"{"calls": [{"name": "read", "input": {"file_path": "../a.txt"}},
        {"name": "write", "input": {"file_path": "new.txt", "content": "n"}}]}"#;
    let kit = Kit::new(&format!(r#"[{SPAWN}, {up}, "done", "done"]"#));
    std::fs::create_dir(kit.path().join("part")).unwrap();
    std::fs::write(kit.path().join("part/own.txt"), "own").unwrap();
    repository(kit.path());
    let mut agent = kit.agent(AgentSetup {
        root: kit.path().join("part"),
        ..kit.setup()
    });
    agent.run("go");
    let errors = kit.seen.data("tool:error");
    assert!(
        errors[0]["error"]
            .as_str()
            .unwrap()
            .contains("outside the project")
    );
    // Hooks find its files where it works.
    let tree = &agent.worktrees[0];
    assert_eq!(
        errors[0]["cwd"],
        tree.root.canonicalize().unwrap().to_str().unwrap()
    );
    let new = tree.path.join("part/new.txt");
    assert_eq!(std::fs::read_to_string(new).unwrap(), "n");
    tree.remove().unwrap();
}

#[test]
fn what_a_child_left_is_found_whatever_a_persons_settings_of_git_say() {
    let kit = Kit::new(&format!(r#"[{SPAWN}, {WRITE}, "written", "done"]"#));
    repository(kit.path());
    for (name, value) in [
        ("status.showUntrackedFiles", "no"),
        ("diff.noprefix", "true"),
        ("diff.external", "false"),
        ("color.ui", "always"),
    ] {
        git(kit.path(), &["config", name, value]);
    }
    let mut agent = kit.free();
    agent.run("go");
    let [tree] = &agent.worktrees[..] else {
        panic!("one is left")
    };
    let left = std::fs::read_to_string(tree.path.join("child.txt")).unwrap();
    assert_eq!((left.as_str(), listed(kit.path())), ("from the child", 2));
    tree.remove().unwrap();
}

#[test]
fn what_an_agent_inside_an_agent_left_is_not_lost_with_the_one_around_it() {
    let kit = Kit::new(&format!(
        r#"[{SPAWN}, {SPAWN}, {WRITE}, "leaf", "middle", "done"]"#
    ));
    repository(kit.path());
    let mut agent = kit.free();
    agent.run("go");
    let files: Vec<bool> = agent
        .worktrees
        .iter()
        .map(|tree| tree.path.join("child.txt").exists())
        .collect();
    assert_eq!(files, [true, false]);
    for tree in &agent.worktrees {
        tree.remove().unwrap();
    }
    assert_eq!(listed(kit.path()), 1);
}

#[test]
fn a_folder_that_was_written_to_look_like_a_repository_is_none() {
    let file = |name: &str, content: &str| serde_json::json!({"name": "write", "input": {"file_path": name, "content": content}});
    let config = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = touch ran\n\
                  [filter \"x\"]\n\tclean = touch ran\n";
    let calls = [
        file("HEAD", "ref: refs/heads/main\n"),
        file("objects/x", ""),
        file("refs/x", ""),
        file("config", config),
        file(".gitattributes", "* filter=x\n"),
    ];
    let kit = Kit::new(&format!(
        r#"[{}, {SPAWN}, "nothing", "done"]"#,
        serde_json::json!({"calls": calls})
    ));
    assert_eq!(kit.free().run("go").finish, Finish::Stop);
    assert_eq!(
        told(&kit)[0],
        serde_json::json!({"kind": "in_process", "reason": "not_a_repo"})
    );
    assert!(!kit.path().join("ran").exists());
}
