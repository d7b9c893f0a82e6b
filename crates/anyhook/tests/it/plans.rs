//! What an event found out and kept: the next event answers as one that looks for itself, whatever changed on the disk.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhook::line::{Caller, Line};
use anyhook::trust::Trust;
use anyhook::world::{Places, World};
use serde_json::json;

use crate::lines::line;

/// A machine with hooks in every layer, of which those that need it are trusted.
struct Machine {
    _folder: tempfile::TempDir,
    root: PathBuf,
    world: World,
}

/// What an agent and a person hear of one event.
#[derive(Debug, PartialEq)]
struct Heard {
    stdout: String,
    stderr: String,
    exit: u8,
    remarks: Vec<String>,
    hooks: Vec<String>,
}

const RULE: &str = r#"{"version": 1, "hooks": {"pre-tool-use": [{"hooks": [
    {"type": "rule", "name": "NAME", "when": "tool_input.command.contains('NAME')", "then": {"deny": "NAME says no"}}
]}]}}"#;

const SCRIPT: &str = r#"{"version": 1, "hooks": {"pre-tool-use": [{"hooks": [
    {"type": "rule", "when": "tool_input.command.contains('project')", "then": {"deny": "project says no"}},
    {"type": "command", "command": "sh hooks/scripts/check.sh"}
]}]}}"#;

const NATIVE: &str = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
    {"type": "command", "command": "cat > /dev/null; exit 0"}
]}]}}"#;

/// The files of the machine. Those of a project and of packages are trusted.
const FILES: &[(&str, &str, &str)] = &[
    ("config/hooks.json", "own", RULE),
    ("project/hooks/hooks.json", "", SCRIPT),
    ("project/hooks/scripts/check.sh", "", "exit 0\n"),
    (
        "project/.agent-packages/style/hooks/hooks.json",
        "style",
        RULE,
    ),
    (
        "project/.agent-packages/style/hooks/scripts/check.sh",
        "",
        ". ./lib.sh\n",
    ),
    ("project/.agent-packages/style/lib.sh", "", "exit 0\n"),
    ("home/.aam/packages/mine/hooks/hooks.json", "mine", RULE),
    (
        "home/.aam/packages/mine/hooks/scripts/check.sh",
        "",
        "exit 0\n",
    ),
    ("project/.claude/settings.json", "", NATIVE),
    ("tree/hooks/hooks.json", "", SCRIPT),
    ("tree/hooks/scripts/check.sh", "", "exit 0\n"),
    ("plugin/hooks/hooks.json", "", NATIVE),
    ("project/.git/HEAD", "", "ref: refs/heads/main\n"),
    ("project/src/main.rs", "", "fn main() {}\n"),
];

impl Machine {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let places = Places {
            home: root.join("home"),
            config: root.join("config"),
            state: root.join("state"),
        };
        fs::create_dir_all(root.join("managed")).unwrap();
        for (name, rule, text) in FILES {
            let file = root.join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text.replace("NAME", rule)).unwrap();
        }
        symlink(root.join("project"), root.join("link")).unwrap();
        // A worktree of the project, and a plugin that the person installed.
        let write = |name: &str, text: String| {
            let file = root.join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        };
        let at = |name: &str| root.join(name).display().to_string();
        write(
            "tree/.git",
            format!("gitdir: {}\n", at("project/.git/worktrees/tree")),
        );
        write(
            "project/.git/worktrees/tree/gitdir",
            format!("{}\n", at("tree/.git")),
        );
        let installed =
            json!({"plugins": {"one": [{"scope": "user", "installPath": at("plugin")}]}});
        write(
            "home/.claude/plugins/installed_plugins.json",
            installed.to_string(),
        );
        let enabled = json!({"enabledPlugins": {"one": true}});
        write("home/.claude/settings.json", enabled.to_string());
        let trust = Trust::of(&places);
        for (name, ..) in FILES.iter().filter(|(name, ..)| {
            name.contains(".json") && !name.starts_with("config") && !name.starts_with("tree")
        }) {
            trust.pin(&root.join(name), 0).unwrap();
        }
        let world = World {
            cwd: root.join("link"),
            places: Some(places),
            managed: root.join("managed"),
            ids: || "id".into(),
            ..World::real()
        };
        Self {
            _folder: folder,
            root,
            world,
        }
    }

    fn heard(&self) -> Vec<Heard> {
        self.heard_in(&[self.root.join("link"), self.root.join("tree")])
    }

    /// Two agents tell of calls in these folders, each in a session of its own.
    fn heard_in(&self, folders: &[PathBuf]) -> Vec<Heard> {
        static SESSION: AtomicUsize = AtomicUsize::new(0);
        let commands = ["echo own project", "rm -r hooks"];
        let agents = ["claude-code", "copilot-cli"];
        let pairs = agents.iter().flat_map(|agent| {
            let pair = |(folder, command)| (*agent, folder, command);
            let calls = folders
                .iter()
                .flat_map(|folder| commands.map(|command| (folder, command)));
            calls.map(pair)
        });
        pairs
            .map(|(agent, folder, command)| {
                let world = World {
                    cwd: folder.clone(),
                    ..self.world.clone()
                };
                let session = SESSION.fetch_add(1, Ordering::Relaxed).to_string();
                let line = Line {
                    caller: Caller::Host,
                    host: anyhook::wires::host(agent).unwrap(),
                    hint: Some("PreToolUse"),
                    ..line(&world)
                };
                let payload = if agent == "claude-code" {
                    json!({
                        "hook_event_name": "PreToolUse", "session_id": session, "cwd": folder,
                        "tool_name": "Bash", "tool_input": {"command": command},
                    })
                } else {
                    json!({
                        "timestamp": 0, "cwd": folder, "sessionId": session,
                        "toolName": "bash", "toolArgs": json!({"command": command}).to_string(),
                    })
                };
                let mut answered = line.run(payload.to_string().as_bytes());
                answered.settle();
                let hooks = answered.report.hooks.iter();
                let remarks = answered.report.remarks.iter();
                Heard {
                    stdout: answered.reply.stdout.clone(),
                    stderr: answered.reply.stderr.clone(),
                    exit: answered.reply.exit,
                    remarks: remarks.map(ToString::to_string).collect(),
                    hooks: hooks.map(|hook| format!("{hook:?}")).collect(),
                }
            })
            .collect()
    }

    fn plans(&self) -> PathBuf {
        self.root.join("state/plans")
    }

    /// Returns what is kept.
    fn kept(&self) -> Vec<PathBuf> {
        let entries = self.plans().read_dir().into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect()
    }

    /// Lets events pass until what they find out is kept, of two agents in two folders what holds and what is protected: that
    /// is when the last change is a moment old. What cannot run is not kept.
    fn settle(&self) -> usize {
        let mut rounds = 0..20;
        let _ = rounds.find(|_| {
            self.heard();
            self.kept().len() == 8
        });
        self.kept().len()
    }

    /// Everything that events may look at.
    fn all(&self) -> Vec<PathBuf> {
        let mut all = Vec::new();
        let mut open = vec![self.root.clone()];
        while let Some(folder) = open.pop() {
            for entry in folder.read_dir().into_iter().flatten().flatten() {
                let path = entry.path();
                // An event mends a copy that was changed, so the second one would see another disk.
                if ["plans", "values", "payloads", "copies"]
                    .iter()
                    .any(|name| path.ends_with(name))
                {
                    continue;
                }
                if path.is_dir() && !path.is_symlink() {
                    open.push(path.clone());
                }
                all.push(path);
            }
        }
        all.sort();
        all
    }
}

/// Numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most
    }
}

/// Changes something of what stands there, and says what.
fn change(numbers: &mut Numbers, machine: &Machine) -> String {
    let all = machine.all();
    let path = &all[numbers.below(all.len())];
    let other = &all[numbers.below(all.len())];
    // Some of these fail, where a file stands in the place of a folder: then nothing changes.
    let what = numbers.below(9);
    let done = match what {
        0 => edited(path),
        1 => fs::remove_file(path).or_else(|_| fs::remove_dir_all(path)),
        2 => fs::rename(path, path.with_extension("moved")),
        3 => fs::rename(path, path.with_extension("moved"))
            .and_then(|()| symlink(path.with_extension("moved"), path)),
        4 => fs::write(path.join("hooks.json"), RULE.replace("NAME", "new")),
        5 => fs::copy(other, path).map(drop),
        6 => fs::set_permissions(path, Permissions::from_mode(0o755)),
        7 => fs::create_dir_all(path.join(".git")),
        _ => fs::create_dir_all(path.join("hooks")).and_then(|()| {
            fs::write(
                path.join("hooks/hooks.json"),
                RULE.replace("NAME", "deeper"),
            )
        }),
    };
    format!("{what} {}: {done:?}", path.display())
}

/// Writes other bytes of the same length in the same file, and puts the time of the file back.
fn edited(path: &Path) -> std::io::Result<()> {
    let before = fs::metadata(path)?;
    let text = fs::read_to_string(path)?;
    let file = fs::OpenOptions::new().write(true).open(path)?;
    std::io::Write::write_all(
        &mut &file,
        text.replace("says no", "says NO")
            .replace('0', "1")
            .as_bytes(),
    )?;
    file.set_modified(before.modified()?)
}

#[test]
fn where_our_own_folders_stand_in_the_project_nothing_that_was_kept_there_is_believed() {
    let machine = Machine::new();
    fs::create_dir(machine.root.join(".git")).unwrap();
    let plain = [machine.root.join("src")];
    fs::create_dir(&plain[0]).unwrap();
    for _ in 0..40 {
        machine.heard_in(&plain);
    }
    assert!(!machine.plans().exists());
    fs::remove_dir(machine.root.join(".git")).unwrap();
    let is_kept = |_| {
        machine.heard_in(&plain);
        machine.plans().exists()
    };
    assert!((0..60).any(is_kept), "outside of the project they are");
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "takes seconds"]
    fn what_an_event_found_out_is_kept_and_changes_no_answer_whatever_changes_on_the_disk() {
        for seed in 1..=2 {
            let machine = Machine::new();
            let mut numbers = Numbers(seed);
            let mut changes = Vec::new();
            let mut kept = 0;
            for _ in 0..20 {
                kept += machine.settle();
                changes.push(change(&mut numbers, &machine));
                let by_plan = machine.heard();
                let _ = fs::remove_dir_all(machine.plans());
                let by_looking = machine.heard();
                for (one, other) in by_plan.iter().zip(&by_looking) {
                    assert_eq!(one, other, "seed {seed}: {changes:#?}");
                }
                let _ = fs::remove_dir_all(machine.plans());
            }
            assert!(kept > 80, "seed {seed}: {kept} of 160 plans were there");
        }
    }

    #[test]
    #[ignore = "takes seconds"]
    fn a_plan_that_is_torn_or_of_another_version_is_made_again_and_changes_no_answer() {
        let machine = Machine::new();
        assert_eq!(machine.settle(), 8);
        let expected = machine.heard();
        let texts: Vec<(PathBuf, Vec<u8>)> = machine
            .kept()
            .into_iter()
            .map(|plan| {
                let text = fs::read(&plan).unwrap();
                (plan, text)
            })
            .collect();
        let mut numbers = Numbers(7);
        for _ in 0..20 {
            for (plan, text) in &texts {
                let mut text = text.clone();
                let at = numbers.below(text.len());
                match numbers.below(3) {
                    0 => text.truncate(at),
                    1 => text[at] ^= 1 << numbers.below(8),
                    _ => text.insert(at, b'x'),
                }
                fs::write(plan, text).unwrap();
            }
            assert_eq!(machine.heard(), expected);
        }
    }
}
