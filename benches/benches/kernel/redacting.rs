//! Redaction of what is stored, beside writing the same payload down, which a store does next.

use anyhook_benches::{Contender, interleave};
use anyhook_core::event::Map;
use anyhook_core::redact::Redactor;
use serde_json::Value;

use crate::{Effort, payloads};

pub(crate) fn table(effort: Effort) -> String {
    let small = payloads::small();
    let mut secret = small.clone();
    let told =
        "export GITHUB_TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345, or ask jane@example.org";
    secret.insert("prompt".to_owned(), Value::from(told));
    let few = Effort {
        rounds: effort.rounds / 5 + 1,
        times: effort.times / 50 + 1,
    };
    beside("237 bytes", &small, effort)
        + &beside("the same, with a token and an address", &secret, effort)
        + &beside("64 KiB in one string", &payloads::text(), few)
        + &beside("70 KB in 700 objects", &payloads::structured(), few)
}

fn beside(size: &str, data: &Map, effort: Effort) -> String {
    let redactor = Redactor::default();
    let measured = interleave(
        effort.rounds,
        effort.times,
        vec![
            Contender::new("serde_json::to_string", || serde_json::to_string(data)),
            Contender::new("redact", || {
                redactor.value(&mut Value::Object(data.clone()))
            }),
        ],
    );
    anyhook_benches::table(&format!("redaction, {size}"), &measured)
}
