//! Whether a host understands the answers of a hook that was written for another host.

use std::time::Duration;

use anyhook_core::event::Event;
use anyhook_core::result::Kind;
use anyhook_core::taxonomy::{Class, EventSpec};
use anyhook_core::transcript::{Capture, End, Transcript};
use serde_json::Value;

use super::Format;
use crate::matrix::{self, Came};
use crate::{Reply, json};

/// Tells whether a refusal of a command in the words of one host is none for another one.
pub(super) fn is_deaf(from: Format, to: Format, spec: &'static EventSpec, line: &str) -> bool {
    if !matches!(spec.class, Class::Gate | Class::Continuation) {
        return false;
    }
    if says_by_code(line) {
        let said = Reply {
            stdout: String::new(),
            stderr: "no".to_owned(),
            exit: 2,
        };
        return is_read(&said, from, spec) && !is_read(&said, to, spec);
    }
    let Some(said) = refusal(from, spec) else {
        return false;
    };
    match to {
        Format::Universal => !is_read(&said, to, spec),
        // A reader of ours understands more than the host does: the words have to be the host's own.
        Format::Native(_) => refusal(to, spec).is_some_and(|own| !has_words_of(&said, &own)),
    }
}

/// Tells whether a line refuses by its exit code, as far as it shows.
fn says_by_code(line: &str) -> bool {
    line.contains("exit 2") && !line.contains("ecision") && !line.contains("{\"")
}

/// Returns how a host is told of a refusal.
fn refusal(format: Format, spec: &'static EventSpec) -> Option<Reply> {
    let cells = matrix::cells(crate::host(format.name())?, spec).ok()??;
    let mut cells = cells.cells.into_iter();
    let deny = cells.find(|cell| cell.probe.name == "deny" && cell.came == Came::Exact);
    deny.map(|cell| cell.reply)
}

fn has_words_of(said: &Reply, own: &Reply) -> bool {
    let words = |reply: &Reply| {
        let mut words = Vec::new();
        let object = json::object(reply.stdout.as_bytes());
        if let Ok(object) = object {
            decisions(&Value::Object(object), String::new(), &mut words);
        }
        words
    };
    let (said_words, own_words) = (words(said), words(own));
    if own_words.is_empty() {
        return said.exit == own.exit;
    }
    own_words.iter().all(|word| said_words.contains(word))
}

/// Collects the words by which an object decides, each with its path.
fn decisions(value: &Value, path: String, found: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                decisions(value, format!("{path}.{key}"), found);
            }
        }
        Value::String(text) if matches!(text.as_str(), "deny" | "block") => {
            found.push((path, value.clone()));
        }
        _ => {}
    }
}

fn is_read(said: &Reply, to: Format, spec: &'static EventSpec) -> bool {
    let host = crate::host(to.name());
    let Some((host, row)) = host.and_then(|host| Some((host, host.row(spec.name)?))) else {
        return false;
    };
    let kept = |text: &str| Capture {
        kept: text.into(),
        dropped: 0,
    };
    let said = Transcript {
        stdout: kept(&said.stdout),
        stderr: kept(&said.stderr),
        end: End::Code(i32::from(said.exit)),
        took: Duration::ZERO,
    };
    let event = Event::new(spec.name, matrix::data(spec));
    let heard = host.read_as(&said, &event, row.name);
    heard.is_ok_and(|result| result.verdict.kind() >= Kind::Deny)
}
