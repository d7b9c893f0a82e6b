//! What was trusted is what runs: an edit after trust has no effect until a person looked at it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use anyhook::trust::{Standing, Trust};
use serde_json::{Value, json};

use crate::env::{Left, TestEnv, git};

/// A collection of hooks as people publish them: its guard blocks every shell, and each of its files can switch that off.
struct Layout {
    name: &'static str,
    manifest: &'static str,
    command: &'static str,
    files: &'static [(&'static str, &'static str)],
    /// What must stand on the machine.
    needs: &'static str,
}

const BLOCKS: &str = "echo no >&2; exit 2\n";

/// Ways in which the files of a package reach each other; how each language names a file is in the tests of trust.
const LAYOUTS: &[Layout] = &[
    Layout {
        name: "scripts that import a package of utilities",
        manifest: "hooks/hooks.json",
        command: "python3 ${CLAUDE_PLUGIN_ROOT}/hooks/pre_tool_use.py",
        files: &[
            (
                "hooks/pre_tool_use.py",
                "import sys\nfrom utils.verdicts import block\nblock()\n",
            ),
            ("hooks/utils/__init__.py", ""),
            (
                "hooks/utils/verdicts.py",
                "import sys\ndef block():\n    sys.exit(2)\n",
            ),
        ],
        needs: "python3",
    },
    Layout {
        name: "a runner that runs the hook of a folder",
        manifest: "hooks/hooks.json",
        command: "bash ${CLAUDE_PLUGIN_ROOT}/bin/run-hook.sh validate",
        files: &[
            (
                "bin/run-hook.sh",
                "root=\"$(cd \"$(dirname \"$0\")/..\" && pwd)\"\nexec sh \"$root/hooks/$1/hook.sh\"\n",
            ),
            (
                "hooks/validate/hook.sh",
                ". \"$(dirname \"$0\")/../../adapters/answer.sh\"\nanswer\n",
            ),
            ("adapters/answer.sh", "answer() { exit 2; }\n"),
        ],
        needs: "bash",
    },
    Layout {
        name: "a rule engine that is imported",
        manifest: "hooks/hooks.json",
        command: "python3 ${CLAUDE_PLUGIN_ROOT}/hooks/pretooluse.py",
        files: &[
            (
                "hooks/pretooluse.py",
                "import os, sys\nroot = os.environ.get('CLAUDE_PLUGIN_ROOT')\nsys.path.insert(0, root)\n\
                 from core.rule_engine import RuleEngine\nsys.exit(RuleEngine().code())\n",
            ),
            ("core/__init__.py", ""),
            (
                "core/rule_engine.py",
                "class RuleEngine:\n    def code(self):\n        return 2\n",
            ),
        ],
        needs: "python3",
    },
    Layout {
        name: "a script without an ending",
        manifest: "hooks/hooks.json",
        command: "\"${CLAUDE_PLUGIN_ROOT}/hooks/run-hook.cmd\" session-start",
        files: &[
            (
                "hooks/run-hook.cmd",
                "#!/bin/sh\nexec sh \"$(dirname \"$0\")/$1\"\n",
            ),
            ("hooks/session-start", BLOCKS),
        ],
        needs: "sh",
    },
    Layout {
        name: "a plugin whose description holds its hooks",
        manifest: ".claude-plugin/plugin.json",
        command: "sh ${CLAUDE_PLUGIN_ROOT}/core/forward.sh",
        files: &[("core/forward.sh", BLOCKS)],
        needs: "sh",
    },
];

/// What a file is after an edit that would switch the guard off, in its own language.
fn harmless(file: &str) -> &'static str {
    match Path::new(file).extension().and_then(|end| end.to_str()) {
        Some("py") => "import os\nos._exit(0)\n",
        Some("json") => "{}",
        _ => "exit 0\n",
    }
}

fn is_here(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

fn plugin(command: &str) -> String {
    let hook = json!({"type": "command", "command": command});
    json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}}).to_string()
}

fn made(layout: &Layout, at: &str) -> TestEnv {
    let env = TestEnv::new();
    for (name, text) in layout.files {
        env.program(&format!("{at}/{name}"), text);
    }
    let mut manifest = plugin(layout.command);
    if layout.manifest.ends_with("plugin.json") {
        manifest = manifest.replacen('{', r#"{"name": "advisor", "version": "1.0.0","#, 1);
    }
    env.write(&format!("{at}/{}", layout.manifest), &manifest);
    env
}

fn shell(env: &TestEnv, command: &str) -> Left {
    env.bash(command)
}

fn trust(env: &TestEnv) -> Trust {
    Trust::new(env.state().join("trust"))
}

/// Edits one file after the other, and all at the end.
fn edited_in_turn(env: &TestEnv, layout: &Layout, at: &str) {
    let blocked = |file: &str, when: &str| {
        let left = shell(env, &format!("{when} {file}"));
        assert_eq!(
            left.decision().as_deref(),
            Some("deny"),
            "{} {file} {when}: {left:?}",
            layout.name
        );
    };
    blocked("nothing", "before");
    let manifest = (layout.manifest, "");
    for (name, text) in layout.files.iter().chain([&manifest]) {
        let path = env.path(at).join(name);
        let before = if text.is_empty() {
            fs::read_to_string(&path).unwrap()
        } else {
            (*text).to_owned()
        };
        fs::write(&path, harmless(name)).unwrap();
        blocked(name, "edited");
        fs::remove_file(&path).unwrap();
        blocked(name, "removed");
        symlink("/bin/true", &path).unwrap();
        blocked(name, "linked");
        fs::remove_file(&path).unwrap();
        fs::write(&path, before).unwrap();
    }
    fs::remove_dir_all(env.path(at)).unwrap();
    fs::create_dir_all(env.path("project")).unwrap();
    blocked("everything", "removed");
}

#[test]
fn a_newer_version_is_told_once_in_a_session_and_asks_nothing() {
    let layout = &LAYOUTS[3];
    let env = made(layout, "project");
    env.trust();
    env.write("project/hooks/session-start", "exit 0\n");
    let mut payload = env.pre("Read", &json!({"file_path": "/x"}));
    payload["session_id"] = json!("s-1");
    let left = env.claude(&payload);
    left.passes();
    left.says("a newer version waits");
    left.says("anyhook trust");
    payload["tool_input"] = json!({"file_path": "/y"});
    assert_eq!(env.claude(&payload).stdout, "", "said once");
    // A person looks at it, and then it runs.
    env.trust();
    shell(&env, "ls").passes();
}

#[test]
fn a_branch_without_the_manifest_asks_nothing_under_any_host_and_the_guard_holds() {
    let layout = &LAYOUTS[3];
    for host in anyhook::wires::hosts::HOSTS {
        let rows = host.rows();
        let Some(row) = rows.iter().find(|row| row.event == "tool:pre") else {
            continue;
        };
        let env = made(layout, "project");
        fs::create_dir(env.path("project/.git")).unwrap();
        env.trust();
        fs::remove_dir_all(env.path("project/hooks")).unwrap();
        let tool = |name: &str, input: Value| {
            let mut payload = env.pre(name, &input);
            payload["hook_event_name"] = json!(row.name);
            env.told_at(host.id(), row.name, &payload)
        };
        let read = tool("Read", json!({"file_path": "/x"}));
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
    let layout = &LAYOUTS[3];
    let env = made(layout, "project");
    env.trust();
    for (name, same) in [("clone", true), ("other", false)] {
        for (file, text) in layout.files {
            env.program(&format!("{name}/{file}"), text);
        }
        env.write(&format!("{name}/hooks/hooks.json"), &plugin(layout.command));
        if !same {
            env.write(&format!("{name}/hooks/session-start"), "exit 0\n");
        }
        let ls = |id: &str| {
            let mut payload = env.pre("Bash", &json!({"command": id}));
            payload["cwd"] = json!(env.path(name));
            // The project of a session is that of its first event.
            payload["session_id"] = json!(name);
            let mut command = env.command(&["run", "--host", "claude-code"]);
            command.current_dir(env.path(name));
            crate::env::finish(crate::env::start(command, payload.to_string().as_bytes()))
        };
        let expected = same.then_some("deny");
        assert_eq!(ls("one").decision().as_deref(), expected, "{name}");
        // Once it was guarded, it stays so.
        env.write(&format!("{name}/hooks/session-start"), "exit 0\n# newer\n");
        assert_eq!(ls("two").decision().as_deref(), expected, "{name}");
    }
}

#[test]
fn a_worktree_is_guarded_by_what_its_repository_was_trusted_with() {
    let layout = &LAYOUTS[3];
    let env = made(layout, "project");
    let project = env.path("project");
    git(&project, &["init", "-q"]);
    git(&project, &["commit", "-q", "--allow-empty", "-m", "empty"]);
    git(&project, &["branch", "empty"]);
    git(&project, &["add", "."]);
    git(&project, &["commit", "-q", "-m", "hooks"]);
    env.trust();
    let without = env.path("without");
    git(
        &project,
        &["worktree", "add", "-q", without.to_str().unwrap(), "empty"],
    );
    let with = env.path("with");
    git(
        &project,
        &[
            "worktree",
            "add",
            "-q",
            "-b",
            "with",
            with.to_str().unwrap(),
        ],
    );
    env.write("with/hooks/session-start", "exit 0\n");
    for folder in [&with, &without] {
        let mut payload = env.pre("Bash", &json!({"command": "ls"}));
        payload["cwd"] = json!(folder);
        let mut command = env.command(&["run", "--host", "claude-code"]);
        command.current_dir(folder);
        let left = crate::env::finish(crate::env::start(command, payload.to_string().as_bytes()));
        assert_eq!(
            left.decision().as_deref(),
            Some("deny"),
            "{}: {left:?}",
            folder.display()
        );
    }
    // A folder that only says that it is a worktree is none.
    let strange = env.path("strange");
    fs::create_dir_all(&strange).unwrap();
    let known = fs::read_to_string(without.join(".git")).unwrap();
    fs::write(strange.join(".git"), known).unwrap();
    let manifest = env.write("strange/hooks/hooks.json", &plugin("exit 0"));
    assert_eq!(trust(&env).held(&manifest), anyhook::trust::Held::Never);
}

/// The file of a copy, made writable, and its folder.
fn copy_of(env: &TestEnv, name: &str) -> PathBuf {
    let copies = fs::read_dir(env.state().join("trust/copies")).unwrap();
    let mut folders = copies
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir());
    folders
        .find_map(|folder| Some(folder.join(name)).filter(|file| file.exists()))
        .unwrap()
}

#[test]
fn what_a_hook_adds_to_its_copy_is_taken_out_before_the_next_run() {
    let layout = &LAYOUTS[0];
    let env = made(layout, "project/.agent-packages/x");
    let manifest = env.path("project/.agent-packages/x/hooks/hooks.json");
    trust(&env).pin(&manifest, 0).unwrap();
    let added = copy_of(&env, "hooks").join("sys.py");
    let mode = |mode| std::os::unix::fs::PermissionsExt::from_mode(mode);
    fs::set_permissions(added.parent().unwrap(), mode(0o700)).unwrap();
    fs::write(&added, "").unwrap();
    shell(&env, "one");
    assert!(!added.exists());
    assert_eq!(trust(&env).standing(&manifest), Standing::Trusted);
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
    let file = env.write("project/.claude/settings.json", &settings);
    let pinned = trust(&env).pin(&file, 0).unwrap();
    assert_eq!(pinned.checked, [".claude/hooks/lib.sh"]);
    let codex = || {
        let mut payload = env.pre("Bash", &json!({"command": "ls"}));
        payload["turn_id"] = json!("t-1");
        env.run(
            &["run", "PreToolUse", "--host", "codex"],
            payload.to_string().as_bytes(),
        )
    };
    codex().decides("deny");
    // The script itself is a copy.
    env.write("project/.claude/hooks/guard.sh", "exit 0\n");
    codex().decides("deny");
    env.write("project/.claude/hooks/lib.sh", "block() { exit 0; }\n");
    let left = codex();
    assert_eq!(
        left.decision().as_deref(),
        Some("deny"),
        "codex cannot ask: {left:?}"
    );
    left.says("no copy stands in for it");
}

#[test]
fn programs_in_the_environment_of_a_project_are_named_as_not_covered() {
    let env = TestEnv::new();
    env.write("project/node_modules/.bin/lint", "#!/usr/bin/env node\n");
    let hook = json!({"type": "command", "command": "node_modules/.bin/lint"});
    env.manifest(
        &json!({"version": 1, "hooks": {"pre-tool-use": [{"hooks": [hook]}]}}).to_string(),
    );
    let manifest = env.path("project/hooks/hooks.json");
    let pinned = trust(&env).pin(&manifest, 0).unwrap();
    let files: Vec<&str> = pinned.files.keys().map(|name| &**name).collect();
    assert_eq!(files, ["hooks/hooks.json"]);
    let expected = "`node_modules/.bin/lint`, and what it loads";
    assert!(
        pinned.loose.iter().any(|what| what == expected),
        "{pinned:?}"
    );
}

#[test]
fn explain_names_the_copy_that_runs_and_says_where_a_newer_version_is_shown() {
    let env = made(&LAYOUTS[3], "project");
    env.trust();
    let explain = || {
        env.anyhook("explain --event pre-tool-use --tool Bash")
            .stdout
    };
    let copy = copy_of(&env, "hooks")
        .parent()
        .unwrap()
        .display()
        .to_string();
    let told = explain();
    assert!(
        told.contains(&format!("runs as the copy in {copy}")) && !told.contains("newer version"),
        "{told}"
    );
    env.write("project/hooks/session-start", "exit 0\n");
    assert!(explain().contains("A newer version waits, and the hooks above are those of it"));
}

#[test]
fn swaps_of_files_links_and_folders_during_events_run_only_trusted_bytes() {
    swapped_during(24);
}

/// Asks about so many events while an attacker swaps what was trusted.
fn swapped_during(events: usize) {
    let layout = &LAYOUTS[1];
    if !is_here(layout.needs) {
        return;
    }
    let env = made(layout, "project");
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
            let left = shell(&env, &format!("ls {turn}"));
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
        for layout in LAYOUTS.iter().filter(|layout| is_here(layout.needs)) {
            let at = "project/.agent-packages/x";
            let env = made(layout, at);
            let manifest = env.path(at).join(layout.manifest);
            let pinned = trust(&env).pin(&manifest, 0).unwrap();
            assert!(pinned.whole, "{}", layout.name);
            edited_in_turn(&env, layout, at);
        }
    }

    #[test]
    #[ignore = "takes seconds"]
    fn an_edit_of_any_file_that_a_trusted_project_runs_has_no_effect_until_a_person_looked() {
        // In a project the description of a plugin is one of several; its own place is that of a project's manifest.
        let of_project =
            |layout: &&Layout| is_here(layout.needs) && layout.manifest == "hooks/hooks.json";
        for layout in LAYOUTS.iter().filter(of_project) {
            let env = made(layout, "project");
            fs::create_dir(env.path("project/.git")).unwrap();
            let manifest = env.path("project").join(layout.manifest);
            let pinned = trust(&env).pin(&manifest, 0).unwrap();
            assert!(!pinned.whole, "{}", layout.name);
            for (name, _) in layout.files {
                let is_pinned = pinned.files.iter().any(|(file, _)| file == name);
                assert!(is_pinned, "{}: {name}", layout.name);
            }
            assert_eq!(pinned.checked, [] as [String; 0], "{}", layout.name);
            edited_in_turn(&env, layout, "project");
        }
    }

    #[test]
    #[ignore = "takes seconds"]
    fn what_a_script_runs_is_pinned_however_long_or_deep_it_is() {
        let env = TestEnv::new();
        let deep = (0..12).fold("./tools/far.sh".to_owned(), |text, _| {
            format!("sh <<'{0}'\n{text}\n{0}", format!("E{}", text.len()))
        });
        let long = "true | ".repeat(30_000) + "sh ./tools/near.sh";
        for name in ["tools/near.sh", "tools/far.sh"] {
            env.write(&format!("project/{name}"), "");
        }
        env.write("project/hooks/deep.sh", &deep);
        env.write("project/hooks/long.sh", &long);
        let hooks = ["deep", "long"].map(|name| {
            let line = format!("sh ${{PACKAGE_ROOT}}/hooks/{name}.sh");
            json!({"type": "command", "command": line})
        });
        env.manifest(
            &json!({"version": 1, "hooks": {"pre-tool-use": [{"hooks": hooks}]}}).to_string(),
        );
        let manifest = env.path("project/hooks/hooks.json");
        let pinned = trust(&env).pin(&manifest, 0).unwrap();
        let files = format!("{pinned:?}");
        assert!(
            files.contains("tools/near.sh") && files.contains("tools/far.sh"),
            "{files}"
        );
    }
}
