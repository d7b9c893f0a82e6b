//! An event on a machine of a fleet whose server has not been reached for a month, beside the same event on a machine without one,
//! interleaved: the shipper runs meanwhile, and the record is full.
//!
//! Needs both programs: `cargo build --release -p anyhook-cli -p anyhook-fleet`, or the path of `anyhook` in `ANYHOOK_BIN`.

#![allow(clippy::print_stdout, reason = "a bench prints its table")]
#![allow(missing_docs, reason = "a bench has no public items")]
#![allow(
    clippy::expect_used,
    reason = "a bench that cannot start a process has nothing to measure"
)]

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};

use anyhook::core::report::Report;
use anyhook::stores::{Jsonl, Keep};
use anyhook_benches::place::{COMMON, Place};
use anyhook_benches::{Claim, Contender, claims, interleave, program, table};
use serde_json::json;

/// A month of them, by an agent that works all day.
const EVENTS: usize = 60_000;

fn main() {
    let both = program()
        .map(|program| (program.with_file_name("anyhook-fleet"), program))
        .filter(|(fleet, _)| fleet.is_file());
    let Some((fleet, program)) = both else {
        println!(
            "fleet: no release build of both programs; run: cargo build --release -p anyhook-cli -p anyhook-fleet"
        );
        return;
    };
    let is_measured = std::env::args().any(|arg| arg == "--bench");
    let (rounds, events) = if is_measured { (401, EVENTS) } else { (3, 300) };
    let places = [(); 3].map(|()| Place::new(&COMMON).expect("a home"));
    let [_, full, member] = &places;
    month(full, events);
    month(member, events);
    let mut shipper = shipping(member, &fleet);
    let names = [
        "a machine without a fleet, an empty record",
        "a machine without a fleet, a month in its record",
        "a machine of a fleet, a month in its record, a shipper that reaches no server",
    ];
    let contenders = names.into_iter().zip(&places).map(|(name, place)| {
        Contender::new(name, || {
            place.decides_nothing(&program, &["run", "--host", "claude-code"]);
        })
    });
    let measured = interleave(rounds, 1, contenders.collect());
    let ran = shipper.try_wait().expect("the shipper is looked at");
    shipper.kill().expect("the shipper ends");
    let _ = shipper.wait();
    assert!(ran.is_none(), "the shipper ran all the time: {ran:?}");
    println!(
        "{}",
        table("one process per event, payload by pipe", &measured)
    );
    let to = |row: usize| measured.get(row).map_or(f64::NAN, |row| row.ratio[0]);
    let said = [
        Claim::at_most("a month in the record, to an empty one", to(1), 1.1),
        Claim::at_most(
            "a fleet for a month offline, to no fleet",
            to(2) / to(1),
            1.1,
        ),
    ];
    println!("{}", claims(&said));
}

/// Fills the record.
fn month(place: &Place, events: usize) {
    let reports = place.root().join("home/.local/state/anyhook/reports");
    let store = Jsonl::new(reports, Keep::Payload);
    let now = anyhook::world::World::real().clock.now();
    let report = |number: usize| {
        let result = match number % 10 {
            0 => {
                json!({"verdict": "deny", "reasons": [{"by": 0, "text": "Releases go through the pipeline."}]})
            }
            _ => json!({"verdict": "continue"}),
        };
        let back = (events - number) * 43_200;
        Report::from_json(json!({
            "version": 1, "id": format!("e{number}"), "at": now - i64::try_from(back).unwrap_or_default(),
            "event": {"name": "tool:pre", "host": "claude-code", "session": "s1", "subject": "Bash"}, "took": 4, "result": result,
            "hooks": [{"name": "no-publish", "priority": 0, "guard": true, "shadow": false}], "steps": [],
            "action": {"project": "/p", "person": "ada", "data": {"tool_input": {"command": format!("npm publish part-{number}")}}},
        }))
        .expect("a record")
    };
    for from in (0..events).step_by(500) {
        let some: Vec<Report> = (from..(from + 500).min(events)).map(report).collect();
        store.append_all(&some).expect("the record is written");
    }
}

/// Starts the shipper of a person whose server is nowhere.
fn shipping(place: &Place, fleet: &Path) -> Child {
    let args = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let made = place
        .command(fleet, &args("fleet keygen ada"))
        .output()
        .expect("a key is made");
    assert!(made.status.success(), "{made:?}");
    let config = place.root().join("home/.config/anyhook");
    fs::create_dir_all(&config).expect("a folder");
    let key = place.root().join("home/project/ada.key");
    let text = format!(
        "[fleet]\nserver = \"nats://127.0.0.1:1\"\nkey = {}\n",
        json!(key)
    );
    fs::write(config.join("config.toml"), text).expect("the settings are written");
    place
        .command(fleet, &args("ship --follow"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the shipper starts")
}
