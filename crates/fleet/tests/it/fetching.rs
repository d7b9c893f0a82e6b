//! Policies over HTTP: a server of this machine that knows what it said last.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use anyhook_fleet::{Fetched, PolicyError, Source, fetch};

/// Answers so many requests with these, and tells which header named the known version.
fn server(answers: Vec<Vec<u8>>) -> (Source, Receiver<Option<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/acme.policy", listener.local_addr().unwrap());
    let (told, heard) = channel();
    thread::spawn(move || {
        for answer in answers {
            let (mut stream, _) = listener.accept().unwrap();
            let lines = BufReader::new(stream.try_clone().unwrap()).lines();
            let lines: Vec<String> = lines
                .map_while(Result::ok)
                .take_while(|line| !line.is_empty())
                .collect();
            let known = lines.iter().find_map(|line| {
                line.to_lowercase()
                    .strip_prefix("if-none-match: ")
                    .map(str::to_owned)
            });
            told.send(known).unwrap();
            let _ = stream.write_all(&answer);
        }
    });
    (Source::read(&url).unwrap(), heard)
}

fn answer(status: &str, head: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head =
        format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n{head}\r\n");
    [head.as_bytes(), body].concat()
}

#[test]
fn a_server_is_told_what_was_seen_last_and_says_that_nothing_is_new() {
    let (source, heard) = server(vec![
        answer("200 OK", "etag: \"v1\"\r\n", b"policy"),
        answer("304 Not Modified", "", b""),
    ]);
    let etag = Some("\"v1\"".to_owned());
    let first = fetch(&source, None).unwrap();
    assert_eq!(
        first,
        Fetched::New {
            file: b"policy".to_vec(),
            etag: etag.clone()
        }
    );
    assert_eq!(fetch(&source, etag.as_deref()).unwrap(), Fetched::Same);
    assert_eq!([heard.recv().unwrap(), heard.recv().unwrap()], [None, etag]);
}

#[test]
fn what_a_server_says_instead_of_a_policy_is_an_error() {
    for (status, head) in [
        ("404 Not Found", ""),
        ("500 Internal Server Error", ""),
        ("304 Not Modified", ""),
        ("302 Found", "location: ftp://example/x\r\n"),
    ] {
        let (source, _heard) = server(vec![answer(status, head, b"")]);
        let failed = fetch(&source, None).unwrap_err();
        assert!(
            matches!(failed, PolicyError::Fetch { .. }),
            "{status}: {failed}"
        );
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
        assert!(Source::read(refused).is_err(), "{refused}");
    }
    for taken in [
        "https://policy.example/x",
        "http://[::1]:80/x",
        "http://localhost/x",
        "acme.policy",
    ] {
        assert!(Source::read(taken).is_ok(), "{taken}");
    }
}
