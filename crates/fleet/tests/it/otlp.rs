//! `anyhook fleet ship` to a receiver of OTLP over HTTP, alone and beside the server of a fleet.

use std::collections::BTreeMap;
use std::fs;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhook::stores::{Jsonl, Keep};

use crate::fleets::{PROGRAM, Room, record, until};
use crate::receiver::{CUT, Receiver, text};
use crate::tools::{Running, below, installed};

/// So many records go out at once.
const TOGETHER: usize = 256;

fn ids(count: usize) -> Vec<String> {
    (0..count)
        .map(|number| format!("ada-{number:06}"))
        .collect()
}

/// How often each record came as a log, and as a span.
fn came(receiver: &Receiver) -> [BTreeMap<String, usize>; 2] {
    let got = receiver.got.lock().unwrap();
    [&got.logs, &got.spans].map(|all| {
        let mut counted = BTreeMap::new();
        for one in all {
            let id = text(one, "anyhook.record.id").unwrap();
            *counted.entry(id).or_default() += 1;
        }
        counted
    })
}

/// A person with a record and settings, and no fleet.
struct Home(tempfile::TempDir);

impl Home {
    fn of(config: &str) -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(home.path(".config/anyhook")).unwrap();
        fs::write(home.path(".config/anyhook/config.toml"), config).unwrap();
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn act(&self, from: usize, to: usize) {
        let reports = self.path(".local/state/anyhook/reports");
        let store = Jsonl::new(reports, Keep::Payload);
        let reports: Vec<_> = (from..to).map(|number| record("ada", number)).collect();
        for some in reports.chunks(100) {
            store.append_all(some).unwrap();
        }
    }

    fn shipping(&self, more: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command
            .arg("ship")
            .args(more)
            .env_clear()
            .env("HOME", self.0.path())
            .current_dir(self.0.path())
            .stdin(Stdio::null());
        command
    }

    fn ship(&self) -> Output {
        self.shipping(&[]).output().unwrap()
    }
}

fn config(receiver: &Receiver, level: &str) -> String {
    format!(
        "[export]\notlp = \"{}\"\nauthorization = \"Bearer of-the-receiver\"\nlevel = \"{level}\"\n",
        receiver.to
    )
}

#[test]
fn a_receiver_that_is_cut_off_and_started_again_gets_every_record_from_where_it_stopped() {
    let mut receiver = Receiver::start();
    let home = Home::of(&config(&receiver, "redacted"));
    home.act(0, 3 * TOGETHER);
    // The first part is taken; of the second one the logs are, and the connection is cut before that is said. Then it takes no more.
    let ok = "200 OK\r\n";
    let busy = "503 Busy\r\nretry-after: 0\r\n";
    receiver
        .got
        .lock()
        .unwrap()
        .answers
        .extend([ok, ok, CUT, busy, busy]);
    let said = home.ship();
    let error = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(
        said.status.code() == Some(75)
            && error.contains("did not take the records")
            && error.contains("nothing is lost"),
        "{said:?}"
    );
    // It is gone altogether, and more happens meanwhile.
    receiver.end();
    home.act(3 * TOGETHER, 4 * TOGETHER);
    assert_eq!(home.ship().status.code(), Some(75));
    receiver.again();
    let said = home.ship();
    assert_eq!(
        String::from_utf8_lossy(&said.stdout),
        format!("{} records were sent to the receiver\n", 3 * TOGETHER)
    );
    let [logs, spans] = came(&receiver);
    let once: BTreeMap<String, usize> = ids(4 * TOGETHER).into_iter().map(|id| (id, 1)).collect();
    assert_eq!(spans, once, "each once");
    // What was taken without a word came again, under the same id, and nothing else did.
    let twice: BTreeMap<String, usize> = once
        .iter()
        .enumerate()
        .map(|(at, (id, _))| (id.clone(), if at / TOGETHER == 1 { 2 } else { 1 }))
        .collect();
    assert_eq!(logs, twice);
    let authorization = receiver.got.lock().unwrap().authorization.clone();
    assert_eq!(authorization.as_deref(), Some("Bearer of-the-receiver"));
}

/// The program of a collector that others made; nothing where it cannot be had.
///
/// The one of the OpenTelemetry project is in no registry of packages. Rotel is, and reads OTLP over HTTP with code of its own.
fn rotel() -> Option<PathBuf> {
    let found = || {
        let libraries = fs::read_dir(below("rotel").join("lib")).into_iter();
        let mut all = libraries
            .flatten()
            .flatten()
            .map(|python| python.path().join("site-packages/rotel/rotel-agent"));
        all.find(|program| program.is_file())
    };
    installed("rotel", &["rotel==0.0.1a15"], || found().is_some());
    found()
}

/// A collector that writes all that it reads into a file.
struct Collector {
    place: tempfile::TempDir,
    to: SocketAddr,
    _runs: Running,
}

impl Collector {
    fn start(program: &Path) -> Self {
        let place = tempfile::tempdir().unwrap();
        let free = || {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            listener.local_addr().unwrap()
        };
        let (to, other) = (free(), free());
        let words = [
            "start",
            "--exporter",
            "blackhole",
            "--debug-log",
            "logs",
            "--debug-log",
            "traces",
            "--debug-log-verbosity",
            "detailed",
        ];
        let out = fs::File::create(place.path().join("read")).unwrap();
        let mut command = Command::new(program);
        command
            .args(words)
            .args(["--otlp-http-endpoint", &to.to_string()])
            .args(["--otlp-grpc-endpoint", &other.to_string()])
            .env_clear()
            .current_dir(place.path())
            .stdin(Stdio::null())
            .stderr(out.try_clone().unwrap())
            .stdout(out);
        let runs = Running(command.spawn().unwrap());
        until("the collector listens", || TcpStream::connect(to).is_ok());
        Self {
            place,
            to,
            _runs: runs,
        }
    }

    fn read(&self) -> String {
        let bytes = fs::read(self.place.path().join("read")).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

#[test]
fn a_collector_that_others_made_reads_every_record_as_a_log_and_as_a_span() {
    let Some(program) = rotel() else {
        return;
    };
    let collector = Collector::start(&program);
    let home = Home::of(&format!(
        "[export]\notlp = \"http://{}\"\nlevel = \"redacted\"\n",
        collector.to
    ));
    let count = TOGETHER + 44;
    home.act(0, count);
    let said = home.ship();
    assert_eq!(
        String::from_utf8_lossy(&said.stdout),
        format!("{count} records were sent to the receiver\n"),
        "{said:?}"
    );
    let id = |line: &str| {
        let id = line.trim().strip_prefix("-> anyhook.record.id: Str(")?;
        id.strip_suffix(')').map(str::to_owned)
    };
    let mut came = Vec::new();
    until("it has read everything", || {
        came = collector.read().lines().filter_map(id).collect();
        came.len() >= 2 * count
    });
    came.sort();
    let twice = ids(count).into_iter().flat_map(|id| [id.clone(), id]);
    assert_eq!(came, twice.collect::<Vec<_>>());
    let read = collector.read();
    for part in [
        "Name           : execute_tool Bash",
        "-> gen_ai.tool.name: Str(Bash)",
        "-> anyhook.decision: Str(deny)",
        "-> anyhook.decision.reason: Str(Releases go through the pipeline.)",
        "SeverityText: WARN",
        "EventName: anyhook.tool:pre",
        "npm publish part-7",
        "-> anyhook.record.head: Str(",
    ] {
        assert!(read.contains(part), "{part}\n{read}");
    }
}

#[test]
fn a_shipper_that_is_killed_while_it_follows_loses_no_record_of_a_receiver() {
    let receiver = Receiver::start();
    let home = Home::of(&config(&receiver, "redacted"));
    let mut count = 0;
    for _ in 0..4 {
        home.act(count, count + 600);
        count += 600;
        let before = came(&receiver)[1].len();
        let follower = Room::following(home.shipping(&["--follow"]));
        until("some of it came", || came(&receiver)[1].len() > before);
        follower.kill();
    }
    let follower: Running = Room::following(home.shipping(&["--follow"]));
    until("everything came", || came(&receiver)[1].len() == count);
    follower.kill();
    // It may have been killed before it kept how far it came.
    assert!(home.ship().status.success());
    let [logs, spans] = came(&receiver);
    let all = ids(count);
    assert!(logs.keys().eq(all.iter()) && spans.keys().eq(all.iter()));
    assert_eq!(
        String::from_utf8_lossy(&home.ship().stdout),
        "0 records were sent to the receiver\n"
    );
}

#[test]
fn a_receiver_gets_of_each_record_what_its_level_says() {
    for (level, has_values) in [("decisions", false), ("shapes", false), ("redacted", true)] {
        let receiver = Receiver::start();
        let home = Home::of(&config(&receiver, level));
        home.act(0, 20);
        assert!(home.ship().status.success());
        let got = receiver.got.lock().unwrap();
        let all = format!("{:?} {:?}", got.logs, got.spans);
        assert_eq!(got.spans.len(), 20, "{level}");
        assert_eq!(all.contains("npm publish part-7"), has_values, "{level}");
        assert!(all.contains("Releases go through the pipeline."), "{level}");
    }
    let nowhere = Home::of("").ship();
    let error = String::from_utf8_lossy(&nowhere.stderr).into_owned();
    assert!(
        nowhere.status.code() == Some(78) && error.contains("and no receiver"),
        "{nowhere:?}"
    );
}

#[test]
fn a_server_and_a_receiver_each_get_everything_and_neither_waits_for_the_other() {
    let Some(mut room) = Room::of(&["ada"]) else {
        return;
    };
    let mut receiver = Receiver::start();
    room.configure("ada", &config(&receiver, "redacted"));
    room.act("ada", 0, 30);
    let said = room.ship("ada");
    assert_eq!(
        String::from_utf8_lossy(&said.stdout),
        "30 records were sent in 1 batches\n30 records were sent to the receiver\n"
    );
    // Without its receiver the server goes on, and the other way round; what one of them took is told.
    receiver.end();
    room.act("ada", 30, 40);
    let said = room.ship("ada");
    let told = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(
        said.status.code() == Some(75)
            && told.contains("10 records were sent in 1 batches")
            && told.contains("did not take the records"),
        "{said:?}"
    );
    receiver.again();
    room.server.take().unwrap().kill();
    room.act("ada", 40, 50);
    let said = room.ship("ada");
    let told = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(
        said.status.code() == Some(75)
            && told.contains("20 records were sent to the receiver")
            && told.contains("nothing is lost"),
        "{said:?}"
    );
    room.start();
    let follower = Room::following(room.shipping("ada", &["--follow"]));
    room.act("ada", 50, 60);
    let is_there = || {
        room.keep();
        room.ids() == ids(60) && came(&receiver)[1].len() == 60
    };
    until("both have everything", is_there);
    follower.kill();
    assert!(came(&receiver)[1].values().all(|times| *times == 1));
    let place = Path::new(".local/state/anyhook/export");
    assert!(room.path("ada-home").join(place).is_dir());
}
