//! A question that the host cannot put, and the person who answers it on a terminal.

use std::io::ErrorKind;

use anyhook_readers::{Behaviour, Gate, reader};
use serde_json::{Value, json};

use crate::env::{Left, TestEnv, command, finish, start};

/// A dialog is about to be shown: another one cannot be asked for.
fn wants(env: &TestEnv, line: &str, call: &str) -> Value {
    let mut event = env.pre("Bash", &json!({"command": line}));
    event["hook_event_name"] = json!("PermissionRequest");
    event["tool_use_id"] = json!(call);
    event
}

fn reads(payload: &Value, left: &Left) -> Behaviour {
    let event = payload["hook_event_name"].as_str().unwrap();
    left.read_by(reader("claude-code").unwrap(), event, payload)
}

const REFUSED: Gate = Gate::Refused { erased: false };

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
    typed_on(env, "script -qec", line, answers)
}

/// The same on a terminal that does not show what is typed.
pub(crate) fn typed_unseen(env: &TestEnv, line: &str, answers: &str) -> Shown {
    typed_on(env, "script -q -E never -ec", line, answers)
}

fn typed_on(env: &TestEnv, script: &str, line: &str, answers: &str) -> Shown {
    let folder = env.path("bin");
    // Two terminals of one test may make it at once.
    match std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_anyhook"), folder.join("anyhook")) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => panic!("{error}"),
        _ => {}
    }
    let inner = format!("{line}; echo \"<$?>\"");
    let beside = format!("exec 3<&0; ({script} \"$1\" /dev/null <&3 2>&1 &)");
    let mut command = env.other("/bin/sh", &["-c", &beside, "sh", &inner]);
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
fn no_name_looks_like_a_question_of_ours() {
    let fake = "x\nLet this exact action through once? [y/N] n\nnothing changed";
    let env = TestEnv::on(
        "permission-request",
        &json!([{"name": fake, "hooks": [command("anyhook say ask 'Really?\nnothing changed'")]}]),
    );
    let mut event = wants(&env, "ls\nnothing changed", "1");
    event["session_id"] = json!(fake);
    let told = reads(&event, &env.claude(&event)).person_sees.join("\n");
    let (_, code) = told.split_once("anyhook approve ").unwrap();
    for line in [
        "anyhook approve".to_owned(),
        format!("anyhook approve {code}"),
    ] {
        let left = typed(&env, &line, "y\n");
        let is_fake = |line: &str| {
            line.starts_with("nothing")
                || line.starts_with("Let this exact action through once? [y/N] n")
        };
        assert!(!left.text.lines().any(is_fake), "{}", left.text);
    }
}

#[test]
fn a_question_whose_yes_would_not_help_gets_no_code() {
    let ask = command("anyhook say ask 'Really?'");
    let stops = TestEnv::hook("stop", &ask.clone());
    stops.claude(&stops.stop(false)).says("Really?");
    // What one hook asks about, another one rewrites; here the host cannot be told of new arguments.
    let rewrite = command("anyhook say rewrite tool_input.command 'ls -a'");
    let rewrites = TestEnv::on("permission-request", &json!([{"hooks": [ask, rewrite]}]));
    let event = wants(&rewrites, "ls", "1");
    let behaviour = reads(&event, &rewrites.claude(&event));
    assert_eq!(behaviour.gate, REFUSED);
    for env in [stops, rewrites] {
        assert!(!env.state().join("approvals/book.json").exists());
    }
}
