//! Who gets the page: a browser with the cookie of a link that its person made.

use anyhook_serve::{Limits, ServerFolder};
use serde_json::json;

use super::home::{CLAUDE, Home, Served};

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
    served.posts(&home.bash("rm -rf build"));
    let [host, cookie] = served.browser(&home);
    let page = served.reads("/", &[&host, &cookie]);
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
fn a_browser_that_is_led_to_a_link_by_another_page_goes_on_from_a_page_of_ours() {
    let home = home();
    let served = home.serve(Limits::default());
    let [host, _] = served.browser(&home);
    let folder = ServerFolder::of(&home.world()).unwrap();
    let [link, _] = served.running.links(&folder).unwrap();
    let path = format!("/open/{}", link.rsplit('/').next().unwrap());
    let led = [
        &*host,
        "sec-fetch-site: cross-site",
        "sec-fetch-mode: navigate",
        "sec-fetch-dest: document",
    ];
    let answer = served.reads(&path, &led);
    assert_eq!(
        (answer.status, answer.header("refresh")),
        (200, Some("0; url=/"))
    );
    assert!(answer.header("set-cookie").is_some());
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
    assert_eq!(status(&served, "POST", CLAUDE, &[&host, &cookie]), 401);
}

#[test]
fn another_page_reads_nothing_with_the_cookie_whatever_name_it_uses() {
    let home = home();
    let served = home.serve(Limits::default());
    let [host, cookie] = served.browser(&home);
    let other = "Origin: http://evil.example";
    assert_eq!(status(&served, "GET", "/", &[&host, &cookie, other]), 403);
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

/// Adds reports to the record, as an event does.
pub(crate) fn record(home: &Home, reports: impl Iterator<Item = serde_json::Value>) {
    use anyhook::core::report::Report;
    use anyhook::stores::{Jsonl, RecordDetail};
    let folder = home.world().places.unwrap().reports();
    let reports: Vec<Report> = reports.map(|one| Report::from_json(one).unwrap()).collect();
    Jsonl::new(folder, RecordDetail::Payload)
        .append_all(&reports)
        .unwrap();
}

pub(crate) fn report(id: &str, text: &str) -> serde_json::Value {
    json!({
        "version": 1, "id": id, "at": 1_795_000_000_000_i64,
        "event": {"name": "tool:pre", "host": text, "session": text, "subject": text},
        "result": {"verdict": "deny", "reasons": [{"text": text, "by": 0}]},
        "hooks": [{"name": text, "priority": 0, "guard": true, "shadow": false, "source": {"file": text, "line": 7}}],
        "steps": [{"hook": 0, "became": {"said": {"verdict": "deny", "reasons": [{"text": text, "by": 0}]}}, "took_us": 1500}],
        "remarks": [text],
        "action": {"project": text, "person": text, "data": {"tool_input": {
            "command": text, "file_path": text, "old_string": text, "new_string": text}, text: text}},
    })
}

/// Texts that a page must show and never interpret.
pub(crate) const HOSTILE: [&str; 7] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "javascript:alert(1)",
    "&lt;b&gt;",
    "\u{202e}txt.exe\u{200b}",
    "\u{1b}[2J\u{7}",
    "</textarea></pre><svg onload=alert(1)>",
];

#[test]
fn hostile_texts_in_every_field_are_shown_and_never_interpreted() {
    let home = home();
    let long = "x".repeat(100_000);
    let texts: Vec<&str> = HOSTILE.into_iter().chain([long.as_str()]).collect();
    let all = texts
        .iter()
        .enumerate()
        .map(|(at, text)| report(&format!("h{at}"), text));
    record(&home, all);
    let served = home.serve(Limits::default());
    let [host, cookie] = served.browser(&home);
    let events = (0..texts.len()).map(|at| format!("/events/h{at}"));
    let filled = "/?text=%22%3E%3Cscript%3E&host=%3Csvg%20onload%3D1%3E".to_owned();
    let pages = ["/", "/snapshots", "/statistics"].map(str::to_owned);
    for path in pages.into_iter().chain(events).chain([filled]) {
        let page = served.reads(&path, &[&host, &cookie]);
        assert_eq!(page.status, 200, "{path}: {}", page.body);
        let own = page
            .body
            .replace("<script src=\"/assets/live.js\" defer></script>", "");
        for bad in [
            "<script",
            "<img",
            "<svg onload",
            "href=\"javascript",
            "\u{202e}",
            "\u{200b}",
            "\u{1b}",
        ] {
            assert!(!own.contains(bad), "{path} has {bad:?}");
        }
        assert!(
            page.body.len() < 900_000,
            "{path}: {} bytes",
            page.body.len()
        );
    }
    let one = served.reads("/events/h0", &[&host, &cookie]).body;
    assert!(
        one.contains("&lt;script&gt;alert(1)&lt;/script&gt;</b>, <code>&lt;script"),
        "who decided, and where: {one}"
    );
}

#[test]
fn one_event_in_full_shows_the_edit_what_it_would_do_who_said_what_where_and_how_long_and_what_was_lost()
 {
    let home = home();
    let mut edit = report("e1", "careful");
    edit["event"] =
        json!({"name": "tool:pre", "host": "claude-code", "session": "s", "subject": "Edit"});
    edit["action"] = json!({"project": "/p", "person": "ada", "data": {"tool_input": {
        "file_path": "/p/.env", "old_string": "KEY=1\nA=1", "new_string": "KEY=2"}}});
    edit["losses"] = json!([{"what": "injection", "became": "nothing", "by": 0}]);
    edit["hooks"][0]["source"] = json!({"file": "/p/hooks/hooks.json", "line": 7});
    record(&home, std::iter::once(edit));
    let served = home.serve(Limits::default());
    let [host, cookie] = served.browser(&home);
    let get = |path: &str| served.reads(path, &[&host, &cookie]).body;
    let page = get("/events/e1");
    for part in [
        "<del>- KEY=1</del>",
        "<del>- A=1</del>",
        "<ins>+ KEY=2</ins>",
        "What it would do",
        "Decided by <b>careful</b>, <code>/p/hooks/hooks.json:7</code>",
        "<rect class=\"all\" width=\"100.0\"",
        "1.5 ms",
        "What the agent could not be told",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let statistics = get("/statistics");
    let says = "1 events, 1 refused";
    assert!(
        statistics.contains(says) && statistics.contains("<svg"),
        "{statistics}"
    );
}

#[test]
fn the_page_of_snapshots_shows_what_differs_and_how_to_bring_it_back() {
    let home = Home::new(
        &json!([{"name": "keep", "type": "rule", "when": "deletes()", "then": {"snapshot": true}}]),
    );
    let notes = home.path("project/<notes>.txt");
    std::fs::write(&notes, "all of it\n").unwrap();
    let served = home.serve(Limits::default());
    let [host, cookie] = served.browser(&home);
    let get = |path: &str| served.reads(path, &[&host, &cookie]);
    assert!(get("/snapshots").body.contains("No snapshot was taken"));
    served.posts(&home.bash("rm '<notes>.txt'"));
    let list = get("/snapshots").body;
    let (_, id) = list.split_once("/snapshots/").expect(&list);
    let id = id.split('"').next().unwrap();
    let one = get(&format!("/snapshots/{id}")).body;
    assert!(one.contains("Nothing: all is as it was."), "{one}");
    std::fs::remove_file(&notes).unwrap();
    let one = get(&format!("/snapshots/{id}")).body;
    assert!(one.contains(&format!("anyhook undo {id}")), "{one}");
    assert!(
        one.contains("bring <code>") && one.contains("&lt;notes&gt;.txt"),
        "{one}"
    );
    assert_eq!(get("/snapshots/none").status, 404);
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "takes seconds"]
    fn ten_thousand_events_are_turned_by_the_hundred_and_filtered() {
        let home = home();
        record(
            &home,
            (0..10_000).map(|at| report(&format!("e{at}"), &format!("call-{at}."))),
        );
        let served = home.serve(Limits::default());
        let [host, cookie] = served.browser(&home);
        let get = |path: &str| served.reads(path, &[&host, &cookie]).body;
        let first = get("/");
        assert_eq!(first.matches("<tr><td class=\"time\">").count(), 100);
        assert!(
            first.contains("call-9999.")
                && first.contains("href=\"/?page=1\"")
                && !first.contains("rel=\"prev\"")
        );
        let last = get("/?page=99");
        assert!(last.contains("call-0.") && !last.contains("rel=\"next\""));
        let one = get("/?text=call-77.&said=denied");
        assert_eq!(one.matches("<tr><td class=\"time\">").count(), 1);
        assert!(get("/?since=soon").contains("`soon` is no time"));
    }
}
