//! What must not get in: pages in browsers, programs without a token, and clients that take more than their part.

use std::time::{Duration, Instant};

use anyhook_serve::Limits;

use super::client::Connection;
use super::home::{CLAUDE, Home, Served};

/// Sends an event with these lines of head, and returns the status.
fn status(served: &Served, home: &Home, head: &[&str]) -> u16 {
    let body = home.bash("ls").to_string();
    let answer = served.connect().send("POST", CLAUDE, head, body.as_bytes());
    assert!(answer.header("access-control-allow-origin").is_none());
    answer.status
}

#[test]
fn a_request_without_the_token_of_a_known_client_is_refused() {
    let home = Home::refusing();
    let served = home.serve(Limits::default());
    let right = format!("Authorization: Bearer {}", served.token);
    assert_eq!(status(&served, &home, &[&right]), 200);
    let short: String = right.chars().take(right.len() - 1).collect();
    let basic = format!("Authorization: Basic {}", served.token);
    for wrong in [
        &[][..],
        &["Authorization: Bearer"],
        &[&short],
        &[&basic],
        &[&right, &right],
    ] {
        assert_eq!(status(&served, &home, wrong), 401, "{wrong:?}");
    }
    let in_query = format!("{CLAUDE}?token={}", served.token);
    let answer = served.connect().send("POST", &in_query, &[], b"{}");
    assert_eq!(answer.status, 401);
    // The socket asks for it, too.
    let answer = Connection::socket(&served.running.socket).send("POST", CLAUDE, &[], b"{}");
    assert_eq!(answer.status, 401);
}

#[test]
fn a_token_that_was_revoked_counts_no_more_also_on_a_connection_that_is_kept() {
    let home = Home::refusing();
    let served = home.serve(Limits::default());
    let mut kept = served.connect();
    let body = home.bash("ls").to_string();
    let mut post = || kept.post(CLAUDE, &served.token, body.as_bytes()).status;
    assert_eq!(post(), 200);
    home.clients().revoke("test").unwrap();
    assert_eq!(post(), 401);
}

#[test]
fn a_name_that_was_rebound_to_this_machine_is_refused() {
    let home = Home::refusing();
    let served = home.serve(Limits::default());
    let address = served.running.address.clone();
    let port = address.rsplit(':').next().unwrap();
    let token = format!("Authorization: Bearer {}", served.token);
    for right in ["127.0.0.1", "localhost", "[::1]"] {
        let host = format!("Host: {right}:{port}");
        assert_eq!(status(&served, &home, &[&host, &token]), 200, "{right}");
    }
    for wrong in [
        format!("evil.example:{port}"),
        format!("127.0.0.1.evil.example:{port}"),
        format!("localhost.:{port}"),
        "127.0.0.1".to_owned(),
        "127.0.0.1:1".to_owned(),
        String::new(),
    ] {
        let host = format!("Host: {wrong}");
        assert_eq!(status(&served, &home, &[&host, &token]), 421, "{wrong}");
    }
    let twice = format!("Host: {address}");
    assert!([400, 421].contains(&status(
        &served,
        &home,
        &[&twice, "Host: evil.example", &token]
    )));
}

#[test]
fn a_page_in_a_browser_posts_nothing_even_with_a_token() {
    let home = Home::refusing();
    let served = home.serve(Limits::default());
    let token = format!("Authorization: Bearer {}", served.token);
    let own = format!("Origin: http://{}", served.running.address);
    for page in [
        "Origin: https://evil.example",
        "Origin: null",
        &own,
        "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Site: same-site",
    ] {
        assert_eq!(status(&served, &home, &[page, &token]), 403, "{page}");
    }
    // What a browser asks before it posts to another site is answered without leave.
    let asks = [
        "Origin: https://evil.example",
        "Access-Control-Request-Method: POST",
    ];
    let answer = served.connect().send("OPTIONS", CLAUDE, &asks, b"");
    assert!(answer.status == 403 && answer.header("access-control-allow-methods").is_none());
}

#[test]
fn a_payload_that_is_too_long_is_refused_whatever_it_says_of_its_length() {
    let home = Home::refusing();
    let limits = Limits {
        body: 64 * 1024,
        ..Limits::default()
    };
    let served = home.serve(limits);
    let answer = served.posts(&home.bash(&"x".repeat(70 * 1024)));
    assert_eq!(answer.status, 413, "{answer:?}");
    let mut chunked = served.begins("", "Transfer-Encoding: chunked");
    for _ in 0..20 {
        chunked.write(format!("1000\r\n{}\r\n", "x".repeat(4096)).as_bytes());
    }
    assert_eq!(chunked.answer().unwrap().status, 413);
}

#[test]
fn all_payloads_together_have_a_bound() {
    let home = Home::refusing();
    let limits = Limits {
        body: 64 * 1024,
        bodies: 96 * 1024,
        ..Limits::default()
    };
    let served = home.serve(limits);
    let event = home.bash(&"x".repeat(60 * 1024));
    let body = event.to_string();
    // Two that stop before their last byte hold more than there is.
    let (most, last) = body.split_at(body.len() - 1);
    let length = format!("Content-Length: {}", body.len());
    let mut stopped = [(); 2].map(|()| served.begins("?deadline=600", &length));
    for one in &mut stopped {
        one.write(most.as_bytes());
    }
    let mut statuses: Vec<u16> = stopped
        .iter_mut()
        .map(|one| {
            one.write(last.as_bytes());
            one.answer().map_or(0, |answer| answer.status)
        })
        .collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 503]);
    // What was stopped is free again.
    assert_eq!(served.posts(&event).status, 200);
}

#[test]
fn a_client_that_does_not_end_its_head_is_cut_off() {
    let home = Home::refusing();
    let limits = Limits {
        head: Duration::from_millis(300),
        ..Limits::default()
    };
    let served = home.serve(limits);
    let began = Instant::now();
    for begun in ["", "POST /v1/events HTTP/1.1\r\nHost: 127", "GET"] {
        let mut slow = served.connect();
        slow.write(begun.as_bytes());
        let _ = slow.rest();
    }
    assert!(
        began.elapsed() < Duration::from_secs(30),
        "{:?}",
        began.elapsed()
    );
}

#[test]
fn a_client_that_does_not_end_its_payload_is_answered_in_half_of_its_time() {
    let home = Home::refusing();
    let served = home.serve(Limits::default());
    let mut slow = served.begins("?deadline=1", "Content-Length: 100");
    slow.write(b"{");
    assert_eq!(slow.answer().unwrap().status, 408);
}

#[test]
fn who_fills_the_port_does_not_fill_the_socket() {
    let home = Home::refusing();
    let limits = Limits {
        connections: 4,
        ..Limits::default()
    };
    let served = home.serve(limits);
    let silent: Vec<Connection> = (0..8).map(|_| served.connect()).collect();
    let body = home.bash("ls").to_string();
    let mut socket = Connection::socket(&served.running.socket);
    let answer = socket.post(CLAUDE, &served.token, body.as_bytes());
    assert_eq!(answer.status, 200);
    drop(silent);
    // And when they have gone, the port answers again.
    assert_eq!(served.posts(&home.bash("ls")).status, 200);
}

#[test]
fn a_head_that_is_too_long_is_refused() {
    let home = Home::refusing();
    let served = home.serve(Limits::default());
    let mut long = served.connect();
    let line = "x".repeat(200_000);
    long.write(format!("GET /v1/health HTTP/1.1\r\nX: {line}\r\n\r\n").as_bytes());
    let status = long.answer().map(|answer| answer.status);
    assert!(status.is_none_or(|status| status == 431), "{status:?}");
}
