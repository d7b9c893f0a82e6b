//! The shared entry of every event of every host, run by a real shell where anyhook is not installed, and judged by a
//! reader of that host that knows nothing of us.

use std::process::{Command, Stdio};
use std::time::Duration;

use anyhook::core::can::Capabilities;
use anyhook::core::event::{Event, EventName};
use anyhook::core::result::Kind;
use anyhook::core::taxonomy::Class;
use anyhook::core::transcript::{Capture, End, Transcript};
use anyhook::wires::hosts::HOSTS;
use anyhook::wires::settings::command::{ProgramReference, line, script};
use anyhook::wires::settings::{Settings, SettingsLayout};
use anyhook::wires::{Host, HostRow};
use anyhook_readers::{Gravity, reader};
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

/// What a host without a reader hears by its own table.
fn told(host: &Host, row: &HostRow, left: &Left) -> Gravity {
    let data = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "prompt": "hi"});
    let kept = |text: &str| Capture {
        kept: text.into(),
        dropped: 0,
    };
    let raw = Transcript {
        stdout: kept(&left.stdout),
        stderr: kept(&left.stderr),
        end: End::Code(left.code),
        took: Duration::ZERO,
    };
    let heard = host.read_as(&raw, &Event::new(row.event, data), row.name);
    if heard.is_ok_and(|said| said.verdict.kind() >= Kind::Deny) {
        Gravity::Refuse
    } else {
        Gravity::Nothing
    }
}

#[test]
fn where_anyhook_is_missing_every_gate_of_every_host_is_refused_and_every_stop_goes_on() {
    let mut gates = 0;
    for host in HOSTS {
        // A plugin starts no program.
        let calls = |settings: &&Settings| !settings.asks_server();
        let Some(settings) = host.facts().settings.filter(calls) else {
            continue;
        };
        for row in host.rows().iter().filter(|row| settings.has(row.name)) {
            let written = if settings.shape == SettingsLayout::Scripts {
                script(host, row, ProgramReference::ANYWHERE)
            } else {
                line(host, row, settings.shell, ProgramReference::ANYWHERE)
            };
            let left = without_anyhook(&written);
            let payload = json!({"hook_event_name": row.name});
            let judged =
                reader(host.id()).map(|reader| left.read_by(reader, row.name, &payload).gravity());
            let gravity = judged.unwrap_or_else(|| told(host, row, &left));
            let name = format!("{} {}: {left:?}", host.id(), row.name);
            let can: Capabilities = row.can;
            if EventName::new(row.event).class() == Class::Gate && can.says(Kind::Deny) {
                gates += 1;
                assert!(gravity >= Gravity::Refuse, "{name}");
            } else {
                assert!(gravity <= Gravity::Nothing, "{name}");
            }
            let said = [left.stdout.as_str(), &left.stderr].concat();
            assert!(said.contains("anyhook is not installed"), "{name}");
        }
    }
    assert!(gates > 3, "{gates}");
}
