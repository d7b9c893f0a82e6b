//! `anyhook verify`, with a stand-in for the agent: a script that reads the settings file, calls the hook with a payload
//! of the host, and obeys it. No test asks a real agent.

use anyhook_readers::{Answer, Gate, reader};
use serde_json::json;

use super::Machine;
use crate::env::Left;

/// What every stand-in does before it decides: it finds its hook in the settings file and asks it about a command.
const ASKS: &str = r#"#!/bin/sh
if [ "$1" = --version ]; then echo '2.1.300 (Claude Code)'; exit 0; fi
command=$(printf '%s\n' "$2" | tail -n 1)
hook=$(sed -n 's/.*"command": "\([^"]* run PreToolUse [^"]*\)".*/\1/p' "$HOME/.claude/settings.json")
printf '{"session_id":"live","transcript_path":"/t","cwd":"%s","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"%s"},"tool_use_id":"t"}' \
    "$PWD" "$command" >"$HOME/payload"
"#;

/// Obeys as the reader of Claude Code reads: exit code 2 refuses, and so does a `deny` in the answer.
const OBEYS: &str = r#"
sh -c "$hook" <"$HOME/payload" >"$HOME/stdout" 2>"$HOME/stderr"
echo $? >"$HOME/exit"
if [ "$(cat "$HOME/exit")" = 2 ] || grep -q '"permissionDecision":"deny"' "$HOME/stdout"; then
    echo 'it was refused'; exit 0
fi
eval "$command"
"#;

/// Asks, and runs the command whatever comes back.
const DEFIES: &str = "\nsh -c \"$hook\" <\"$HOME/payload\" >/dev/null 2>&1\neval \"$command\"\n";

/// Asks about something else.
const WANDERS: &str =
    "\nsed 's/touch [^\"]*/ls/' \"$HOME/payload\" | sh -c \"$hook\"\necho 'I looked around'\n";

/// Asks nobody.
const ALONE: &str = "\neval \"$command\"\n";

fn verify(agent: &str) -> (Machine, Left) {
    let machine = Machine::installed();
    machine.program("bin/claude", &format!("{ASKS}{agent}"));
    let left = machine.run(&["verify", "--host", "claude-code"]);
    (machine, left)
}

#[test]
fn a_stand_in_that_obeys_is_verified_and_that_is_kept() {
    let (machine, left) = verify(OBEYS);
    // Compared, never printed: this is a stand-in, and no host was verified.
    let words: Vec<&str> = left.stdout.split_whitespace().collect();
    let [host, verified, name, version, date] = words.as_slice() else {
        panic!("code {}: {}", left.code, left.stderr);
    };
    assert_eq!(
        (*host, *verified, *name, *version),
        ("HOST", "VERIFIED", "claude-code", "2.1.300")
    );
    assert_eq!((left.code, date.len()), (0, 10));
    let kept: serde_json::Value =
        serde_json::from_str(&machine.read("home/.local/state/anyhook/verified/claude-code.json"))
            .unwrap();
    assert_eq!(
        (&kept["host"], &kept["version"]),
        (&json!("claude-code"), &json!("2.1.300"))
    );
    let doctor = machine.run(&["doctor"]);
    assert!(
        doctor
            .stdout
            .contains(&format!("verified on {date} with version 2.1.300")),
        "{doctor:?}"
    );
}

#[test]
fn what_the_stand_in_obeyed_is_a_refusal_to_the_independent_reader() {
    let (machine, left) = verify(OBEYS);
    assert_eq!(left.code, 0, "{}", left.stderr);
    let payload = serde_json::from_str(&machine.read("home/payload")).unwrap();
    let behaviour = reader("claude-code").unwrap().reads(&Answer {
        event: "PreToolUse",
        payload: &payload,
        stdout: machine.read("home/stdout").as_bytes(),
        stderr: machine.read("home/stderr").as_bytes(),
        exit: machine.read("home/exit").trim().parse().unwrap(),
    });
    assert_eq!(behaviour.gate, Gate::Refused { erased: false });
}

#[test]
fn nothing_is_left_of_the_test_but_its_report() {
    let (machine, left) = verify(OBEYS);
    assert_eq!(left.code, 0, "{}", left.stderr);
    let pins = super::names(&machine.env.state().join("trust"));
    assert!(pins.iter().all(|path| path.is_dir()), "{pins:?}");
    let folders = super::names(&machine.env.path("home"));
    assert!(
        !folders
            .iter()
            .any(|path| path.to_string_lossy().contains("anyhook-verify-")),
        "{folders:?}"
    );
    let log = machine.run(&["log"]);
    assert!(log.stdout.contains("Bash"), "{log:?}");
}

#[test]
fn a_stand_in_that_runs_what_was_refused_is_not_verified() {
    let (machine, left) = verify(DEFIES);
    assert_eq!((left.code, left.stdout.as_str()), (1, ""), "{left:?}");
    assert!(
        left.stderr
            .contains("the hook refused the command, and the agent ran it all the same"),
        "{left:?}"
    );
    assert!(!machine.env.state().join("verified").exists());
}

#[test]
fn a_stand_in_that_asks_nobody_is_not_verified() {
    let (_, left) = verify(ALONE);
    assert_eq!((left.code, left.stdout.as_str()), (1, ""), "{left:?}");
    assert!(left.stderr.contains("no event of it arrived"), "{left:?}");
}

#[test]
fn a_stand_in_that_does_something_else_is_not_verified() {
    let (_, left) = verify(WANDERS);
    assert_eq!((left.code, left.stdout.as_str()), (1, ""), "{left:?}");
    assert!(left.stderr.contains("none about the command"), "{left:?}");
    assert!(left.stderr.contains("I looked around"), "{left:?}");
}

#[test]
fn an_agent_without_entries_is_not_started() {
    let machine = Machine::bare();
    machine.program("bin/claude", &format!("{ASKS}\ntouch \"$HOME/started\"\n"));
    let left = machine.run(&["verify", "--host", "claude-code"]);
    assert_eq!((left.code, left.stdout.as_str()), (78, ""), "{left:?}");
    assert!(
        left.stderr.contains("anyhook install --host claude-code"),
        "{left:?}"
    );
    assert!(!machine.env.path("home/started").exists());
}
