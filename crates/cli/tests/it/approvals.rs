//! A question that the host cannot put, and the person who answers it on a terminal.

mod shown;

use std::io::ErrorKind;

use anyhook_readers::{Answer, Behaviour, Gate, reader};
use serde_json::{Value, json};

use crate::env::{Left, Shows as _, TestEnv, command, finish, start};

/// A hook that asks about everything at an event at which Claude Code cannot ask.
fn asking() -> TestEnv {
    TestEnv::on(
        "permission-request",
        &json!([{"name": "careful", "hooks": [
            command("echo asked >> $HOME/seen; anyhook say ask 'Really?'"),
        ]}]),
    )
}

/// A dialog is about to be shown: another one cannot be asked for.
fn wants(env: &TestEnv, line: &str, call: &str) -> Value {
    let mut event = env.pre("Bash", &json!({"command": line}));
    event["hook_event_name"] = json!("PermissionRequest");
    event["tool_use_id"] = json!(call);
    event
}

fn reads(payload: &Value, left: &Left) -> Behaviour {
    let event = payload["hook_event_name"].as_str().unwrap();
    reader("claude-code").unwrap().reads(&Answer {
        event,
        payload,
        stdout: left.stdout.as_bytes(),
        stderr: left.stderr.as_bytes(),
        exit: left.code,
    })
}

fn gate(env: &TestEnv, line: &str, call: &str) -> Gate {
    let event = wants(env, line, call);
    reads(&event, &env.claude(&event)).gate
}

const REFUSED: Gate = Gate::Refused { erased: false };

/// The code that the person was shown.
fn code(env: &TestEnv, line: &str, call: &str) -> String {
    let event = wants(env, line, call);
    let seen = reads(&event, &env.claude(&event)).person_sees.join("\n");
    let (_, code) = seen.split_once("anyhook approve ").unwrap();
    code.chars().take(6).collect()
}

/// What a terminal showed, and how the command ended.
#[derive(Debug)]
pub(crate) struct Shown {
    pub(crate) text: String,
    pub(crate) code: i32,
}

impl Shown {
    /// Asserts that the terminal showed this text.
    #[track_caller]
    pub(crate) fn says(&self, text: &str) {
        assert!(self.text.contains(text), "no {text:?} in {self:?}");
    }
}

/// Types a line in a terminal of a person. These tests may run below an agent, where no approval is taken: the
/// terminal's parent has gone away.
pub(crate) fn typed(env: &TestEnv, line: &str, answers: &str) -> Shown {
    let folder = env.path("bin");
    // Two terminals of one test may make it at once.
    match std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_anyhook"), folder.join("anyhook")) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => panic!("{error}"),
        _ => {}
    }
    let inner = format!("{line}; echo \"<$?>\"");
    let beside = "exec 3<&0; (script -qec \"$1\" /dev/null <&3 2>&1 &)";
    let mut command = env.other("/bin/sh", &["-c", beside, "sh", &inner]);
    command
        .env("PATH", format!("{}:/usr/bin:/bin", folder.display()))
        .env("SHELL", "/bin/sh")
        .env("NO_COLOR", "1");
    let left = finish(start(command, answers.as_bytes()));
    let text = left.stdout.replace("\r\n", "\n");
    let (text, rest) = text.rsplit_once('<').unwrap_or_else(|| panic!("{left:?}"));
    let (code, _) = rest.split_once('>').unwrap();
    Shown {
        text: text.to_owned(),
        code: code.parse().unwrap(),
    }
}

#[test]
fn a_question_that_cannot_be_put_refuses_and_gives_its_code_to_the_person_alone() {
    let env = asking();
    let event = wants(&env, "ls", "1");
    let left = env.claude(&event);
    let behaviour = reads(&event, &left);
    assert_eq!(behaviour.gate, REFUSED);
    let [told] = behaviour.person_sees.as_slice() else {
        panic!("{behaviour:?}");
    };
    let (_, code) = told.split_once("anyhook approve ").unwrap();
    assert_eq!(code.len(), 6, "{told}");
    let model = behaviour.model_sees.join("\n");
    model.shows("Really?");
    model.shows("`anyhook approve`");
    assert!(!model.contains(code), "{model}");
    let why = env.anyhook("why --json").stdout;
    assert!(why.contains("Really?") && !why.contains(code), "{why}");
    let explained = env.run(
        &["run", "--host", "claude-code", "--explain"],
        event.to_string().as_bytes(),
    );
    assert!(!explained.stdout.contains(code), "{explained:?}");
    let listed = typed(&env, "anyhook approve", "");
    assert_eq!(listed.code, 0, "{listed:?}");
    for part in [code, "claude-code", "careful", "Bash {\"command\":\"ls\"}"] {
        listed.says(part);
    }
}

#[test]
fn an_approved_action_passes_once() {
    let env = asking();
    let code = code(&env, "ls", "1");
    let approved = typed(
        &env,
        &format!("anyhook approve {}", code.to_lowercase()),
        "y\n",
    );
    assert_eq!(approved.code, 0, "{approved:?}");
    for part in [
        "\"command\": \"ls\"",
        "Really?",
        "hooks/hooks.json:",
        "approved",
    ] {
        approved.says(part);
    }
    assert_eq!(gate(&env, "ls -a", "2"), REFUSED, "another action");
    assert_eq!(gate(&env, "ls", "3"), Gate::Runs);
    assert_eq!(gate(&env, "ls", "4"), REFUSED, "used up");
    assert_eq!(env.lines("seen").len(), 4, "the hook is asked each time");
    let again = typed(&env, &format!("anyhook approve {code}"), "y\n");
    assert_eq!(again.code, 1, "{again:?}");
    again.says("no open question has the code");
}

#[test]
fn a_no_approves_nothing_and_deny_takes_the_question_away() {
    let env = asking();
    let code = code(&env, "ls", "1");
    for answer in ["n\n", "\n", "maybe\n", ""] {
        let left = typed(&env, &format!("anyhook approve {code}"), answer);
        assert_eq!(left.code, 1, "{answer:?}: {left:?}");
        left.says("nothing changed");
    }
    assert_eq!(gate(&env, "ls", "2"), REFUSED);
    let denied = typed(&env, &format!("anyhook approve {code} --deny"), "");
    assert_eq!(denied.code, 0, "{denied:?}");
    let gone = typed(&env, &format!("anyhook approve {code}"), "y\n");
    assert_eq!(gone.code, 1, "{gone:?}");
    let nothing = typed(&env, "anyhook approve", "");
    assert_eq!((nothing.code, &*nothing.text), (0, "no question is open\n"));
}

#[test]
fn approve_needs_a_terminal_and_refuses_below_an_agent() {
    let env = asking();
    let code = code(&env, "ls", "1");
    for args in [
        &["approve"][..],
        &["approve", &code],
        &["approve", &code, "--deny"],
    ] {
        let left = env.run(args, b"y\n");
        assert_eq!((left.code, &*left.stdout), (77, ""), "{args:?}: {left:?}");
    }
    let agent = env.path("bin/claude");
    std::fs::copy("/bin/sh", &agent).unwrap();
    let line = format!("{} -c 'anyhook approve {code}; exit $?'", agent.display());
    let below = typed(&env, &line, "y\n");
    assert_eq!(below.code, 77, "{below:?}");
    below.says("below the agent `claude`");
    assert_eq!(gate(&env, "ls", "2"), REFUSED);
}
