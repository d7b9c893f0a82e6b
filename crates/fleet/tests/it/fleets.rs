//! A fleet of this machine: a real server, people with keys and homes, and the programs that they start.
//!
//! The server is `nats-server`, and the store is asked with `duckdb`. Where they cannot be had, a test says so and tests nothing.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhook::core::report::Report;
use anyhook::stores::{Jsonl, RecordDetail};
use serde_json::{Value, json};

use crate::tools::{Running, tools};

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_anyhook-fleet");
/// Nothing here takes as long as this.
const PATIENCE: Duration = Duration::from_mins(2);

/// Waits until something holds.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "{what}");
        std::thread::yield_now();
    }
}

/// A server that runs, and where.
pub(crate) struct Started {
    pub(crate) server: Running,
    pub(crate) listens: String,
    said: Arc<Mutex<String>>,
}

impl Started {
    /// Tells whether it wrote this.
    pub(crate) fn says(&self, part: &str) -> bool {
        self.said.lock().unwrap().contains(part)
    }

    fn behind(&self, part: &str) -> Option<String> {
        let said = self.said.lock().unwrap();
        let mut lines = said.lines();
        lines.find_map(|line| Some(line.split_once(part)?.1.to_owned()))
    }
}

/// A fleet with a server.
pub(crate) struct Room {
    pub(crate) place: tempfile::TempDir,
    tools: &'static Path,
    pub(crate) server: Option<Running>,
    pub(crate) address: String,
    /// The certificates that vouch for the server, where it has TLS.
    pub(crate) authority: Option<PathBuf>,
}

impl Room {
    /// A fleet of these members, whose server runs; nothing where there is no server to be had.
    pub(crate) fn of(members: &[&str]) -> Option<Self> {
        Self::with(members, |_| json!({}))
    }

    /// The same, with more in `fleet.json`, which may lead to files that are made in the folder.
    pub(crate) fn with(members: &[&str], more: impl FnOnce(&Path) -> Value) -> Option<Self> {
        let tools = tools()?;
        let place = tempfile::tempdir().unwrap();
        let more = more(place.path());
        let mut room = Self {
            place,
            tools,
            server: None,
            address: String::new(),
            authority: more.get("tls").map(|_| PathBuf::from("authority.pem")),
        };
        let mut people = serde_json::Map::new();
        for (name, role) in [("lead", "lead"), ("store", "store")]
            .into_iter()
            .chain(members.iter().map(|name| (*name, "member")))
        {
            let said = room.fleet(&["keygen", name, "--role", role]);
            assert!(said.status.success(), "{said:?}");
            let text = String::from_utf8(said.stdout).unwrap();
            let line = text.lines().last().unwrap();
            people.extend(
                serde_json::from_str::<serde_json::Map<_, _>>(&format!("{{{}}}", line.trim()))
                    .unwrap(),
            );
        }
        let mut fleet = json!({"name": "acme", "listen": "127.0.0.1:-1", "people": people});
        fleet
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        fs::write(room.path("fleet.json"), fleet.to_string()).unwrap();
        room.start();
        let words = "streams fleet.json --key lead.key --server";
        let words: Vec<&str> = words.split(' ').chain([&*room.address]).collect();
        let made = room.fleet(&words);
        assert!(made.status.success(), "{made:?}");
        Some(room)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    /// Starts the server, on a free port of its own choice.
    pub(crate) fn start(&mut self) {
        let printed = self.fleet(&["config", "fleet.json"]);
        assert!(printed.status.success(), "{printed:?}");
        let conf = String::from_utf8(printed.stdout).unwrap();
        let messages = self.path("messages");
        let conf = conf.replace("/var/lib/nats", &messages.to_string_lossy());
        fs::write(self.path("nats.conf"), conf).unwrap();
        let started = self.started("nats.conf");
        let scheme = if self.authority.is_some() {
            "tls"
        } else {
            "nats"
        };
        self.address = format!("{scheme}://{}", started.listens);
        self.server = Some(started.server);
    }

    /// Starts a server with a configuration of the folder, and waits until it is ready.
    pub(crate) fn started(&self, conf: &str) -> Started {
        let conf = self.path(conf);
        let mut server = Command::new(self.tools.join("nats-server"))
            .arg("-c")
            .arg(conf)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let log = BufReader::new(server.stderr.take().unwrap());
        let server = Running(server);
        // It goes on writing; a full pipe would stop it.
        let said = Arc::new(Mutex::new(String::new()));
        let heard = said.clone();
        std::thread::spawn(move || {
            for line in log.lines().map_while(Result::ok) {
                *heard.lock().unwrap() += &(line + "\n");
            }
        });
        let mut started = Started {
            server,
            listens: String::new(),
            said,
        };
        until("the server is ready", || started.says("Server is ready"));
        let listens = started.behind("Listening for client connections on ");
        started.listens = listens.expect("the server listens");
        started
    }

    /// Ends the server as `kill -9` does, and starts it again.
    pub(crate) fn restart(&mut self) {
        self.server.take().unwrap().kill();
        self.start();
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command
            .args(args)
            .current_dir(self.place.path())
            .env_clear()
            .env("PATH", format!("{}:/usr/bin:/bin", self.tools.display()))
            .stdin(Stdio::null());
        if let Some(file) = self
            .authority
            .as_ref()
            .filter(|_| args.contains(&"--server"))
        {
            command.arg("--authority").arg(file);
        }
        command
    }

    pub(crate) fn fleet(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// `anyhook fleet ship` of a person on the machine of that person.
    pub(crate) fn shipping(&self, person: &str, more: &[&str]) -> Command {
        let mut command = self.command(&["ship", "--server", &self.address]);
        let key = self.path(&format!("{person}.key"));
        let managed = self.path(&format!("{person}-etc"));
        fs::create_dir_all(&managed).unwrap();
        let id = managed.join("machine");
        if !id.exists() {
            fs::write(id, format!("machine of {person}")).unwrap();
        }
        command
            .arg("--key")
            .arg(key)
            .arg("--managed")
            .arg(managed)
            .args(more)
            .env("HOME", self.home(person));
        command
    }

    pub(crate) fn ship(&self, person: &str) -> Output {
        self.shipping(person, &[]).output().unwrap()
    }

    pub(crate) fn following(mut command: Command) -> Running {
        Running(
            command
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap(),
        )
    }

    pub(crate) fn keeping(&self) -> Running {
        Self::following(self.storing(&self.address))
    }

    fn store(&self, address: &str) -> Command {
        let words = "store kept fleet.json --key store.key --server";
        let words: Vec<&str> = words.split(' ').chain([address]).collect();
        self.command(&words)
    }

    /// The store that follows a server at this address.
    pub(crate) fn storing(&self, address: &str) -> Command {
        let mut command = self.store(address);
        command.arg("--follow");
        command
    }

    /// Lets the store take everything, and returns what it says.
    pub(crate) fn keep(&self) -> String {
        let said = self.store(&self.address).output().unwrap();
        assert!(said.status.success(), "{said:?}");
        String::from_utf8(said.stdout).unwrap()
    }

    /// The ids of the records in the store, sorted.
    pub(crate) fn ids(&self) -> Vec<String> {
        let rows = self.rows(&["log", "kept", "-n", "1000000"]);
        let mut ids: Vec<String> = rows
            .iter()
            .map(|row| row["id"].as_str().unwrap().to_owned())
            .collect();
        ids.sort();
        ids
    }

    pub(crate) fn rows(&self, args: &[&str]) -> Vec<Value> {
        let said = self.fleet(&[args, &["--json"]].concat());
        assert!(said.status.success(), "{said:?}");
        serde_json::from_slice(&said.stdout).unwrap()
    }

    fn home(&self, person: &str) -> PathBuf {
        let home = self.path(&format!("{person}-home"));
        fs::create_dir_all(&home).unwrap();
        home
    }

    pub(crate) fn state(&self, person: &str) -> PathBuf {
        self.home(person).join(".local/state/anyhook")
    }

    /// Adds so many records to the record of a person, one of ten a refusal.
    pub(crate) fn act(&self, person: &str, from: usize, to: usize) {
        let store = Jsonl::new(self.state(person).join("reports"), RecordDetail::Payload);
        for number in from..to {
            store.append(&record(person, number)).unwrap();
        }
    }
}

/// A record, one of ten a refusal.
pub(crate) fn record(person: &str, number: usize) -> Report {
    let at = anyhook::world::World::real().clock.now();
    let result = match number % 10 {
        0 => {
            json!({"verdict": "deny", "reasons": [{"by": 0, "text": "Releases go through the pipeline."}]})
        }
        _ => json!({"verdict": "continue"}),
    };
    Report::from_json(json!({
        "version": 1, "id": format!("{person}-{number:06}"), "at": at,
        "event": {"name": "tool:pre", "host": "codex-cli", "session": "s1", "subject": "Bash"}, "took": 4,
        "result": result, "hooks": [{"name": "no-publish", "priority": 0, "guard": true, "shadow": false}], "steps": [],
        "action": {"project": "/p", "person": person, "data": {"tool_input": {"command": format!("npm publish part-{number}")}}},
    }))
    .unwrap()
}
