//! An Amplifier loop that keeps the promises of its hook reference.
//!
//! The answer is one object on standard output: an `action`, and fields of which most belong to one action each. The
//! reference has no exit codes and no streams, so a process that fails, and an answer that does not validate, are what an
//! exception is there: logged, and the operation goes on.
//!
//! Two promises are kept as users read them, where loops of today do less. Changed data is what the operation runs with,
//! whatever the action beside it; only a refusal leaves nothing to run. And a message for the person is shown beside a
//! question too.

use serde_json::{Map, Value};

use crate::output::{Kind, field, looks_like_an_object, text, text_field, word};
use crate::{Answer, Asked, Behaviour, Gate, Reader};

/// The reader of Amplifier.
#[derive(Debug)]
pub(crate) struct Amplifier;

/// The events before which a loop waits for the answer. A refusal of any other comes too late to refuse anything.
const GATES: &[&str] = &[
    "tool:pre",
    "prompt:submit",
    "provider:request",
    "llm:request",
    "execution:start",
    "agent:spawn",
    "context:pre_compact",
    "approval:required",
];

/// The fields of the reference with the kinds that they must have; `null` is right where it says so.
const FIELDS: &[(&str, Kind, Null)] = &[
    ("action", Kind::Text, Null::Wrong),
    ("data", Kind::Object, Null::Right),
    ("reason", Kind::Text, Null::Right),
    ("context_injection", Kind::Text, Null::Right),
    ("context_injection_role", Kind::Text, Null::Wrong),
    ("ephemeral", Kind::Flag, Null::Wrong),
    ("approval_prompt", Kind::Text, Null::Right),
    ("approval_options", Kind::List, Null::Right),
    ("approval_timeout", Kind::Any, Null::Wrong),
    ("approval_default", Kind::Text, Null::Wrong),
    ("suppress_output", Kind::Flag, Null::Wrong),
    ("user_message", Kind::Text, Null::Right),
    ("user_message_level", Kind::Text, Null::Wrong),
    ("user_message_source", Kind::Text, Null::Right),
    ("append_to_last_tool_result", Kind::Flag, Null::Wrong),
    ("context_injections", Kind::List, Null::Wrong),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Null {
    Right,
    Wrong,
}

impl Reader for Amplifier {
    fn id(&self) -> &'static str {
        "amplifier"
    }

    fn reads(&self, answer: &Answer<'_>) -> Behaviour {
        let (stdout, stderr) = (text(answer.stdout), text(answer.stderr));
        let mut done = Behaviour::default();
        if !stderr.is_empty() {
            done.ignored.push("stderr".to_owned());
        }
        if answer.exit != 0 {
            done.errors.push(format!("exit {}", answer.exit));
            return done;
        }
        if stdout.is_empty() {
            return done;
        }
        if !looks_like_an_object(&stdout) {
            done.errors.push("the answer is no result".to_owned());
            return done;
        }
        let read = serde_json::from_str(&stdout).map_err(|why| why.to_string());
        let read = read.and_then(|object: Map<String, Value>| result(&object, answer));
        match read {
            Ok(meant) => Behaviour {
                ignored: [done.ignored, meant.ignored].concat(),
                ..meant
            },
            Err(why) => {
                done.errors.push(why);
                done
            }
        }
    }
}

fn result(object: &Map<String, Value>, answer: &Answer<'_>) -> Result<Behaviour, String> {
    validate(object)?;
    let mut done = Behaviour::default();
    let is_gate = GATES.contains(&answer.event);
    let actions = ["continue", "deny", "modify", "inject_context", "ask_user"];
    let action = word(object, "action", &actions)?.unwrap_or("continue");
    match action {
        "deny" if is_gate => {
            done.gate = Gate::Refused { erased: false };
            done.model_sees.extend(text_field(object, "reason")?);
        }
        "ask_user" if is_gate => {
            done.gate = Gate::AskedOf(Asked::Person);
            let prompt = text_field(object, "approval_prompt")?;
            let prompt = prompt.unwrap_or_else(|| "Allow this operation?".to_owned());
            done.person_sees.push(prompt);
        }
        "deny" | "ask_user" => done.ignored.push("action".to_owned()),
        _ => {}
    }
    if action == "deny" {
        for name in ["context_injection", "context_injections"] {
            let given = object.get(name).filter(|value| !value.is_null());
            if given.is_some_and(|value| *value != Value::Array(Vec::new())) {
                done.ignored.push(name.to_owned());
            }
        }
    } else {
        done.model_sees.extend(injections(object, action)?);
        changed(&mut done, object, answer);
    }
    done.person_sees.extend(text_field(object, "user_message")?);
    let known = |key: &&String| FIELDS.iter().all(|(name, ..)| name != key);
    done.ignored.extend(object.keys().filter(known).cloned());
    Ok(done)
}

/// Refuses the whole answer for one field of the wrong kind.
fn validate(object: &Map<String, Value>) -> Result<(), String> {
    for (name, kind, null) in FIELDS {
        if *null == Null::Wrong && object.get(*name).is_some_and(Value::is_null) {
            return Err(format!("`{name}` must not be `null`"));
        }
        field(object, name, *kind)?;
    }
    word(
        object,
        "context_injection_role",
        &["system", "user", "assistant"],
    )?;
    word(object, "approval_default", &["allow", "deny"])?;
    word(object, "user_message_level", &["info", "warning", "error"])?;
    let timeout = object.get("approval_timeout");
    if timeout.is_some_and(|value| !value.is_number()) {
        return Err("`approval_timeout` must be a number".to_owned());
    }
    let options = object.get("approval_options").and_then(Value::as_array);
    if options.is_some_and(|all| !all.iter().all(Value::is_string)) {
        return Err("`approval_options` must be a list of texts".to_owned());
    }
    Ok(())
}

/// The texts for the model: the list, where there is one, holds instead of the one text.
fn injections(object: &Map<String, Value>, action: &str) -> Result<Vec<String>, String> {
    let list = object.get("context_injections").and_then(Value::as_array);
    if let Some(all) = list.filter(|all| !all.is_empty()) {
        let content = |item: &Value| item.get("content")?.as_str().map(str::to_owned);
        let wrong = || "a context injection has no `content`".to_owned();
        return all
            .iter()
            .map(|item| content(item).ok_or_else(wrong))
            .collect();
    }
    let text = text_field(object, "context_injection")?;
    Ok(text
        .filter(|_| action == "inject_context")
        .into_iter()
        .collect())
}

/// What the operation runs with now.
fn changed(done: &mut Behaviour, object: &Map<String, Value>, answer: &Answer<'_>) {
    let (Some(data), Some(before)) = (object.get("data"), answer.payload.get("data")) else {
        return;
    };
    if !data.is_object() || data == before {
        return;
    }
    let new = |name: &str| {
        data.get(name)
            .filter(|value| before.get(name) != Some(value))
    };
    done.input = new("tool_input").cloned();
    // The catalogue has `tool_result`, the loops themselves send `result`; whichever a loop sent it reads again.
    let sent = |name: &&str| before.get(*name).is_some();
    let is_call = answer.event == "tool:post";
    let name = Some("result").filter(|_| is_call).filter(sent);
    done.result = new(name.unwrap_or("tool_result")).cloned();
    done.native.push(("data".to_owned(), data.clone()));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn reads(event: &str, answer: &Value) -> Behaviour {
        let payload = json!({"event": event, "data": {"tool_input": {"command": "ls"}}});
        Amplifier.reads(&Answer {
            event,
            payload: &payload,
            stdout: answer.to_string().as_bytes(),
            stderr: b"",
            exit: 0,
        })
    }

    #[test]
    fn a_deny_refuses_and_its_reason_reaches_the_model() {
        let done = reads("tool:pre", &json!({"action": "deny", "reason": "frozen"}));
        assert_eq!(done.gate, Gate::Refused { erased: false });
        assert_eq!(done.model_sees, ["frozen"]);
    }

    #[test]
    fn a_deny_of_what_happened_already_refuses_nothing() {
        let done = reads("session:start", &json!({"action": "deny", "reason": "no"}));
        assert_eq!(
            (done.gate, done.ignored),
            (Gate::Runs, vec!["action".to_owned()])
        );
    }

    #[test]
    fn an_ask_puts_its_question_and_changed_data_goes_with_it() {
        let data = json!({"tool_input": {"command": "ls -a"}});
        let done = reads(
            "tool:pre",
            &json!({"action": "ask_user", "approval_prompt": "List?", "data": data}),
        );
        assert_eq!(done.gate, Gate::AskedOf(Asked::Person));
        assert_eq!(done.person_sees, ["List?"]);
        assert_eq!(done.input, Some(json!({"command": "ls -a"})));
    }

    #[test]
    fn the_list_of_injections_holds_instead_of_the_one_text() {
        let one = json!({"action": "inject_context", "context_injection": "a"});
        assert_eq!(reads("tool:post", &one).model_sees, ["a"]);
        let list = json!({"action": "inject_context", "context_injection": "a\n\nb",
            "context_injections": [{"content": "a"}, {"content": "b"}]});
        assert_eq!(reads("tool:post", &list).model_sees, ["a", "b"]);
        let stray = json!({"action": "continue", "context_injection": "a"});
        assert_eq!(reads("tool:post", &stray).model_sees, Vec::<String>::new());
    }

    #[test]
    fn a_loop_reads_the_result_of_a_tool_under_the_name_that_it_sent() {
        let changed = |event: &str, before: Value, after: Value| {
            let payload = json!({"event": event, "data": before});
            let answer = json!({"action": "modify", "data": after});
            Amplifier
                .reads(&Answer {
                    event,
                    payload: &payload,
                    stdout: answer.to_string().as_bytes(),
                    stderr: b"",
                    exit: 0,
                })
                .result
        };
        let (old, new) = (json!({"result": "a"}), json!({"result": "b"}));
        assert_eq!(
            changed("tool:post", old.clone(), new.clone()),
            Some(json!("b"))
        );
        let other = json!({"result": "a", "tool_result": "b"});
        assert_eq!(changed("tool:post", old.clone(), other), None);
        let seed = (json!({"tool_result": "a"}), json!({"tool_result": "b"}));
        assert_eq!(changed("tool:post", seed.0, seed.1), Some(json!("b")));
        assert_eq!(changed("agent:complete", old, new), None);
    }

    #[test]
    fn an_answer_that_does_not_validate_is_logged_and_the_operation_goes_on() {
        for wrong in [
            json!({"action": "DENY"}),
            json!({"action": null}),
            json!({"action": "deny", "reason": 7}),
            json!({"action": "deny", "approval_timeout": "soon"}),
            json!({"action": "ask_user", "approval_options": [1]}),
        ] {
            let done = reads("tool:pre", &wrong);
            assert_eq!((done.gate, done.errors.len()), (Gate::Runs, 1), "{wrong}");
        }
    }

    #[test]
    fn an_unknown_field_is_named_as_ignored() {
        let done = reads("tool:pre", &json!({"action": "deny", "halted": true}));
        assert_eq!(done.ignored, ["halted"]);
    }
}
