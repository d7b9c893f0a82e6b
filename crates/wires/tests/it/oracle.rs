//! What is said is at least as grave as what was meant: judged by a reader that shares no code with the writer.

use std::sync::LazyLock;

use anyhook_core::can::{Coupling, Shown};
use anyhook_core::effects::{Injection, Notice};
use anyhook_core::event::{Datum, Event};
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::taxonomy::Class;
use anyhook_readers::{Answer, Behaviour, Gravity, reader};
use anyhook_wires::dialects::amplifier::Flat;
use anyhook_wires::{Host, Reply, fitted, host};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::fixtures::{amplifier, ended, payloads};

/// One result that a chain of hooks could come to.
fn results() -> impl Strategy<Value = HookResult> {
    let texts = || proptest::collection::vec("[a-zß🛒\"\\\\\n{}][a-z ]{0,12}", 0..3);
    let rewrite = prop_oneof![
        Just(None),
        "[a-z]{1,8}".prop_map(|command| Some(json!({"command": command}))),
        Just(Some(json!({}))),
    ];
    let output = proptest::option::of("[a-z]{0,8}");
    (
        0..5_u8,
        "[a-z✓][a-z\n]{0,12}",
        rewrite,
        output,
        texts(),
        texts(),
        any::<bool>(),
    )
        .prop_map(
            |(verdict, reason, rewrite, output, inject, notify, hides)| {
                let mut result = match verdict {
                    0 => HookResult::proceed(),
                    1 => HookResult::allow_because(reason),
                    2 => HookResult::ask(reason),
                    3 => HookResult::deny(reason),
                    _ => HookResult::halt(reason),
                };
                if let Some(input) = rewrite {
                    result = result.modify("tool_input", input);
                }
                if let Some(text) = output {
                    let output = json!({"stdout": text, "stderr": "", "interrupted": false});
                    result = result.modify("tool_result", output);
                }
                result = inject.into_iter().fold(result, |result, text| {
                    result.injecting(Injection::new(text))
                });
                result = notify
                    .into_iter()
                    .fold(result, |result, text| result.notifying(Notice::new(text)));
                if hides {
                    result.effects.edit().suppress_output = true;
                }
                result
            },
        )
}

static CLAUDE_CODE: LazyLock<Vec<(String, Value)>> = LazyLock::new(|| payloads("claude-code"));
/// The payloads that it posts to a server, of each event at least one.
static POSTED: LazyLock<Vec<(String, Value)>> = LazyLock::new(|| {
    let posts = host("claude-code").unwrap().facts().posts.unwrap();
    let posted = CLAUDE_CODE.iter().filter(|(name, _)| posts.has(name));
    let posted: Vec<_> = posted.cloned().collect();
    for event in posts.events {
        assert!(posted.iter().any(|(name, _)| name == event), "{event}");
    }
    posted
});
static UNIVERSAL: LazyLock<Vec<(String, Value)>> = LazyLock::new(|| payloads("universal"));
static AMPLIFIER: LazyLock<Vec<(String, Value)>> = LazyLock::new(|| {
    let rows = host("amplifier").unwrap().rows().iter();
    rows.map(|row| (row.name.to_owned(), amplifier(row.name)))
        .collect()
});

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn claude_code_does_at_least_what_was_meant(
        (at, meant) in (0..CLAUDE_CODE.len(), results()),
        mode in prop_oneof![Just(None), Just(Some("bypassPermissions")), Just(Some("plan"))],
    ) {
        let (name, mut payload) = CLAUDE_CODE[at].clone();
        if let Some(mode) = mode {
            payload["permission_mode"] = json!(mode);
        }
        judge(&Case::new("claude-code", &name, payload), meant);
    }

    /// A server has no exit code and no standard error to say anything with.
    #[test]
    fn what_claude_code_posts_is_answered_by_an_object_or_by_nothing(
        (at, meant) in (0..POSTED.len(), results()),
    ) {
        let (name, payload) = POSTED[at].clone();
        let case = Case::new("claude-code", &name, payload);
        let can = case.wire.can(&case.event);
        let (said, _) = fitted(case.wire, &case.event, meant, &can);
        let reply = case.wire.write_result(&case.event, &said);
        let object = serde_json::from_str::<serde_json::Map<String, Value>>(&reply.stdout);
        let is_whole = reply.stdout.is_empty() || object.is_ok();
        prop_assert!(is_whole && reply.exit == 0 && reply.stderr.is_empty(), "{}: {:?}", name, reply);
    }

    #[test]
    fn a_universal_host_does_at_least_what_was_meant(
        (at, meant) in (0..UNIVERSAL.len(), results()),
    ) {
        let (name, payload) = UNIVERSAL[at].clone();
        judge(&Case::new("universal", &name, payload), meant);
    }

    #[test]
    fn an_amplifier_loop_does_at_least_what_was_meant(
        (at, meant) in (0..AMPLIFIER.len(), results()),
    ) {
        let (name, payload) = AMPLIFIER[at].clone();
        judge(&Case::new("amplifier", &name, payload), meant);
    }
}

struct Case {
    id: &'static str,
    wire: &'static dyn Host,
    name: String,
    payload: Value,
    event: Event,
}

impl Case {
    fn new(id: &'static str, name: &str, payload: Value) -> Self {
        let wire = host(id).unwrap();
        let event = wire
            .read_event(payload.to_string().as_bytes(), None)
            .unwrap();
        Self {
            id,
            wire,
            name: name.to_owned(),
            payload,
            event,
        }
    }

    fn behaviour(&self, reply: &Reply) -> Behaviour {
        reader(self.id).unwrap().reads(&Answer {
            event: &self.name,
            payload: &self.payload,
            stdout: reply.stdout.as_bytes(),
            stderr: reply.stderr.as_bytes(),
            exit: i32::from(reply.exit),
        })
    }
}

fn judge(case: &Case, meant: HookResult) {
    let can = case.wire.can(&case.event);
    let (said, _) = fitted(case.wire, &case.event, meant, &can);
    let reply = case.wire.write_result(&case.event, &said);
    let done = case.behaviour(&reply);
    let what = format!("{} {said:#?}\n{reply:?}\n{done:?}", case.name);

    // A worktree that no hook made is an error of its own, whatever is said. And the seed has no word for a stop of the
    // agent: those who read ours go further than it.
    let is_halt = case.id == "universal" && said.verdict.kind() == Kind::Halt;
    if case.name != "WorktreeCreate" && !is_halt {
        assert_eq!(done.errors, Vec::<String>::new(), "{what}");
    }
    gravity(case, &said, &done, &what);
    texts(case, &said, &done, &what);
    rewrites(case, &said, &done, &what);
    heard_again(case, &said, &reply, &what);
}

/// The action goes no further than was meant, and nothing is approved without an approval.
fn gravity(case: &Case, said: &HookResult, done: &Behaviour, what: &str) {
    let can = case.wire.can(&case.event);
    let kind = said.verdict.kind();
    let rewrites = !said.effects.patch().is_empty();
    let is_told = done.model_sees.contains(&said.verdict.text());

    match kind {
        Kind::Continue if rewrites && case.event.name.class() == Class::Gate => {
            assert_eq!(can.coupling, Coupling::Free, "{what}");
        }
        Kind::Continue => assert!(done.gravity() >= Gravity::Nothing, "{what}"),
        Kind::Allow => assert!(can.says(Kind::Allow), "{what}"),
        Kind::Ask => assert!(done.gravity() >= Gravity::Ask, "{what}"),
        Kind::Deny if case.event.name.class() == Class::After => assert!(is_told, "{what}"),
        // The seed's own table has a compaction that cannot be prevented; its reason is told.
        Kind::Deny | Kind::Halt if case.name == "pre-compact" => assert!(is_told, "{what}"),
        Kind::Deny => assert!(done.gravity() >= Gravity::Refuse, "{what}"),
        // What can be refused is.
        Kind::Halt if case.id != "claude-code" => {
            let gate = case.event.name.class() == Class::Gate;
            assert!(!gate || done.gravity() >= Gravity::Refuse, "{what}");
        }
        Kind::Halt => assert_eq!(done.gravity(), Gravity::Halt, "{what}"),
    }
}

/// Every text that was kept reaches its reader.
fn texts(case: &Case, said: &HookResult, done: &Behaviour, what: &str) {
    let can = case.wire.can(&case.event);
    assert!(
        can.inject.is_some() || said.effects.inject().is_empty(),
        "{what}"
    );
    assert!(
        can.notify == Shown::Yes || said.effects.notify().is_empty(),
        "{what}"
    );
    let model = done.model_sees.join("\n");
    for injection in said.effects.inject() {
        assert!(model.contains(&*injection.text), "{what}");
    }
    let person = done.person_sees.join("\n");
    for notice in said.effects.notify() {
        assert!(person.contains(&*notice.text), "{what}");
    }
}

/// The tool gets exactly the input that was meant, or its own.
fn rewrites(case: &Case, said: &HookResult, done: &Behaviour, what: &str) {
    let value = |field: &str| Some(said.effects.rewrite(field)?.value.as_ref()?.json());
    assert_eq!(done.input, value("tool_input"), "{what}");
    let is_shell = case.payload["tool_name"] == "Bash";
    if case.id == "claude-code" && is_shell {
        assert_eq!(done.result, value("tool_result"), "{what}");
    }
}

/// What was said is read as what was said: nothing of a fitted result is lost on the way out.
fn heard_again(case: &Case, said: &HookResult, reply: &Reply, what: &str) {
    let raw = ended(i32::from(reply.exit), &reply.stdout, &reply.stderr);
    let heard = match case.id {
        // A registry says what became of the data whatever its action; of a hook only a `modify` does.
        "amplifier" => emitted(&reply.stdout, &case.event),
        _ => case.wire.read_result(&raw, &case.event).unwrap(),
    };
    let is_free = case.wire.can(&case.event).coupling == Coupling::Free;
    let approves =
        said.verdict.kind() == Kind::Continue && !said.effects.patch().is_empty() && is_free;
    // A hook that made no worktree has refused it.
    let makes_nothing = case.name == "WorktreeCreate" && said.verdict.kind() == Kind::Continue;
    let is_other = makes_nothing || (approves && case.id == "claude-code");
    if !is_other {
        assert_eq!(heard.verdict.kind(), said.verdict.kind(), "{what}");
    }
    let (theirs, ours) = (heard.verdict.text(), said.verdict.text());
    let is_same = theirs.trim_end() == ours.trim_end();
    assert!(said.verdict.kind() <= Kind::Allow || is_same, "{what}");
    let values = |result: &HookResult| -> Vec<(String, Option<Value>)> {
        let all = result.effects.patch().iter();
        all.map(|one| (one.field.to_string(), one.value.as_ref().map(Datum::json)))
            .filter(|(_, value)| case.id != "universal" || *value != Some(json!({})))
            .collect()
    };
    assert_eq!(values(&heard), values(said), "{what}");
    let joined = |result: &HookResult| -> String {
        let all: Vec<&str> = result
            .effects
            .inject()
            .iter()
            .map(|one| &*one.text)
            .collect();
        all.join("\n\n")
    };
    assert_eq!(joined(&heard), joined(said), "{what}");
    let joined = |result: &HookResult| -> String {
        let all: Vec<&str> = result
            .effects
            .notify()
            .iter()
            .map(|one| &*one.text)
            .collect();
        all.join("\n")
    };
    assert_eq!(joined(&heard), joined(said), "{what}");
}

fn emitted(stdout: &str, event: &Event) -> HookResult {
    let flat = Flat::from_json(serde_json::from_str(stdout).unwrap()).unwrap();
    flat.emitted(event)
}
