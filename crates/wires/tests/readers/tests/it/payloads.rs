//! The scripted model is a model to the agents: under it they write the payloads that they were seen to write elsewhere.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhook_truth::{TRUTHS, Truth};
use serde_json::Value;

fn fields(payload: &Value) -> BTreeSet<&str> {
    let fields = payload.as_object().into_iter().flatten();
    fields.map(|(name, _)| name.as_str()).collect()
}

#[test]
fn under_the_scripted_model_an_agent_writes_the_payloads_that_were_captured_from_it() {
    let hosts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../fixtures/hosts");
    let mut compared = 0;
    for (.., text) in TRUTHS {
        let truth = Truth::read(text).unwrap();
        for (event, payload) in &truth.payloads {
            let native = event.split('@').next().unwrap_or(event);
            let file = hosts.join(&*truth.host).join(format!("{native}.seen.json"));
            let text =
                fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            let captured: Vec<Value> = serde_json::from_slice(&text).unwrap();
            let is_same = |one: &Value| fields(one) == fields(payload);
            assert!(
                captured.iter().any(is_same),
                "{} {event}: {:?}",
                truth.host,
                fields(payload)
            );
            compared += 1;
        }
    }
    assert!(compared >= 55, "{compared}");
}
