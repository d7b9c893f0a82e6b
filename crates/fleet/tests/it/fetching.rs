//! Policies over HTTP: a server of this machine that knows what it said last.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::thread;

use anyhook_fleet::{PolicySource, Trouble, fetch};

/// A server that answers once.
fn server(status: &str, head: &str, body: &[u8]) -> PolicySource {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/acme.policy", listener.local_addr().unwrap());
    let length = body.len();
    let head =
        format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n{head}\r\n");
    let answer = [head.as_bytes(), body].concat();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let lines = BufReader::new(stream.try_clone().unwrap()).lines();
        let is_head = |line: &String| !line.is_empty();
        lines
            .map_while(Result::ok)
            .take_while(is_head)
            .for_each(drop);
        let _ = stream.write_all(&answer);
    });
    PolicySource::read(&url).unwrap()
}

#[test]
fn what_a_server_says_instead_of_a_policy_is_an_error() {
    assert_eq!(fetch(&server("200 OK", "", b"policy")).unwrap(), b"policy");
    for (status, head) in [
        ("404 Not Found", ""),
        ("500 Internal Server Error", ""),
        ("304 Not Modified", ""),
        ("302 Found", "location: ftp://example/x\r\n"),
    ] {
        let failed = fetch(&server(status, head, b"")).unwrap_err();
        assert_eq!(failed.trouble, Trouble::Fetch, "{status}: {failed}");
        assert!(failed.help().contains("goes on"));
    }
}

#[test]
fn an_address_that_others_on_the_way_could_answer_is_refused() {
    for refused in [
        "http://policy.example/x",
        "http://127.0.0.1.example/x",
        "ftp://policy.example/x",
        "https://me:pw@policy.example/x",
        "https:///x",
    ] {
        assert!(PolicySource::read(refused).is_err(), "{refused}");
    }
    for taken in [
        "https://policy.example/x",
        "http://[::1]:80/x",
        "http://localhost/x",
        "acme.policy",
    ] {
        assert!(PolicySource::read(taken).is_ok(), "{taken}");
    }
}
