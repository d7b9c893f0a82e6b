//! The beginning and the end of a server.

use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use anyhook_serve::{Limits, Server};
use serde_json::json;

use super::client::Connection;
use super::home::{CLAUDE, Home};

/// The program, in an empty home.
pub(crate) fn program(home: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_anyhook-serve"));
    command
        .args(args)
        .env_clear()
        .env("HOME", home)
        .env("PATH", "/usr/bin:/bin")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

pub(crate) fn text(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    format!(
        "{}{}",
        String::from_utf8_lossy(out),
        String::from_utf8_lossy(err)
    )
}

/// Starts a server of the program, and waits until it says where it listens.
pub(crate) fn start(mut program: Command) -> (Child, String) {
    use std::io::{BufRead as _, BufReader};
    let mut child = program.spawn().unwrap();
    let mut line = String::new();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    said.read_line(&mut line).unwrap();
    // What it says later must not block it.
    std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
    (child, line)
}

#[test]
fn the_page_opens_in_the_browser_also_where_no_server_ran() {
    let home = Home::refusing();
    let own = home.path("home");
    let run = |args: &[&str]| {
        let mut program = program(&own, args);
        program.env("BROWSER", "/bin/true").output().unwrap()
    };
    let opened = run(&["--open", "--port", "0"]);
    let said = text(&opened);
    assert_eq!(opened.status.code(), Some(0), "{said}");
    assert!(
        said.contains("a server runs now, in the background"),
        "{said}"
    );
    assert!(said.contains("/open/"), "{said}");
    // The browser is told by a file that only its person reads.
    let page = own.join(".local/state/anyhook/serve/open.html");
    let mode = std::fs::metadata(&page).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let again = text(&run(&["--open"]));
    assert!(
        !again.contains("a server runs now") && again.contains("/open/"),
        "{again}"
    );
    assert!(text(&run(&["--stop"])).starts_with("ended: "));
    let page = std::fs::read_to_string(&page).unwrap();
    assert!(
        page.contains("url=http://") && page.contains("/open/"),
        "{page}"
    );
}

#[test]
fn a_server_that_cannot_start_for_the_page_says_why() {
    let home = Home::refusing();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let failed = program(&home.path("home"), &["--open", "--port", &port])
        .output()
        .unwrap();
    assert_eq!(failed.status.code(), Some(74), "{}", text(&failed));
    let told = text(&failed);
    assert!(told.contains("the server did not start: "), "{told}");
    let why = format!("cannot listen on `127.0.0.1:{port}`");
    assert!(told.contains(&why), "{told}");
}

#[test]
fn a_socket_that_a_killed_server_left_is_replaced_and_a_file_in_its_place_is_not() {
    let home = Home::refusing();
    let socket = home.path("state/anyhook/serve/socket");
    std::fs::create_dir_all(socket.parent().unwrap()).unwrap();
    drop(UnixListener::bind(&socket).unwrap());
    assert!(socket.exists(), "it was left");
    let mut served = home.serve(Limits::default());
    let body = home.bash("ls").to_string();
    let answer = Connection::socket(&socket).post(CLAUDE, &served.token, body.as_bytes());
    assert_eq!(answer.status, 200);
    let mode = socket.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);
    served.end();
    std::fs::write(&socket, "a person's").unwrap();
    let refused = Server::bind(&home.world(), 0, Limits::default());
    assert!(refused.is_err_and(|why| why.to_string().contains("is not a socket")));
    assert_eq!(std::fs::read_to_string(&socket).unwrap(), "a person's");
}

#[test]
fn an_end_answers_what_is_under_way_and_takes_the_socket_along() {
    let wait = json!([{"name": "wait", "type": "command", "guard": true,
        "command": "touch \"$HOME/began\"; while [ ! -e \"$HOME/go\" ]; do sleep 0.05; done; echo no >&2; exit 2"}]);
    let home = Home::new(&wait);
    let mut served = home.serve(Limits {
        ending: Duration::from_secs(30),
        ..Limits::default()
    });
    let mut idle = served.connect();
    assert_eq!(idle.send("GET", "/v1/health", &[], b"").status, 200);
    let (mut busy, token) = (served.connect(), served.token.clone());
    let body = home.bash("ls").to_string();
    let waits = std::thread::spawn(move || busy.post(CLAUDE, &token, body.as_bytes()));
    while !home.path("home/began").exists() {
        std::thread::yield_now();
    }
    served.tell();
    assert_eq!(
        idle.rest(),
        "",
        "a connection without an event ends at once"
    );
    std::fs::write(home.path("home/go"), "").unwrap();
    let answer = waits.join().unwrap();
    assert!(
        answer.status == 200 && answer.body.contains("deny"),
        "{answer:?}"
    );
    served.end();
    assert!(!served.running.socket.exists());
}

#[test]
fn an_event_that_outlasts_the_end_is_refused_and_its_hook_is_ended() {
    let home = Home::new(&json!([{"name": "slow", "type": "command", "guard": true,
        "command": "touch \"$HOME/began\"; sleep 600"}]));
    let mut served = home.serve(Limits {
        ending: Duration::from_millis(300),
        ..Limits::default()
    });
    let (mut busy, token) = (served.connect(), served.token.clone());
    let body = home.bash("ls").to_string();
    let path = format!("{CLAUDE}?deadline=600");
    let waits = std::thread::spawn(move || busy.post(&path, &token, body.as_bytes()));
    while !home.path("home/began").exists() {
        std::thread::yield_now();
    }
    served.end();
    let answer = waits.join().unwrap();
    assert!(
        answer.status == 200 && answer.body.contains("deny"),
        "{answer:?}"
    );
}

#[test]
fn the_program_makes_and_revokes_tokens_and_says_who_is_known() {
    let home = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| program(home.path(), args).output().unwrap();
    assert!(text(&run(&["--status"])).contains("no server runs"));
    let made = run(&["--token", "editor"]);
    assert!(
        made.status.success() && text(&made).starts_with("anyhook_editor_"),
        "{made:?}"
    );
    let again = run(&["--token", "editor"]);
    assert_eq!(again.status.code(), Some(64));
    assert!(text(&again).contains("--revoke"), "{again:?}");
    assert!(text(&run(&["--status"])).contains("clients: editor"));
    let status: serde_json::Value =
        serde_json::from_slice(&run(&["--status", "--json"]).stdout).unwrap();
    assert_eq!(
        status,
        serde_json::json!({"server": null, "clients": ["editor"]})
    );
    assert_eq!(run(&["--json"]).status.code(), Some(64));
    assert!(run(&["--revoke", "editor"]).status.success());
    assert_eq!(run(&["--revoke", "editor"]).status.code(), Some(1));
    assert_eq!(run(&["--stop"]).status.code(), Some(1));
    assert_eq!(run(&["--sotp"]).status.code(), Some(64));
}

#[test]
fn a_signal_ends_the_program_cleanly_and_a_killed_one_leaves_nothing_that_stops_the_next() {
    let home = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| program(home.path(), args).output().unwrap();
    let (mut killed, said) = start(program(home.path(), &["--port", "0"]));
    assert!(said.contains("127.0.0.1:"), "{said}");
    let status = text(&run(&["--status"]));
    assert!(status.contains(&killed.id().to_string()), "{status}");
    let status = run(&["--json", "--status"]).stdout;
    let status: serde_json::Value = serde_json::from_slice(&status).unwrap();
    assert_eq!(status["server"]["pid"], killed.id());
    let second = run(&["--port", "0"]);
    assert_eq!(second.status.code(), Some(78));
    assert!(text(&second).contains("runs already"), "{second:?}");
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert!(text(&run(&["--status"])).contains("no server runs"));
    let (mut ended, _) = start(program(home.path(), &["--port", "0"]));
    let stopped = run(&["--stop"]);
    assert!(stopped.status.success(), "{stopped:?}");
    assert_eq!(ended.wait().unwrap().code(), Some(0));
    let left = home.path().join(".local/state/anyhook/serve/socket");
    assert!(!left.exists(), "the socket goes with the server");
}
