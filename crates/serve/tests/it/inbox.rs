//! Questions that a browser answers: who may, who may not, and what the agent that waits is told.

use std::time::{Duration, Instant};

use anyhook::approvals::{ApprovalBook, OpenQuestion};
use anyhook::passphrase::{HashCost, PassphraseStore};
use anyhook::world::World;
use anyhook_serve::Limits;
use serde_json::{Value, json};

use super::client::{Answer, Connection};
use super::home::{Home, Served};

pub(crate) const WORDS: &str = "four words of mine";
const PATIENCE: Duration = Duration::from_mins(1);

fn passphrase(home: &Home) -> PassphraseStore {
    PassphraseStore::of(&home.world().places.unwrap())
}

/// A hook that asks about everything, events that wait, and a passphrase.
fn home() -> Home {
    home_with(&json!([
        {"name": "careful", "type": "rule", "when": "true", "then": {"ask": "<script>alert(1)</script> Really?"}},
    ]))
}

/// These hooks, events that wait, and a passphrase.
pub(crate) fn home_with(hooks: &Value) -> Home {
    let home = Home::new(hooks);
    std::fs::create_dir_all(home.path("config/anyhook")).unwrap();
    std::fs::write(
        home.path("config/anyhook/config.toml"),
        "[approve]\nwait = true\n",
    )
    .unwrap();
    passphrase(&home)
        .set(WORDS, HashCost { kib: 64, passes: 1 })
        .unwrap();
    home
}

/// A browser on the page of a server.
pub(crate) struct Browser {
    address: String,
    cookie: Option<String>,
}

impl Browser {
    pub(crate) fn at(address: &str) -> Self {
        Self {
            address: address.to_owned(),
            cookie: None,
        }
    }

    fn send(&self, method: &str, path: &str, more: &[&str], body: &str) -> Answer {
        let origin = format!("Origin: http://{}", self.address);
        let cookie = self
            .cookie
            .as_ref()
            .map(|cookie| format!("Cookie: {cookie}"));
        let mut head = vec![&*origin, "Sec-Fetch-Site: same-origin"];
        head.extend(cookie.as_deref());
        head.extend(more);
        Connection::port(&self.address).send(method, path, &head, body.as_bytes())
    }

    fn form(&self, path: &str, form: &str) -> Answer {
        self.send("POST", path, &[], form)
    }

    /// Signs in, and returns the proof in the page, where a question is open.
    pub(crate) fn sign_in(&mut self) -> Option<String> {
        let words = WORDS.replace(' ', "+");
        let answer = self.form("/inbox/sign-in", &format!("passphrase={words}&code="));
        assert_eq!(answer.status, 200, "{answer:?}");
        self.keep(&answer);
        proof(&answer)
    }

    fn keep(&mut self, answer: &Answer) {
        let cookie = answer.header("set-cookie").unwrap();
        assert!(cookie.contains("; HttpOnly; SameSite=Strict"), "{cookie}");
        self.cookie = cookie.split(';').next().map(str::to_owned);
    }

    /// The status of the inbox.
    fn reads(&self) -> u16 {
        self.send("GET", "/inbox", &[], "").status
    }

    /// Answers once with a yes, and returns the status.
    pub(crate) fn yes(&self, question: &OpenQuestion, proof: &str) -> u16 {
        let form = format!("says=once&mark={}&proof={proof}", question.mark());
        self.form(&format!("/inbox/{}", question.code), &form)
            .status
    }
}

/// The proof in a form of a page.
fn proof(page: &Answer) -> Option<String> {
    let (_, proof) = page.body.split_once("name=\"proof\" value=\"")?;
    proof.split('"').next().map(str::to_owned)
}

/// Waits until one question is open.
pub(crate) fn open(home: &Home) -> OpenQuestion {
    let book = ApprovalBook::new(home.world().places.unwrap().approvals());
    let began = Instant::now();
    loop {
        let open = book.waiting(World::real().clock.now()).unwrap();
        if let [one] = &*open {
            return one.clone();
        }
        assert!(began.elapsed() < PATIENCE, "{open:?}");
        std::thread::yield_now();
    }
}

fn browser(served: &Served) -> Browser {
    Browser::at(&served.running.address)
}

/// What Codex says before a command runs.
pub(crate) fn event(home: &Home, line: &str) -> Value {
    json!({
        "session_id": "s-1", "turn_id": "1", "transcript_path": "/t", "cwd": home.path("project"),
        "hook_event_name": "PreToolUse", "model": "m", "permission_mode": "default", "tool_name": "Bash",
        "tool_input": {"command": line}, "tool_use_id": "1",
    })
}

/// What Codex is told of a command, when it was answered.
fn asks(served: &Served, home: &Home, line: &str) -> Answer {
    let event = event(home, line);
    let path = "/v1/hosts/codex-cli/events?deadline=120";
    served
        .connect()
        .post(path, &served.token, event.to_string().as_bytes())
}

#[test]
fn a_browser_that_proved_the_passphrase_answers_and_nothing_else_does() {
    let home = home();
    let served = home.serve(Limits::default());
    let mut own = browser(&served);
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| asks(&served, &home, "npm publish"));
        let question = open(&home);
        let proof = own.sign_in().unwrap();
        // The cookie alone, a proof alone, another browser's, the token of a client.
        assert_eq!(own.yes(&question, ""), 401);
        assert_eq!(browser(&served).yes(&question, &proof), 401);
        let mut other = browser(&served);
        let others = other.sign_in().unwrap();
        assert_eq!(own.yes(&question, &others), 401);
        let path = format!("/inbox/{}", question.code);
        let yes = format!("says=once&mark={}", question.mark());
        let token = format!("Authorization: Bearer {}", served.token);
        for path in ["/inbox", &path] {
            for method in ["GET", "POST"] {
                let status = browser(&served).send(method, path, &[&token], &yes).status;
                assert!([401, 405].contains(&status), "{method} {path} {status}");
            }
        }
        // What was not shown is not answered, nor what cannot be understood.
        let says = |form: &str| own.form(&path, &format!("{form}&proof={proof}")).status;
        assert_eq!(says("says=once&mark=0"), 409);
        assert_eq!(says(&format!("says=perhaps&mark={}", question.mark())), 401);
        open(&home);
        assert_eq!(own.yes(&question, &proof), 200);
        assert_eq!(other.yes(&question, &others), 409, "the second one is told");
        let left = waits.join().unwrap();
        assert_eq!((left.status, &*left.body), (200, ""));
    });
    // After the end of the session the cookie counts no more.
    assert_eq!(own.reads(), 200);
    assert_eq!(own.form("/inbox/sign-out", "").status, 401);
    assert_eq!(own.reads(), 401);
}

#[test]
fn a_no_of_the_page_is_heard_with_its_note_and_the_page_works_without_javascript() {
    let home = home();
    let served = home.serve(Limits::default());
    let mut own = browser(&served);
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| asks(&served, &home, "npm publish"));
        let closed = own.send("GET", "/inbox", &[], "");
        assert!(
            closed.status == 401
                && closed.body.contains("Passphrase")
                && !closed.body.contains("npm")
        );
        own.sign_in();
        let question = open(&home);
        let path = format!("/inbox/{}", question.code);
        // A link of a notification: the cookie reads, and has no proof.
        let read = own.send("GET", &path, &[], "");
        assert!(read.body.contains("npm publish") && read.body.contains("name=\"passphrase\""));
        assert!(!read.body.contains("name=\"proof\""), "{}", read.body);
        assert!(
            !read.body.contains("<script") && read.body.contains("&lt;script&gt;"),
            "{}",
            read.body
        );
        let mark = question.mark();
        let no = format!("says=no&note=from+main+only&mark={mark}");
        assert_eq!(own.send("POST", &path, &[], &no).status, 401);
        let always = format!("says=always&mark={mark}&passphrase=four+words+of+mine");
        let sure = own.send("POST", &path, &[], &always);
        assert!(
            sure.body.contains("From now on, in every session")
                && sure
                    .body
                    .contains("In the record (0 events) this exact action never")
                && sure.body.contains("npm publish")
        );
        own.keep(&sure);
        let proof = proof(&sure).unwrap();
        open(&home);
        let said = own.send("POST", &path, &[], &format!("{no}&proof={proof}"));
        assert!(
            said.status == 200 && said.body.contains("is answered: no"),
            "{said:?}"
        );
        let left = waits.join().unwrap();
        assert!(left.body.contains("from main only"), "{left:?}");
    });
}

#[test]
fn pages_of_others_and_rebound_names_sign_no_person_in_and_answer_nothing() {
    let home = home();
    let served = home.serve(Limits::default());
    let mut own = browser(&served);
    own.sign_in();
    let cookie = format!("Cookie: {}", own.cookie.clone().unwrap());
    let host = format!("Host: {}", served.running.address.clone());
    let origin = format!("Origin: http://{}", served.running.address.clone());
    for (lines, status) in [
        (&["Origin: http://127.0.0.1:1"][..], 403),
        (&["Origin: null"], 403),
        (&[], 403),
        (&[&*origin, "Sec-Fetch-Site: same-site"], 403),
        (&[&*origin, "Host: evil.example"], 421),
        (&[&*origin], 401),
    ] {
        let named = lines.iter().any(|line| line.starts_with("Host"));
        let mut head = vec![&*cookie];
        head.extend(lines);
        head.extend((!named).then_some(&*host));
        for path in ["/inbox/AAAAAA", "/inbox/sign-in"] {
            let answer = served
                .connect()
                .send("POST", path, &head, b"says=once&mark=0");
            assert_eq!(answer.status, status, "{path} {lines:?} {answer:?}");
        }
    }
}

#[test]
fn wrong_passphrases_have_to_wait_and_a_new_one_ends_every_session() {
    let home = home();
    let served = home.serve(Limits::default());
    let mut own = browser(&served);
    own.sign_in();
    let status = |words: &str| {
        let form = format!("passphrase={words}&code=");
        browser(&served).form("/inbox/sign-in", &form).status
    };
    let told: Vec<u16> = (0..3).map(|_| status("four+other+words")).collect();
    assert_eq!(told, [401, 401, 401]);
    let right = WORDS.replace(' ', "+");
    assert_eq!(status(&right), 429, "not even the right one counts");
    assert_eq!(own.reads(), 200);
    let new = passphrase(&home);
    new.set("other words of mine", HashCost { kib: 64, passes: 1 })
        .unwrap();
    assert_eq!(own.reads(), 401);
}

#[test]
fn without_a_passphrase_nothing_is_answered_by_the_server() {
    let home = Home::new(&json!([]));
    let served = home.serve(Limits::default());
    let own = browser(&served);
    let answer = own.form("/inbox/sign-in", "passphrase=&code=");
    assert!(
        answer.status == 403 && answer.body.contains("--set-passphrase"),
        "{answer:?}"
    );
    assert_eq!(own.reads(), 403);
}
