//! A server that is killed at once, in the middle of events and questions: what agents, the record and the next server know.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhook::approvals::ApprovalBook;
use anyhook::stores::{Filter, Jsonl, RecordDetail};
use anyhook::world::World;
use anyhook_serve::ServerInstance;
use serde_json::json;

use super::client::{Answer, Connection};
use super::home::Home;
use super::inbox::{self, Browser, event, home_with};
use super::life::{program, start, text};

const PATIENCE: Duration = Duration::from_mins(1);
const CODEX: &str = "/v1/hosts/codex-cli/events?deadline=120";
/// So many clients post events one after the other, until the server is gone.
const CLIENTS: usize = 8;

/// A rule that refuses, one that asks, and a guard that does not end before the file `go` is there.
fn home() -> Home {
    let rule = |name: &str, when: &str, then: serde_json::Value| json!({"name": name, "type": "rule", "when": when, "then": then});
    let slow = "grep -q 'make slow' || exit 0; touch \"$HOME/began\"; while [ ! -e \"$HOME/go\" ]; do sleep 0.05; done";
    home_with(&json!([
        rule("keep", "runs('rm')", json!({"deny": "move it away"})),
        rule("careful", "runs('npm')", json!({"ask": "Really?"})),
        {"name": "slow", "type": "command", "guard": true, "command": slow},
    ]))
}

/// A program of ours with this home.
fn of(home: &Home, mut program: Command) -> Command {
    program
        .env("HOME", home.path("home"))
        .env("XDG_CONFIG_HOME", home.path("config"))
        .env("XDG_STATE_HOME", home.path("state"))
        .current_dir(home.path("project"));
    program
}

fn serve(home: &Home) -> (Child, String) {
    let (child, said) = start(of(home, program(&home.path("home"), &["--port", "0"])));
    let running = std::fs::read_to_string(home.path("state/anyhook/serve/running.json"));
    let running: ServerInstance = serde_json::from_str(&running.unwrap()).unwrap();
    assert_eq!(running.pid.unsigned_abs(), child.id(), "{said}");
    (child, running.address)
}

fn anyhook(home: &Home, at: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(at);
    command
        .args(args)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    of(home, command)
}

/// An event of an agent that starts `anyhook run` for it.
fn runs(home: &Home, at: &Path, line: &str) -> Child {
    use std::io::Write as _;
    let args = ["run", "--host", "codex-cli", "--deadline", "120"];
    let mut child = anyhook(home, at, &args).spawn().unwrap();
    let payload = event(home, line).to_string();
    let mut input = child.stdin.take().unwrap();
    input.write_all(payload.as_bytes()).unwrap();
    child
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "{what}");
        std::thread::yield_now();
    }
}

/// Posts an event, and returns what came back of it: nothing where no connection was made, or it broke.
fn posts(home: &Home, address: &str, token: &str, line: &str) -> Option<Answer> {
    let body = event(home, line).to_string();
    let mut connection = Connection::reach(address).ok()?;
    let length = body.len();
    connection.write(
        format!(
            "POST {CODEX} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\nContent-Length: {length}\r\n\r\n{body}"
        )
        .as_bytes(),
    );
    connection.answer()
}

/// What the record has of the commands of answered events.
fn recorded(home: &Home) -> Vec<String> {
    let record = Jsonl::new(
        home.world().places.unwrap().reports(),
        RecordDetail::Payload,
    );
    let found = record.find(&Filter::default()).unwrap();
    let input = |report: &anyhook::core::report::Report| {
        let action = report.action.as_deref()?;
        let line = action.data.get("tool_input")?.get("command")?;
        line.as_str().map(str::to_owned)
    };
    found.iter().filter_map(input).collect()
}

#[test]
fn a_server_that_is_killed_loses_no_answered_event_and_no_question_of_another_process() {
    let at = Path::new(env!("CARGO_BIN_EXE_anyhook-serve")).with_file_name("anyhook");
    if !at.exists() {
        eprintln!("not run: this needs `anyhook`; build it: cargo build -p anyhook-cli");
        return;
    }
    let home = home();
    let book = ApprovalBook::new(home.world().places.unwrap().approvals());
    let open = || book.waiting(World::real().clock.now()).unwrap();
    let (mut server, address) = serve(&home);
    let token = home.clients().add("test").unwrap();
    let answered = Mutex::new(Vec::new());
    // An agent that starts a process for each event waits for a person.
    let waits = runs(&home, &at, "npm publish --tag by-process");
    until("the question of the process", || open().len() == 1);
    std::thread::scope(|scope| {
        let asks = scope.spawn(|| posts(&home, &address, &token, "npm publish --tag over-http"));
        let slow = scope.spawn(|| posts(&home, &address, &token, "make slow"));
        until("the question over HTTP", || open().len() == 2);
        until("the guard that takes long", || {
            home.path("home/began").exists()
        });
        for client in 0..CLIENTS {
            let (home, address, token, answered) = (&home, &address, &token, &answered);
            scope.spawn(move || {
                for number in 0.. {
                    let line = format!("rm file-{client}-{number}");
                    let Some(answer) = posts(home, address, token, &line) else {
                        return;
                    };
                    assert!(
                        answer.status == 200 && answer.body.contains("\"deny\""),
                        "{answer:?}"
                    );
                    answered.lock().unwrap().push(line);
                }
            });
        }
        until("events", || answered.lock().unwrap().len() > 4 * CLIENTS);
        server.kill().unwrap();
        server.wait().unwrap();
        // No answer is no 200, and so a refusal: clients fail closed.
        assert_eq!(asks.join().unwrap(), None);
        assert_eq!(slow.join().unwrap(), None);
    });
    std::fs::write(home.path("home/go"), "").unwrap();
    // Without a server a process decides as before, and what waited in the server's process is over.
    let alone = runs(&home, &at, "rm file").wait_with_output().unwrap();
    assert!(text(&alone).contains("\"deny\""), "{alone:?}");
    let [left] = open().try_into().unwrap();
    assert!(left.action.contains("by-process"), "{left:?}");
    let verify = anyhook(&home, &at, &["log", "verify"]).output().unwrap();
    assert!(verify.status.success(), "{verify:?}");

    // The next server knows the token, the question, the passphrase and every event that was answered.
    let (mut next, address) = serve(&home);
    let again = posts(&home, &address, &token, "rm after").unwrap();
    assert!(again.body.contains("\"deny\""), "{again:?}");
    let mut browser = Browser::at(&address);
    let proof = browser.sign_in().unwrap();
    assert_eq!(browser.yes(&inbox::open(&home), &proof), 200);
    let went = waits.wait_with_output().unwrap();
    assert!(went.status.success() && text(&went).is_empty(), "{went:?}");
    let (recorded, mut answered) = (recorded(&home), answered.into_inner().unwrap());
    answered.retain(|line| !recorded.contains(line));
    assert_eq!(answered, Vec::<String>::new(), "answered and not recorded");
    assert!(recorded.contains(&"rm after".to_owned()), "{recorded:?}");
    next.kill().unwrap();
    next.wait().unwrap();
    let verify = anyhook(&home, &at, &["log", "verify"]).output().unwrap();
    assert!(verify.status.success(), "{verify:?}");
}
