//! The form in which a store keeps a report: secrets hidden, long texts cut, and both marked.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use anyhook_core::ports::StoreError;
use anyhook_core::redact::{Found, Redactor};
use anyhook_core::report::Report;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::payload::shaped;
use super::{Keep, without_payload};
use crate::files::{self, Durable, FileError};

/// What says which report, session, hook and folder it is: readers look for these, and they are secret to no one.
const IDS: [&str; 12] = [
    "id",
    "event.session",
    "hooks.*.name",
    "hooks.*.source.file",
    "action.project",
    "action.person",
    "action.policy",
    "action.imported.file",
    "action.data.cwd",
    "action.data.session_id",
    "action.data.tool_use_id",
    "action.data.transcript_path",
];

/// A longer text is cut to this, in bytes.
const LONGEST: usize = 8 * 1024;
/// So much of a long text is looked through for secrets, and this much at its end is dropped: a secret that is cut in the
/// middle might not be known for one.
const SCANNED: usize = 64 * 1024;
const DROPPED: usize = 8 * 1024;
/// What is deeper is cut: a reader follows no further than 128.
const DEEPEST: usize = 96;
/// How many letters a digest has; four bits each.
const LETTERS: usize = 16;

/// Makes the digests that stand for what is hidden, with a key that only this state folder has.
#[derive(Clone, Default)]
pub(super) struct Digests(Option<Arc<Keyed>>);

/// Returns what stands for a text, where the key for it is there.
type Keyed = dyn Fn(&str) -> Option<String> + Send + Sync;

impl Digests {
    /// Makes digests under the key of a folder, which is read or made where the first one is needed.
    pub(super) fn below(dir: &Path) -> Self {
        let path = dir.join("key");
        let key: OnceLock<Option<[u8; 32]>> = OnceLock::new();
        Self(Some(Arc::new(move |text| {
            let key = key.get_or_init(|| key_at(&path).ok().flatten()).as_ref()?;
            Some(keyed(key, text))
        })))
    }

    fn of(&self, text: &str) -> Option<String> {
        self.0.as_ref().and_then(|digest| digest(text))
    }
}

/// Reads a key, and makes it where there is none; of several processes that make one, the first one's holds.
fn key_at(path: &Path) -> Result<Option<[u8; 32]>, FileError> {
    if let Some(key) = files::read(path, 32)? {
        return Ok(key.try_into().ok());
    }
    path.parent().map_or(Ok(()), files::private_dir)?;
    let _lock = files::lock(&path.with_extension("lock"), super::jsonl::PATIENCE)?;
    if let Some(key) = files::read(path, 32)? {
        return Ok(key.try_into().ok());
    }
    let mut key = [0; 32];
    if getrandom::fill(&mut key).is_err() {
        return Ok(None);
    }
    files::replace(path, &key, Durable::Yes)?;
    Ok(Some(key))
}

/// HMAC with SHA-256 (RFC 2104), in letters: digits in a marker could be taken for a number of a person.
fn keyed(key: &[u8; 32], text: &str) -> String {
    let pad = |with: u8| {
        let mut block = [with; 64];
        block.iter_mut().zip(key).for_each(|(to, from)| *to ^= from);
        block
    };
    let inner = Sha256::new_with_prefix(pad(0x36))
        .chain_update(text)
        .finalize();
    let outer = Sha256::new_with_prefix(pad(0x5c))
        .chain_update(inner)
        .finalize();
    let nibbles = outer.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    nibbles
        .take(LETTERS)
        .map(|nibble| char::from(b'a' + nibble))
        .collect()
}

/// Writes a report as it is kept: what the rules of [`anyhook_core::redact`] find is hidden, and what is long is cut.
pub(super) fn kept(report: &Report, keep: Keep, digests: &Digests) -> Result<Value, StoreError> {
    let failed = |source: serde_json::Error| StoreError {
        what: format!("cannot write the report `{}` as JSON", report.id),
        source: Some(source.into()),
    };
    let mut value = match keep {
        Keep::Payload => serde_json::to_value(report),
        Keep::Shape | Keep::Verdicts => serde_json::to_value(without_payload(report)),
    }
    .map_err(failed)?;
    if let (Keep::Shape, Some(action)) = (keep, &report.action)
        && let Some(data) = value.pointer_mut("/action/data")
    {
        *data = shaped(&Value::from(action.data.clone()));
    }
    let redactor = Redactor::default().allowing(IDS);
    let redactor = match digests.0.clone() {
        Some(digest) => redactor.with_digests(move |text| digest(text)),
        None => redactor,
    };
    let mut trimming = Trimming {
        redactor: &redactor,
        digests,
        found: Found::new(),
        cut: Vec::new(),
    };
    trimming.value(&mut value, "", 0);
    let Trimming {
        mut found, mut cut, ..
    } = trimming;
    found.append(&mut redactor.value(&mut value));
    if keep != Keep::Payload {
        cut.push("data".to_owned());
    }
    tell(&mut value, &found, &cut);
    Ok(value)
}

/// Says in the record what was hidden and what was cut.
fn tell(value: &mut Value, found: &Found, cut: &[String]) {
    if let Some(action) = value.get_mut("action").and_then(Value::as_object_mut) {
        if !found.is_empty() {
            action.insert("hidden".to_owned(), json!(found));
        }
        if !cut.is_empty() {
            action.insert("cut".to_owned(), json!(cut));
        }
    } else if let (Some(report), true) = (value.as_object_mut(), cut.iter().any(|at| at != "data"))
    {
        let remarks = report.entry("remarks").or_insert_with(|| json!([]));
        if let Some(remarks) = remarks.as_array_mut() {
            remarks.push("some values are too long or too deep, and were not kept whole".into());
        }
    }
}

/// Cuts what is long or deep, and remembers where.
struct Trimming<'r> {
    redactor: &'r Redactor,
    digests: &'r Digests,
    found: Found,
    cut: Vec<String>,
}

impl Trimming<'_> {
    fn value(&mut self, value: &mut Value, at: &str, depth: usize) {
        match value {
            Value::String(text) if text.len() > LONGEST => {
                self.note(at);
                *text = self.cut(text);
            }
            Value::Array(_) | Value::Object(_) if depth > DEEPEST => {
                self.note(at);
                *value = "[CUT: too deep]".into();
            }
            Value::Array(list) => {
                for (number, value) in list.iter_mut().enumerate() {
                    if is_open(value) {
                        self.value(value, &format!("{at}.{number}"), depth + 1);
                    }
                }
            }
            Value::Object(fields) => {
                for (name, value) in fields.iter_mut().filter(|(_, value)| is_open(value)) {
                    self.value(value, &format!("{at}.{name}"), depth + 1);
                }
            }
            Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn note(&mut self, at: &str) {
        let at = at.trim_start_matches('.');
        let at = at.strip_prefix("action.data.").unwrap_or(at);
        self.cut.push(
            self.redactor
                .text(at, &mut self.found)
                .chars()
                .take(200)
                .collect(),
        );
    }

    /// Keeps the beginning of a text, and the length and the digest of all of it.
    fn cut(&mut self, text: &str) -> String {
        let head = text.floor_char_boundary(SCANNED);
        let is_part = head < text.len();
        let safe = self
            .redactor
            .text(text.get(..head).unwrap_or_default(), &mut self.found);
        let most = if is_part {
            safe.len().saturating_sub(DROPPED)
        } else {
            safe.len()
        };
        let begin = safe
            .get(..safe.floor_char_boundary(most.min(LONGEST)))
            .unwrap_or_default();
        match self.digests.of(text) {
            Some(digest) => format!("{begin}[CUT:{} bytes:{digest}]", text.len()),
            None => format!("{begin}[CUT:{} bytes]", text.len()),
        }
    }
}

fn is_open(value: &Value) -> bool {
    match value {
        Value::String(text) => text.len() > LONGEST,
        Value::Array(_) | Value::Object(_) => true,
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(data: &Value, keep: Keep, digests: &Digests) -> Value {
        let report = Report::from_json(json!({
            "version": 1, "id": "k3f9", "event": {"name": "tool:pre"}, "hooks": [], "steps": [],
            "result": {"verdict": "continue"}, "action": {"data": data},
        }));
        let value = kept(&report.unwrap(), keep, digests).unwrap();
        value.get("action").cloned().unwrap()
    }

    #[test]
    fn equal_secrets_have_equal_digests_under_one_key_and_others_under_another() {
        let [one, two] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let token = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
        let data = json!({"tool_input": {"command": format!("a {token}"), "token": {"password": token.clone()}}, "other": token});
        let kept = of(&data, Keep::Payload, &Digests::below(one.path()));
        let text = kept.to_string();
        assert!(!text.contains(&token), "{text}");
        let digest = kept["data"]["other"]
            .as_str()
            .unwrap()
            .rsplit(':')
            .next()
            .unwrap();
        assert_eq!(digest.len(), LETTERS + 1);
        assert_eq!(
            text.matches(digest.trim_end_matches(']')).count(),
            3,
            "{text}"
        );
        assert_eq!(kept["hidden"], json!(["github-token", "named-field"]));
        assert_eq!(
            of(&data, Keep::Payload, &Digests::below(one.path())),
            kept,
            "the key is kept"
        );
        assert_ne!(of(&data, Keep::Payload, &Digests::below(two.path())), kept);
        let again = of(&kept["data"], Keep::Payload, &Digests::below(one.path()));
        assert_eq!(again["data"], kept["data"], "a marker is nothing to hide");
    }

    #[test]
    fn the_digest_is_hmac_with_sha_256() {
        // RFC 4231 has no key of 32 bytes; this value is of Python's `hmac`.
        let expected = "dhifdkpphnpcppbp";
        assert_eq!(keyed(&[7; 32], "what do ya want for nothing?"), expected);
    }

    #[test]
    fn a_long_text_is_cut_and_no_secret_at_the_edge_of_what_is_looked_through_stays() {
        let secret = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
        let place = tempfile::tempdir().unwrap();
        let key =
            "-----BEGIN PRIVATE ".to_owned() + "KEY-----\n" + &"MIIBVQIBADANBgkq\n".repeat(3500);
        for padding in [0, 8180, 57_000, 65_500, 65_520] {
            let text = format!("{key}{}{secret}{}", " ".repeat(padding), "é".repeat(50_000));
            let kept = of(
                &json!({"tool_input": {"content": text}}),
                Keep::Payload,
                &Digests::below(place.path()),
            );
            let cut = kept["data"]["tool_input"]["content"].as_str().unwrap();
            assert!(
                cut.len() < LONGEST + 64 && !cut.contains("16C7") && !cut.contains("MIIB"),
                "{padding}"
            );
            assert!(
                cut.contains(&format!("[CUT:{} bytes:", text.len())),
                "{cut}"
            );
            assert_eq!(kept["cut"], json!(["tool_input.content"]));
        }
    }

    #[test]
    fn a_person_who_wants_less_keeps_the_shape_or_nothing_of_the_input() {
        let data = json!({"tool_name": "Bash", "cwd": "/shop", "tool_input": {"command": "make", "n": 7, "list": [true, null]}});
        let shape = of(&data, Keep::Shape, &Digests::default());
        assert_eq!(
            shape["data"],
            json!({
                "tool_name": "Bash", "cwd": "/shop",
                "tool_input": {"command": "(4 bytes)", "n": "(number)", "list": [true, null]},
            })
        );
        let none = of(&data, Keep::Verdicts, &Digests::default());
        assert_eq!(none["data"], json!({"tool_name": "Bash", "cwd": "/shop"}));
        assert_eq!(
            (&shape["cut"], &none["cut"]),
            (&json!(["data"]), &json!(["data"]))
        );
    }
}
