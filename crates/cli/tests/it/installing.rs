//! `anyhook install` and `anyhook uninstall`, as a person types them, and the entries, as an agent runs them.

mod every_host;

use serde_json::{Value, json};

use crate::env::{Left, Shows as _, TestEnv, finish, start};

const BEFORE: &str = "{\n  // mine\n  \"model\": \"opus\",\n}\n";

impl TestEnv {
    fn settings(&self) -> String {
        std::fs::read_to_string(self.path("home/.claude/settings.json")).unwrap()
    }

    /// The command line of an event in a settings file.
    pub(crate) fn entry(&self, file: &str, event: &str) -> String {
        let text = std::fs::read_to_string(self.path(file)).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        let entry = &value["hooks"][event][0]["hooks"][0]["command"];
        entry
            .as_str()
            .unwrap_or_else(|| panic!("{event}: {text}"))
            .to_owned()
    }

    /// Runs an entry as Claude Code does.
    pub(crate) fn fire(&self, line: &str, payload: &Value) -> Left {
        let shell = self.other("/bin/sh", &["-c", line]);
        finish(start(shell, payload.to_string().as_bytes()))
    }

    /// A text without what differs from run to run.
    fn shown(&self, text: &str) -> String {
        text.replace(self.path("").to_str().unwrap(), "@/")
    }
}

#[test]
fn an_agent_is_told_where_it_was_written_and_what_to_do_next_and_gets_it_back() {
    let env = TestEnv::new();
    env.write("home/.claude/settings.json", BEFORE);
    let left = env.anyhook("install --host claude-code");
    assert_eq!((left.code, left.stderr.as_str()), (0, ""), "{left:?}");
    // Which others read the file is a fact of theirs.
    let (before, others) = left.stdout.split_once("  may be read by ").unwrap();
    let (others, after) = others.split_once(" too: ").unwrap();
    assert!(others.contains("cursor"), "{others}");
    insta::assert_snapshot!(env.shown(&format!("{before}  may be read by OTHERS too: {after}")));
    env.anyhook("install --host claude-code")
        .says("has its entries already");
    let gone = env.anyhook("uninstall");
    insta::assert_snapshot!(env.shown(&gone.stdout));
    assert_eq!(env.settings(), BEFORE);
    assert_eq!(env.anyhook("uninstall").code, 0);
}

#[test]
fn a_group_on_every_event_is_called_for_every_event_that_the_host_has() {
    let builtin = |module: &str, config: Value| json!({"type": "builtin", "module": module, "config": config});
    let env = TestEnv::on(
        "*",
        &json!([{"hooks": [
            builtin("redaction", json!({"rules": ["secrets"]})),
            builtin("logging", json!({"session_log_template": "~/{session_id}.jsonl"})),
        ]}]),
    );
    env.write("home/.claude/settings.json", "{}");
    let left = env.anyhook("install --host claude-code");
    assert_eq!(left.code, 0, "{left:?}");
    let host = anyhook::wires::host("claude-code").unwrap();
    let can_have = host.facts().settings.unwrap();
    let secret = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let mut expected = Vec::new();
    for row in host.rows().iter().filter(|row| can_have.has(row.name)) {
        let line = env.entry("home/.claude/settings.json", row.name);
        let payload = json!({
            "session_id": "s-1", "transcript_path": "/t.jsonl", "cwd": env.path("project"),
            "hook_event_name": row.name, "message": format!("use {secret}"), "prompt": "look",
            "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": row.name,
        });
        let left = env.fire(&line, &payload);
        assert!(
            !left.stdout.contains(&secret) && !left.stderr.contains(&secret),
            "{left:?}"
        );
        expected.push(row.event);
    }
    let lines: Vec<Value> = env
        .lines("s-1.jsonl")
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let heard: Vec<&str> = lines
        .iter()
        .filter_map(|line| line["event"].as_str())
        .collect();
    assert!(expected.len() > 10, "{expected:?}");
    assert_eq!(
        heard, expected,
        "each once, in the order in which they were fired"
    );
    let hidden = |line: &Value| {
        let text = line.to_string();
        !text.contains(&secret) && text.contains("[REDACTED:SECRET:github-token]")
    };
    assert!(lines.iter().all(hidden), "{lines:#?}");
}

#[test]
fn a_guard_on_every_event_refuses_what_cannot_be_read() {
    for (event, refused) in [("*", true), ("tool:*", true), ("session:*", false)] {
        let guard = json!({"type": "command", "command": "exit 0", "guard": true});
        let env = TestEnv::hook(event, &guard);
        let payload = json!({"session_id": "s-1", "hook_event_name": "PreToolUse"});
        let left = env.claude(&payload);
        let is_refused = left.decision().as_deref() == Some("deny");
        assert_eq!(is_refused, refused, "{event}: {left:?}");
    }
    let module = json!({"type": "builtin", "module": "redaction"});
    let env = TestEnv::hook("*", &module);
    env.claude(&json!({"session_id": "s-1", "hook_event_name": "PreToolUse"}))
        .decides("deny");
}

#[test]
fn the_entry_of_a_person_refuses_as_a_shared_one_does_where_the_program_is_gone() {
    use anyhook::wires::settings::command::{ProgramReference, line};

    let env = TestEnv::new();
    let payload = env.pre("Bash", &json!({"command": "ls"}));
    let mut refused = Vec::new();
    for host in anyhook::wires::hosts::HOSTS {
        let (Some(settings), Some(reader)) =
            (host.facts().settings, anyhook_readers::reader(host.id()))
        else {
            continue;
        };
        for row in host.rows() {
            let gate = |program| {
                let left = env.fire(&line(host, row, settings.shell, program), &payload);
                let behaviour = left.read_by(reader, row.name, &payload);
                (
                    behaviour.gate,
                    left.stderr.is_empty() && left.stdout.is_empty(),
                )
            };
            let own = line(
                host,
                row,
                settings.shell,
                ProgramReference::at("/nowhere/anyhook"),
            );
            // The others are told in their entry to refuse by themselves.
            if own.contains("[ -x /nowhere/anyhook ]") {
                let told = gate(ProgramReference::at("/nowhere/anyhook"));
                assert_eq!(
                    told,
                    gate(ProgramReference::ANYWHERE),
                    "{} {}",
                    host.id(),
                    row.name
                );
                refused.push((host.id(), row.name));
            }
        }
    }
    for (host, event) in [
        ("codex-cli", "PreToolUse"),
        ("codex-cli", "UserPromptSubmit"),
        ("gemini-cli", "BeforeTool"),
        ("copilot-cli", "preToolUse"),
    ] {
        assert!(
            refused.contains(&(host, event)),
            "{host} {event}: {refused:?}"
        );
    }
    let codex = anyhook::wires::host("codex").unwrap();
    let row = codex.row("PreToolUse").unwrap();
    let shell = codex.facts().settings.unwrap().shell;
    let left = env.fire(
        &line(codex, row, shell, ProgramReference::at("/nowhere/anyhook")),
        &payload,
    );
    assert!(
        left.code == 2 || left.decision().as_deref() == Some("deny"),
        "{left:?}"
    );
    let said = format!("{}{}", left.stdout, left.stderr);
    said.shows("anyhook is gone");
    said.shows("anyhook install --host codex-cli");
}
