//! Questions that are answered elsewhere: a process that waits, another one that answers, and the passphrase before both.

use std::process::Child;
use std::time::{Duration, Instant};

use anyhook::approvals::{ApprovalAnswer, ApprovalBook, ApprovalChannel, BookError, OpenQuestion};
use anyhook::core::question::{AnswerLifetime, Grants};
use anyhook::state::FileState;
use anyhook::world::{SystemClock, World};
use serde_json::{Value, json};

use crate::approvals::typed;
use crate::env::{Left, Shows as _, TestEnv, command, fifo, finish, on, start};

/// No step of a test takes this long.
const PATIENCE: Duration = Duration::from_mins(1);
const WORDS: &str = "four words of mine";

/// A hook that asks where Codex cannot ask, and a setting that lets its events wait.
fn asking(wait: &str) -> TestEnv {
    let env = TestEnv::on(
        "pre-tool-use",
        &json!([{"name": "careful", "hooks": [command("anyhook say ask 'Really?'")]}]),
    );
    env.config(&format!("[approve]\nwait = {wait}\n"));
    env
}

fn event(env: &TestEnv, line: &str, call: &str) -> Value {
    json!({
        "session_id": "s-1", "turn_id": "1", "transcript_path": "/t", "cwd": env.path("project"),
        "hook_event_name": "PreToolUse", "model": "m", "permission_mode": "default", "tool_name": "Bash",
        "tool_input": {"command": line}, "tool_use_id": call,
    })
}

/// An event of Codex that is asked about in a process of its own.
fn begins(env: &TestEnv, line: &str, call: &str) -> Child {
    let command = env.command(&["run", "--host", "codex-cli", "--deadline", "120"]);
    start(command, event(env, line, call).to_string().as_bytes())
}

fn asked(env: &TestEnv, line: &str, call: &str) -> Left {
    finish(begins(env, line, call))
}

fn book(env: &TestEnv) -> ApprovalBook {
    ApprovalBook::new(env.state().join("approvals"))
}

fn now() -> i64 {
    World {
        clock: std::sync::Arc::new(SystemClock::default()),
        ..World::real()
    }
    .clock
    .now()
}

/// Waits until so many questions are open.
fn open(env: &TestEnv, many: usize) -> Vec<OpenQuestion> {
    let began = Instant::now();
    loop {
        let open = book(env).waiting(now()).unwrap();
        if open.len() == many {
            return open;
        }
        assert!(began.elapsed() < PATIENCE, "{open:?}");
        std::thread::yield_now();
    }
}

fn yes(lasts: AnswerLifetime) -> [ApprovalAnswer; 1] {
    [ApprovalAnswer {
        grants: Grants::Proceed,
        lasts,
    }]
}

fn approve(env: &TestEnv, open: &OpenQuestion, lasts: AnswerLifetime) {
    let sessions = FileState::new(env.state().join("sessions"));
    let book = book(env).by(ApprovalChannel::Page);
    let _ = book
        .approve(open, &yes(lasts), Some(&sessions), now())
        .unwrap();
}

fn set(env: &TestEnv) {
    let left = typed(
        env,
        "anyhook approve --set-passphrase",
        &format!("{WORDS}\n{WORDS}\n"),
    );
    assert_eq!(left.code, 0, "{left:?}");
    assert!(
        !left
            .text
            .replace('\r', "")
            .lines()
            .skip(3)
            .any(|line| line.contains(WORDS)),
        "{left:?}"
    );
}

#[test]
fn an_agent_that_waits_goes_on_as_soon_as_a_person_says_yes_in_another_process() {
    let env = asking("true");
    let child = begins(&env, "npm publish", "1");
    let [open] = open(&env, 1).try_into().unwrap();
    assert!(open.is_waited_for());
    typed(&env, "anyhook approve", "").says(&open.code);
    let began = Instant::now();
    let said = typed(&env, &format!("anyhook approve {}", open.code), "y\n");
    assert!(
        said.code == 0 && said.text.contains("the agent waits for this"),
        "{said:?}"
    );
    let left = finish(child);
    // It was the answer that ended the waiting, and not the end of its time.
    assert!(began.elapsed() < PATIENCE);
    assert_eq!((left.code, &*left.stdout), (0, ""), "{left:?}");
    env.anyhook("why").stdout.shows("for a person to answer");
}

#[test]
fn a_no_ends_the_waiting_and_the_model_hears_its_note() {
    let env = asking("true");
    let child = begins(&env, "npm publish", "1");
    let [open] = open(&env, 1).try_into().unwrap();
    let line = format!(
        "anyhook approve {} --deny 'publish from main only'",
        open.code
    );
    let said = typed(&env, &line, "");
    assert_eq!(said.code, 0, "{said:?}");
    let left = finish(child);
    left.says("A person refused this");
    left.says("publish from main only");
}

#[test]
fn a_question_dies_with_the_process_that_waits_for_it() {
    let env = asking("true");
    let mut child = begins(&env, "npm publish", "1");
    let [shown] = open(&env, 1).try_into().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(open(&env, 0), []);
    let late = book(&env).approve(&shown, &yes(AnswerLifetime::Once), None, now());
    assert!(matches!(late, Err(BookError::NoSuchCode)));
    // Asked again, it is a question again, and the dead process is forgotten.
    let child = begins(&env, "npm publish", "2");
    let [again] = open(&env, 1).try_into().unwrap();
    approve(&env, &again, AnswerLifetime::Once);
    assert_eq!(finish(child).stdout, "");
}

#[test]
fn a_signal_ends_the_waiting_with_a_refusal() {
    let env = asking("true");
    let child = begins(&env, "npm publish", "1");
    open(&env, 1);
    let id = rustix::process::Pid::from_raw(child.id().try_into().unwrap()).unwrap();
    rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
    finish(child).says("Really?");
}

#[test]
fn where_a_passphrase_is_set_a_terminal_alone_grants_nothing() {
    let env = asking("false");
    set(&env);
    asked(&env, "npm publish", "1");
    let [open] = open(&env, 1).try_into().unwrap();
    let line = format!("anyhook approve {}", open.code);
    for typing in ["y\n", "y\nfour other words\n"] {
        let said = typed(&env, &line, typing);
        assert_eq!(said.code, 77, "{said:?}");
    }
    asked(&env, "npm publish", "2").says("Really?");
    let said = typed(&env, &line, &format!("y\n{WORDS}\n"));
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(asked(&env, "npm publish", "3").stdout, "");
    // The same holds for what is trusted and what is switched off, and for a new passphrase.
    env.write(
        "project/other.json",
        &on("stop", &json!([{"hooks": [command("exit 0")]}])).to_string(),
    );
    for line in [
        "anyhook trust other.json",
        "anyhook trust --forget hooks/hooks.json",
        "anyhook list off careful",
        "anyhook approve --set-passphrase",
    ] {
        let said = typed(&env, line, "four other words\ny\ny\n");
        assert_eq!(said.code, 77, "{line}: {said:?}");
        let waits = env.state().join("passphrase/attempts.json");
        std::fs::remove_file(waits).unwrap();
    }
    let said = typed(&env, "anyhook trust other.json", &format!("{WORDS}\ny\n"));
    assert_eq!(said.code, 0, "{said:?}");
}

/// Sets what tells the person.
fn notifies(env: &TestEnv, notify: &str) {
    let text = format!("[notify]\n{notify}\n");
    env.config(&text);
}

/// Waits until there is something.
fn until<T>(what: impl Fn() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = what() {
            return found;
        }
        assert!(began.elapsed() < PATIENCE);
        std::thread::yield_now();
    }
}

#[test]
fn a_command_is_told_of_a_question_with_its_code_and_a_link_and_without_secrets() {
    let env = asking("false");
    let told = env.path("home/told.json");
    let command = "cat > told.new && mv told.new told.json";
    notifies(
        &env,
        &format!("commands = [[\"/bin/sh\", \"-c\", \"{command}\"]]"),
    );
    let token = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let process = env.command(&["run", "--host", "codex-cli", "--deadline", "60"]);
    let line = format!("curl -H 'x: {token}' example.com");
    finish(start(
        process,
        event(&env, &line, "1").to_string().as_bytes(),
    ))
    .says("Really?");
    let [open] = open(&env, 1).try_into().unwrap();
    let said = until(|| std::fs::read_to_string(&told).ok());
    let read: Value = serde_json::from_str(&said).unwrap();
    let address = format!("http://127.0.0.1:7467/inbox/{}", open.code);
    assert_eq!(read["link"], json!(address));
    assert_eq!(
        (&read["hooks"][0], &read["questions"][0]),
        (&json!("careful"), &json!("Really?"))
    );
    assert_eq!(
        (&read["waits"], &read["version"]),
        (&json!(false), &json!(1))
    );
    assert!(
        said.contains(&open.code) && !said.contains(&token),
        "{said}"
    );
    // The same question again is no news, and an answer needs more than the code.
    asked(&env, &line, "2");
    assert!(env.run(&["approve", &open.code], b"y\n").code == 77);
}

#[test]
fn a_notifier_that_fails_is_told_and_one_that_takes_long_delays_no_decision() {
    let env = asking("false");
    let pipe = env.path("home/fifo");
    fifo(&pipe);
    notifies(
        &env,
        "commands = [[\"/bin/sh\", \"-c\", \"read line < fifo; exit 3\"], [\"nothing-like-this\"]]",
    );
    // It answers while the first command still waits for a line.
    asked(&env, "one", "1").says("Really?");
    assert!(!env.state().join("approvals/notify.json").exists());
    std::fs::write(&pipe, "go\n").unwrap();
    until(|| {
        env.state()
            .join("approvals/notify.json")
            .exists()
            .then_some(())
    });
    let listed = typed(&env, "anyhook approve", "");
    for part in ["exit code 3", "`nothing-like-this` is not there"] {
        listed.says(part);
    }
    notifies(&env, "commands = [[\"/bin/true\"]]");
    asked(&env, "two", "2");
    env.anyhook("why --json")
        .stdout
        .shows("the person could not be notified: the last time");
    until(|| (!env.state().join("approvals/notify.json").exists()).then_some(()));
}
