//! Hooks that go on in the background, with the real supervisor. Nothing here sleeps: a test waits on a pipe, or for
//! the end of a process, for as long as a machine may need at most.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt as _;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, kill_process_group, pidfd_open};
use serde_json::{Value, json};

use crate::env::{Shows as _, TestEnv, fifo, files_below, finish, start};

/// As long as anything here may take on a busy machine, in seconds.
const LONG: i64 = 60;

fn ready(fd: impl AsFd, what: &str) {
    let mut fds = [PollFd::new(&fd, PollFlags::IN)];
    let patience = Timespec {
        tv_sec: LONG,
        tv_nsec: 0,
    };
    assert_eq!(poll(&mut fds, Some(&patience)), Ok(1), "{what} in {LONG} s");
}

/// A named pipe in the home, open on both ends so that no process waits for another to open it.
struct Pipe(File);

impl Pipe {
    fn new(env: &TestEnv, name: &str) -> Self {
        let path = env.path("home").join(name);
        fifo(&path);
        Self(File::from(
            open(&path, OFlags::RDWR | OFlags::CLOEXEC, Mode::empty()).unwrap(),
        ))
    }

    /// Waits for a line.
    fn line(&mut self) -> String {
        let mut line = String::new();
        let mut byte = [0];
        loop {
            ready(&self.0, "a line");
            self.0.read_exact(&mut byte).unwrap();
            match byte[0] {
                b'\n' => return line,
                byte => line.push(char::from(byte)),
            }
        }
    }

    fn write(&mut self, line: &str) {
        self.0.write_all(format!("{line}\n").as_bytes()).unwrap();
    }
}

/// A hook that says who its supervisor is, and then waits until the test lets it go.
struct Held {
    began: Pipe,
    gate: Pipe,
}

const HOLD: &str = "echo $PPID > \"$HOME/began\"; read go < \"$HOME/gate\";";

impl Held {
    fn new(env: &TestEnv) -> Self {
        Self {
            began: Pipe::new(env, "began"),
            gate: Pipe::new(env, "gate"),
        }
    }

    fn supervisor(&mut self) -> (Pid, OwnedFd) {
        let pid: i32 = self.began.line().parse().unwrap();
        let pid = Pid::from_raw(pid).unwrap();
        (pid, pidfd_open(pid, PidfdFlags::empty()).unwrap())
    }

    /// Lets the hook go, and waits until nothing of it is left.
    fn let_go(mut self) {
        let (_, supervisor) = self.supervisor();
        self.gate.write("go");
        ready(supervisor, "the end of the supervisor");
    }
}

fn hook(script: &str) -> Value {
    json!({"type": "command", "name": "index", "command": script, "async": true, "timeout": 100})
}

fn post(env: &TestEnv) -> Value {
    let mut payload = env.pre("Write", &json!({"file_path": "/x", "content": "y"}));
    payload["hook_event_name"] = "PostToolUse".into();
    payload["tool_response"] = json!({"filePath": "/x"});
    payload
}

fn context(left: &crate::env::Left) -> Option<String> {
    let json: Value = serde_json::from_str(&left.stdout).ok()?;
    let context = &json["hookSpecificOutput"]["additionalContext"];
    context.as_str().map(str::to_owned)
}

/// The reports that were stored, the oldest first.
fn reports(env: &TestEnv) -> Vec<Value> {
    let files = files_below(&env.state().join("reports")).into_iter();
    let files = files.filter(|file| file.extension().is_some_and(|kind| kind == "jsonl"));
    let texts: Vec<String> = files
        .map(|file| std::fs::read_to_string(file).unwrap())
        .collect();
    let texts = texts.concat();
    let reports = texts
        .lines()
        .filter(|line| line.starts_with("{\"version\""));
    reports
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

/// The report of the hook that went on in the background.
fn child(reports: &[Value]) -> &Value {
    let mut reports = reports.iter();
    reports.find(|report| report["parent"].is_string()).unwrap()
}

const READY: &str = "printf '{\"hookSpecificOutput\": {\"hookEventName\": \"PostToolUse\", \"additionalContext\": \"the index is ready\"}}'";

#[test]
fn no_event_waits_for_a_hook_in_the_background_and_the_next_one_tells_what_it_said() {
    let env = TestEnv::hook("post-tool-use", &hook(&format!("{HOLD} {READY}")));
    let held = Held::new(&env);
    // Its standard output was read to the end: nothing of the hook holds on to it.
    let first = env.claude(&post(&env));
    assert_eq!((first.code, context(&first)), (0, None), "{first:?}");
    let second = env.claude(&env.pre("Read", &json!({"file_path": "/y"})));
    assert_eq!(context(&second), None, "it is not over yet");
    held.let_go();
    let third = env.claude(&env.pre("Read", &json!({"file_path": "/z"})));
    assert_eq!(context(&third).as_deref(), Some("the index is ready"));
    let fourth = env.claude(&env.pre("Read", &json!({"file_path": "/w"})));
    assert_eq!(context(&fourth), None, "it is told once");

    // Its record stands beside that of its event, and names it.
    let all = reports(&env);
    let child = child(&all);
    let mut parents = all.iter();
    let parent = parents.find(|report| report["id"] == child["parent"]);
    let parent = parent.unwrap();
    let became = &parent["steps"][0]["became"];
    assert_eq!(became, &json!({"not_asked": "background"}));
    assert_eq!(child["hooks"][0]["name"], "index");
    let why = env
        .run(&["why", parent["id"].as_str().unwrap()], b"")
        .stdout;
    why.shows("goes on in the background");
    why.shows(&format!("anyhook why {}", child["id"].as_str().unwrap()));
}

#[test]
fn a_confined_hook_stays_confined_in_the_background_and_its_report_says_so() {
    if crate::confining::cannot_confine() {
        return;
    }
    let mut hook = hook(&format!("{HOLD} cat ~/.ssh/id > /dev/null || {READY}"));
    hook["sandbox"] = json!({"write": ["~/began", "~/gate"]});
    let env = TestEnv::hook("post-tool-use", &hook);
    env.write("home/.ssh/id", "the secret\n");
    let held = Held::new(&env);
    env.claude(&post(&env));
    held.let_go();
    let next = env.claude(&env.pre("Read", &json!({"file_path": "/z"})));
    assert_eq!(context(&next).as_deref(), Some("the index is ready"));
    let told = reports(&env)
        .iter()
        .map(|report| report["remarks"].to_string())
        .collect::<String>();
    told.shows("the hook `index` runs confined. Reads");
    if crate::sandboxed::sees_refusals() {
        let key = env.path("home/.ssh/id").canonicalize().unwrap();
        let refused = format!("the hook `index` was refused: to read `{}`", key.display());
        told.shows(&refused);
    }
}

#[test]
fn a_hook_in_the_background_that_takes_too_long_is_ended_and_told_once() {
    let mut late = hook("echo $PPID > \"$HOME/began\"; exec sleep 600");
    late["timeout"] = json!(0.3);
    let env = TestEnv::hook("post-tool-use", &late);
    let mut began = Pipe::new(&env, "began");
    let told = |left: &crate::env::Left| {
        let json: Value = serde_json::from_str(&left.stdout).unwrap_or_default();
        json["systemMessage"].as_str().map(str::to_owned)
    };
    for turn in 0..2 {
        let mut payload = post(&env);
        payload["tool_input"]["content"] = turn.into();
        env.claude(&payload);
        let pid: i32 = began.line().parse().unwrap();
        // It may be over already.
        if let Ok(supervisor) = pidfd_open(Pid::from_raw(pid).unwrap(), PidfdFlags::empty()) {
            ready(supervisor, "the end of the supervisor");
        }
        let next = env.claude(&env.pre("Read", &json!({"file_path": format!("/{turn}")})));
        let said = told(&next);
        assert_eq!(said.is_some(), turn == 0, "{said:?}");
        if let Some(said) = said {
            said.shows("the hook `index` failed in the background");
        }
    }
}

#[test]
fn the_end_of_the_callers_group_does_not_end_the_hook_in_the_background() {
    let env = TestEnv::hook("post-tool-use", &hook(&format!("{HOLD} {READY}")));
    let mut held = Held::new(&env);
    let mut stays = Pipe::new(&env, "stays");
    // A group that lives on after its `anyhook run` has answered.
    let program = env!("CARGO_BIN_EXE_anyhook");
    let line = format!(
        "{program} run --host claude-code --deadline 20; echo answered > \"$HOME/stays\"; exec sleep 600"
    );
    let mut shell = env.other("/bin/sh", &["-c", &line]);
    shell.stdout(std::process::Stdio::null()).process_group(0);
    let child = start(shell, post(&env).to_string().as_bytes());
    let (_, supervisor) = held.supervisor();
    assert_eq!(stays.line(), "answered");
    kill_process_group(Pid::from_child(&child), Signal::KILL).unwrap();
    finish(child);
    held.gate.write("go");
    ready(supervisor, "the end of the supervisor");
    let next = env.claude(&env.pre("Read", &json!({"file_path": "/z"})));
    assert_eq!(context(&next).as_deref(), Some("the index is ready"));
}

#[test]
fn a_supervisor_that_is_asked_to_end_ends_its_hook_and_says_so() {
    let env = TestEnv::hook("post-tool-use", &hook(&format!("{HOLD} {READY}")));
    let mut held = Held::new(&env);
    env.claude(&post(&env));
    let (pid, supervisor) = held.supervisor();
    kill_process(pid, Signal::TERM).unwrap();
    ready(supervisor, "the end of the supervisor");
    let all = reports(&env);
    let child = child(&all);
    assert!(child["steps"][0]["became"]["failed"].is_object(), "{child}");
}

#[test]
fn the_supervisor_takes_orders_of_no_other_program_and_an_agent_may_not_give_any() {
    let env = TestEnv::hook("stop", &crate::env::command("true"));
    for junk in ["", "{}\n", "{\"version\": 9}\n", "\n\n", "no json"] {
        let left = env.run(&["background"], junk.as_bytes());
        assert_eq!(
            (left.code, left.stdout.as_str()),
            (64, ""),
            "{junk:?}: {left:?}"
        );
    }
    let call = env.pre(
        "Bash",
        &json!({"command": "anyhook background < order.json"}),
    );
    env.claude(&call).decides("ask");
}
