//! Every answer that each host can get, to be read as prose.

use std::fmt::Write;

use anyhook_core::result::HookResult;
use anyhook_wires::{Reply, host};
use serde_json::json;

use crate::fixtures::payloads;

/// Writes every kind of answer to every event of a host.
pub(crate) fn answers(id: &str) -> String {
    let wire = host(id).unwrap();
    let mut all = String::new();
    let mut last = String::new();
    for (name, payload) in payloads(id) {
        if name == last {
            continue;
        }
        writeln!(all, "{name}").unwrap();
        last.clone_from(&name);
        let event = wire
            .read_event(payload.to_string().as_bytes(), Some(&name))
            .unwrap();
        for (kind, result) in results() {
            let can = wire.can(&event);
            let (said, losses) = result.fit(event.name.class(), event.name.mutable(), &can);
            let reply = wire.write_result(&event, &said);
            write!(all, "  {kind}: exit {}", reply.exit).unwrap();
            for (stream, text) in [("stdout", &reply.stdout), ("stderr", &reply.stderr)] {
                if !text.is_empty() {
                    write!(all, " {stream} {}", text.trim_end()).unwrap();
                }
            }
            for loss in losses {
                write!(all, " [{:?} -> {:?}]", loss.what, loss.became).unwrap();
            }
            all.push('\n');
        }
        let Reply {
            stdout,
            stderr,
            exit,
        } = wire.refuse_unread(wire.row(&name), "it is no JSON");
        writeln!(all, "  unread: exit {exit} {stdout:?} {stderr:?}").unwrap();
    }
    all
}

fn results() -> Vec<(&'static str, HookResult)> {
    let effects = HookResult::proceed()
        .modify("tool_input", json!({"command": "pnpm test"}))
        .modify(
            "tool_result",
            json!({"stdout": "[redacted]", "stderr": "", "interrupted": false}),
        )
        .inject("branch: main")
        .notify("linter is missing");
    vec![
        ("nothing", HookResult::proceed()),
        ("allow", HookResult::allow_because("read-only")),
        ("ask", HookResult::ask("touches production")),
        ("deny", HookResult::deny("deploys are frozen")),
        ("halt", HookResult::halt("budget is spent")),
        ("effects", effects.clone()),
        (
            "allow with effects",
            HookResult::allow_because("read-only").then(effects),
        ),
    ]
}

#[test]
fn what_a_universal_host_is_told() {
    insta::assert_snapshot!(answers("universal"));
}
