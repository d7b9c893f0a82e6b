//! The relatives of Claude Code: every answer of a hook in their corpus, as its host acts on it and as it is heard here.

mod examples;

use std::borrow::Cow;

use anyhook_core::can::Coupling;
use anyhook_core::event::{Datum, Event, Map};
use anyhook_core::handler::Said;
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::transcript::{End, Transcript};
use anyhook_readers::{Answer, Behaviour, Gravity, reader};
use anyhook_wires::{Host, host};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use crate::fixtures::{ended, payloads, responses};

const RELATIVES: &[&str] = &[
    "codex-cli",
    "qwen-code",
    "factory-droid",
    "devin-cli",
    "opencode",
];

/// One answer of one hook.
struct Case {
    wire: &'static dyn Host,
    what: String,
    native: String,
    payload: Value,
    event: Event,
    raw: Transcript,
}

impl Case {
    fn heard(&self) -> Said {
        self.wire.read_result(&self.raw, &self.event)
    }

    fn reads(&self, stdout: &[u8], stderr: &[u8], exit: i32) -> Behaviour {
        reader(self.wire.id()).unwrap().reads(&Answer {
            event: &self.native,
            payload: &self.payload,
            stdout,
            stderr,
            exit,
        })
    }

    /// What the host does with the hook itself.
    fn native(&self) -> Behaviour {
        let End::Code(exit) = self.raw.end else {
            unreachable!("a process that ended");
        };
        self.reads(&self.raw.stdout.kept, &self.raw.stderr.kept, exit)
    }

    /// What the host does with what we say for the hook.
    fn said_again(&self) -> Option<Behaviour> {
        let heard = self.heard().ok()?;
        let (class, mutable) = (self.event.name.class(), self.event.name.mutable());
        let (fitted, _) = heard.fit(class, mutable, &self.wire.can(&self.event));
        let reply = self.wire.write_result(&self.event, &fitted);
        let (stdout, stderr) = (reply.stdout.as_bytes(), reply.stderr.as_bytes());
        Some(self.reads(stdout, stderr, i32::from(reply.exit)))
    }
}

fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    for id in RELATIVES {
        let wire = host(id).unwrap();
        for (native, name, raw) in responses(id) {
            let sent = payloads(id).into_iter().find(|(event, _)| *event == native);
            let (_, payload) = sent.unwrap_or_else(|| panic!("{id} {native} has no payload"));
            all.push(Case {
                wire,
                what: format!("{id} {native} {name}"),
                event: wire
                    .read_event(payload.to_string().as_bytes(), None)
                    .unwrap(),
                native,
                payload,
                raw,
            });
        }
    }
    all
}

#[test]
fn no_answer_is_heard_softer_than_its_host_acts_on_it() {
    for case in cases() {
        let (what, done, heard) = (&case.what, case.native(), case.heard());
        let least = match done.gravity() {
            Gravity::Allow | Gravity::Nothing => Kind::Continue,
            Gravity::Ask => Kind::Ask,
            Gravity::Refuse => Kind::Deny,
            Gravity::Halt => Kind::Halt,
        };
        let kind = heard.as_ref().map(|said| said.verdict.kind());
        if done.errors.is_empty() {
            assert!(kind.is_ok_and(|kind| kind >= least), "{what}: {heard:?}");
        } else {
            assert!(
                kind.is_ok_and(|kind| kind >= Kind::Ask) || heard.is_err(),
                "{what}"
            );
        }
    }
}

#[test]
fn an_approval_that_its_host_would_not_honour_is_none() {
    let mut approvals = 0;
    for case in cases() {
        let heard = case.heard();
        if heard.is_ok_and(|said| said.verdict.kind() == Kind::Allow) {
            assert_eq!(case.native().gravity(), Gravity::Allow, "{}", case.what);
            approvals += 1;
        }
    }
    // A rewrite and a dialog of Codex CLI; Qwen Code; Factory Droid. None of Devin CLI, whose documents are not sure of it.
    assert!(approvals >= 6, "{approvals}");
}

#[test]
fn what_is_heard_and_said_again_does_at_least_what_the_hook_did() {
    for case in cases() {
        let Some(again) = case.said_again() else {
            continue;
        };
        let (what, first) = (&case.what, case.native());
        assert_eq!(again.errors, Vec::<String>::new(), "{what}");
        assert!(again.gravity() >= first.gravity(), "{what}: {again:?}");
        if !first.errors.is_empty() {
            continue;
        }
        let is_same = (again.input == first.input) && (again.result == first.result);
        assert!(is_same || again.gravity() >= Gravity::Refuse, "{what}");
        for text in &first.model_sees {
            let told = again.model_sees.iter().chain(&again.person_sees);
            assert!(told.into_iter().any(|seen| seen.contains(text)), "{what}");
        }
    }
}

/// A field that some answer has, with a value that some field has: most are wrong together, and some are right.
fn fields() -> impl Strategy<Value = Map> {
    let key = select(vec![
        "continue",
        "stopReason",
        "suppressOutput",
        "systemMessage",
        "decision",
        "reason",
        "permissionDecision",
        "permissionDecisionReason",
        "updatedInput",
        "additionalContext",
        "hookEventName",
        "behavior",
        "message",
        "version",
    ]);
    let value = select(vec![
        json!(null),
        json!(true),
        json!(false),
        json!(7),
        json!(""),
        json!(" "),
        json!("no"),
        json!("block"),
        json!("deny"),
        json!("allow"),
        json!("approve"),
        json!("ask"),
        json!("Allow"),
        json!({"command": "ls -l"}),
        json!({"cmd": "ls"}),
        json!({"behavior": "allow"}),
        json!({"behavior": "deny", "message": "no"}),
    ]);
    proptest::collection::vec((key, value), 0..4).prop_map(|all| {
        let own = |(key, value): (&str, Value)| (key.to_owned(), value);
        all.into_iter().map(own).collect()
    })
}

prop_compose! {
    /// What a hook that gets things wrong leaves behind.
    fn left()(
        top in fields(),
        specific in proptest::option::weighted(0.7, fields()),
        is_named in proptest::bool::weighted(0.8),
        exit in select(vec![0, 0, 0, 0, 1, 2]),
        stderr in select(vec!["", " ", "no"]),
    ) -> (Map, Option<Map>, bool, i32, &'static str) {
        (top, specific, is_named, exit, stderr)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn whatever_a_hook_answers_it_is_heard_no_softer_and_approves_no_more((top, specific, is_named, exit, stderr) in left()) {
        for id in RELATIVES {
            for (native, payload) in firsts(id) {
                let mut answer = top.clone();
                if let Some(mut specific) = specific.clone() {
                    if is_named {
                        specific.insert("hookEventName".to_owned(), native.as_str().into());
                    }
                    answer.insert("hookSpecificOutput".to_owned(), Value::Object(specific));
                }
                let wire = host(id).unwrap();
                let case = Case {
                    wire,
                    what: format!("{id} {native} {exit} {stderr:?} {answer:?}"),
                    event: wire.read_event(payload.to_string().as_bytes(), Some(&native)).unwrap(),
                    native,
                    payload,
                    raw: ended(exit, &Value::Object(answer).to_string(), stderr),
                };
                no_softer(&case);
            }
        }
    }
}

#[test]
fn a_stop_with_a_blank_reason_replaces_the_result_as_the_agent_does() {
    for text in [" ", "\n", "no"] {
        let answer = json!({"continue": false, "stopReason": text}).to_string();
        for (native, payload) in firsts("codex-cli") {
            if native != "PostToolUse" {
                continue;
            }
            let wire = host("codex-cli").unwrap();
            no_softer(&Case {
                wire,
                what: format!("{native} {text:?}"),
                event: wire
                    .read_event(payload.to_string().as_bytes(), Some(&native))
                    .unwrap(),
                native,
                payload,
                raw: ended(0, &answer, ""),
            });
        }
    }
}

fn firsts(id: &str) -> Vec<(String, Value)> {
    let mut all = payloads(id);
    all.dedup_by(|(later, _), (first, _)| later == first);
    all
}

fn no_softer(case: &Case) {
    let (what, done, heard) = (&case.what, case.native(), case.heard());
    let kind = heard.as_ref().map(|said| said.verdict.kind());
    if done.gravity() >= Gravity::Refuse {
        assert!(
            kind.is_ok_and(|kind| kind >= Kind::Deny),
            "{what}: {done:?} {heard:?}"
        );
    }
    if kind == Ok(Kind::Allow) {
        assert_eq!(done.gravity(), Gravity::Allow, "{what}: {done:?} {heard:?}");
    }
    let Ok(said) = &heard else {
        return;
    };
    let is_changed =
        said.effects.rewrite("tool_input").is_some() || said.verdict.kind() >= Kind::Deny;
    assert!(
        done.input.is_none() || is_changed,
        "{what}: {done:?} {heard:?}"
    );
    let is_replaced = said.effects.rewrite("tool_result").is_some();
    assert!(
        done.result.is_none() || is_replaced,
        "{what}: {done:?} {heard:?}"
    );
    let again = case.said_again().unwrap();
    assert!(again.errors.is_empty(), "{what}: {again:?}");
    assert!(
        again.gravity() >= done.gravity(),
        "{what}: {done:?} {again:?}"
    );
}

/// Makes a call of one host, as an event.
#[expect(
    clippy::needless_pass_by_value,
    reason = "reads better where it is called"
)]
fn call(id: &str, tool: &str, input: Value) -> Event {
    let payload = json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/p",
        "tool_name": tool, "tool_input": input});
    let bytes = payload.to_string();
    host(id)
        .unwrap()
        .read_event(bytes.as_bytes(), None)
        .unwrap()
}

fn said(id: &str, event: &Event, result: HookResult) -> Value {
    let wire = host(id).unwrap();
    let (class, mutable) = (event.name.class(), event.name.mutable());
    let (fitted, _) = result.fit(class, mutable, &wire.can(event));
    let reply = wire.write_result(event, &fitted);
    serde_json::from_str(&reply.stdout).unwrap_or(Value::String(reply.stderr))
}

/// Results of every kind that hooks come to about a call, a prompt or a result.
fn results(event: &Event) -> Vec<HookResult> {
    let mut input = event.get("tool_input").map(Cow::into_owned);
    let text = input.as_mut().and_then(Value::as_object_mut);
    let text = text.and_then(|fields| fields.values_mut().find(|value| value.is_string()));
    if let Some(text) = text {
        *text = json!("something else");
    }
    let all = [
        HookResult::proceed(),
        HookResult::allow_because("read-only"),
        HookResult::ask("sure?"),
        HookResult::deny("frozen\nuntil \"Monday\""),
        HookResult::halt("budget is spent"),
    ];
    let with = |result: &HookResult| {
        let told = result
            .clone()
            .inject("branch: main")
            .notify("linter is missing");
        let result = told.modify("tool_result", "[redacted]");
        match &input {
            Some(input) => result.modify("tool_input", input.clone()),
            None => result,
        }
    };
    let more: Vec<HookResult> = all.iter().map(with).collect();
    all.into_iter().chain(more).collect()
}

#[test]
fn what_is_said_is_heard_as_it_was_said() {
    for id in RELATIVES {
        let wire = host(id).unwrap();
        for (native, payload) in payloads(id) {
            let event = wire
                .read_event(payload.to_string().as_bytes(), Some(&native))
                .unwrap();
            for result in results(&event) {
                let (class, mutable) = (event.name.class(), event.name.mutable());
                let (said, _) = result.fit(class, mutable, &wire.can(&event));
                let reply = wire.write_result(&event, &said);
                let raw = ended(i32::from(reply.exit), &reply.stdout, &reply.stderr);
                let heard = wire.read_result(&raw, &event).unwrap();
                let what = format!("{id} {native}\n{said:#?}\n{reply:?}\n{heard:#?}");
                let blocks = reply.stdout.contains(r#""decision":"block""#);
                let row = wire.row(&native).unwrap();
                let is_alone = row.can.says(Kind::Allow) || row.can.coupling == Coupling::Free;
                same((is_alone, blocks), &said, &heard, &what);
            }
        }
    }
}

fn same((is_alone, blocks): (bool, bool), said: &HookResult, heard: &HookResult, what: &str) {
    let rewrite = |result: &HookResult, field: &str| {
        let rewrite = result.effects.rewrite(field)?;
        let mut value = rewrite.value.as_ref().map(Datum::json)?;
        // What stands beside a patch is read out of it.
        if let Some(fields) = value
            .as_object_mut()
            .filter(|fields| fields.contains_key("patch"))
        {
            fields.shift_remove("files");
        }
        Some(value)
    };
    for field in ["tool_input", "tool_result"] {
        assert_eq!(rewrite(said, field), rewrite(heard, field), "{what}");
    }
    // Where the mode permits everything a rewrite alone is said as an approval, and a result is replaced by a refusal.
    // One whose row takes new arguments alone is told them so.
    let kind = match said.verdict.kind() {
        Kind::Continue if rewrite(said, "tool_input").is_some() && !is_alone => Kind::Allow,
        Kind::Continue if rewrite(said, "tool_result").is_some() && blocks => Kind::Deny,
        kind => kind,
    };
    assert_eq!(heard.verdict.kind(), kind, "{what}");
    if said.verdict.kind() >= Kind::Ask {
        assert!(
            heard.verdict.text().contains(&*said.verdict.text()),
            "{what}"
        );
    }
    let told = |result: &HookResult| {
        let inject: Vec<String> = result
            .effects
            .inject()
            .iter()
            .map(|one| one.text.to_string())
            .collect();
        let notify: Vec<String> = result
            .effects
            .notify()
            .iter()
            .map(|one| one.text.to_string())
            .collect();
        (inject.join("\n\n"), notify.join("\n"))
    };
    assert_eq!(told(said), told(heard), "{what}");
}
