//! `anyhook verify`, with a stand-in for the agent: a script that asks the scripted model what to do, finds its hook in the
//! settings file, asks it, and does or does not obey. No test asks a real agent; `.ci/nightly lab` does.

use serde_json::{Value, json};

use super::Machine;
use crate::env::Left;

/// What every stand-in does before it decides: it asks its model, and then its hook about the command that the model wants.
const ASKS: &str = r#"#!/bin/bash
if [ "$1" = --version ]; then echo '2.1.330 (Claude Code)'; exit 0; fi
ask() {
    exec 3<>"/dev/tcp/127.0.0.1/${ANTHROPIC_BASE_URL##*:}"
    printf 'POST /v1/messages HTTP/1.1\r\nHost: model\r\nConnection: close\r\nContent-Length: %s\r\n\r\n%s' "${#1}" "$1" >&3
    answer=$(cat <&3)
    exec 3>&-
}
tools='"tools": [{"name": "Bash"}]'
ask "{$tools}"
command=$(printf '%s\n' "$answer" | sed -n 's/.*"command":"\([^"]*\)".*/\1/p')
hook=$(sed -n 's/.*"command": "\(.* run PreToolUse [^"]*\)".*/\1/p' "$HOME/.claude/settings.json" | sed 's/\\"/"/g')
printf '{"session_id":"live","transcript_path":"/t","cwd":"%s","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"%s"},"tool_use_id":"t"}' \
    "$PWD" "$command" >"$HOME/payload"
"#;

/// Obeys as the reader of Claude Code reads, and tells its model why.
const OBEYS: &str = r#"
sh -c "$hook" <"$HOME/payload" >"$HOME/stdout" 2>"$HOME/stderr"
if [ "$?" = 2 ] || grep -q '"permissionDecision":"deny"' "$HOME/stdout"; then
    reason=$(cat "$HOME/stdout" "$HOME/stderr" | tr -d '"\\')
    ask "{$tools, \"told\": \"$reason\"}"
    echo 'it was refused'; exit 0
fi
eval "$command"
ask "{$tools}"
"#;

/// Asks, and runs the command whatever comes back.
const DEFIES: &str =
    "\nsh -c \"$hook\" <\"$HOME/payload\" >/dev/null 2>&1\neval \"$command\"\nask \"{$tools}\"\n";

/// Runs the command, and asks no hook.
const ALONE: &str = "\neval \"$command\"\nask \"{$tools}\"\necho 'I did it'\n";

/// Ends before it asks anything.
const LOGGED_OUT: &str = "#!/bin/sh\nif [ \"$1\" = --version ]; then echo '2.1.330 (Claude Code)'; exit 0; fi\necho 'Please log in' >&2\nexit 1\n";

fn verify(agent: &str, args: &[&str]) -> (Machine, Left) {
    let machine = Machine::bare();
    machine.program("bin/claude", agent);
    let left = machine.run(&[&["doctor", "--host", "claude-code"], args].concat());
    (machine, left)
}

fn kept(machine: &Machine) -> Value {
    let text = machine.read("home/.local/state/anyhook/verified/claude-code.json");
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_stand_in_that_obeys_is_verified_and_that_is_kept_and_nothing_else_is_touched() {
    let (machine, left) = verify(&format!("{ASKS}{OBEYS}"), &["--verify=quick"]);
    assert_eq!(left.code, 0, "{left:?}");
    let told = "HOST VERIFIED claude-code 2.1.330: a command that a hook refuses does not run (does not run, goes on, model told; ";
    assert!(left.stdout.starts_with(told), "{left:?}");
    let kept = kept(&machine);
    assert_eq!(
        (&kept["host"], &kept["version"], &kept["probes"]),
        (&json!("claude-code"), &json!("2.1.330"), &json!(1))
    );
    // Nothing of the person's was touched: the home and the project of the agent were others.
    assert!(!machine.env.path("home/payload").exists());
    assert_eq!(machine.read("home/.claude/settings.json"), "{}");
    let files = super::names(&machine.env.path("project"));
    assert!(
        !files.iter().any(|path| path.ends_with("given-1")),
        "{files:?}"
    );
    machine.install("user");
    machine.run(&["doctor"]).says("verified with 2.1.330 on ");
}

#[test]
fn a_stand_in_that_runs_what_was_refused_is_not_verified() {
    let (machine, left) = verify(&format!("{ASKS}{DEFIES}"), &["--verify=quick"]);
    assert_eq!(left.code, 1, "{left:?}");
    assert!(
        left.stdout.starts_with(
            "NOT VERIFIED claude-code 2.1.330: a hook refused a command: runs, goes on\n"
        ),
        "{left:?}"
    );
    // An earlier record does not outlive it, and `doctor` says so.
    assert_eq!(kept(&machine)["differences"], json!(["a refused command"]));
    machine.install("user");
    let doctor = machine.run(&["doctor"]);
    assert!(
        doctor
            .stdout
            .contains("did something else than expected on ")
            && !doctor.stdout.contains("verified with 2.1.330"),
        "{doctor:?}"
    );
}

#[test]
fn a_stand_in_that_asks_no_hook_is_not_verified() {
    let (_, left) = verify(&format!("{ASKS}{ALONE}"), &["--verify=quick"]);
    assert_eq!(left.code, 1, "{left:?}");
    left.says("it asked no hook, and ran");
    left.says("I did it");
}

#[test]
fn a_stand_in_that_asks_its_model_nothing_is_told_with_its_last_words() {
    let (_, left) = verify(LOGGED_OUT, &["--verify=quick"]);
    assert_eq!((left.code, left.stdout.as_str()), (1, ""), "{left:?}");
    left.warns("Please log in");
}

#[test]
fn an_agent_with_no_other_model_than_its_own_is_told_as_such() {
    let machine = Machine::bare();
    let left = machine.run(&["verify", "--host", "cursor"]);
    assert_eq!((left.code, left.stdout.as_str()), (78, ""), "{left:?}");
    left.warns("cannot be pointed at another model");
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "takes seconds"]
    fn what_a_whole_run_finds_otherwise_than_expected_is_told_row_by_row_and_kept() {
        let (machine, left) = verify(&format!("{ASKS}{OBEYS}"), &["--verify", "--json"]);
        assert_eq!(left.code, 1, "{left:?}");
        let found = left.json();
        let rows = found["truth"]["rows"].as_array().unwrap();
        assert!(rows.iter().any(|row| row["probe"] == "deny"), "{rows:?}");
        let differ: Vec<&Value> = found["differences"].as_array().unwrap().iter().collect();
        let rewritten = differ
            .iter()
            .any(|found| found["row"] == "PreToolUse: rewrite");
        let refused = differ
            .iter()
            .any(|found| found["row"] == "PreToolUse: deny");
        assert!(
            rewritten && !refused,
            "it knows no new arguments: {differ:?}"
        );
        let names: Vec<Value> = differ.iter().map(|found| found["row"].clone()).collect();
        assert_eq!(kept(&machine)["differences"], json!(names));
    }
}
