//! A start on demand: systemd's own program listens, and becomes the server when a client connects.

use std::io::Read as _;
use std::os::unix::fs::FileTypeExt as _;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use anyhook_serve::Running;
use serde_json::json;

use super::client::Connection;
use super::home::Home;
use super::life::{program, text};

const PATIENCE: Duration = Duration::from_mins(1);

/// What systemd does for a socket unit, as a program; it ends when it is dropped, with what it became.
struct Activator(Child);

impl Drop for Activator {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn home() -> Home {
    Home::new(&json!([{"name": "all", "type": "rule", "when": "true", "then": {"deny": "no"}}]))
}

/// Our program with this home.
fn ours(home: &Home, args: &[&str]) -> Output {
    let mut command = program(&home.path("home"), args);
    command
        .env("XDG_STATE_HOME", home.path("state"))
        .output()
        .unwrap()
}

/// Listens on these addresses, and waits until the last one is there; nothing where this system has no such program.
fn listens(home: &Home, addresses: &[&str]) -> Option<Activator> {
    let mut command = Command::new("systemd-socket-activate");
    for address in addresses {
        command.args(["-l", address]);
    }
    for (name, folder) in [("HOME", "home"), ("XDG_STATE_HOME", "state")] {
        command.arg(format!("--setenv={name}={}", home.path(folder).display()));
    }
    let started = command
        .arg(env!("CARGO_BIN_EXE_anyhook-serve"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(child) = started else {
        eprintln!("not run: there is no `systemd-socket-activate` here");
        return None;
    };
    let mut activator = Activator(child);
    // It says one line for each socket.
    let mut said = String::new();
    let stderr = activator.0.stderr.as_mut().unwrap();
    let start = Instant::now();
    while said.matches("Listening on").count() < addresses.len() {
        let mut byte = [0];
        assert_eq!(stderr.read(&mut byte).unwrap(), 1, "{said}");
        said.push(char::from(byte[0]));
        assert!(start.elapsed() < PATIENCE, "{said}");
    }
    Some(activator)
}

/// A socket of the server of this person, and a port that was free a moment ago.
fn addresses(home: &Home) -> [String; 2] {
    let socket = home.path("state/anyhook/serve/socket");
    // The folder is made as for any server.
    drop(home.clients());
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap();
    [socket.display().to_string(), port.to_string()]
}

#[test]
fn a_server_starts_when_it_is_asked_answers_that_request_and_leaves_the_socket_to_its_manager() {
    let home = home();
    let token = home.clients().add("test").unwrap();
    let [socket, port] = addresses(&home);
    let Some(mut activator) = listens(&home, &[&socket, &port]) else {
        return;
    };
    assert!(text(&ours(&home, &["--status"])).starts_with("no server runs\n"));
    let head = format!("Authorization: Bearer {token}");
    let body = home.bash("ls").to_string();
    let mut connection = Connection::port(&port);
    let answer = connection.send(
        "POST",
        "/v1/hosts/claude-code/events",
        &[&head],
        body.as_bytes(),
    );
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(
        answer.body.contains(r#""permissionDecision":"deny""#),
        "{answer:?}"
    );
    let running = std::fs::read(home.path("state/anyhook/serve/running.json")).unwrap();
    let running: Running = serde_json::from_slice(&running).unwrap();
    assert_eq!(running.pid.unsigned_abs(), activator.0.id());
    assert_eq!(running.address.as_deref(), Some(&*port));
    // A second one, by hand, leaves it alone.
    let second = ours(&home, &["--no-port"]);
    assert_eq!(second.status.code(), Some(78), "{}", text(&second));
    assert!(
        text(&second).contains("a server runs already"),
        "{}",
        text(&second)
    );
    // Its end is clean, and the socket stays: the manager listens on.
    assert!(text(&ours(&home, &["--stop"])).starts_with("ended: "));
    assert!(activator.0.wait().unwrap().success());
    let left = std::fs::symlink_metadata(&socket).unwrap();
    assert!(left.file_type().is_socket());
    assert!(!home.path("state/anyhook/serve/running.json").exists());
}

#[test]
fn a_person_who_opens_the_page_starts_the_server() {
    let home = home();
    let [socket, port] = addresses(&home);
    let Some(_activator) = listens(&home, &[&socket, &port]) else {
        return;
    };
    let opened = ours(&home, &["--open"]);
    let (_, number) = port.rsplit_once(':').unwrap();
    assert!(
        text(&opened).contains(&format!(".localhost:{number}/open/")),
        "{}",
        text(&opened)
    );
}

#[test]
fn a_server_takes_no_socket_of_another_folder_and_no_port_that_other_machines_reach() {
    for (at, why) in [
        (["home/other", "127.0.0.1"], "and this server's socket is"),
        (
            ["state/anyhook/serve/socket", "0.0.0.0"],
            "which other machines reach",
        ),
    ] {
        let home = home();
        let [_, port] = addresses(&home);
        let port = port.replace("127.0.0.1", at[1]);
        let socket = home.path(at[0]);
        let Some(mut activator) = listens(&home, &[socket.to_str().unwrap(), &port]) else {
            return;
        };
        let client = std::os::unix::net::UnixStream::connect(&socket).unwrap();
        assert_eq!(activator.0.wait().unwrap().code(), Some(73));
        let mut said = String::new();
        activator
            .0
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut said)
            .unwrap();
        assert!(said.contains(why), "{said}");
        drop(client);
    }
}
