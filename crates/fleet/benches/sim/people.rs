//! The developers: each has a home, a record, a managed folder and a shipper, and some have a clock that is wrong.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhook::core::ports::{Clock, Store as _};
use anyhook::core::report::Report;
use anyhook::stores::{Jsonl, Keep};
use anyhook_fleet::{Fleet, Keyring, Machine, Secret, Shipment, Shipper, Source, Store};
use serde_json::{Value, json};

use crate::Sizes;
use crate::cluster::{Asking, Cluster};
use crate::disks::Disk;
use crate::lead::{Lead, listed};
use crate::report::{Found, Outcome};
use crate::tools::Running;

/// Threads for those developers who are tasks.
const THREADS: usize = 2;
/// After the last event so long is waited for what is still on its way.
const PATIENCE: Duration = Duration::from_mins(3);
/// This one loses its credentials, and acts from then on only.
pub(crate) const REVOKED: usize = 0;
/// This one is an attacker, and acts in `trouble`.
pub(crate) const ROGUE: usize = 1;

#[derive(Debug)]
pub(crate) struct Skewed(i64);

impl Clock for Skewed {
    fn now(&self) -> i64 {
        anyhook::world::World::real().clock.now() + self.0
    }

    fn since(&self) -> Duration {
        anyhook::world::World::real().clock.since()
    }
}

pub(crate) struct Developer {
    pub(crate) name: String,
    pub(crate) machine: String,
    pub(crate) home: PathBuf,
    pub(crate) managed: PathBuf,
    pub(crate) clock: Arc<Skewed>,
    pub(crate) record: Jsonl,
}

/// Everything that the parts of a run share.
pub(crate) struct Room {
    /// On a real disk: the servers and the store.
    pub(crate) place: PathBuf,
    pub(crate) developers: Vec<Developer>,
    /// The disks of those whose disk becomes full.
    pub(crate) disks: BTreeMap<usize, Disk>,
    pub(crate) is_over: AtomicBool,
    /// Becomes true when no server takes the credentials of one developer any more.
    pub(crate) is_revoked: AtomicBool,
    /// When a refusal was on the disk of its machine.
    refused: Mutex<HashMap<String, Instant>>,
    expected: Mutex<HashSet<String>>,
    withheld: Mutex<usize>,
    store: Mutex<Option<Running>>,
}

impl Developer {
    fn new(number: usize, homes: &Path) -> Self {
        let name = format!("d{number:05}");
        let (home, managed) = (homes.join(&name), homes.join(format!("{name}-etc")));
        fs::create_dir_all(&managed).unwrap();
        fs::write(managed.join("machine"), format!("machine of {name}")).unwrap();
        let machine = Machine::called(&format!("machine of {name}"))
            .id()
            .to_owned();
        // One of seven has a clock that is three hours late, and one a clock that is half an hour early.
        let clock = Arc::new(Skewed(match number % 7 {
            3 => -3 * 3_600_000,
            5 => 1_800_000,
            _ => 0,
        }));
        let record = Jsonl::new(home.join(".local/state/anyhook/reports"), Keep::Payload);
        Self {
            name,
            machine,
            home,
            managed,
            clock,
            record,
        }
    }

    fn shipper(&self, keys: &Path) -> Shipper {
        let state = self.home.join(".local/state/anyhook");
        let shipment = Shipment {
            reports: state.join("reports"),
            state: state.join("fleet"),
            person: self.name.clone(),
            machine: self.machine.clone(),
            level: Keep::Payload,
            record: 512 << 20,
            waiting: 64 << 20,
        };
        let key = Secret::open(&keys.join(format!("{}.key", self.name))).unwrap();
        Shipper::open(shipment, key)
            .unwrap()
            .unwrap()
            .with_clock(self.clock.clone())
    }

    pub(crate) fn process(&self, cluster: &Cluster, number: usize) -> Running {
        fs::create_dir_all(&self.home).unwrap();
        let log = fs::File::create(cluster.place.join(format!("{}.log", self.name))).unwrap();
        let mut command =
            cluster.command(&["ship", "--follow", "--server", &cluster.addresses(number)]);
        command
            .arg("--key")
            .arg(cluster.place.join(format!("{}.key", self.name)))
            .arg("--managed")
            .arg(&self.managed)
            .env("HOME", &self.home)
            .stdout(log.try_clone().unwrap())
            .stderr(log);
        Running(command.spawn().unwrap())
    }
}

/// A pseudo-random number that is the same in every run.
fn next(seed: &mut u64) -> usize {
    *seed = seed
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 33) as usize
}

/// What a recorded session did, as tool and input.
fn session() -> Vec<(String, Value)> {
    let text = include_str!("../../../../fixtures/sessions/shop.jsonl");
    let payloads = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let calls = payloads.filter(|payload| payload["hook_event_name"] == "PreToolUse");
    calls
        .map(|call| {
            (
                call["tool_name"].as_str().unwrap().to_owned(),
                call["tool_input"].clone(),
            )
        })
        .collect()
}

/// The record of one event, one of ten a refusal.
pub(crate) fn record(
    id: &str,
    at: i64,
    is_refused: bool,
    (tool, input): &(String, Value),
) -> Report {
    let result = if is_refused {
        json!({"verdict": "deny", "reasons": [{"by": 0, "text": "Releases go through the pipeline."}]})
    } else {
        json!({"verdict": "continue"})
    };
    Report::from_json(json!({
        "version": 1, "id": id, "at": at,
        "event": {"name": "tool:pre", "host": "claude-code", "session": "5e0c9b1a", "subject": tool}, "took": 4,
        "result": result, "hooks": [{"name": "no-publish", "priority": 0, "guard": true, "shadow": false}], "steps": [],
        "action": {"project": "/home/dev/shop", "person": "dev", "data": {"tool_input": input}},
    }))
    .unwrap()
}

impl Room {
    /// Records that are in the store in the end.
    pub(crate) fn expect(&self, ids: impl Iterator<Item = String>) {
        self.expected.lock().unwrap().extend(ids);
    }

    /// Lets the store go on until the run is over.
    pub(crate) fn keep_store(&self, store: Running) {
        *self.store.lock().unwrap() = Some(store);
    }

    /// Acts until the time is over, at an even rate.
    fn act(&self, sizes: &Sizes) {
        let (session, mut seed) = (session(), 7);
        let begun = Instant::now();
        let all = (sizes.rate * sizes.minutes * 60.0) as u64;
        for number in 0..all {
            let due = Duration::from_secs_f64(number as f64 / sizes.rate);
            std::thread::sleep(due.saturating_sub(begun.elapsed()));
            let who = match next(&mut seed) % self.developers.len() {
                ROGUE => ROGUE + 1,
                who => who,
            };
            let has_key = who != REVOKED;
            if !has_key && !self.is_revoked.load(Ordering::Acquire) {
                continue;
            }
            let (developer, is_refused) = (&self.developers[who], number % 10 == 0);
            let id = format!("{}-{number:07}", developer.name);
            let call = &session[next(&mut seed) % session.len()];
            let record = record(&id, developer.clock.now(), is_refused, call);
            let has_small_disk = self.disks.contains_key(&who);
            match developer.record.append(&record) {
                Err(_) if has_small_disk => continue,
                appended => appended.unwrap(),
            }
            if !has_key {
                *self.withheld.lock().unwrap() += 1;
                continue;
            }
            // What waits for room comes late.
            if is_refused && !has_small_disk {
                self.refused
                    .lock()
                    .unwrap()
                    .insert(id.clone(), Instant::now());
            }
            self.expected.lock().unwrap().insert(id);
        }
    }

    /// Asks the store again and again, and notes when each refusal was found first.
    fn watch(&self, cluster: &Asking) -> HashMap<String, Instant> {
        let mut found = HashMap::new();
        while !self.is_over.load(Ordering::Acquire) {
            for id in ids(cluster, &["--denied", "--since", "2d"]) {
                found.entry(id).or_insert_with(Instant::now);
            }
            std::thread::sleep(Duration::from_millis(500));
        }
        found
    }
}

/// The ids of records in the store.
pub(crate) fn ids(cluster: &Asking, more: &[&str]) -> Vec<String> {
    let said =
        cluster.fleet(&[&["fleet", "log", "kept", "-n", "100000000", "--json"], more].concat());
    // While the store replaces a file, one question may find it gone; the next one is answered.
    let rows: Vec<Value> = serde_json::from_slice(&said.stdout).unwrap_or_default();
    rows.iter()
        .map(|row| row["id"].as_str().unwrap().to_owned())
        .collect()
}

/// Starts the shippers that are tasks: some threads, each with its share.
fn tasks(room: &Arc<Room>, cluster: &Cluster, from: usize) {
    for thread in 0..THREADS {
        let room = room.clone();
        let mine = (from..room.developers.len()).skip(thread).step_by(THREADS);
        let mine: Vec<(usize, String)> = mine
            .map(|number| (number, cluster.addresses(number)))
            .collect();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            let local = tokio::task::LocalSet::new();
            for (number, server) in mine.into_iter().filter(|(number, _)| *number != ROGUE) {
                let room = room.clone();
                local.spawn_local(async move {
                    let developer = &room.developers[number];
                    let key =
                        Secret::open(&room.place.join(format!("{}.key", developer.name))).unwrap();
                    let shipper = developer.shipper(&room.place);
                    let (who, machine) = (
                        (&*developer.name, &*server),
                        (&*developer.machine, &*developer.managed),
                    );
                    let ended = anyhook_fleet::following(shipper, &key, who, machine).await;
                    println!("a shipper ended: {ended:?}");
                });
            }
            runtime.block_on(local);
        });
    }
}

/// Lives the whole run.
pub(crate) fn live(sizes: &Sizes, tools: &'static Path, is_apart: bool) -> Outcome {
    let place = tempfile::tempdir().unwrap();
    // Each developer has a disk of its own in truth, so theirs are in memory here; the servers' and the store's are real.
    let homes = tempfile::tempdir_in("/dev/shm")
        .or_else(|_| tempfile::tempdir())
        .unwrap();
    let developers: Vec<Developer> = (0..sizes.developers)
        .map(|number| Developer::new(number, homes.path()))
        .collect();
    let full = [ROGUE + sizes.processes, sizes.developers - 1];
    let mounts = crate::disks::mounts(&developers, full, is_apart);
    let fleet = listed(place.path(), &developers);
    Fleet::read(fleet.to_string().as_bytes()).unwrap();
    fs::write(place.path().join("fleet.json"), fleet.to_string()).unwrap();
    let lead = Lead::at(place.path());
    let first = lead.sign(1, None);
    fs::write(&lead.served, &first).unwrap();
    let source = Source::file(&lead.served.to_string_lossy());
    for developer in &developers {
        Keyring::at(&developer.managed)
            .add(&lead.key.public("lead"))
            .unwrap();
        Store::at(&developer.managed)
            .apply(&first, &source)
            .unwrap();
    }
    let mut cluster = Cluster::of(place.path(), tools, is_apart);
    (0..3).for_each(|number| cluster.start(number));
    (0..3).for_each(|number| cluster.healed(number));
    let made = || {
        cluster.fleet(&[
            "fleet",
            "streams",
            "fleet.json",
            "--key",
            "lead.key",
            "--server",
            &cluster.addresses(0),
        ])
    };
    let begun = Instant::now();
    while !made().status.success() {
        assert!(begun.elapsed() < PATIENCE, "no streams: {:?}", made());
    }
    let room = Arc::new(Room {
        place: place.path().to_owned(),
        developers,
        disks: mounts.iter().map(|(at, one)| (*at, one.disk())).collect(),
        is_over: AtomicBool::new(false),
        is_revoked: AtomicBool::new(false),
        refused: Mutex::default(),
        expected: Mutex::default(),
        withheld: Mutex::default(),
        store: Mutex::default(),
    });
    run(sizes, &room, cluster, &lead)
}

fn run(sizes: &Sizes, room: &Arc<Room>, mut cluster: Cluster, lead: &Lead) -> Outcome {
    let first = ROGUE + 1;
    let from = first + sizes.processes;
    let mut processes: Vec<Running> = (first..from)
        .map(|number| room.developers[number].process(&cluster, number))
        .collect();
    // The one that loses its credentials is a process too.
    let revoked = room.developers[REVOKED].process(&cluster, REVOKED);
    tasks(room, &cluster, from);
    let asking = cluster.asking();
    let (mut held, mut troubles) = (Vec::new(), crate::trouble::Seen::default());
    let found = std::thread::scope(|scope| {
        let acting = scope.spawn(|| room.act(sizes));
        let watching = scope.spawn(|| room.watch(&asking));
        // What cannot go on ends the run only when the others have ended: no server is left behind.
        let made = catch_unwind(AssertUnwindSafe(|| {
            crate::trouble::make(sizes, room, &mut cluster, lead, &mut processes, &mut held)
        }));
        room.is_over.store(made.is_err(), Ordering::Release);
        acting.join().unwrap();
        troubles = made.unwrap_or_else(|why| resume_unwind(why));
        settle(room, &asking);
        room.is_over.store(true, Ordering::Release);
        watching.join().unwrap()
    });
    cluster.measure();
    let stored = ids(&asking, &[]);
    let refused = room.refused.lock().unwrap();
    let first = refused.values().min().copied();
    let late = refused.iter().filter_map(|(id, at)| {
        let late = found.get(id)?.saturating_duration_since(*at);
        Some((at.saturating_duration_since(first?), late))
    });
    let late: Vec<(Duration, Duration)> = late.collect();
    let (withheld, kept) = (
        *room.withheld.lock().unwrap(),
        room.developers[REVOKED].shipper_waits(),
    );
    troubles.must.insert(
        "what was refused the server is on the disk of its machine",
        withheld == 0 || kept > 0,
    );
    crate::disks::chains(room, &mut troubles.must);
    let notes = notes(&cluster, &processes, stored.len() as u64);
    drop((revoked, room.store.lock().unwrap().take()));
    let found = Found {
        is_apart: cluster.is_apart(),
        expected: room.expected.lock().unwrap().clone(),
        stored,
        queryable: late,
        refusals: refused.len(),
        held,
        machines: room.developers.len() - 2,
        must: troubles.must,
        notes,
    };
    found.judged(sizes)
}

impl Developer {
    /// How many bytes of its record were not sent.
    fn shipper_waits(&self) -> u64 {
        crate::report::bytes(&self.home.join(".local/state/anyhook/reports"))
    }
}

/// Waits until everything has come, as far as it comes.
fn settle(room: &Room, cluster: &Asking) {
    let begun = Instant::now();
    let expected = room.expected.lock().unwrap().clone();
    let has_all = || {
        let stored: HashSet<String> = ids(cluster, &[]).into_iter().collect();
        expected.is_subset(&stored)
    };
    while begun.elapsed() < PATIENCE && !has_all() {
        std::thread::sleep(Duration::from_secs(1));
    }
    // So that what was there for the check is there for the one that measures, too.
    std::thread::sleep(Duration::from_secs(2));
}

fn notes(cluster: &Cluster, processes: &[Running], events: u64) -> Vec<String> {
    let per = |bytes: u64| bytes / events.max(1);
    let store = crate::report::bytes(&cluster.place.join("kept"));
    let servers = cluster.servers.iter().map(|one| one.memory / 1024);
    let servers: Vec<String> = servers.map(|memory| format!("{memory} MB")).collect();
    let messages =
        (1..=3).map(|number| crate::report::bytes(&cluster.place.join(format!("s{number}"))));
    let messages: u64 = messages.sum::<u64>() / 3;
    let shippers: u64 = processes
        .iter()
        .map(|one| crate::report::memory(one.0.id()))
        .sum();
    vec![
        format!(
            "disk: {} bytes an event in the store, {} in each server",
            per(store),
            per(messages)
        ),
        format!(
            "memory at most: servers {}; a shipper that is a process {} kB; this program with all tasks {} MB",
            servers.join(", "),
            shippers / processes.len().max(1) as u64,
            crate::report::memory(std::process::id()) / 1024
        ),
    ]
}
