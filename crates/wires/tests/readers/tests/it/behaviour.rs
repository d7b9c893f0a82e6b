//! Each example answer of the corpus, read whole, against the behaviour written down for it.

use std::path::Path;

use anyhook_readers::{Answer, Asked, Behaviour, Gate, reader};
use serde_json::{Map, Value, json};

use crate::corpus::{TEN, fixtures, json as read, object};

/// A behaviour as it stands in `tests/behaviour/*.json`: what is empty is left out.
fn written(behaviour: &Behaviour) -> Value {
    let gate = match behaviour.gate {
        Gate::Runs => "runs",
        Gate::RunsWithoutPrompt => "runs without a prompt",
        Gate::AskedOf(Asked::Person) => "asked of a person",
        Gate::AskedOf(Asked::Caller) => "asked of the caller",
        Gate::Refused { erased: false } => "refused",
        Gate::Refused { erased: true } => "refused and erased",
        Gate::KeepsWorking => "keeps working",
        Gate::Stops => "stops",
    };
    let fields = [
        ("stops_agent", json!(behaviour.stops_agent)),
        ("input", json!(behaviour.input)),
        ("result", json!(behaviour.result)),
        ("model_sees", json!(behaviour.model_sees)),
        ("person_sees", json!(behaviour.person_sees)),
        ("native", json!(behaviour.native)),
        ("ignored", json!(behaviour.ignored)),
        ("errors", json!(behaviour.errors)),
    ];
    let mut all = Map::from_iter([("gate".to_owned(), json!(gate))]);
    let said = fields
        .into_iter()
        .filter(|(_, value)| !value.is_null() && *value != json!([]));
    all.extend(said.map(|(name, value)| (name.to_owned(), value)));
    Value::Object(all)
}

/// What the fixture's stdout is, as bytes: an object is written as a hook would write it.
fn bytes(stdout: &Value) -> Vec<u8> {
    match stdout {
        Value::String(text) => text.clone().into_bytes(),
        other => other.to_string().into_bytes(),
    }
}

fn read_all(host: &str, native: fn(&(&'static str, &'static str)) -> &'static str) -> Value {
    let reader = reader(host).expect("a known host");
    let folder = fixtures("hosts").join(host);
    let mut all = Map::new();
    for event in TEN {
        let payload = read(&folder.join(format!("{}.json", native(event))))[0].clone();
        let answers = object(&folder.join(format!("responses/{}.json", event.0)));
        let read = answers.iter().map(|(name, answer)| {
            let behaviour = reader.reads(&Answer {
                event: native(event),
                payload: &payload,
                stdout: &bytes(&answer["stdout"]),
                stderr: answer["stderr"].as_str().expect("a text").as_bytes(),
                exit: i32::try_from(answer["exit"].as_i64().expect("a number")).expect("a code"),
            });
            (name.clone(), written(&behaviour))
        });
        all.insert(event.0.to_owned(), Value::Object(read.collect()));
    }
    Value::Object(all)
}

fn expected(host: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/behaviour/{host}.json"));
    read(&path)
}

fn compare(host: &str, found: &Value) {
    let expected = expected(host);
    for (event, _) in TEN {
        let answers = found[event].as_object().expect("answers");
        for (name, behaviour) in answers {
            assert_eq!(
                *behaviour, expected[event][name],
                "{host} {event} {name}: {behaviour}"
            );
        }
    }
    assert_eq!(
        *found, expected,
        "{host} has an expectation without an answer"
    );
}

#[test]
fn claude_code_does_with_each_answer_what_is_written_down() {
    compare("claude-code", &read_all("claude-code", |event| event.1));
}
