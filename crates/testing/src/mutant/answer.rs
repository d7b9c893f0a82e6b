//! An answer with as little left out as makes it read as it is meant to.

use anyhook::core::result::HookResult;
use anyhook::core::transcript::{Capture, Transcript};
use anyhook::event::TranscriptReader;
use serde_json::{Map, Value};

/// How deep a decision may stand in an answer.
const DEEP: usize = 4;

/// More fields than this are not tried: an answer has a handful, and what a hook prints may have any number.
const MOST: usize = 128;

/// What an answer has to read as.
pub(super) type AnswerPredicate<'m> = dyn Fn(&HookResult) -> bool + 'm;

/// Leaves out of an answer as little as makes it read as it is meant to, the first meaning that can be had: nothing, or one
/// field, the innermost first. Where no meaning can be had, nothing is left. What to leave out is asked of the line's own
/// reader, so that every form of an answer can be broken and none has to be known here.
pub(super) fn reduced(
    raw: &Transcript,
    read: &TranscriptReader<'_>,
    meant: &[&AnswerPredicate<'_>],
) -> Transcript {
    let fields = match serde_json::from_str(&raw.stdout.text()) {
        Ok(Value::Object(fields)) => fields,
        Ok(_) | Err(_) => Map::new(),
    };
    let mut paths = Vec::new();
    places(&fields, &mut Vec::new(), &mut paths);
    paths.sort_by_key(|path| std::cmp::Reverse(path.len()));
    paths.truncate(MOST);
    let less = |gone: &Vec<String>| {
        let mut left = fields.clone();
        remove(&mut left, gone);
        with_stdout(raw, &Value::Object(left).to_string())
    };
    let found = meant.iter().find_map(|is_meant| {
        let reads = |left: &Transcript| read(left).is_ok_and(|said| is_meant(&said));
        if reads(raw) {
            return Some(raw.clone());
        }
        paths.iter().map(less).find(reads)
    });
    found.unwrap_or_else(|| with_stdout(raw, ""))
}

fn with_stdout(raw: &Transcript, text: &str) -> Transcript {
    Transcript {
        stdout: Capture {
            kept: text.as_bytes().to_vec(),
            dropped: 0,
        },
        ..raw.clone()
    }
}

fn places(object: &Map<String, Value>, at: &mut Vec<String>, into: &mut Vec<Vec<String>>) {
    for (key, value) in object {
        at.push(key.clone());
        into.push(at.clone());
        if let Value::Object(inner) = value
            && at.len() < DEEP
        {
            places(inner, at, into);
        }
        at.pop();
    }
}

fn remove(object: &mut Map<String, Value>, path: &[String]) {
    match path {
        [] => {}
        [last] => {
            object.shift_remove(last);
        }
        [first, rest @ ..] => {
            if let Some(Value::Object(inner)) = object.get_mut(first) {
                remove(inner, rest);
            }
        }
    }
}
