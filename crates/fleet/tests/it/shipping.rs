//! From the files of many machines into the store of one fleet: none lost, none twice, whatever is killed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhook::stores::{Filter, Jsonl, RecordDetail};
use anyhook_fleet::{Batch, Fleet, FleetAccount, FleetRole, SecretKey, Shipment, Shipper};
use serde_json::{Value, json};

use crate::fleets::{PROGRAM, Room, record, until};

fn ids(person: &str, count: usize) -> Vec<String> {
    (0..count)
        .map(|number| format!("{person}-{number:06}"))
        .collect()
}

#[test]
fn records_come_into_the_store_once_whatever_is_killed_and_in_whatever_order() {
    let Some(mut room) = Room::of(&["ada", "bob"]) else {
        return;
    };
    let place = |room: &Room| {
        let text = fs::read(room.state("ada").join("fleet/place.json")).unwrap_or_default();
        let place: Value = serde_json::from_slice(&text).unwrap_or_default();
        place["number"].as_u64().unwrap_or_default()
    };
    for round in 0..4 {
        room.act("ada", round * 700, (round + 1) * 700);
        room.act("bob", round * 10, (round + 1) * 10);
        let before = place(&room);
        let (ada, store) = (
            Room::following(room.shipping("ada", &["--follow"])),
            room.keeping(),
        );
        // Killed with more to send, after some of it was sent.
        until("a batch is sent", || place(&room) > before);
        ada.kill();
        if round % 2 == 0 {
            room.restart();
        }
        assert!(room.ship("bob").status.success());
        store.kill();
    }
    let said = room.ship("ada");
    assert!(said.status.success(), "{said:?}");
    room.keep();
    let mut all = ids("ada", 2800);
    all.extend(ids("bob", 40));
    assert_eq!(room.ids(), all);
    // Nothing more comes of asking again.
    assert!(room.keep().starts_with("0 records were written") || room.ids() == all);
    let coverage = String::from_utf8(room.fleet(&["coverage", "kept"]).stdout).unwrap();
    assert!(
        coverage.contains("ada ") && !coverage.contains("MISSING") && !coverage.contains("refused"),
        "{coverage}"
    );
    let stats = room.rows(&["stats", "kept", "--since", "7d"]);
    let refused: BTreeMap<&str, &Value> = stats
        .iter()
        .map(|row| (row["member"].as_str().unwrap(), &row["refused"]))
        .collect();
    assert_eq!(
        refused,
        BTreeMap::from([("ada", &json!(280)), ("bob", &json!(4))])
    );
    assert_eq!(
        room.rows(&["log", "kept", "--person", "bob", "--denied"])
            .len(),
        4
    );
    assert_eq!(room.rows(&["log", "kept", "--person", "o'brien"]).len(), 0);
}

/// Copies a folder with its files.
fn copied(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

#[test]
fn a_batch_that_is_sent_again_because_its_shipper_died_is_stored_once() {
    let Some(room) = Room::of(&["ada"]) else {
        return;
    };
    room.act("ada", 0, 20);
    let state = room.state("ada").join("fleet");
    // A record that may have no length is sealed at once: refusals alone.
    let shipment = Shipment {
        reports: room.state("ada").join("reports"),
        state: state.clone(),
        person: "ada".into(),
        machine: anyhook_fleet::Machine::called("machine of ada").id,
        level: RecordDetail::Payload,
    };
    let key = SecretKey::open(&room.path("ada.key")).unwrap();
    let mut shipper = Shipper::open(shipment, key).unwrap().unwrap();
    assert!(shipper.seal().unwrap());
    drop(shipper);
    copied(&state, &room.path("killed"));
    assert!(room.ship("ada").status.success());
    // As if it was killed after the server had the batch, and before it knew.
    copied(&room.path("killed"), &state);
    assert!(room.ship("ada").status.success());
    assert!(room.keep().starts_with("20 records were written"));
    assert_eq!(room.ids(), ids("ada", 20));
}

#[test]
fn what_a_purge_moved_is_neither_sent_nor_stored_twice() {
    let Some(room) = Room::of(&["ada"]) else {
        return;
    };
    let store = Jsonl::new(room.state("ada").join("reports"), RecordDetail::Payload);
    let act = |from: usize, session: &str| {
        for number in from..from + 50 {
            let mut report = record("ada", number);
            report.event.session = Some(session.into());
            store.append(&report).unwrap();
        }
    };
    let purge = |session: &str, id: &str| {
        let which = Filter {
            session: Some(session.into()),
            ..Filter::default()
        };
        assert_eq!(store.purge(&which, 0, id.into()).unwrap(), 50);
    };
    act(0, "first");
    act(50, "second");
    assert!(room.ship("ada").status.success());
    // What stands before the place goes, and so everything behind it moves.
    purge("first", "purge-1");
    act(100, "third");
    let said = room.ship("ada");
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(text.starts_with("51 records were sent"), "{said:?}");
    // The very line behind which it goes on is purged, and one that was not sent yet.
    act(150, "fourth");
    purge("third", "purge-2");
    purge("second", "purge-3");
    let said = room.ship("ada");
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(text.starts_with("52 records were sent"), "{said:?}");
    room.keep();
    let mut all = ids("ada", 200);
    all.extend(["purge-1", "purge-2", "purge-3"].map(str::to_owned));
    assert_eq!(room.ids(), all);
}

/// Returns the shipment of a folder, and what opens the batch that waits there.
fn shipment(place: &Path, level: RecordDetail) -> (Shipper, impl Fn() -> Batch) {
    let key = SecretKey::generate().unwrap();
    let people = BTreeMap::from([("ada".to_owned(), key.public("ada"))]);
    let state = place.join("fleet");
    let waiting = state.join("waiting.batch");
    let shipment = Shipment {
        reports: place.join("reports"),
        state,
        person: "ada".into(),
        machine: "m".into(),
        level,
    };
    let open = move || {
        let waiting = fs::read(&waiting).unwrap();
        let message = waiting.splitn(2, |byte| *byte == b'\n').nth(1).unwrap();
        Batch::open("audit.ada.m", message, &people).unwrap()
    };
    (Shipper::open(shipment, key).unwrap().unwrap(), open)
}

#[test]
fn a_batch_tells_that_a_file_of_the_record_went_before_it_was_sent() {
    let place = tempfile::tempdir().unwrap();
    let store = Jsonl::new(place.path().join("reports"), RecordDetail::Payload);
    let (mut shipper, waiting) = shipment(place.path(), RecordDetail::Payload);
    let mut lost = |number: usize| {
        store.append(&record("ada", number)).unwrap();
        let file = store.segments().remove(0);
        let its = file.with_file_name(format!("record-{:08}.jsonl", number + 1));
        fs::rename(file, &its).unwrap();
        assert!(shipper.seal().unwrap());
        fs::remove_file(its).unwrap();
        waiting().head.lost
    };
    assert_eq!([0, 1, 2].map(&mut lost), [false, true, true]);
}

#[test]
fn what_leaves_the_machine_is_what_the_level_says() {
    let texts = [
        RecordDetail::Verdicts,
        RecordDetail::Shape,
        RecordDetail::Payload,
    ]
    .map(|level| {
        let place = tempfile::tempdir().unwrap();
        let store = Jsonl::new(place.path().join("reports"), RecordDetail::Payload);
        store.append(&record("ada", 0)).unwrap();
        let (mut shipper, waiting) = shipment(place.path(), level);
        assert!(shipper.seal().unwrap());
        serde_json::to_string(&waiting().reports).unwrap()
    });
    for (text, [verdict, name, value]) in texts.iter().zip([
        [true, false, false],
        [true, true, false],
        [true, true, true],
    ]) {
        assert_eq!(text.contains("\"deny\""), verdict, "{text}");
        assert_eq!(text.contains("\"command\""), name, "{text}");
        assert_eq!(text.contains("part-0"), value, "{text}");
    }
}

#[test]
fn what_is_wrong_with_the_settings_of_a_fleet_is_said_in_plain_words() {
    for (text, said) in [
        (
            json!({"name": "Acme Inc", "listen": "127.0.0.1:1", "people": {}}),
            "is no name",
        ),
        (
            json!({"name": "acme", "listen": "0.0.0.0:4222", "people": {}}),
            "reached from other machines",
        ),
        (
            json!({"name": "acme", "listen": "127.0.0.1:1", "people": {}, "replicas": 9}),
            "`replicas` is",
        ),
        (
            json!({"name": "acme", "listen": "127.0.0.1:1", "poeple": {}}),
            "poeple",
        ),
    ] {
        let error = Fleet::read(text.to_string().as_bytes())
            .unwrap_err()
            .to_string();
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn a_list_of_ten_thousand_people_is_read_and_each_may_connect() {
    let place = tempfile::tempdir().unwrap();
    let key = SecretKey::generate().unwrap();
    let listed = json!(FleetAccount::of(&key, "ada", FleetRole::Member).unwrap());
    let people: BTreeMap<String, &Value> = (0..10_000)
        .map(|number| (format!("d{number}"), &listed))
        .collect();
    let fleet = json!({"name": "acme", "listen": "127.0.0.1:4222", "people": people});
    let file = place.path().join("fleet.json");
    fs::write(&file, fleet.to_string()).unwrap();
    let printed = std::process::Command::new(PROGRAM)
        .arg("config")
        .arg(file)
        .output()
        .unwrap();
    let conf = String::from_utf8(printed.stdout).unwrap();
    assert_eq!(conf.matches("{ nkey: ").count(), 10_000);
}
