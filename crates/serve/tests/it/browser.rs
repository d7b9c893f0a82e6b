//! Who gets the page: a browser with the cookie of a link that its person made.

use anyhook_serve::{Limits, ServerFolder};
use serde_json::json;

use super::home::{Home, Served};

fn home() -> Home {
    Home::new(
        &json!([{"name": "all", "type": "rule", "when": "true", "then": {"deny": "Rule all: no."}}]),
    )
}

fn status(served: &Served, method: &str, path: &str, head: &[&str]) -> u16 {
    let answer = served.connect().send(method, path, head, b"");
    assert!(answer.header("access-control-allow-origin").is_none());
    answer.status
}

#[test]
fn a_link_lets_one_browser_in_once_and_the_page_shows_the_newest_events() {
    let home = home();
    let served = home.serve(Limits::default());
    let body = home.bash("rm -rf build").to_string();
    let path = "/v1/hosts/claude-code/events";
    served.connect().post(path, &served.token, body.as_bytes());
    let [host, cookie] = served.browser(&home);
    let page = served.connect().send("GET", "/", &[&host, &cookie], b"");
    assert_eq!(page.status, 200);
    assert!(
        page.body.contains("rm -rf build") && page.body.contains("deny"),
        "{}",
        page.body
    );
    let policy = page.header("content-security-policy").unwrap();
    assert!(
        policy.starts_with("default-src 'none'") && !policy.contains("unsafe"),
        "{policy}"
    );
    assert_eq!(page.header("cache-control"), Some("no-store"));
    // The same link again, and one that was never made.
    let folder = ServerFolder::of(&home.world()).unwrap();
    let [link, _] = served.running.links(&folder).unwrap();
    let secret = link.rsplit('/').next().unwrap();
    let path = format!("/open/{secret}");
    assert_eq!(status(&served, "GET", &path, &[&host]), 303);
    assert_eq!(status(&served, "GET", &path, &[&host]), 401);
    assert_eq!(status(&served, "GET", "/open/0", &[&host]), 401);
}

#[test]
fn without_its_cookie_no_browser_and_no_client_reads_a_page() {
    let home = home();
    let served = home.serve(Limits::default());
    let [host, cookie] = served.browser(&home);
    let token = format!("Authorization: Bearer {}", served.token);
    let wrong: String = cookie.chars().take(cookie.len() - 1).collect();
    for head in [
        &[&*host][..],
        &[&host, &token],
        &[&host, &wrong],
        &[&host, "Cookie: anyhook="],
    ] {
        assert_eq!(status(&served, "GET", "/", head), 401, "{head:?}");
    }
    // And the cookie posts no events.
    let answer = status(
        &served,
        "POST",
        "/v1/hosts/claude-code/events",
        &[&host, &cookie],
    );
    assert_eq!(answer, 401);
}

#[test]
fn another_page_reads_nothing_with_the_cookie_whatever_name_it_uses() {
    let home = home();
    let served = home.serve(Limits::default());
    let [host, cookie] = served.browser(&home);
    for (line, code) in [
        ("Origin: http://evil.example", 403),
        ("Origin: null", 403),
        ("Sec-Fetch-Site: cross-site", 403),
        ("Sec-Fetch-Site: same-site", 403),
    ] {
        assert_eq!(
            status(&served, "GET", "/", &[&host, &cookie, line]),
            code,
            "{line}"
        );
    }
    let port = host.rsplit(':').next().unwrap();
    let rebound = format!("Host: evil.example:{port}");
    assert_eq!(status(&served, "GET", "/", &[&rebound, &cookie]), 421);
    let label = format!("Host: {}.localhost:{port}", "0".repeat(32));
    assert_eq!(status(&served, "GET", "/", &[&label, &cookie]), 421);
    // A link in a message leads here; its browser sends no cookie.
    let followed = [
        &*host,
        "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Mode: navigate",
        "Sec-Fetch-Dest: document",
    ];
    assert_eq!(status(&served, "GET", "/", &followed), 401);
}
