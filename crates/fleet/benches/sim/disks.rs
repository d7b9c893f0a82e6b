//! Small disks of some developers, which become full and are emptied again.
//!
//! The law: the decision of an event stays the same and a notice is said, what was acknowledged is not lost, and the shipper waits
//! and goes on. What was written by then is expected in the store like everything else.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhook::core::report::Report;
use anyhook::core::result::Kind;
use anyhook::line::{Caller, Line};
use anyhook::load::Loading;
use anyhook::world::{Places, World};
use serde_json::json;

use crate::cluster::run;
use crate::people::{Developer, Room};

const SIZE: u64 = 4 << 20;
/// What a file takes at least.
const BLOCK: u64 = 4096;
const PATIENCE: Duration = Duration::from_mins(1);

/// A file system in memory, until this is dropped.
pub(crate) struct Mount(PathBuf);

impl Mount {
    pub(crate) fn at(folder: &Path) -> Self {
        fs::create_dir_all(folder).unwrap();
        let place = folder.display();
        run(&format!(
            "mount -t tmpfs -o size={SIZE},mode=700 none '{place}'"
        ));
        Self(folder.to_owned())
    }

    pub(crate) fn disk(&self) -> Disk {
        Disk(self.0.clone())
    }
}

/// Gives two developers a small disk, the last one that is a process and the last one that is a task, where that can be had.
pub(crate) fn mounts(all: &[Developer], two: [usize; 2], can: bool) -> BTreeMap<usize, Mount> {
    let two = two.into_iter().filter(|_| can);
    two.map(|number| (number, Mount::at(&all[number].home)))
        .collect()
}

impl Drop for Mount {
    fn drop(&mut self) {
        // Shippers that are tasks still have files open there.
        run(&format!("umount --lazy '{}'", self.0.display()));
    }
}

/// What is mounted there, which may be filled and emptied.
pub(crate) struct Disk(PathBuf);

impl Disk {
    fn filler(&self) -> PathBuf {
        self.0.join("filler")
    }

    /// Takes all room that is left.
    fn fill(&self) {
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.filler())
            .unwrap();
        while file.write_all(&[0; BLOCK as usize]).is_ok() {}
    }

    /// Leaves room for one block.
    fn leave_a_block(&self) {
        let file = OpenOptions::new().write(true).open(self.filler()).unwrap();
        let length = file.metadata().unwrap().len();
        file.set_len(length.saturating_sub(length % BLOCK + BLOCK))
            .unwrap();
    }

    fn empty(&self) {
        fs::remove_file(self.filler()).unwrap();
    }
}

impl Developer {
    /// What an event of this developer's agent comes to, as in the process of a hook.
    fn ask(&self, command: &str) -> Report {
        let state = self.home.join(".local/state/anyhook");
        let places = Places {
            home: self.home.clone(),
            config: self.home.join(".config/anyhook"),
            state,
        };
        let world = World {
            env: [("PATH".into(), "/usr/bin:/bin".into())].into(),
            cwd: self.home.clone(),
            places: Some(places),
            managed: self.managed.clone(),
            clock: self.clock.clone(),
            ..World::real()
        };
        let payload = json!({
            "hook_event_name": "PreToolUse", "session_id": "s1", "cwd": world.cwd, "permission_mode": "default",
            "tool_name": "Bash", "tool_use_id": command, "tool_input": {"command": command},
        });
        let line = Line {
            world: &world,
            host: anyhook::wires::host("claude-code").unwrap(),
            caller: Caller::Host,
            hint: None,
            manifest: None,
            deadline: None,
            loading: Loading::default(),
            store: Some(&self.record),
            state: None,
        };
        line.run(payload.to_string().as_bytes()).report
    }

    /// Whether its shipper wrote this, where it is a process and has a log of its own.
    fn shipper_says(&self, place: &Path, part: &str) -> Option<bool> {
        let log = fs::read_to_string(place.join(format!("{}.log", self.name)));
        log.ok().map(|log| log.contains(part))
    }
}

/// Whether its record says that it could not be stored, as the person hears it.
fn is_told(report: &Report) -> bool {
    let said = report.said.as_ref().unwrap_or(&report.result);
    let mut notices = said.effects.notify().iter();
    notices.any(|notice| notice.text.contains("could not be stored"))
}

/// Two events of this developer: one that the policy refuses, and one that it says nothing about. Tells whether both decisions are
/// as ever, and whether a notice was said; what was stored without one is expected.
fn acts(room: &Room, developer: &Developer) -> (bool, bool) {
    let reports = ["npm publish", "npm test"].map(|command| developer.ask(command));
    let verdict = |report: &Report| {
        report
            .said
            .as_ref()
            .unwrap_or(&report.result)
            .verdict
            .kind()
    };
    let is_same = reports.each_ref().map(verdict) == [Kind::Deny, Kind::Continue];
    let stored = reports.iter().filter(|report| !is_told(report));
    room.expect(stored.map(|report| report.id.to_string()));
    (is_same, reports.iter().any(is_told))
}

/// Fills all small disks, and acts on them until that is heard and each shipper has said that it waits for room.
pub(crate) fn fill(room: &Room, must: &mut BTreeMap<&'static str, bool>) {
    if room.disks.is_empty() {
        return;
    }
    let (mut is_same, mut is_told, mut waits) = (true, true, true);
    for (number, disk) in &room.disks {
        let developer = &room.developers[*number];
        let (as_ever, too_early) = acts(room, developer);
        is_same &= as_ever && !too_early;
        disk.fill();
        let begun = Instant::now();
        let (mut told, mut said) = (false, false);
        // What gets into the room that is left is acknowledged, and waits for room to be sealed.
        while !(told && said) && begun.elapsed() < PATIENCE {
            if told {
                disk.leave_a_block();
            }
            let (as_ever, is_told) = acts(room, developer);
            disk.fill();
            is_same &= as_ever;
            told |= is_told;
            let says = developer.shipper_says(&room.place, "No space left");
            said = says.unwrap_or(true);
            std::thread::sleep(Duration::from_millis(100));
        }
        is_told &= told;
        waits &= said;
    }
    must.insert("full disks: each decision is as before", is_same);
    must.insert(
        "full disks: the person hears that nothing is recorded",
        is_told,
    );
    must.insert("full disks: a shipper says that it waits", waits);
}

/// Empties them, and acts again.
pub(crate) fn empty(room: &Room, must: &mut BTreeMap<&'static str, bool>) {
    if room.disks.is_empty() {
        return;
    }
    let mut is_well = true;
    for (number, disk) in &room.disks {
        disk.empty();
        is_well &= acts(room, &room.developers[*number]) == (true, false);
    }
    must.insert("full disks: with room again all is recorded", is_well);
}

/// Tells whether the chain of each record holds, with the lines that a full disk tore.
pub(crate) fn chains(room: &Room, must: &mut BTreeMap<&'static str, bool>) {
    if room.disks.is_empty() {
        return;
    }
    let holds = |number: &usize| {
        let verified = room.developers[*number].record.verify_with(&[]).unwrap();
        verified.broken.is_empty()
    };
    let all_hold = room.disks.keys().all(holds);
    must.insert("full disks: the chain of each record holds", all_hold);
}
