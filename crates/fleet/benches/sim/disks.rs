//! Disks that are full for a while: of a server, of a machine whose shipper is a process, and of one whose shipper is a task.
//!
//! Each is a file system of its own in memory. It is full when it is made as small as what is on it.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhook::line::{Caller, Line};
use anyhook::load::Loading;
use anyhook::world::{Places, World};
use serde_json::json;

use crate::Sizes;
use crate::people::{Developer, ROGUE};

/// More than a run ever needs; only what is used takes memory.
const ROOM: &str = "size=2g";

/// A folder with a file system of its own.
pub(crate) struct Disk(PathBuf);

fn run(program: &str, args: &[&str]) -> String {
    let done = Command::new(program).args(args).output().unwrap();
    assert!(done.status.success(), "{program} {args:?}: {done:?}");
    String::from_utf8(done.stdout).unwrap()
}

impl Disk {
    pub(crate) fn at(folder: &Path) -> Self {
        std::fs::create_dir_all(folder).unwrap();
        let disk = Self(folder.to_owned());
        disk.mount(ROOM);
        disk
    }

    fn mount(&self, options: &str) {
        let folder = self.0.to_string_lossy();
        run("mount", &["-t", "tmpfs", "-o", options, "none", &folder]);
    }

    /// Makes it as small as what is on it. What is written meanwhile makes a try too small.
    pub(crate) fn fill(&self) {
        let folder = self.0.to_string_lossy();
        let mut tries = 0;
        loop {
            let used = run("df", &["--output=used", "-k", &folder]);
            let used = used.lines().last().unwrap().trim();
            let options = format!("remount,size={used}k");
            let done = Command::new("mount")
                .args(["-o", &options, &folder])
                .output();
            let done = done.unwrap();
            if done.status.success() {
                return;
            }
            tries += 1;
            assert!(tries < 100, "{done:?}");
        }
    }

    pub(crate) fn make_room(&self) {
        let folder = self.0.to_string_lossy();
        run("mount", &["-o", &format!("remount,{ROOM}"), &folder]);
    }
}

/// Those whose disk is full for a while: one whose shipper is a process, and one whose shipper is a task.
pub(crate) fn full(sizes: &Sizes) -> [usize; 2] {
    let first_task = ROGUE + 1 + sizes.processes;
    [first_task - 1, first_task]
}

/// Gives each of them a disk of its own.
pub(crate) fn give(developers: &mut [Developer], sizes: &Sizes) {
    for number in full(sizes) {
        developers[number].disk = Some(Disk::at(&developers[number].home));
    }
}

/// What the agent of a developer hears when it would publish, with a record that has no room: the verdict, and what is noticed.
pub(crate) fn publishes(developer: &Developer) -> (&'static str, String) {
    let state = developer.home.join(".local/state/anyhook");
    let world = World {
        env: [("PATH".into(), "/usr/bin:/bin".into())].into(),
        cwd: developer.managed.clone(),
        places: Some(Places {
            home: developer.home.clone(),
            config: developer.home.join(".config/anyhook"),
            state,
        }),
        managed: developer.managed.clone(),
        ..World::real()
    };
    let line = Line {
        world: &world,
        host: anyhook::wires::host("claude-code").unwrap(),
        caller: Caller::Host,
        hint: None,
        manifest: None,
        deadline: None,
        loading: Loading::default(),
        store: Some(&developer.record),
        state: None,
    };
    let payload = json!({
        "hook_event_name": "PreToolUse", "session_id": "full", "cwd": developer.managed, "permission_mode": "default",
        "tool_name": "Bash", "tool_use_id": "full", "tool_input": {"command": "npm publish"},
    });
    let ran = line.run(payload.to_string().as_bytes());
    let verdict = ran.report.result.verdict.kind().as_str();
    (
        verdict,
        format!("{:?} {:?}", ran.report.said, ran.report.remarks),
    )
}
