//! What was trusted is what runs: an edit after trust has no effect until a person looked at it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use anyhook::trust::{Admission, PinStatus};
use serde_json::json;

use crate::env::{Left, TestEnv, chmod, copy, files_below, git, repository, with};

/// Collections of hooks as people publish them, whose files reach each other in different ways (how each language names a file is in
/// the tests of trust): the guard of each blocks every shell, and each of its files can switch that off.
const LAYOUTS: [&str; 5] = ["imports", "runner", "engine", "without-an-ending", "plugin"];

fn folder(layout: &str) -> PathBuf {
    repository().join("crates/cli/tests/it/copies").join(layout)
}

fn made(layout: &str, at: &str) -> TestEnv {
    let env = TestEnv::new();
    copy(&folder(layout), &env.path(at));
    env
}

/// A project with scripts that have no ending, trusted.
fn project() -> TestEnv {
    let env = made("without-an-ending", "project");
    env.trust();
    env
}

/// What comes of a shell command in another folder, whose session is its own.
fn shell_in(env: &TestEnv, folder: &Path, line: &str) -> Option<String> {
    let there = json!({"cwd": folder, "session_id": folder});
    let call = with(env.pre("Bash", &json!({"command": line})), &there);
    let left = env.told_in("claude-code", &call, |run| run.current_dir(folder));
    left.decision()
}

/// What a file is after an edit that would switch the guard off, in its own language.
fn harmless(file: &Path) -> &'static str {
    match file.extension().and_then(|end| end.to_str()) {
        Some("py") => "import os\nos._exit(0)\n",
        Some("json") => "{}",
        _ => "exit 0\n",
    }
}

fn plugin(command: &str) -> String {
    let hook = json!({"type": "command", "command": command});
    json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}}).to_string()
}

/// Edits one file after the other, and all at the end.
fn edited_in_turn(env: &TestEnv, layout: &str, at: &str) {
    let blocked = |file: &Path, when: &str| {
        let file = file.display();
        let left = env.bash(&format!("{when} {file}"));
        let decision = left.decision();
        assert_eq!(
            decision.as_deref(),
            Some("deny"),
            "{layout} {file} {when}: {left:?}"
        );
    };
    blocked(Path::new("nothing"), "before");
    for path in files_below(&env.path(at)) {
        let before = fs::read(&path).unwrap();
        fs::write(&path, harmless(&path)).unwrap();
        blocked(&path, "edited");
        fs::remove_file(&path).unwrap();
        blocked(&path, "removed");
        symlink("/bin/true", &path).unwrap();
        blocked(&path, "linked");
        fs::remove_file(&path).unwrap();
        fs::write(&path, before).unwrap();
    }
    fs::remove_dir_all(env.path(at)).unwrap();
    fs::create_dir_all(env.path("project")).unwrap();
    blocked(Path::new("everything"), "removed");
}

#[test]
fn a_branch_without_the_manifest_asks_nothing_under_any_host_and_the_guard_holds() {
    for host in anyhook::wires::hosts::HOSTS {
        let rows = host.rows();
        let Some(row) = rows.iter().find(|row| row.event == "tool:pre") else {
            continue;
        };
        let env = project();
        fs::create_dir(env.path("project/.git")).unwrap();
        fs::remove_dir_all(env.path("project/hooks")).unwrap();
        let mut call = env.pre("Read", &json!({"file_path": "/x"}));
        call["hook_event_name"] = json!(row.name);
        let read = env.told_at(host.id(), row.name, &call);
        assert!(
            read.code == 0 && !is_stopped(&read),
            "{}: {read:?}",
            host.id()
        );
    }
}

/// Tells whether an answer asks or refuses, in whatever words.
fn is_stopped(left: &Left) -> bool {
    let text = left.stdout.to_lowercase();
    ["deny", "\"ask\"", "block\"", "refuse"]
        .iter()
        .any(|word| text.contains(word))
}

#[test]
fn a_clone_with_the_same_files_is_trusted_with_the_first_and_another_one_is_not() {
    let env = project();
    for (name, same) in [("clone", true), ("other", false)] {
        let script = format!("{name}/hooks/session-start");
        copy(&folder("without-an-ending"), &env.path(name));
        if !same {
            env.write(&script, "exit 0\n");
        }
        let expected = same.then_some("deny");
        let there = env.path(name);
        assert_eq!(shell_in(&env, &there, "one").as_deref(), expected, "{name}");
        // Once it was guarded, it stays so.
        env.write(&script, "exit 0\n# newer\n");
        assert_eq!(shell_in(&env, &there, "two").as_deref(), expected, "{name}");
    }
}

#[test]
fn a_worktree_is_guarded_by_what_its_repository_was_trusted_with() {
    let env = made("without-an-ending", "project");
    let git = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        git(&env.path("project"), &words);
    };
    git("init -q");
    git("commit -q --allow-empty -m empty");
    git("branch empty");
    git("add .");
    git("commit -q -m hooks");
    env.trust();
    git("worktree add -q ../without empty");
    git("worktree add -q -b with ../with");
    env.write("with/hooks/session-start", "exit 0\n");
    for name in ["with", "without"] {
        let said = shell_in(&env, &env.path(name), "ls");
        assert_eq!(said.as_deref(), Some("deny"), "{name}");
    }
    // A folder that only says that it is a worktree is none.
    let known = fs::read_to_string(env.path("without/.git")).unwrap();
    env.write("strange/.git", &known);
    let manifest = env.write("strange/hooks/hooks.json", &plugin("exit 0"));
    assert_eq!(env.pins().admission(&manifest), Admission::Never);
}

#[test]
fn what_a_hook_adds_to_its_copy_is_taken_out_before_the_next_run() {
    let at = "project/.agent-packages/x";
    let env = made("imports", at);
    let manifest = env.path(at).join("hooks/hooks.json");
    env.pins().pin(&manifest, 0).unwrap();
    let copies = files_below(&env.state().join("trust/copies"));
    let script = copies.iter().find(|file| file.ends_with("pre_tool_use.py"));
    let added = script.unwrap().with_file_name("sys.py");
    chmod(added.parent().unwrap(), 0o700);
    fs::write(&added, "").unwrap();
    env.bash("one");
    assert!(!added.exists());
    assert_eq!(env.pins().standing(&manifest), PinStatus::Trusted);
}

#[test]
fn a_script_that_reaches_its_neighbour_by_the_project_is_compared_before_each_run() {
    let env = TestEnv::new();
    env.write(
        "project/.claude/hooks/guard.sh",
        ". \"$CLAUDE_PROJECT_DIR/.claude/hooks/lib.sh\"\nblock\n",
    );
    env.write("project/.claude/hooks/lib.sh", "block() { exit 2; }\n");
    let settings = plugin("sh \"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.sh");
    env.write("project/.claude/settings.json", &settings);
    let pinned = env.trust_file(".claude/settings.json");
    assert_eq!(pinned.checked, [".claude/hooks/lib.sh"]);
    let codex = || {
        let call = env.pre("Bash", &json!({"command": "ls"}));
        env.told_at(
            "codex",
            "PreToolUse",
            &with(call, &json!({"turn_id": "t-1"})),
        )
    };
    codex().decides("deny");
    // The script itself is a copy.
    env.write("project/.claude/hooks/guard.sh", "exit 0\n");
    codex().decides("deny");
    env.write("project/.claude/hooks/lib.sh", "block() { exit 0; }\n");
    // Codex cannot ask.
    let left = codex();
    left.decides("deny");
    left.says("no copy stands in for it");
}

#[test]
fn swaps_of_files_links_and_folders_during_events_run_only_trusted_bytes() {
    swapped_during(24);
}

/// Asks about so many events while an attacker swaps what was trusted.
fn swapped_during(events: usize) {
    let env = made("runner", "project");
    fs::create_dir(env.path("project/.git")).unwrap();
    env.trust();
    let project = env.path("project");
    let ran = project.join("ran");
    let evil = format!("touch {}; exit 0\n", ran.display());
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut turn = 0_usize;
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                swap(&project, turn, &evil);
                turn += 1;
            }
        });
        let mut softer = Vec::new();
        for turn in 0..events {
            let left = env.bash(&format!("ls {turn}"));
            if left.decision().as_deref() != Some("deny") {
                softer.push(left);
            }
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(softer.is_empty(), "{softer:?}");
    });
    assert!(!ran.exists());
}

/// Puts a script, a link or a folder of the attacker in the place of one that was trusted.
fn swap(project: &Path, turn: usize, evil: &str) {
    let targets = [
        "hooks/validate/hook.sh",
        "adapters/answer.sh",
        "bin/run-hook.sh",
        "hooks/hooks.json",
    ];
    let target = project.join(targets[turn % targets.len()]);
    let beside = project.join("evil");
    // Each step may meet what the step before left.
    let _ = fs::remove_dir_all(&beside);
    let _ = fs::remove_file(&beside);
    let _ = fs::write(&beside, evil);
    match turn / targets.len() % 3 {
        0 => {
            let _ = fs::rename(&beside, &target);
        }
        1 => {
            let _ = fs::remove_file(&target);
            let _ = symlink(&beside, &target);
        }
        _ => {
            let folder = target.parent().unwrap();
            let _ = fs::rename(folder, project.join("old"));
            let _ = fs::remove_dir_all(project.join("old"));
            let _ = fs::create_dir_all(folder);
            let _ = fs::write(&target, evil);
        }
    }
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "takes minutes"]
    fn a_thousand_events_during_swaps_run_only_trusted_bytes() {
        swapped_during(1000);
    }

    #[test]
    #[ignore = "takes seconds"]
    fn an_edit_of_any_file_of_a_trusted_package_has_no_effect_until_a_person_looked() {
        for layout in LAYOUTS {
            let at = "project/.agent-packages/x";
            let env = made(layout, at);
            let is_plugin = env.path(at).join(".claude-plugin").exists();
            let name = if is_plugin {
                ".claude-plugin/plugin.json"
            } else {
                "hooks/hooks.json"
            };
            let pinned = env.pins().pin(&env.path(at).join(name), 0).unwrap();
            assert!(pinned.whole, "{layout}");
            edited_in_turn(&env, layout, at);
        }
    }

    #[test]
    #[ignore = "takes seconds"]
    fn an_edit_of_any_file_that_a_trusted_project_runs_has_no_effect_until_a_person_looked() {
        // In a project the description of a plugin is one of several; its own place is that of a project's manifest.
        for layout in LAYOUTS.into_iter().filter(|layout| *layout != "plugin") {
            let env = made(layout, "project");
            fs::create_dir(env.path("project/.git")).unwrap();
            let pinned = env.trust_file("hooks/hooks.json");
            assert!(!pinned.whole, "{layout}");
            let project = env.path("project");
            for file in files_below(&project) {
                let name = file.strip_prefix(&project).unwrap().to_str().unwrap();
                assert!(pinned.files.contains_key(name), "{layout}: {name}");
            }
            assert_eq!(pinned.checked, [""; 0], "{layout}");
            edited_in_turn(&env, layout, "project");
        }
    }
}
