//! What a person reads on a terminal: nothing in it may move a cursor, set a title or hide.

use serde_json::{Value, json};

use crate::approvals::typed;
use crate::env::{Left, TestEnv, on};
use crate::hostile::claude;

/// A title, a cursor, a control sequence of one byte, a turned direction, a hidden letter.
const EVIL: &str = "a\u{1b}]0;pwned\u{7}\u{1b}[2J\u{9b}31m\u{202e}\u{200b}\u{e0041}\u{2028}\rb";

fn is_tame(left: &Left) -> bool {
    let is_evil =
        |c: char| (c.is_control() && c != '\n') || "\u{202e}\u{200b}\u{e0041}\u{2028}".contains(c);
    !left.stdout.contains(is_evil) && !left.stderr.contains(is_evil)
}

/// A project in which every name and every text is made to draw on terminals.
fn project() -> TestEnv {
    let env = TestEnv::new();
    let line = format!("printf '%s' \"$ANYHOOK_COMMAND\" >&2; exit 1 # {EVIL}");
    let group = json!([{"matcher": "*", "name": EVIL, "hooks": [
        {"type": "command", "command": line, "name": EVIL},
        {"type": EVIL, "name": EVIL},
        {"type": "command", "guard": true, "command": "printf '%s' \"$ANYHOOK_COMMAND\" >&2; exit 2"},
    ]}]);
    let mut manifest = on("pre-tool-use", &group);
    manifest["hooks"][EVIL] = group;
    env.manifest(&manifest.to_string());
    env.write(
        &format!("project/hooks/scripts/{}.sh", EVIL.replace('/', "")),
        "",
    );
    env
}

fn event(env: &TestEnv) -> Value {
    let mut event = env.pre(EVIL, &json!({"command": EVIL, "file_path": EVIL}));
    event["session_id"] = EVIL.into();
    event[EVIL] = EVIL.into();
    event
}

#[test]
fn nothing_of_an_event_or_of_a_repository_draws_on_the_terminal_of_a_person() {
    let env = project();
    let event = event(&env).to_string();
    let payload = event.as_bytes();
    claude(&env, payload);
    env.run(&["run", "--host", "claude-code", "--trust-all"], payload);
    env.run(
        &["run", "--host", "claude-code", "--trust-all"],
        format!("{{{EVIL}").as_bytes(),
    );
    let mut unknown = json!({"hook_event_name": EVIL});
    unknown[EVIL] = EVIL.into();
    let unknown = unknown.to_string();
    let manifest: &[&str] = &["--manifest", "hooks/hooks.json"];
    let calls: &[(&[&str], &[u8])] = &[
        (&["log"], b""),
        (&["log", "--session", EVIL], b""),
        (&["why"], b""),
        (&["why", EVIL], b""),
        (&["list"], b""),
        (&["list", "--manifest", EVIL], b""),
        (&["trust"], b""),
        (&["trust", EVIL], b""),
        (&["trust", "--diff"], b""),
        (&["approve", EVIL], b""),
        (&["approvals"], b""),
        (&["approvals", "revoke", EVIL], b""),
        (&["events", EVIL], b""),
        (&["run", EVIL], b"{}"),
        (&["run", "--host", EVIL, "stop"], b"{}"),
        (&["run"], unknown.as_bytes()),
        (&["run", "pre-tool-use"], EVIL.as_bytes()),
        (&["run", "--explain"], payload),
        (&["run", "--explain", manifest[0], manifest[1]], payload),
        (&["get", "tool_input.nothing", EVIL], payload),
        (&["say", EVIL], payload),
        (&["say", "notify", EVIL, EVIL], payload),
    ];
    let mut wild = Vec::new();
    for (args, stdin) in calls {
        let left = env.run(args, stdin);
        assert!(
            !left.stdout.is_empty() || !left.stderr.is_empty(),
            "{args:?} says nothing"
        );
        if !is_tame(&left) {
            wild.push(format!("{args:?}: {left:?}"));
        }
    }
    assert!(wild.is_empty(), "{}", wild.join("\n"));
}

#[test]
fn names_and_commands_of_a_stranger_forge_nothing_in_the_question_of_trust() {
    let hostile = "x\u{1b}[2J\u{9b}1m\u{202e}y\n  script hooks/fine.sh\r";
    let env = TestEnv::new();
    let entry = json!({"type": "command", "command": hostile, "name": hostile});
    env.manifest(&on(hostile, &json!([{"hooks": [entry]}])).to_string());
    let shown = typed(&env, "anyhook trust", "n\n").text;
    for evil in ["\u{202e}", "\u{9b}", "\u{1b}[2J"] {
        assert!(!shown.contains(evil), "{shown:?}");
    }
    let mut lines = shown.lines().map(str::trim_end);
    assert!(
        !lines.any(|line| line == "  script hooks/fine.sh"),
        "{shown}"
    );
}

#[test]
fn no_name_of_a_hook_forges_a_line_of_a_table_a_switch_or_a_comparison() {
    let forges = format!("{EVIL}\n  trusted: everything");
    let rule = |then| {
        let rule = json!({"type": "rule", "name": forges, "when": "runs('rm')", "then": then});
        on("pre-tool-use", &json!([{"hooks": [rule]}]))
    };
    let env = TestEnv::with(&rule(json!({"deny": "no"})));
    env.bash("rm x");
    env.manifest(&rule(json!({"allow": true})).to_string());
    env.trust();
    for args in [
        &["stats"][..],
        &["log"],
        &["why"],
        &["backtest", "--before", "hooks/hooks.json"],
        &["backtest", "--before", "record"],
        &["list", "off", &forges],
        &["list", "on", &forges],
    ] {
        let left = env.run(args, b"");
        assert!(is_tame(&left), "{args:?}: {left:?}");
        let said = [left.stdout, left.stderr].concat();
        let mut lines = said.lines().map(str::trim);
        assert!(
            !lines.any(|line| line == "trusted: everything"),
            "{args:?}: {said}"
        );
        assert!(said.len() > 20, "{args:?}");
    }
}
