//! What goes wrong meanwhile: servers are killed one after another and cut, links are slow and lose, shippers and the store are
//! killed, one developer has no credentials any more, one is an attacker, a policy comes, then a poisoned one and an old one, and disks are full.

use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhook_fleet::{Head, Secret};
use async_nats::{Client, ConnectOptions, Request};
use serde_json::{Value, json};

use crate::Sizes;
use crate::cluster::Cluster;
use crate::lead::Lead;
use crate::people::{REVOKED, ROGUE, Room, record};
use crate::tools::Running;

#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) must: BTreeMap<&'static str, bool>,
}

/// Makes it, and returns what was seen when the time is over.
pub(crate) fn make(
    sizes: &Sizes,
    room: &Room,
    cluster: &mut Cluster,
    lead: &Lead,
    processes: &mut [Running],
    held: &mut Vec<Duration>,
) -> Seen {
    let part = Duration::from_secs_f64(sizes.minutes * 60.0 / 12.0);
    let mut seen = Seen::default();
    let mut store = keeping(cluster);
    let begun = Instant::now();
    let wait = |parts: u32| std::thread::sleep((part * parts).saturating_sub(begun.elapsed()));
    revoke(room);
    for number in 0..3 {
        wait(u32::try_from(number).unwrap_or_default() * 2 + 1);
        cluster.kill(number);
        restart(room, cluster, processes, number % 2);
        wait(u32::try_from(number).unwrap_or_default() * 2 + 2);
        cluster.start(number);
        cluster.healed(number);
    }
    room.is_revoked.store(true, Ordering::Release);
    cluster.servers[1].link.slow();
    store.0.kill().unwrap();
    let _ = store.0.wait();
    store = keeping(cluster);
    attack(room, cluster, &mut seen);
    wait(7);
    publish(room, cluster, lead, held);
    crate::disks::fill(room, &mut seen.must);
    wait(9);
    crate::disks::empty(room, &mut seen.must);
    cluster.cut(2, true);
    wait(10);
    cluster.cut(2, false);
    cluster.healed(2);
    poison(room, cluster, lead, &mut seen);
    wait(12);
    // It goes on until everything has come.
    room.keep_store(store);
    seen
}

fn keeping(cluster: &Cluster) -> Running {
    let addresses = cluster.addresses(0);
    let mut command = cluster.command(&[
        "fleet",
        "store",
        "kept",
        "fleet.json",
        "--key",
        "store.key",
        "--follow",
        "--server",
        &addresses,
    ]);
    let log = fs::File::create(cluster.place.join("store.log")).unwrap();
    Running(
        command
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap(),
    )
}

/// Ends a shipper as `kill -9` does, and starts it again: while the first one is there, the second has nothing to do.
fn restart(room: &Room, cluster: &Cluster, processes: &mut [Running], at: usize) {
    processes[at].0.kill().unwrap();
    let _ = processes[at].0.wait();
    let number = ROGUE + 1 + at;
    processes[at] = room.developers[number].process(cluster, number);
}

/// Takes a developer from the list. The servers read it when they are started again.
fn revoke(room: &Room) {
    let file = room.place.join("fleet.json");
    let mut fleet: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    let name = &room.developers[REVOKED].name;
    fleet["people"].as_object_mut().unwrap().remove(name);
    fs::write(file, fleet.to_string()).unwrap();
}

fn announce(cluster: &Cluster, lead: &Lead, policy: &[u8]) {
    fs::write(&lead.served, policy).unwrap();
    let addresses = cluster.addresses(0);
    let said = cluster.fleet(&[
        "fleet",
        "announce",
        "served.policy",
        "fleet.json",
        "--key",
        "lead.key",
        "--server",
        &addresses,
    ]);
    assert!(said.status.success(), "{said:?}");
}

/// The machines of honest developers, and which revision holds on each.
fn revisions(room: &Room) -> Vec<String> {
    let honest = room
        .developers
        .iter()
        .enumerate()
        .filter(|(number, _)| ![REVOKED, ROGUE].contains(number));
    let link = |managed: &std::path::Path| {
        fs::read_link(managed.join("policy/current")).unwrap_or_default()
    };
    honest
        .map(|(_, developer)| {
            link(&developer.managed)
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned()
        })
        .collect()
}

/// Publishes revision 2, and notes how long each machine takes until it holds.
fn publish(room: &Room, cluster: &Cluster, lead: &Lead, held: &mut Vec<Duration>) {
    let policy = lead.sign(2, None);
    let begun = Instant::now();
    announce(cluster, lead, &policy);
    let all = room.developers.len() - 2;
    while held.len() < all && begun.elapsed() < Duration::from_mins(1) {
        let now = revisions(room)
            .iter()
            .filter(|name| name.starts_with("2-"))
            .count();
        held.resize(now.max(held.len()), begun.elapsed());
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A thief of the lead's credentials announces a policy that a stranger signed, then the old one.
fn poison(room: &Room, cluster: &Cluster, lead: &Lead, seen: &mut Seen) {
    let policies = [
        lead.sign(3, Some(&Secret::generate().unwrap())),
        lead.sign(1, None),
    ];
    for policy in policies {
        announce(cluster, lead, &policy);
        std::thread::sleep(Duration::from_secs(2));
    }
    let is_so = revisions(room).iter().all(|name| name.starts_with("2-"));
    seen.must
        .insert("no machine took the poisoned policy or the old one", is_so);
}

async fn takes(client: &Client, subject: &str, message: Vec<u8>) -> bool {
    let request = Request::new().payload(message.into());
    let answer = client.send_request(subject.to_owned(), request).await;
    let answer =
        answer.map(|answer| serde_json::from_slice::<Value>(&answer.payload).unwrap_or_default());
    answer.is_ok_and(|answer| answer["seq"].is_u64())
}

/// A member that forges, repeats, and sends out of order.
struct Rogue {
    key: Secret,
    name: String,
    machine: String,
    /// Another member, and its machine.
    other: (String, String),
}

impl Rogue {
    /// A batch that it signs, as whomever it says.
    fn batch(&self, person: &str, machine: &str, number: u64, id: &str) -> Vec<u8> {
        let head = Head {
            person: person.into(),
            machine: machine.into(),
            chain: "c".into(),
            number,
            ..Head::default()
        };
        let at = anyhook::world::World::real().clock.now();
        let call = ("Bash".to_owned(), json!({"command": "npm publish"}));
        let line = serde_json::to_vec(&record(id, at, true, &call)).unwrap();
        head.seal(&[line], &self.key).unwrap()
    }

    fn own(&self, number: u64) -> Vec<u8> {
        let id = format!("{}-{number}", self.name);
        self.batch(&self.name, &self.machine, number, &id)
    }

    fn forged(&self) -> Vec<u8> {
        self.batch(&self.other.0, &self.other.1, 1_000_000, "forged")
    }

    fn others(&self) -> String {
        format!("audit.{}.{}", self.other.0, self.other.1)
    }

    /// Sends all of it; tells whether a server took what it may not send.
    async fn send(&self, address: &str) -> bool {
        let options = ConnectOptions::with_nkey(self.key.seed().unwrap())
            .custom_inbox_prefix(format!("_INBOX.{}", self.name))
            .request_timeout(Some(Duration::from_secs(2)));
        let client = options.connect(address).await.unwrap();
        let subject = format!("audit.{}.{}", self.name, self.machine);
        // In order, twice, and one that is late. A cluster that chooses a leader takes nothing for a moment.
        for number in [1, 2, 2, 4, 3, 1] {
            let begun = Instant::now();
            while !takes(&client, &subject, self.own(number)).await {
                assert!(
                    begun.elapsed() < Duration::from_mins(1),
                    "no server takes {number}"
                );
            }
        }
        // Forged: of another person, altered, no batch at all.
        let mut altered = self.own(5);
        *altered.last_mut().unwrap() ^= 1;
        for message in [self.forged(), altered, b"no batch".to_vec()] {
            takes(&client, &subject, message).await;
        }
        let mut taken = false;
        for subject in [
            &*self.others(),
            "$KV.policy.current",
            "$JS.API.STREAM.DELETE.AUDIT",
        ] {
            taken |= takes(&client, subject, self.forged()).await;
        }
        taken
    }
}

fn attack(room: &Room, cluster: &Cluster, seen: &mut Seen) {
    let (own, other) = (&room.developers[ROGUE], &room.developers[ROGUE + 1]);
    let rogue = Rogue {
        key: Secret::open(&room.place.join(format!("{}.key", own.name))).unwrap(),
        name: own.name.clone(),
        machine: own.machine.clone(),
        other: (other.name.clone(), other.machine.clone()),
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let address = format!("nats://{}", cluster.servers[0].link.address);
    let taken = runtime.unwrap().block_on(rogue.send(&address));
    seen.must.insert(
        "no server took what is another's, or a policy of a member",
        !taken,
    );
    room.expect(
        [1, 2, 4]
            .map(|number| format!("{}-{number}", rogue.name))
            .into_iter(),
    );
    let begun = Instant::now();
    let wanted = [
        format!("it says that it is {}", rogue.others()),
        "it is no batch".into(),
    ];
    let is_counted = || {
        let said = cluster.fleet(&["fleet", "coverage", "kept"]).stdout;
        let coverage = String::from_utf8_lossy(&said).into_owned();
        wanted.iter().all(|why| coverage.contains(why))
    };
    let mut is_so = is_counted();
    while begun.elapsed() < Duration::from_secs(30) && !is_so {
        std::thread::sleep(Duration::from_millis(500));
        is_so = is_counted();
    }
    seen.must.insert(
        "what was forged is refused by the store, and counted",
        is_so,
    );
}
