//! Every answer that each host can get, to be read as prose.

use std::fmt::Write;

use anyhook_core::effects::Injection;
use anyhook_core::event::Map;
use anyhook_core::fit::Loss;
use anyhook_core::question::{Answerer, Question};
use anyhook_core::result::{HookResult, Kind};
use anyhook_readers::reader;
use anyhook_wires::hosts::HOSTS;
use anyhook_wires::{Reply, host};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::case::{Case, deeds, left, words};
use crate::fixtures::{beside, payloads};

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
            writeln!(all, "  {kind}: {}", shown(&reply, &losses)).unwrap();
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

fn shown(reply: &Reply, losses: &[Loss]) -> String {
    let mut all = format!("exit {}", reply.exit);
    for (stream, text) in [("stdout", &reply.stdout), ("stderr", &reply.stderr)] {
        if !text.is_empty() {
            write!(all, " {stream} {}", text.trim_end()).unwrap();
        }
    }
    for loss in losses {
        write!(all, " [{:?} -> {:?}]", loss.what, loss.became).unwrap();
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

/// What hooks come to about one payload, in the file of a host: `fixtures/said/HOST.json`.
#[derive(Deserialize)]
struct Saying {
    what: String,
    event: String,
    /// Which payload of the corpus: the first that has these fields.
    #[serde(default)]
    at: Map,
    /// Fields that stand in it instead.
    #[serde(default)]
    with: Map,
    says: Vec<Value>,
}

/// One result.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Meant {
    verdict: Option<String>,
    because: String,
    /// New values of fields.
    set: Map,
    /// Values of fields in which something changed; what became null is gone.
    edit: Map,
    inject: Vec<Injection>,
    notify: Option<String>,
    /// Answers that only a host has: this one, unless another is named.
    native: Map,
    of: Option<String>,
    /// It is written as it is, although it does not fit.
    unfitted: bool,
}

impl Meant {
    fn result(&self, case: &Case) -> HookResult {
        let because = self.because.as_str();
        let mut said = match self.verdict.as_deref() {
            None => HookResult::proceed(),
            Some("allow") => HookResult::allow_because(because),
            Some("ask") => HookResult::ask(because),
            Some("defer") => HookResult::asks(Question {
                who: Answerer::Host,
                ..Question::new(because)
            }),
            Some("deny") => HookResult::deny(because),
            Some("halt") => HookResult::halt(because),
            Some(other) => panic!("{other} is no verdict"),
        };
        for (field, value) in &self.set {
            said = said.modify(field.clone(), value.clone());
        }
        for (field, changes) in &self.edit {
            let mut value = case.event.get(field).unwrap().into_owned();
            overlay(value.as_object_mut().unwrap(), changes.as_object().unwrap());
            said = said.modify(field.clone(), value);
        }
        said = self
            .inject
            .iter()
            .cloned()
            .fold(said, HookResult::injecting);
        said = self
            .notify
            .iter()
            .fold(said, |said, text| said.notify(text.as_str()));
        if self.native.is_empty() {
            return said;
        }
        let of = self.of.as_deref().unwrap_or(case.wire.id()).to_owned();
        said.native(of, self.native.clone())
    }
}

/// Lays fields over others; what is null goes.
fn overlay(fields: &mut Map, changes: &Map) {
    for (key, value) in changes {
        match value {
            Value::Null => drop(fields.shift_remove(key)),
            value => drop(fields.insert(key.clone(), value.clone())),
        }
    }
}

/// The payload of the corpus that has these fields.
fn payload(id: &str, event: &str, at: &Map, with: &Map) -> Value {
    let has = |payload: &Value| at.iter().all(|(key, value)| payload[key] == *value);
    let mut payload = Case::such(id, event, has).payload;
    overlay(payload.as_object_mut().unwrap(), with);
    payload
}

#[test]
fn what_becomes_of_a_result_that_a_host_has_its_own_form_for() {
    for id in HOSTS.iter().map(|host| host.id()) {
        let mut all = String::new();
        for saying in beside::<Vec<Saying>>("said", id) {
            let payload = payload(id, &saying.event, &saying.at, &saying.with);
            let case = Case::new(id, &saying.event, payload);
            writeln!(all, "{}: {}", saying.event, saying.what).unwrap();
            for says in saying.says {
                writeln!(all, "  {says}").unwrap();
                let meant: Meant = serde_json::from_value(says).unwrap();
                let result = meant.result(&case);
                let (reply, losses) = if meant.unfitted {
                    (case.wire.write_result(&case.event, &result), Vec::new())
                } else {
                    let (_, reply, losses) = case.says(result);
                    (reply, losses)
                };
                writeln!(all, "    {}", shown(&reply, &losses)).unwrap();
                if reader(id).is_some() {
                    writeln!(all, "    => {}", deeds(&case.does(&left(&reply)))).unwrap();
                }
                let heard = case.hears(&left(&reply)).unwrap();
                writeln!(all, "    heard: {}", words(&heard)).unwrap();
                let (_, again, losses) = case.says(heard);
                if again != reply {
                    writeln!(all, "    said again: {}", shown(&again, &losses)).unwrap();
                }
            }
        }
        if !all.is_empty() {
            insta::assert_snapshot!(format!("own_{id}"), all);
        }
    }
}

/// Payloads that hide what is decided about, in the file of a host: `fixtures/unread/HOST.json`.
#[derive(Deserialize)]
struct Hidden {
    event: String,
    #[serde(default)]
    at: Map,
    /// Fields that stand in the payload of the corpus instead, in each of these ways.
    with: Vec<Map>,
}

#[test]
fn a_payload_that_hides_what_is_decided_about_is_no_event_and_is_refused() {
    for id in HOSTS.iter().map(|host| host.id()) {
        let mut all = String::new();
        for Hidden { event, at, with } in beside::<Vec<Hidden>>("unread", id) {
            for with in with {
                let wire = host(id).unwrap();
                let bytes = payload(id, &event, &at, &with).to_string();
                let error = wire.read_event(bytes.as_bytes(), Some(&event)).unwrap_err();
                assert_eq!(error.event.as_deref(), Some(&*event), "{id} {with:?}");
                let reply = wire.refuse_unread(wire.row(&event), &error.what);
                writeln!(
                    all,
                    "{event} {}\n  {}",
                    Value::from(with),
                    shown(&reply, &[])
                )
                .unwrap();
                let heard = Case::first(id, &event).hears(&left(&reply)).unwrap();
                assert!(heard.verdict.kind() >= Kind::Deny, "{id} {reply:?}");
            }
        }
        if !all.is_empty() {
            insta::assert_snapshot!(format!("unread_{id}"), all);
        }
    }
}
