//! A process that is killed at each step of `apply` leaves one revision or the other, whole.

use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::Command;

use anyhook_fleet::{PolicySource, Store};
use serde_json::json;

use crate::room::held;

const PLACE: &str = "ANYHOOK_TEST_PLACE";
const STEP: &str = "ANYHOOK_TEST_STEP";

/// Ends this process as `kill -9` does, where the test wants it.
fn die(step: &str) {
    let wanted = std::env::var(STEP).unwrap_or_default();
    if step == wanted {
        let own = rustix::process::getpid();
        let _ = rustix::process::kill_process(own, rustix::process::Signal::KILL);
    }
}

/// Not a test of its own: the process that is killed.
#[test]
fn killed() {
    let Ok(place) = std::env::var(PLACE) else {
        return;
    };
    let place = Path::new(&place);
    let file = std::fs::read(place.join("next.policy")).unwrap();
    let mut store = Store::at(&place.join("etc"));
    store.reached = die;
    store
        .apply(&file, &PolicySource::file("/srv/acme.policy"))
        .unwrap();
}

#[test]
fn a_process_that_is_killed_at_any_step_leaves_one_whole_revision_and_the_next_one_goes_on() {
    for step in ["write", "name", "switch", "remember", "sweep"] {
        let (lead, machine) = held();
        lead.rules(json!({"name": "acme", "revision": 2}));
        lead.hooks(&[
            ("no-publish", "runs('npm publish')", "deny"),
            ("no-make", "runs('make')", "deny"),
        ]);
        let next = lead.signed();
        std::fs::write(machine.path("next.policy"), &next).unwrap();
        let status = Command::new(std::env::current_exe().unwrap())
            .args(["crash::killed", "--exact"])
            .env(PLACE, machine.path(""))
            .env(STEP, step)
            .output()
            .unwrap();
        assert_eq!(
            status.status.signal(),
            Some(9),
            "{step}: {}",
            String::from_utf8_lossy(&status.stderr)
        );

        let revision = machine.verdict("npm publish");
        assert_eq!(revision.0, "deny", "{step}");
        let held = machine.store().current().unwrap().stamp.unwrap().revision;
        let has_switched = ["remember", "sweep"].contains(&step);
        assert_eq!(held, if has_switched { 2 } else { 1 }, "{step}");
        assert_eq!(
            machine.verdict("make").0,
            if has_switched { "deny" } else { "continue" },
            "{step}"
        );

        machine.apply(&next).unwrap();
        assert_eq!(machine.verdict("make").0, "deny", "{step}");
        let names = std::fs::read_dir(machine.path("etc/policy/revisions"))
            .unwrap()
            .flatten();
        let names: Vec<String> = names
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        assert!(
            names.iter().all(|name| !name.starts_with('.')),
            "{step}: {names:?}"
        );
        lead.rules(json!({"name": "acme", "revision": 1}));
        assert!(
            machine.apply(&lead.signed()).is_err(),
            "{step}: it was seen"
        );
    }
}
