//! The shared entry of every event of every host, run by a real shell where anyhook is not installed, and judged by a
//! reader of that host that knows nothing of us.

use std::process::{Command, Stdio};

use anyhook::core::can::Can;
use anyhook::core::event::EventName;
use anyhook::core::result::Kind;
use anyhook::core::taxonomy::Class;
use anyhook::wires::hosts::HOSTS;
use anyhook::wires::settings::Shape;
use anyhook::wires::settings::command::{Program, line, script};
use anyhook_readers::{Answer, Gravity, reader};
use serde_json::json;

use crate::env::{Left, finish, start};

fn without_anyhook(line: &str) -> Left {
    let mut sh = Command::new("/bin/sh");
    sh.args(["-c", line]).env_clear();
    sh.env("PATH", "/usr/bin:/bin").env("HOME", "/nonexistent");
    sh.stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    finish(start(sh, b""))
}

#[test]
fn where_anyhook_is_missing_every_gate_of_every_host_is_refused_and_every_stop_goes_on() {
    let (mut gates, mut owned) = (0, Vec::new());
    for host in HOSTS {
        let (Some(settings), Some(reader)) = (host.facts().settings, reader(host.id())) else {
            continue;
        };
        for row in host.rows().iter().filter(|row| settings.has(row.name)) {
            let written = match settings.shape {
                Shape::Scripts => script(*host, row, Program::Anywhere),
                Shape::Groups | Shape::ToolGroups | Shape::Entries | Shape::List => {
                    line(*host, row, settings.shell, Program::Anywhere)
                }
            };
            let own = line(*host, row, settings.shell, Program::At("/nowhere/anyhook"));
            // The others are told in their entry to refuse by themselves.
            let own = own.contains("[ -x /nowhere/anyhook ]").then_some(own);
            owned.extend(own.is_some().then_some(host.id()));
            for written in [written].into_iter().chain(own) {
                let left = without_anyhook(&written);
                let behaviour = reader.reads(&Answer {
                    event: row.name,
                    payload: &json!({"hook_event_name": row.name}),
                    stdout: left.stdout.as_bytes(),
                    stderr: left.stderr.as_bytes(),
                    exit: left.code,
                });
                let name = format!("{} {}: {left:?}", host.id(), row.name);
                let can: Can = row.can;
                if EventName::new(row.event).class() == Class::Gate && can.says(Kind::Deny) {
                    gates += 1;
                    assert!(behaviour.gravity() >= Gravity::Refuse, "{name}");
                } else {
                    assert!(behaviour.gravity() <= Gravity::Nothing, "{name}");
                }
                let said = [left.stdout.as_str(), &left.stderr].concat();
                let is_told = ["anyhook is not installed", "anyhook is gone"];
                assert!(is_told.iter().any(|told| said.contains(told)), "{name}");
            }
        }
    }
    for host in [
        "codex-cli",
        "gemini-cli",
        "copilot-cli",
        "qwen-code",
        "factory-droid",
    ] {
        assert!(owned.contains(&host), "{host}: {owned:?}");
    }
    assert!(gates > 3, "{gates}");
}
