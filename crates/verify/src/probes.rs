//! The probes: every answer that an agent is tested with, from our hosts and from other people's hooks.

use anyhook::core::event::Event;
use anyhook::verify;
use anyhook::wires::Host;
use anyhook_truth::Said;
use serde_json::{Map, Value, json};

/// Whether an answer can be given to many calls of one session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Calls {
    /// The event comes once.
    One,
    /// The event comes with every call of a tool.
    EachTool,
    /// The event comes whenever the agent wants to end.
    EachStop,
}

/// An event that answers are given to.
#[derive(Debug)]
pub(crate) struct Moment {
    /// Its canonical name.
    pub(crate) event: &'static str,
    pub(crate) calls: Calls,
}

pub(crate) static MOMENTS: &[Moment] = &[
    Moment {
        event: "session:start",
        calls: Calls::One,
    },
    Moment {
        event: "prompt:submit",
        calls: Calls::One,
    },
    Moment {
        event: "tool:pre",
        calls: Calls::EachTool,
    },
    Moment {
        event: "tool:post",
        calls: Calls::EachTool,
    },
    Moment {
        event: "stop",
        calls: Calls::EachStop,
    },
];

/// What a probe has to write an answer with.
pub(crate) struct Ready<'a> {
    pub(crate) host: &'static dyn Host,
    /// The host's own name of the event.
    pub(crate) native: &'static str,
    pub(crate) payload: &'a Value,
    /// Where this text turns up, the answer was heard.
    pub(crate) mark: &'a str,
    /// The command line that takes the place of the other one, where a probe changes it.
    pub(crate) changed: &'a str,
}

/// One thing that is said.
pub(crate) struct Probe {
    pub(crate) name: &'static str,
    /// Writes it; nothing where it means nothing.
    pub(crate) says: fn(&Ready<'_>) -> Option<Said>,
}

impl std::fmt::Debug for Probe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// What our hosts write for each thing that a hook can say.
pub(crate) static VERBS: &[Probe] = &[
    form("allow", |r| verb(r, "allow")),
    form("ask", |r| verb(r, "ask")),
    form("deny", |r| verb(r, "deny")),
    form("halt", |r| verb(r, "halt")),
    form("rewrite", |r| verb(r, "rewrite")),
    form("inject", |r| verb(r, "inject")),
    form("notify", |r| verb(r, "notify")),
];

/// Forms that are said about every event.
pub(crate) static FORMS: &[Probe] = &[
    form("exit 2", |r| Some(said("", r.mark, 2))),
    form("exit 2 without a word", |_| Some(said("", "", 2))),
    form("exit 1", |r| Some(said("", r.mark, 1))),
    form("exit 1 with a refusal in JSON", |r| {
        Some(said(&refusal(r)?, "", 1))
    }),
    form("exit 2 with a refusal in JSON", |r| {
        Some(said(&refusal(r)?, "by exit", 2))
    }),
    form("exit 127", |r| Some(said("", r.mark, 127))),
    form("broken JSON", |r| {
        let whole = refusal(r)?;
        Some(said(whole.trim_end().strip_suffix('}')?, "", 0))
    }),
    form("plain text", |r| Some(said(r.mark, "", 0))),
    form("decision block", |r| {
        json(&json!({"decision": "block", "reason": r.mark}))
    }),
    form("decision block without a reason", |_| {
        json(&json!({"decision": "block"}))
    }),
    form("continue false", |r| {
        json(&json!({"continue": false, "stopReason": r.mark}))
    }),
    form("decision block and continue false", |r| {
        json(&json!({"decision": "block", "reason": r.mark, "continue": false}))
    }),
    form("continue is a text, beside a refusal", |r| {
        let mut whole = object(&refusal(r)?)?;
        whole.insert("continue".to_owned(), "yes".into());
        json(&Value::Object(whole))
    }),
    form("additionalContext", |r| {
        specific(r.native, &json!({"additionalContext": r.mark}))
    }),
    form("systemMessage", |r| json(&json!({"systemMessage": r.mark}))),
    form("JSON in JSON", |r| {
        Some(said(&json!(refusal(r)?).to_string(), "", 0))
    }),
    form("a refusal for another event", |r| {
        let inner = json!({"permissionDecision": "deny", "permissionDecisionReason": r.mark});
        specific("Elsewhere", &inner)
    }),
];

/// Forms that are said about a tool.
pub(crate) static TOOL_FORMS: &[Probe] = &[
    form("permissionDecision deny", |r| {
        let inner = json!({"permissionDecision": "deny", "permissionDecisionReason": r.mark});
        specific(r.native, &inner)
    }),
    form("permissionDecision ask", |r| {
        let inner = json!({"permissionDecision": "ask", "permissionDecisionReason": r.mark});
        specific(r.native, &inner)
    }),
    form("decision ask", |r| {
        json(&json!({"decision": "ask", "reason": r.mark}))
    }),
    form("a refusal that names no event", |r| {
        let inner = json!({"permissionDecision": "deny", "permissionDecisionReason": r.mark});
        json(&json!({"hookSpecificOutput": inner}))
    }),
    form("updatedInput alone", |r| {
        specific(r.native, &json!({"updatedInput": input(r)?}))
    }),
    form("updatedInput and allow", |r| {
        let inner = json!({"permissionDecision": "allow", "updatedInput": input(r)?});
        specific(r.native, &inner)
    }),
    form("updatedInput without the command, and allow", |r| {
        let inner = json!({"permissionDecision": "allow", "updatedInput": {"note": "nothing"}});
        specific(r.native, &inner)
    }),
    form("modifiedArgs", |r| {
        json(&json!({"modifiedArgs": input(r)?}))
    }),
    form("overrideInput", |r| {
        json(&json!({"cancel": false, "overrideInput": input(r)?}))
    }),
];

/// Forms that are said about a prompt.
pub(crate) static PROMPT_FORMS: &[Probe] = &[
    form("top additionalContext", |r| {
        json(&json!({"additionalContext": r.mark}))
    }),
    form("modifiedPrompt", |r| {
        json(&json!({"modifiedPrompt": r.mark}))
    }),
    form("cancel", |r| {
        json(&json!({"cancel": true, "errorMessage": r.mark}))
    }),
];

const fn form(name: &'static str, says: fn(&Ready<'_>) -> Option<Said>) -> Probe {
    Probe { name, says }
}

fn said(stdout: &str, stderr: &str, exit: i32) -> Said {
    Said {
        stdout: stdout.to_owned(),
        stderr: stderr.to_owned(),
        exit,
    }
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "every probe may have nothing to say"
)]
fn json(value: &Value) -> Option<Said> {
    Some(said(&format!("{value}\n"), "", 0))
}

fn specific(event: &str, inner: &Value) -> Option<Said> {
    let mut fields = Map::from_iter([("hookEventName".to_owned(), event.into())]);
    fields.extend(inner.as_object()?.clone());
    json(&json!({"hookSpecificOutput": fields}))
}

/// What the host is told of a verdict or an effect.
pub(crate) fn verb(ready: &Ready<'_>, verb: &str) -> Option<Said> {
    let Ready {
        host,
        native,
        payload,
        mark,
        changed,
    } = *ready;
    verify::said(host, native, payload, verb, mark, changed)
}

/// The arguments of the call as the host has them, with another command line.
fn input(ready: &Ready<'_>) -> Option<Value> {
    let bytes = ready.payload.to_string();
    let read = ready.host.read_event(bytes.as_bytes(), Some(ready.native));
    let event = read.ok()?;
    let mut input = event.get("tool_input")?.as_object()?.clone();
    input.insert("command".to_owned(), ready.changed.into());
    let call = json!({"tool_name": event.text("tool_name")?, "tool_input": input});
    let written = ready
        .host
        .write_as(&Event::new("tool:pre", call), ready.native);
    let names = ["tool_input", "toolArgs", "toolInput"];
    match names.iter().find_map(|name| written.get(*name))? {
        Value::String(text) => serde_json::from_str(text).ok(),
        other => Some(other.clone()),
    }
}

/// Our own refusal of the event, as text.
fn refusal(ready: &Ready<'_>) -> Option<String> {
    let said = verb(ready, "deny")?;
    let stdout = said.stdout.trim();
    (stdout.starts_with('{') && said.exit == 0).then(|| said.stdout.clone())
}

fn object(text: &str) -> Option<Map<String, Value>> {
    serde_json::from_str(text).ok()
}
