//! Questions that a browser answers: who may, who may not, and what the agent that waits is told.

use std::time::{Duration, Instant};

use anyhook::passphrase::{Cost, Passphrase};
use anyhook_serve::Limits;
use serde_json::{Value, json};

use super::client::{Answer, Connection};
use super::home::{Home, Served};

pub(crate) const WORDS: &str = "four words of mine";
const PATIENCE: Duration = Duration::from_mins(1);

fn passphrase(home: &Home) -> Passphrase {
    Passphrase::of(&home.world().places.unwrap())
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
        .set(WORDS, Cost { kib: 64, passes: 1 })
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

    /// Signs in, and returns the proof.
    pub(crate) fn sign_in(&mut self) -> String {
        let body = json!({"passphrase": WORDS}).to_string();
        let answer = self.send("POST", "/v1/session", &[], &body);
        assert_eq!(answer.status, 200, "{answer:?}");
        self.keep(&answer);
        let body: Value = serde_json::from_str(&answer.body).unwrap();
        body["proof"].as_str().unwrap().to_owned()
    }

    /// What the browser keeps of the server.
    pub(crate) fn cookie(&self) -> &str {
        self.cookie.as_deref().unwrap()
    }

    fn keep(&mut self, answer: &Answer) {
        let cookie = answer.header("set-cookie").unwrap();
        assert!(cookie.contains("; HttpOnly; SameSite=Strict"), "{cookie}");
        self.cookie = cookie.split(';').next().map(str::to_owned);
    }

    /// Waits until so many questions are open.
    pub(crate) fn open(&self, many: usize) -> Vec<Value> {
        let began = Instant::now();
        loop {
            let answer = self.send("GET", "/v1/questions", &[], "");
            assert_eq!(answer.status, 200, "{answer:?}");
            let body: Value = serde_json::from_str(&answer.body).unwrap();
            let open = body["questions"].as_array().unwrap().clone();
            if open.len() == many {
                return open;
            }
            assert!(began.elapsed() < PATIENCE, "{open:?}");
            std::thread::yield_now();
        }
    }

    pub(crate) fn answers(&self, question: &Value, proof: &str, answer: &Value) -> u16 {
        let path = format!("/v1/questions/{}", question["code"].as_str().unwrap());
        let proof = format!("Anyhook-Proof: {proof}");
        self.send("POST", &path, &[&proof], &answer.to_string())
            .status
    }
}

fn browser(served: &Served) -> Browser {
    Browser::at(served.running.address.as_deref().unwrap())
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
    let proof = own.sign_in();
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| asks(&served, &home, "npm publish"));
        let [question] = own.open(1).try_into().unwrap();
        assert_eq!(
            (&question["waits"], &question["asked"][0]["hook"]),
            (&json!(true), &json!("careful"))
        );
        let yes = json!({"answer": "once", "mark": question["mark"]});
        // The cookie alone, a proof alone, another browser's, the token of a client.
        assert_eq!(own.answers(&question, "", &yes), 401);
        assert_eq!(browser(&served).answers(&question, &proof, &yes), 401);
        let mut other = browser(&served);
        let others = other.sign_in();
        assert_eq!(own.answers(&question, &others, &yes), 401);
        let path = format!("/v1/questions/{}", question["code"].as_str().unwrap());
        let token = format!("Authorization: Bearer {}", served.token);
        for path in ["/v1/questions", &path] {
            for method in ["GET", "POST"] {
                let status = browser(&served)
                    .send(method, path, &[&token], &yes.to_string())
                    .status;
                assert!([401, 405].contains(&status), "{method} {path} {status}");
            }
        }
        // What was not shown is not answered, nor what cannot be understood.
        assert_eq!(
            own.answers(&question, &proof, &json!({"answer": "once", "mark": "0"})),
            409
        );
        assert_eq!(
            own.answers(
                &question,
                &proof,
                &json!({"answer": "perhaps", "mark": question["mark"]})
            ),
            400
        );
        assert_eq!(
            own.answers(
                &question,
                &proof,
                &json!({"answer": "once", "all": true, "mark": ""})
            ),
            400
        );
        own.open(1);
        assert_eq!(own.answers(&question, &proof, &yes), 200);
        assert_eq!(
            other.answers(&question, &others, &yes),
            409,
            "the second one is told"
        );
        let left = waits.join().unwrap();
        assert_eq!((left.status, &*left.body), (200, ""));
    });
    // After the end of the session neither counts.
    assert_eq!(own.send("DELETE", "/v1/session", &[], "").status, 200);
    assert_eq!(own.send("GET", "/v1/questions", &[], "").status, 401);
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
        let signed = own.send(
            "POST",
            "/inbox/sign-in",
            &[],
            "passphrase=four+words%20of+mine&code=",
        );
        assert_eq!(signed.status, 200, "{signed:?}");
        own.keep(&signed);
        let [question] = own.open(1).try_into().unwrap();
        let code = question["code"].as_str().unwrap();
        let path = format!("/inbox/{code}");
        // A link of a notification: the cookie reads, and has no proof.
        let read = own.send("GET", &path, &[], "");
        assert!(read.body.contains("npm publish") && read.body.contains("name=\"passphrase\""));
        assert!(!read.body.contains("name=\"proof\""), "{}", read.body);
        assert!(
            !read.body.contains("<script") && read.body.contains("&lt;script&gt;"),
            "{}",
            read.body
        );
        let mark = question["mark"].as_str().unwrap();
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
        let (_, proof) = sure.body.split_once("name=\"proof\" value=\"").unwrap();
        let proof = proof.split('"').next().unwrap();
        own.open(1);
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
    let proof = own.sign_in();
    let cookie = format!("Cookie: {}", own.cookie.clone().unwrap());
    let proof = format!("Anyhook-Proof: {proof}");
    let host = format!("Host: {}", served.running.address.clone().unwrap());
    let origin = format!("Origin: http://{}", served.running.address.clone().unwrap());
    let body = json!({"answer": "once", "mark": "0"}).to_string();
    for (lines, status) in [
        (&["Origin: http://127.0.0.1:1"][..], 403),
        (&["Origin: null"], 403),
        (&[], 403),
        (&[&*origin, "Sec-Fetch-Site: same-site"], 403),
        (&[&*origin, "Host: evil.example"], 421),
        (&[&*origin], 404),
    ] {
        let named = lines.iter().any(|line| line.starts_with("Host"));
        let mut head = vec![&*cookie, &proof];
        head.extend(lines);
        head.extend((!named).then_some(&*host));
        for path in ["/v1/questions/AAAAAA", "/v1/session", "/inbox/sign-in"] {
            let answer = served.connect().send("POST", path, &head, body.as_bytes());
            let is_refused = status != 404 && answer.status == status;
            let is_heard = status == 404 && ![403, 421].contains(&answer.status);
            assert!(is_refused || is_heard, "{path} {lines:?} {answer:?}");
        }
    }
}

#[test]
fn wrong_passphrases_have_to_wait_and_a_new_one_ends_every_session() {
    let home = home();
    let served = home.serve(Limits::default());
    let mut own = browser(&served);
    own.sign_in();
    let wrong = json!({"passphrase": "four other words"}).to_string();
    let status = |body: &str| {
        browser(&served)
            .send("POST", "/v1/session", &[], body)
            .status
    };
    let told: Vec<u16> = (0..3).map(|_| status(&wrong)).collect();
    assert_eq!(told, [401, 401, 401]);
    let right = json!({"passphrase": WORDS}).to_string();
    assert_eq!(status(&right), 429, "not even the right one counts");
    assert_eq!(own.send("GET", "/v1/questions", &[], "").status, 200);
    let new = passphrase(&home);
    new.set("other words of mine", Cost { kib: 64, passes: 1 })
        .unwrap();
    assert_eq!(own.send("GET", "/v1/questions", &[], "").status, 401);
}

#[test]
fn without_a_passphrase_nothing_is_answered_by_the_server() {
    let home = Home::new(&json!([]));
    let served = home.serve(Limits::default());
    let own = browser(&served);
    let body = json!({"passphrase": ""}).to_string();
    let answer = own.send("POST", "/v1/session", &[], &body);
    assert!(
        answer.status == 403 && answer.body.contains("--set-passphrase"),
        "{answer:?}"
    );
    assert_eq!(own.send("GET", "/v1/questions", &[], "").status, 401);
    assert_eq!(own.send("GET", "/inbox", &[], "").status, 403);
}
