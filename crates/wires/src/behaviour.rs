//! What a host does with an answer: the rows by which answers are written, read the other way.

use std::time::Duration;

use anyhook_core::event::Event;
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::taxonomy::Class;
use anyhook_core::transcript::{Capture, End, Transcript};
use serde_json::Value;

use crate::{Host, Neutral, Reply, fitted};

/// What a host does with an answer of ours.
#[derive(Debug, Clone, PartialEq)]
pub struct Behaviour {
    /// What happens to the action that the event announced: a refusal of what has happened already refuses nothing.
    pub happens: Kind,
    /// What the host reads: the reasons, the rewrites and the texts that it takes.
    pub said: HookResult,
}

/// Returns what a host does with the answer to its event `native`; nothing where the answer is not one that we would write
/// there. What a host does with any other answer is unknown here, so it counts as no refusal and as no approval.
///
/// ```
/// use anyhook_core::event::Event;
/// use anyhook_core::result::{HookResult, Kind};
/// use anyhook_wires::{Behaviour, Reply, behaviour, host};
/// use serde_json::json;
///
/// let claude = host("claude-code").unwrap();
/// let event = Event::new("tool:pre", json!({"tool_name": "Bash", "tool_input": {"command": "ls"}}));
/// let reply = claude.write_result(&event, &HookResult::deny("deploys are frozen"));
/// let Behaviour { happens, said } = behaviour(claude, &event, "PreToolUse", &reply).unwrap();
/// assert_eq!((happens, said.verdict.text()), (Kind::Deny, "deploys are frozen".into()));
///
/// // A line before the object makes it a text, and the tool runs.
/// let odd = Reply { stdout: format!("welcome\n{}", reply.stdout), ..reply };
/// assert_eq!(behaviour(claude, &event, "PreToolUse", &odd), None);
/// ```
pub fn behaviour(host: &Host, event: &Event, native: &str, reply: &Reply) -> Option<Behaviour> {
    let whole = |text: &str| Capture {
        kept: text.as_bytes().to_vec(),
        dropped: 0,
    };
    let raw = Transcript {
        stdout: whole(&reply.stdout),
        stderr: whole(&reply.stderr),
        end: End::Code(i32::from(reply.exit)),
        took: Duration::ZERO,
    };
    let read = host.read_back(&raw, event, native).ok()?;
    let (said, _) = fitted(host, event, read, &host.can(event));
    let is_ours = is_same(reply, &host.write_result(event, &said));
    let approves = host
        .row(native)
        .is_some_and(|row| row.neutral() == Neutral::Allow);
    let happens = match (event.name.class(), said.verdict.kind()) {
        (Class::After, kind) if kind < Kind::Halt => Kind::Continue,
        (Class::Gate, Kind::Continue) if approves => Kind::Allow,
        (_, kind) => kind,
    };
    is_ours.then_some(Behaviour { happens, said })
}

/// Tells whether two answers are one to a host. A reason that stands at several places is read as all of them, and so is
/// written longer than it was.
fn is_same(one: &Reply, other: &Reply) -> bool {
    let document =
        |text: &str| serde_json::from_str(text).unwrap_or_else(|_| Value::from(text.trim()));
    let is_alike = |one: &str, other: &str| are_alike(&document(one), &document(other));
    one.exit == other.exit
        && is_alike(&one.stdout, &other.stdout)
        && is_alike(&one.stderr, &other.stderr)
}

fn are_alike(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let is_there = |(key, value): (&String, &Value)| {
                other.get(key).is_some_and(|other| are_alike(value, other))
            };
            one.len() == other.len() && one.iter().all(is_there)
        }
        (Value::String(one), Value::String(other)) => {
            one.is_empty() == other.is_empty() && (other.contains(&**one) || one.contains(&**other))
        }
        _ => one == other,
    }
}
