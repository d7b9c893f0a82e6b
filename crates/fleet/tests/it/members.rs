//! A malicious member: what a server does not permit, and what a store refuses where a server would let it pass.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhook_fleet::{BatchHeader, FleetAccount, FleetRole, SecretKey};
use async_nats::{Client, ConnectOptions, Request};
use futures_util::StreamExt as _;
use serde_json::{Value, json};

use crate::fleets::{Room, record, until};

pub(crate) fn key(room: &Room, name: &str) -> SecretKey {
    SecretKey::open(&room.path(&format!("{name}.key"))).unwrap()
}

/// A message that a program of the member made, not ours.
pub(crate) fn batch(person: &str, machine: &str, number: u64, signer: &SecretKey) -> Vec<u8> {
    let head = BatchHeader {
        person: person.into(),
        machine: machine.into(),
        chain: "c".into(),
        number,
        ..BatchHeader::default()
    };
    let line = serde_json::to_vec(&record(person, 7)).unwrap();
    head.seal(&[line], signer).unwrap()
}

async fn connected(room: &Room, name: &str) -> Client {
    let options = options(room, name);
    options.connect(&room.address).await.unwrap()
}

pub(crate) fn options(room: &Room, name: &str) -> ConnectOptions {
    ConnectOptions::with_nkey(key(room, name).seed().unwrap())
        .custom_inbox_prefix(format!("_INBOX.{name}"))
        .request_timeout(Some(Duration::from_secs(2)))
}

/// Subjects that are not ada's.
pub(crate) const OTHERS: [&str; 9] = [
    "audit.bob.m",
    "audit.ada.m.x",
    "$KV.policy.current",
    "$JS.API.STREAM.CREATE.MINE",
    "$JS.API.STREAM.DELETE.AUDIT",
    "$JS.API.STREAM.PURGE.AUDIT",
    "$JS.API.STREAM.MSG.GET.AUDIT",
    "$JS.API.DIRECT.GET.AUDIT",
    "$JS.API.CONSUMER.CREATE.AUDIT",
];

/// Tells whether a request gets no answer.
pub(crate) async fn is_refused(client: &Client, subject: &str) -> bool {
    let request = Request::new().payload("{\"seq\": 1}".into());
    client
        .send_request(subject.to_owned(), request)
        .await
        .is_err()
}

/// Publishes, and tells whether a stream took it.
pub(crate) async fn takes(client: &Client, subject: &str, message: Vec<u8>) -> bool {
    let request = Request::new().payload(message.into());
    let answer = client.send_request(subject.to_owned(), request).await;
    let answer =
        answer.map(|answer| serde_json::from_slice::<Value>(&answer.payload).unwrap_or_default());
    answer.is_ok_and(|answer| answer["seq"].is_u64())
}

pub(crate) fn run<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.unwrap().block_on(work)
}

/// Publishes a batch of a member on the machine `m`, and tells whether a stream took it.
async fn sends(room: &Room, client: &Client, person: &str, number: u64) -> bool {
    let message = batch(person, "m", number, &key(room, person));
    takes(client, &format!("audit.{person}.m"), message).await
}

#[test]
fn a_member_can_publish_under_its_own_name_alone_and_change_nothing_else() {
    let Some(room) = Room::of(&["ada", "bob"]) else {
        return;
    };
    run(async {
        let ada = connected(&room, "ada").await;
        assert!(sends(&room, &ada, "ada", 1).await);
        for subject in OTHERS {
            assert!(is_refused(&ada, subject).await, "{subject}");
        }
        // What others send is not heard either: the subscription is refused, so nothing comes before the next answer of our own.
        let mut heard = ada.subscribe("audit.>").await.unwrap();
        let bob = connected(&room, "bob").await;
        assert!(sends(&room, &bob, "bob", 1).await);
        assert!(sends(&room, &ada, "ada", 2).await);
        let silence = tokio::time::timeout(Duration::from_millis(200), heard.next()).await;
        assert!(silence.is_err() || silence.is_ok_and(|message| message.is_none()));
    });
    assert!(
        room.keep()
            .starts_with("3 records were written, 0 messages refused")
    );
}

#[test]
fn a_key_that_is_not_listed_or_was_taken_from_the_list_does_not_connect_and_the_record_goes_on() {
    let Some(mut room) = Room::of(&["ada"]) else {
        return;
    };
    room.act("ada", 0, 3);
    let mut fleet: Value =
        serde_json::from_slice(&fs::read(room.path("fleet.json")).unwrap()).unwrap();
    fleet["people"].as_object_mut().unwrap().remove("ada");
    fs::write(room.path("fleet.json"), fleet.to_string()).unwrap();
    room.restart();
    let said = room.ship("ada");
    let text = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(
        said.status.code() == Some(75)
            && text.contains("authorization violation")
            && text.contains("nothing is lost"),
        "{text}"
    );
    // She is listed again: what waited arrives.
    fleet["people"]["ada"] =
        json!(FleetAccount::of(&key(&room, "ada"), "ada", FleetRole::Member).unwrap());
    fs::write(room.path("fleet.json"), fleet.to_string()).unwrap();
    room.restart();
    assert!(room.ship("ada").status.success());
    room.keep();
    assert_eq!(room.ids().len(), 3);
}

#[test]
fn what_is_forged_altered_or_replayed_is_refused_by_the_store_and_counted() {
    let Some(room) = Room::of(&["ada", "bob"]) else {
        return;
    };
    run(async {
        let (ada, own) = (connected(&room, "ada").await, key(&room, "ada"));
        let good = batch("ada", "m", 1, &own);
        assert!(takes(&ada, "audit.ada.m", good.clone()).await);
        // The same once more under another id of the message, and an older one after a newer.
        assert!(takes(&ada, "audit.ada.m", good.clone()).await);
        let mut altered = batch("ada", "m", 2, &own);
        *altered.last_mut().unwrap() ^= 1;
        let texts = [
            b"no batch".to_vec(),
            altered,
            // Another person's name, under her own subject and signature.
            batch("bob", "m", 1, &own),
            // A batch of another machine of hers, sent as this one's.
            batch("ada", "n", 2, &own),
            // Signed by a key that is on no list.
            batch("ada", "m", 2, &SecretKey::generate().unwrap()),
        ];
        for text in texts {
            assert!(takes(&ada, "audit.ada.m", text).await);
        }
        // The server's own answer, sent under bob's subject: a message that bob did not sign.
        ada.publish_with_reply(
            "audit.ada.m",
            "audit.bob.m",
            batch("ada", "m", 2, &own).into(),
        )
        .await
        .unwrap();
        ada.flush().await.unwrap();
        // Answered behind it, so that it has come.
        assert!(takes(&ada, "audit.ada.m", batch("ada", "m", 3, &own)).await);
    });
    let said = room.keep();
    assert!(
        said.starts_with("3 records were written") && said.contains("1 batches had come before"),
        "{said}"
    );
    let coverage = String::from_utf8(room.fleet(&["coverage", "kept"]).stdout).unwrap();
    for why in [
        "it is no batch",
        "it says that it is audit.bob.m",
        "it says that it is audit.ada.n",
        "not that person's",
    ] {
        assert!(coverage.contains(why), "{why}: {coverage}");
    }
    assert_eq!(
        room.rows(&["log", "kept", "--person", "bob"]),
        Vec::<Value>::new()
    );
}

#[test]
fn what_came_is_written_while_more_comes_without_a_pause() {
    let Some(room) = Room::of(&["ada"]) else {
        return;
    };
    let store = Room::following(room.storing(&slow(&room.address)));
    let refused = || {
        let bytes = fs::read(room.path("kept/taken.json")).unwrap_or_default();
        let taken: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        taken["refused"]
            .as_object()
            .is_some_and(|why| !why.is_empty())
    };
    run(async {
        let ada = connected(&room, "ada").await;
        let begun = Instant::now();
        let sent = async || {
            while !refused() {
                assert!(
                    begun.elapsed() < Duration::from_mins(1),
                    "it waits for a pause"
                );
                assert!(takes(&ada, "audit.ada.m", b"no batch".to_vec()).await);
            }
        };
        futures_util::future::join_all((0..64).map(|_| sent())).await;
    });
    store.kill();
}

/// Waits before what a connection carries goes on.
type Pause = Arc<dyn Fn() + Send + Sync>;

/// Returns the address of a line to a server, whose connections pause as they are told when they are made.
fn line(server: &str, paused: impl Fn() -> Pause + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("nats://{}", listener.local_addr().unwrap());
    let server = server.trim_start_matches("nats://").to_owned();
    let carry = |mut from: TcpStream, mut to: TcpStream, pause: Pause| {
        std::thread::spawn(move || {
            let mut bytes = vec![0; 1 << 20];
            while let Ok(length @ 1..) = from.read(&mut bytes) {
                pause();
                if to.write_all(&bytes[..length]).is_err() {
                    return;
                }
            }
        })
    };
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let server = TcpStream::connect(&server).unwrap();
            let (one, other) = (client.try_clone().unwrap(), server.try_clone().unwrap());
            let pause = paused();
            carry(one, other, pause.clone());
            carry(server, client, pause);
        }
    });
    address
}

/// Returns the address of a line to a server that takes a twentieth of a second each way, as one across an ocean.
fn slow(server: &str) -> String {
    line(server, || {
        Arc::new(|| std::thread::sleep(Duration::from_millis(50)))
    })
}

#[test]
fn a_store_whose_connection_hangs_makes_another_one_and_goes_on() {
    let Some(room) = Room::of(&["ada"]) else {
        return;
    };
    let hangs = Arc::new(AtomicBool::new(false));
    let asked = hangs.clone();
    let address = line(&room.address, move || {
        let (is_later, hangs) = (asked.load(Ordering::Acquire), asked.clone());
        Arc::new(move || {
            while !is_later && hangs.load(Ordering::Acquire) {
                std::thread::park_timeout(Duration::from_millis(50));
            }
        })
    });
    let store = Room::following(room.storing(&address));
    room.act("ada", 0, 3);
    assert!(room.ship("ada").status.success());
    // While the store replaces a file, a question may find it gone.
    let has = |count: usize| {
        let said = room.fleet(&["log", "kept", "--json"]).stdout;
        let rows: Result<Vec<Value>, _> = serde_json::from_slice(&said);
        rows.is_ok_and(|rows| rows.len() == count)
    };
    until("the store has the first ones", || has(3));
    hangs.store(true, Ordering::Release);
    room.act("ada", 3, 6);
    assert!(room.ship("ada").status.success());
    until("the store has the others", || has(6));
    store.kill();
}
