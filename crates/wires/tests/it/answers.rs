//! Every payload and every answer of the corpus: what we read in it, and that no host acts more gravely than we hear.

use std::collections::BTreeMap;
use std::fmt::Write;

use anyhook_core::can::RewriteCoupling;
use anyhook_core::event::Map;
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::transcript::{End, Transcript};
use anyhook_readers::{Asked, Gate, Gravity, reader};
use anyhook_wires::host;
use anyhook_wires::hosts::HOSTS;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use crate::case::{Case, deeds, left, texts, value, words};
use crate::fixtures::{beside, ended, folder, odd, responses};

/// The hosts that have a corpus.
fn ids() -> impl Iterator<Item = &'static str> {
    let ids = HOSTS.iter().map(|host| host.id());
    ids.filter(|id| folder(id).is_dir())
}

/// The hosts that a reader judges.
fn judged() -> impl Iterator<Item = &'static str> {
    ids().filter(|id| reader(id).is_some())
}

/// Every answer of a host's corpus, by its name, at the first payload of its event.
fn cases(id: &str) -> Vec<(Case, String, Transcript)> {
    at_first(id, responses(id))
}

/// The same, and answers that are wrong somewhere.
fn all_cases(id: &str) -> Vec<(Case, String, Transcript)> {
    at_first(id, [responses(id), odd(id)].concat())
}

fn at_first(
    id: &str,
    answers: Vec<(String, String, Transcript)>,
) -> Vec<(Case, String, Transcript)> {
    let of = |(event, name, raw): (String, String, Transcript)| {
        let row = host(id).unwrap().row(&event);
        let native = row.map_or(&*event, |row| row.name);
        (Case::first(id, native), name, raw)
    };
    answers.into_iter().map(of).collect()
}

#[test]
fn what_every_payload_says() {
    for id in ids() {
        let mut all = String::new();
        for case in Case::all(id).into_iter().chain(traps(id)) {
            let event = &case.event;
            let subject = event.subject.as_deref().unwrap_or_default();
            let session = event.session().unwrap_or_default();
            let data = Value::Object(event.data.json().into_owned());
            let name = &event.name;
            let also = event.also.len();
            writeln!(
                all,
                "{}: {name} [{subject} +{also}] {session} {data}",
                case.native
            )
            .unwrap();
        }
        insta::assert_snapshot!(format!("read_{id}"), all);
    }
}

/// Payloads that no capture has and in which something is easily missed. They go back as they came.
fn traps(id: &str) -> Vec<Case> {
    let all: BTreeMap<String, Vec<Value>> = beside("read", id);
    let of = |(native, payloads): (String, Vec<Value>)| {
        let payloads = payloads.into_iter();
        payloads.map(move |payload| Case::new(id, &native, payload))
    };
    let all: Vec<Case> = all.into_iter().flat_map(of).collect();
    for case in &all {
        assert_eq!(
            case.wire.write_event(&case.event),
            case.payload,
            "{}",
            case.what()
        );
    }
    all
}

#[test]
fn what_every_answer_of_a_hook_is_heard_to_say() {
    for id in ids() {
        let mut all = String::new();
        for (case, name, raw) in all_cases(id).into_iter().chain(of_any_hook(id)) {
            let text = match case.hears(&raw) {
                Ok(said) => words(&said),
                Err(fault) => format!("fault: {}", fault.text),
            };
            writeln!(all, "{} {name}: {text}", case.native).unwrap();
            if reader(id).is_some() && matches!(raw.end, End::Code(_)) {
                writeln!(all, "    => {}", deeds(&case.does(&raw))).unwrap();
            }
        }
        insta::assert_snapshot!(format!("heard_{id}"), all);
    }
}

/// What a hook of any host may leave behind, at each of its events.
fn of_any_hook(id: &str) -> Vec<(Case, String, Transcript)> {
    let left = [
        ("a refusal by exit code", ended(2, "", "frozen")),
        ("a refusal without a word", ended(2, "", " ")),
        ("a failure", ended(1, "", "boom")),
        (
            "a refusal and a failure",
            ended(1, r#"{"decision": "block", "reason": "no"}"#, ""),
        ),
        ("a text", ended(0, "branch: main", "")),
        ("half an object", ended(0, "{\"a\":", "")),
    ];
    let at = |case: Case| {
        left.clone()
            .map(|(name, raw)| (case.clone(), name.to_owned(), raw))
    };
    Case::firsts(id).into_iter().flat_map(at).collect()
}

/// What a hook that was written for one host reads of the events of another.
#[test]
fn what_every_event_of_claude_code_is_written_as() {
    let events = Case::firsts("claude-code");
    for host in HOSTS.iter().filter(|host| host.id() != "claude-code") {
        let mut all = String::new();
        for event in events.iter().map(|case| &case.event) {
            let rows = host.rows().iter();
            for row in rows.filter(|row| row.event == event.name.as_str()) {
                let written = host.write_as(event, row.name);
                writeln!(all, "{}: {written}", row.name).unwrap();
            }
        }
        insta::assert_snapshot!(format!("written_{}", host.id()), all);
    }
}

#[test]
fn no_answer_is_heard_softer_than_its_host_acts_on_it_and_none_approves_more() {
    let mut approvals = 0;
    for (case, name, raw) in judged().flat_map(all_cases) {
        let done = case.does(&raw);
        // What becomes of a failure is for the file that names the hook to say.
        let Ok(heard) = case.hears(&raw) else {
            continue;
        };
        let what = format!("{} {name}: {done:?} {heard:?}", case.what());
        let kind = heard.verdict.kind();
        let least = match done.gravity() {
            Gravity::Allow | Gravity::Nothing => Kind::Continue,
            Gravity::Ask => Kind::Ask,
            Gravity::Refuse => Kind::Deny,
            Gravity::Halt => Kind::Halt,
        };
        let said = case.says(heard).0.verdict.kind();
        assert!(kind.max(said) >= least, "{what}");
        if kind == Kind::Allow {
            assert_eq!(done.gravity(), Gravity::Allow, "{what}");
            approvals += 1;
        }
    }
    assert!(approvals >= 6, "{approvals}");
}

#[test]
fn what_is_heard_and_said_again_does_at_least_what_the_hook_did() {
    let them = ["claude-code", "codex-cli", "cursor"];
    for (case, name, raw) in them.into_iter().flat_map(cases) {
        let Ok(heard) = case.hears(&raw) else {
            continue;
        };
        let (_, reply, losses) = case.says(heard);
        let (first, again) = (case.does(&raw), case.does(&left(&reply)));
        let what = format!("{} {name}: {first:?} {again:?}", case.what());
        assert_eq!(again.errors, Vec::<String>::new(), "{what}");
        // What a hook says nothing with may be an `allow` of its host.
        let is_neutral = first.gravity() <= Gravity::Nothing;
        assert!(is_neutral || again.gravity() >= first.gravity(), "{what}");
        if !first.errors.is_empty() {
            continue;
        }
        // A result that its host drops for its form is said in the form of the tool.
        let is_kept = first.result.is_none() || again.result == first.result;
        let is_same = again.input == first.input && is_kept;
        assert!(is_same || again.gravity() >= Gravity::Refuse, "{what}");
        // What cannot be said is a loss, and what stands on the standard error of a failure is no word of the hook.
        if !losses.is_empty() {
            continue;
        }
        let is_said = raw.end == End::Code(0);
        let person = first.person_sees.iter().filter(|_| is_said);
        for text in first.model_sees.iter().chain(person) {
            let mut seen = again.model_sees.iter().chain(&again.person_sees);
            let is_asked = first.gate == Gate::AskedOf(Asked::Person);
            assert!(is_asked || seen.any(|seen| seen.contains(text)), "{what}");
        }
    }
}

/// A field that some answer has, with a value that some field has: most are wrong together, and some are right.
fn fields() -> impl Strategy<Value = Map> {
    let keys = "continue stopReason suppressOutput systemMessage decision reason permissionDecision \
        permissionDecisionReason updatedInput additionalContext hookEventName behavior message version";
    let key = select(keys.split_whitespace().collect::<Vec<_>>());
    let values = json!([
        null, true, false, 7, "", " ", "no", "block", "deny", "allow", "approve", "ask", "Allow",
        {"command": "ls -l"}, {"cmd": "ls"}, {"behavior": "allow"}, {"behavior": "deny", "message": "no"},
    ]);
    let value = select(values.as_array().unwrap().clone());
    proptest::collection::vec((key, value), 0..4).prop_map(|all| {
        let own = |(key, value): (&str, Value)| (key.to_owned(), value);
        all.into_iter().map(own).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn whatever_a_hook_answers_it_is_heard_no_softer_and_approves_no_more(
        top in fields(),
        specific in proptest::option::weighted(0.7, fields()),
        is_named in proptest::bool::weighted(0.8),
        exit in select(vec![0, 0, 0, 0, 1, 2]),
        stderr in select(vec!["", " ", "no"]),
    ) {
        for case in Case::firsts("codex-cli") {
            let mut answer = top.clone();
            if let Some(mut specific) = specific.clone() {
                if is_named {
                    specific.insert("hookEventName".to_owned(), case.native.as_str().into());
                }
                answer.insert("hookSpecificOutput".to_owned(), Value::Object(specific));
            }
            no_softer(&case, &ended(exit, &Value::Object(answer).to_string(), stderr));
        }
    }
}

#[test]
fn a_stop_with_a_blank_reason_replaces_the_result_as_the_agent_does() {
    for text in [" ", "\n", "no"] {
        let answer = json!({"continue": false, "stopReason": text}).to_string();
        no_softer(
            &Case::first("codex-cli", "PostToolUse"),
            &ended(0, &answer, ""),
        );
    }
}

fn no_softer(case: &Case, raw: &Transcript) {
    let (done, heard) = (case.does(raw), case.hears(raw));
    let what = format!("{} {raw:?}: {done:?} {heard:?}", case.what());
    let kind = heard.as_ref().map(|said| said.verdict.kind());
    let is_refused = done.gravity() >= Gravity::Refuse;
    assert!(
        !is_refused || kind.is_ok_and(|kind| kind >= Kind::Deny),
        "{what}"
    );
    assert!(
        kind != Ok(Kind::Allow) || done.gravity() == Gravity::Allow,
        "{what}"
    );
    let Ok(said) = heard else {
        return;
    };
    let has = |field: &str| said.effects.rewrite(field).is_some();
    let is_changed = has("tool_input") || said.verdict.kind() >= Kind::Deny;
    assert!(done.input.is_none() || is_changed, "{what}");
    assert!(done.result.is_none() || has("tool_result"), "{what}");
    let again = case.does(&left(&case.says(said).1));
    assert!(again.errors.is_empty(), "{what}: {again:?}");
    assert!(again.gravity() >= done.gravity(), "{what}: {again:?}");
}

/// Results of every kind that hooks come to about a call, a prompt or a result.
fn results(case: &Case) -> Vec<HookResult> {
    let mut input = case
        .event
        .get("tool_input")
        .map(std::borrow::Cow::into_owned);
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
    let them = [
        "universal",
        "codex-cli",
        "qwen-code",
        "factory-droid",
        "devin-cli",
        "opencode",
    ];
    for case in them.into_iter().flat_map(Case::all) {
        for result in results(&case) {
            let (said, reply, _) = case.says(result);
            let heard = case.hears(&left(&reply)).unwrap();
            let what = format!("{}\n{said:#?}\n{reply:?}\n{heard:#?}", case.what());
            let blocks = reply.stdout.contains(r#""decision":"block""#);
            let row = case.wire.row(&case.native).unwrap();
            let is_alone = row.can.says(Kind::Allow) || row.can.coupling == RewriteCoupling::Free;
            for field in ["tool_input", "tool_result"] {
                assert_eq!(rewrite(&said, field), rewrite(&heard, field), "{what}");
            }
            // Where the mode permits everything a rewrite alone is said as an approval, and a result is replaced by a
            // refusal. One whose row takes new arguments alone is told them so.
            let kind = match said.verdict.kind() {
                Kind::Continue if rewrite(&said, "tool_input").is_some() && !is_alone => {
                    Kind::Allow
                }
                Kind::Continue if rewrite(&said, "tool_result").is_some() && blocks => Kind::Deny,
                kind => kind,
            };
            assert_eq!(heard.verdict.kind(), kind, "{what}");
            let is_told = heard.verdict.text().contains(&*said.verdict.text());
            assert!(said.verdict.kind() < Kind::Ask || is_told, "{what}");
            assert_eq!(texts(&said), texts(&heard), "{what}");
        }
    }
}

fn rewrite(result: &HookResult, field: &str) -> Option<Value> {
    let mut value = value(result, field)?;
    // What stands beside a patch is read out of it.
    let fields = value.as_object_mut();
    if let Some(fields) = fields.filter(|fields| fields.contains_key("patch")) {
        fields.shift_remove("files");
    }
    // The placeholder of the seed changes nothing.
    (value != json!({})).then_some(value)
}
