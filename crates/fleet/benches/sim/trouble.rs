//! What goes wrong meanwhile: servers are killed one after another and cut, links are slow and lose, shippers and the store are
//! killed, one developer has no credentials any more, one is an attacker, and a policy comes, then a poisoned one and an old one.

use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhook_fleet::{Head, Secret};
use async_nats::{Client, ConnectOptions, Request};
use serde_json::{Value, json};

use crate::Sizes;
use crate::cluster::Cluster;
use crate::people::{Lead, REVOKED, ROGUE, Room, record};
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
        processes[number % 2] = restarted(room, cluster, number % 2);
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
    wait(9);
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

/// Ends a shipper as `kill -9` does, and starts it again.
fn restarted(room: &Room, cluster: &Cluster, process: usize) -> Running {
    let number = ROGUE + 1 + process;
    room.developers[number].process(cluster, number)
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
        lead.sign(3, Some(Secret::generate().unwrap())),
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
fn attack(room: &Room, cluster: &Cluster, seen: &mut Seen) {
    let (rogue, other) = (&room.developers[ROGUE], &room.developers[ROGUE + 1]);
    let key = Secret::open(&room.place.join(format!("{}.key", rogue.name))).unwrap();
    let batch = |person: &str, machine: &str, number: u64, id: &str| {
        let head = Head {
            person: person.into(),
            machine: machine.into(),
            chain: "c".into(),
            number,
            ..Head::default()
        };
        let at = anyhook::world::World::real().clock.now();
        let report = record(
            id,
            at,
            true,
            &("Bash".to_owned(), json!({"command": "npm publish"})),
        );
        head.seal(&[serde_json::to_vec(&report).unwrap()], &key)
            .unwrap()
    };
    let own = |number: u64| {
        batch(
            &rogue.name,
            &rogue.machine,
            number,
            &format!("{}-{number}", rogue.name),
        )
    };
    let (subject, others) = (
        format!("audit.{}.{}", rogue.name, rogue.machine),
        format!("audit.{}.{}", other.name, other.machine),
    );
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let taken = runtime.block_on(async {
        let options = ConnectOptions::with_nkey(key.seed().unwrap())
            .custom_inbox_prefix(format!("_INBOX.{}", rogue.name))
            .request_timeout(Some(Duration::from_secs(2)));
        let client = options
            .connect(format!("nats://{}", cluster.servers[0].link.address))
            .await
            .unwrap();
        // In order, twice, and one that is late.
        for number in [1, 2, 2, 4, 3, 1] {
            takes(&client, &subject, own(number)).await;
        }
        // Forged: of another person, altered, no batch at all.
        takes(
            &client,
            &subject,
            batch(&other.name, &other.machine, 1_000_000, "forged"),
        )
        .await;
        let mut altered = own(5);
        *altered.last_mut().unwrap() ^= 1;
        takes(&client, &subject, altered).await;
        takes(&client, &subject, b"no batch".to_vec()).await;
        let mut taken = false;
        for subject in [
            &*others,
            "$KV.policy.current",
            "$JS.API.STREAM.DELETE.AUDIT",
        ] {
            taken |= takes(
                &client,
                subject,
                batch(&other.name, &other.machine, 1_000_000, "forged"),
            )
            .await;
        }
        taken
    });
    seen.must.insert(
        "no server took what is another's, or a policy of a member",
        !taken,
    );
    room.expect(
        (1..=2)
            .chain([4])
            .map(|number| format!("{}-{number}", rogue.name)),
    );
    let begun = Instant::now();
    let mut coverage = String::new();
    let wanted = [
        format!("it says that it is {others}"),
        "it is no batch".into(),
        "BATCHES MISSING".into(),
    ];
    while begun.elapsed() < Duration::from_secs(30)
        && !wanted.iter().all(|why| coverage.contains(why))
    {
        std::thread::sleep(Duration::from_millis(500));
        coverage = String::from_utf8_lossy(&cluster.fleet(&["fleet", "coverage", "kept"]).stdout)
            .into_owned();
    }
    let is_so = wanted.iter().take(2).all(|why| coverage.contains(why));
    seen.must.insert(
        "what was forged is refused by the store, and counted",
        is_so,
    );
}
