//! A month without a server, then home.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhook::core::ports::Store as _;
use anyhook::stores::{Jsonl, Keep, Retention};

use crate::fleets::{Room, record};
use crate::members::key;
use crate::room::DAY;
use crate::shipping::waiting;

const DAYS: usize = 30;
/// So many events a day: a month of them is several times what the record may hold.
const EVENTS: usize = 800;
const RECORD: u64 = 4 << 20;
const WAITING: u64 = 1 << 20;

fn size(folder: &Path) -> u64 {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    files.map(|file| file.metadata().unwrap().len()).sum()
}

#[test]
fn a_month_without_a_server_takes_a_bounded_disk_and_all_that_was_kept_arrives_once() {
    let Some(mut room) = Room::of(&["ada"]) else {
        return;
    };
    room.configure(
        "ada",
        "[record]\nsize = 4\n[fleet]\nwaiting = 1\nlevel = \"redacted\"\n",
    );
    room.server.take().unwrap().kill();
    let (reports, fleet) = (
        room.state("ada").join("reports"),
        room.state("ada").join("fleet"),
    );
    let store = Jsonl::new(&reports, Keep::Payload).retaining(Retention {
        total: RECORD,
        segment: RECORD / 4,
        ..Retention::default()
    });
    let begun = anyhook::world::World::real().clock.now() - DAY * i64::try_from(DAYS).unwrap();
    for day in 0..DAYS {
        for number in day * EVENTS..(day + 1) * EVENTS {
            let mut report = record("ada", number);
            let moment = DAY * i64::try_from(number).unwrap() / i64::try_from(EVENTS).unwrap();
            report.at = Some(begun + moment);
            store.append(&report).unwrap();
        }
        let said = room.ship("ada");
        assert_eq!(said.status.code(), Some(75), "{said:?}");
        let (record, waits) = (size(&reports), size(&fleet));
        assert!(
            record <= RECORD && waits <= WAITING,
            "day {day}: {record}, {waits}"
        );
    }
    let machine = anyhook_fleet::Machine::called("machine of ada");
    let batches = waiting(&fleet, machine.id(), &key(&room, "ada"));
    let thinned: u64 = batches.iter().map(|batch| batch.head.thinned).sum();
    let sealed = batches
        .iter()
        .map(|batch| batch.reports.len())
        .sum::<usize>()
        + usize::try_from(thinned).unwrap();
    assert!(
        sealed > DAYS * EVENTS / 2,
        "{sealed}: most of the month did not fit"
    );

    room.start();
    let said = room.ship("ada");
    assert!(said.status.success(), "{said:?}");
    room.keep();
    // Of the part that was thinned each refusal, and of the rest everything.
    let expected: Vec<String> = (0..DAYS * EVENTS)
        .filter(|number| *number >= sealed || number % 10 == 0)
        .map(|number| format!("ada-{number:06}"))
        .collect();
    let rows = room.rows(&["log", "kept", "-n", "1000000"]);
    let mut days: BTreeMap<&str, usize> = BTreeMap::new();
    for row in &rows {
        let moment = row["moment"].as_str().unwrap();
        *days.entry(&moment[..10]).or_default() += 1;
    }
    let mut ids: Vec<&str> = rows.iter().map(|row| row["id"].as_str().unwrap()).collect();
    ids.sort_unstable();
    assert!(ids == expected, "{} of {}", ids.len(), expected.len());
    assert!((DAYS..=DAYS + 1).contains(&days.len()), "{days:?}");
    let coverage = String::from_utf8(room.fleet(&["coverage", "kept"]).stdout).unwrap();
    assert!(
        coverage.contains(&format!("{thinned} records thinned"))
            && !coverage.contains("MISSING")
            && !coverage.contains("LOST"),
        "{coverage}"
    );
    // And nothing more comes of asking again.
    assert!(room.ship("ada").status.success());
    room.keep();
    assert_eq!(room.ids(), expected);
}
