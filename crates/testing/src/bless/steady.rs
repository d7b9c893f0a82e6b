//! The parts of a text that are the same in every run: no folder of the run, no id, no time.

use std::path::Path;

use regex_lite::Regex;
use serde_json::{Value, json};

/// A shorter part says nothing by itself.
const SHORTEST: usize = 3;

/// What differs from run to run: unique ids, digests, dates and times, how long something took, numbers of clocks.
const CHANGES: &str = r"(?x)
    \b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b
    | \b\d{4}-\d\d-\d\d([T\ ]\d\d:\d\d(:\d\d([.,]\d+)?)?\s?(Z|[+-]\d\d:?\d\d)?)?
    | \b\d\d:\d\d:\d\d([.,]\d+)?\b
    | \b\d+([.,]\d+)?\s?(ms|us|ns|s|sec|seconds)\b
    | \b[0-9a-fA-F]*\d[0-9a-fA-F]{11,}\b
    | \b\d{10,}\b
    | \b(pid|PID)[\ :=]+\d+";

/// Milliseconds since 1970 that stand for times between 2001 and 2096.
const TIMES: std::ops::Range<f64> = 1e12..4e12;

/// Tells what stays from what changes.
pub(super) struct Steady {
    changes: Option<Regex>,
}

impl Steady {
    /// Everything below these folders changes too.
    pub(super) fn new(places: &[&Path]) -> Self {
        let mut places: Vec<String> = places
            .iter()
            .map(|place| regex_lite::escape(&place.to_string_lossy()))
            .collect();
        // The longest comes first: it may stand below another one.
        places.sort_by_key(|place| std::cmp::Reverse(place.len()));
        let pattern = format!(
            r"{CHANGES} | ({}) [^\s\x22':,;)]*",
            places.join("|").replace(' ', r"\ ")
        );
        Self {
            changes: Regex::new(&pattern).ok(),
        }
    }

    /// Returns the parts of a text that stay, line by line; each says something.
    pub(super) fn parts(&self, text: &str) -> Vec<String> {
        let lines = text.lines().filter_map(|line| {
            let parts = self.split(line).into_iter().map(str::trim);
            let says =
                |part: &&str| part.chars().filter(|c| c.is_alphanumeric()).count() >= SHORTEST;
            parts.filter(says).max_by_key(|part| part.len())
        });
        let mut parts: Vec<String> = Vec::new();
        for part in lines {
            if !parts.iter().any(|other| other == part) {
                parts.push(part.to_owned());
            }
        }
        parts.truncate(MOST);
        parts
    }

    /// Returns a value in which what changes is a pattern.
    pub(super) fn json(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.text(text),
            Value::Number(number) if number.as_f64().is_some_and(|n| TIMES.contains(&n)) => {
                json!({"$any": true})
            }
            Value::Array(list) => list.iter().map(|value| self.json(value)).collect(),
            Value::Object(map) => {
                let pairs = map
                    .iter()
                    .map(|(key, value)| (key.clone(), self.json(value)));
                Value::Object(pairs.collect())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    fn text(&self, text: &str) -> Value {
        let parts = self.split(text);
        if parts.len() == 1 {
            return text.into();
        }
        let parts: Vec<String> = parts.into_iter().map(regex_lite::escape).collect();
        json!({"$regex": format!("(?s)^{}$", parts.join(".*"))})
    }

    /// Splits a text at what changes.
    fn split<'t>(&self, text: &'t str) -> Vec<&'t str> {
        match &self.changes {
            Some(changes) => changes.split(text).collect(),
            None => vec![text],
        }
    }
}

/// How many parts of one text are written.
const MOST: usize = 5;

#[cfg(test)]
mod tests {
    use super::*;

    fn steady() -> Steady {
        Steady::new(&[Path::new("/tmp/anyhook-test-x1"), Path::new("/srv/my shop")])
    }

    #[test]
    fn what_changes_from_run_to_run_is_no_part_of_an_expectation() {
        let text = "blocked: /srv/my shop/a.txt is protected\n\
                    at 2026-11-21T10:00:00Z in 31 ms\n\
                    request 0b54e9b6-8a5c-4c3f-9a7e-0123456789ab was refused\n\
                    wrote /tmp/anyhook-test-x1/tmp/abc\n\
                    ---\nblocked: /srv/my shop/b.txt is protected\n";
        assert_eq!(
            steady().parts(text),
            ["is protected", "was refused", "wrote"]
        );
        assert_eq!(
            steady().parts("exactly 3 files (v1.2)"),
            ["exactly 3 files (v1.2)"]
        );
    }

    #[test]
    fn what_changes_in_json_becomes_a_pattern() {
        let said = json!({
            "at": 1_763_719_200_000_u64, "id": "0b54e9b6-8a5c-4c3f-9a7e-0123456789ab", "count": 3,
            "why": ["took 0.5 s (a.b)", "no"],
        });
        assert_eq!(
            steady().json(&said),
            json!({
                "at": {"$any": true}, "id": {"$regex": "(?s)^.*$"}, "count": 3,
                "why": [{"$regex": r"(?s)^took .* \(a\.b\)$"}, "no"],
            })
        );
    }
}
