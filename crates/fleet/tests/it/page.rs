//! The page of all machines: a real server of it, and what members of a real fleet sent.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhook::core::ports::Store as _;
use anyhook::core::report::Report;
use anyhook::stores::{Jsonl, Keep};
use anyhook_fleet::{Head, Keyring, Source, Store};
use serde_json::json;

use crate::fleets::{PROGRAM, Room, record, until};
use crate::members::{key, options, run, takes};
use crate::room::Lead;
use crate::tools::{Running, tools};

/// Texts of an agent, or of a member, that would be more than texts.
const HOSTILE: [&str; 4] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(2)>",
    "\u{202e}gpj.exe \u{1b}[2J\u{7}",
    "' or 1=1; attach 'x' -- {{7*7}}",
];

/// A refusal of an attempt with this text in every place that the agent, or a repository, fills.
fn tried(person: &str, number: usize, text: &str) -> Report {
    let mut of = serde_json::to_value(record(person, 0)).unwrap();
    of["id"] = json!(format!("{person}-hostile-{number}"));
    of["hooks"][0]["name"] = json!(format!("hook {text}"));
    of["result"]["reasons"][0]["text"] = json!(format!("reason {text}"));
    of["event"]["subject"] = json!(format!("tool {text}"));
    of["action"]["data"]["tool_input"]["command"] = json!(format!("command {text}"));
    Report::from_json(of).unwrap()
}

/// A store of two members, one of whom sent hostile texts and a forged batch, and one with a policy whose exception ends soon.
fn stored() -> Option<Room> {
    let room = Room::of(&["ada", "bob"])?;
    room.act("ada", 0, 40);
    let lead = Lead::new();
    let etc = room.path("ada-etc");
    fs::create_dir_all(&etc).unwrap();
    Keyring::at(&etc).add(&lead.key.public("lead")).unwrap();
    let soon = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(5 * 24);
    let until = soon.strftime("%Y-%m-%d").to_string();
    lead.rules(json!({"name": "acme", "revision": 3, "exceptions":
        [{"hook": "no-publish", "people": ["ada"], "owner": "grace", "reason": "release 4", "until": until}]}));
    let store = Store::at(&etc);
    store
        .apply(&lead.signed(), &Source::file("acme.policy"))
        .unwrap();
    let bob = Jsonl::new(room.state("bob").join("reports"), Keep::Payload);
    for (number, text) in HOSTILE.iter().enumerate() {
        bob.append(&tried("bob", number, text)).unwrap();
    }
    for person in ["ada", "bob"] {
        room.configure(person, "[fleet]\nlevel = \"redacted\"\n");
        let said = room.ship(person);
        assert!(said.status.success(), "{said:?}");
    }
    // A batch that says it is of another one, whose name is no name.
    run(async {
        let client = options(&room, "bob").connect(&room.address).await.unwrap();
        let head = Head {
            person: HOSTILE[0].into(),
            ..Head::default()
        };
        let message = head.seal(&[], &key(&room, "bob")).unwrap();
        assert!(takes(&client, "audit.bob.m", message).await);
    });
    let said = room.keep();
    assert!(
        said.starts_with("44 records were written, 1 messages refused"),
        "{said}"
    );
    Some(room)
}

/// A server of the page that runs, for a person with a home of its own.
struct Page {
    home: PathBuf,
    program: PathBuf,
    _server: Running,
}

impl Page {
    /// Starts one; nothing where the program is not built.
    fn of(room: &Room, config: &str) -> Option<Self> {
        let program = Path::new(PROGRAM).with_file_name("anyhook-serve");
        if !program.exists() {
            #[expect(clippy::print_stderr, reason = "what is not tested is said")]
            {
                eprintln!("NOT TESTED: build the server of the page: cargo build -p anyhook-serve");
            }
            return None;
        }
        let home = room.path("page-home");
        fs::create_dir_all(home.join(".config/anyhook")).unwrap();
        fs::write(home.join(".config/anyhook/config.toml"), config).unwrap();
        let mut command = Self::command(&program, &home, &["--port", "0"]);
        let server = command.stderr(Stdio::null()).spawn().unwrap();
        let page = Self {
            home,
            program,
            _server: Running(server),
        };
        until("the server of the page runs", || {
            page.opened().status.success()
        });
        Some(page)
    }

    fn command(program: &Path, home: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(args)
            .env_clear()
            .env("HOME", home)
            .env(
                "PATH",
                format!("{}:/usr/bin:/bin", tools().unwrap().display()),
            )
            .stdin(Stdio::null())
            .current_dir(home);
        command
    }

    fn opened(&self) -> Output {
        Self::command(&self.program, &self.home, &["--open"])
            .output()
            .unwrap()
    }

    fn link(&self) -> String {
        let said = String::from_utf8(self.opened().stdout).unwrap();
        said.lines().next().unwrap().to_owned()
    }

    /// What the server answers to a browser that was let in.
    fn get(&self, path: &str) -> (String, String) {
        let link = self.link();
        let (host, secret) = link
            .strip_prefix("http://")
            .unwrap()
            .split_once('/')
            .unwrap();
        let entered = asked(host, &format!("/{secret}"), "");
        let cookie = entered
            .lines()
            .find_map(|line| line.strip_prefix("set-cookie: "));
        let cookie = cookie.unwrap().split(';').next().unwrap();
        let answer = asked(host, path, &format!("Cookie: {cookie}\r\n"));
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.lines().next().unwrap().to_owned(), body.to_owned())
    }
}

fn asked(host: &str, path: &str, more: &str) -> String {
    let port: u16 = host.rsplit(':').next().unwrap().parse().unwrap();
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let head = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{more}Connection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn config(room: &Room) -> String {
    format!("[fleet]\nstore = {}\n", json!(room.path("kept")))
}

#[test]
fn the_page_shows_of_all_machines_what_the_commands_say_and_no_text_of_a_member_is_more_than_text()
{
    let Some(room) = stored() else { return };
    let Some(page) = Page::of(&room, &config(&room)) else {
        return;
    };
    let (status, text) = page.get("/fleet");
    assert_eq!(status, "HTTP/1.1 200 OK", "{text}");
    for part in [
        // Refusals by hook and person.
        "<td>no-publish</td><td>ada</td><td>4</td><td>4</td>",
        // Machines, revisions, exceptions, what was refused by the store.
        "2 of 2 machines",
        "no guard is known to be on",
        "<li>no policy: 1 machine</li>",
        "granted by grace, on 1 machine",
        "<li>1 message: audit.bob.m: it says that it is audit.&lt;script&gt;alert(1)&lt;/script&gt;.</li>",
        // What was tried.
        "command &lt;script&gt;alert(1)&lt;/script&gt;",
        "hook &quot;&gt;&lt;img src=x onerror=alert(2)&gt;",
        "reason \\u{202e}gpj.exe",
        "npm publish part-30",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    for hostile in ["<script>alert", "<img", "\u{202e}", "\u{1b}", "\u{7}"] {
        assert!(!text.contains(hostile), "{hostile:?}\n{text}");
    }
    // What is typed is a value, and stays one.
    let (status, text) = page.get("/fleet?person=ada&text=PART-30");
    assert_eq!(status, "HTTP/1.1 200 OK", "{text}");
    assert!(
        text.contains("npm publish part-30") && !text.contains("part-20"),
        "{text}"
    );
    let (_, text) = page.get("/fleet?text=%27+or+1%3D1%3B+--&person=--json");
    assert!(text.contains("Nothing was refused in this time."), "{text}");
    let (status, text) = page.get("/fleet?since=%3Cb%3Eyesterday");
    assert_eq!(status, "HTTP/1.1 400 Bad Request");
    assert!(
        text.contains("such as 7d") && !text.contains("<b>yesterday"),
        "{text}"
    );
    // No browser without the cookie.
    let link = page.link();
    let host = link.split('/').nth(2).unwrap();
    assert!(asked(host, "/fleet", "").starts_with("HTTP/1.1 401"));
}

#[test]
fn without_a_store_there_is_no_page_of_all_machines_and_nothing_leads_to_it() {
    let Some(room) = Room::of(&["ada"]) else {
        return;
    };
    let Some(page) = Page::of(&room, "") else {
        return;
    };
    let (status, text) = page.get("/fleet");
    assert_eq!(status, "HTTP/1.1 404 Not Found");
    assert!(
        text.contains("No store of a fleet is configured here"),
        "{text}"
    );
    assert!(!page.get("/statistics").1.contains("/fleet"));
    let file = page.home.join(".config/anyhook/config.toml");
    fs::write(&file, "[fleet]\nstore = 7\n").unwrap();
    let (_, text) = page.get("/fleet");
    assert!(text.contains("config.toml:2"), "{text}");
    assert!(page.get("/statistics").1.contains("/fleet"));
    // Of a store that is not there nothing is known: it is no fleet without machines.
    fs::write(&file, config(&room)).unwrap();
    let (_, text) = page.get("/fleet");
    assert!(
        text.contains("cannot read the store") && text.contains("anyhook fleet store"),
        "{text}"
    );
}

#[test]
fn the_page_of_all_machines_is_sound_in_a_real_browser() {
    let Some(room) = stored() else { return };
    let Some(page) = Page::of(&room, &config(&room)) else {
        return;
    };
    let is_there = |program: &str| {
        let said = Command::new(program).arg("--version").output();
        said.is_ok_and(|said| said.status.success())
    };
    if !is_there("chromium") || !is_there("node") {
        eprintln!("NOT TESTED: the page in a real browser needs `chromium` and `node`");
        return;
    }
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    // The tests of the server fetch it.
    let axe = scratch.join("axe-core@4.14.1/node_modules/axe-core/axe.min.js");
    let shots = scratch.parent().unwrap().join("pages");
    fs::create_dir_all(&shots).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../serve/tests/it/chromium/fleet.mjs");
    let env = BTreeMap::from([
        ("PATH", std::env::var("PATH").unwrap()),
        ("HOME", page.home.to_string_lossy().into_owned()),
        (
            "PROFILE",
            room.path("profile").to_string_lossy().into_owned(),
        ),
        ("LINK", page.link()),
        ("SHOTS", shots.to_string_lossy().into_owned()),
        (
            "AXE",
            if axe.exists() {
                axe.to_string_lossy().into_owned()
            } else {
                String::new()
            },
        ),
    ]);
    let said = Command::new("node")
        .arg(script)
        .env_clear()
        .envs(env)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&said.stdout);
    assert!(
        said.status.success() && text.ends_with("all held\n"),
        "{said:?}"
    );
}
