//! Partial matching of JSON, and the shortest list of what differs.
//!
//! Objects match if they hold what is expected; lists match element by element and have the same length; numbers are
//! compared as numbers; `null` is a value. An object of one key that begins with `$` is a matcher.

use regex_lite::Regex;
use serde_json::Value;

/// One place at which JSON differs from what was expected.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct JsonDifference {
    /// The path to it; empty for the whole.
    pub at: String,
    /// What was expected there.
    pub expected: Value,
    /// What was found, if anything was.
    pub found: Option<Value>,
}

/// Compares what is there with what is expected; `None` is something that is not there.
pub(crate) fn differences(expected: &Value, found: Option<&Value>) -> Vec<JsonDifference> {
    let mut all = Vec::new();
    compare(expected, found, &mut Vec::new(), &mut all);
    all
}

/// Tells what is wrong with the matchers of an expectation before anything is compared.
pub(crate) fn flaw(expected: &Value) -> Option<String> {
    match (expected, matcher(expected)) {
        (_, Some(("$regex", Value::String(pattern)))) => Regex::new(pattern)
            .err()
            .map(|error| format!("`{pattern}` is no regular expression: {error}")),
        (_, Some(("$contains", _) | ("$absent" | "$any", Value::Bool(true))))
        | (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_), None) => None,
        (_, Some((name @ ("$regex" | "$absent" | "$any"), _))) => {
            let wanted = if name == "$regex" { "a string" } else { "true" };
            Some(format!("`{name}` must be {wanted}"))
        }
        (_, Some((name, _))) => Some(format!(
            "no matcher is called `{name}`; there are $contains, $regex, $absent and $any"
        )),
        (Value::Object(map), None) => map.values().find_map(flaw),
        (Value::Array(list), None) => list.iter().find_map(flaw),
    }
}

/// Reads an object of one key that begins with `$`.
fn matcher(expected: &Value) -> Option<(&str, &Value)> {
    let map = expected.as_object().filter(|map| map.len() == 1)?;
    let (name, value) = map.iter().next()?;
    name.starts_with('$').then_some((name.as_str(), value))
}

fn compare(
    expected: &Value,
    found: Option<&Value>,
    at: &mut Vec<String>,
    all: &mut Vec<JsonDifference>,
) {
    if let Some((name, value)) = matcher(expected) {
        if !holds(name, value, found) {
            all.push(difference(at, expected, found));
        }
        return;
    }
    match (expected, found) {
        (Value::Object(expected), Some(Value::Object(found))) => {
            for (key, value) in expected {
                at.push(key.clone());
                compare(value, found.get(key), at, all);
                at.pop();
            }
        }
        (Value::Array(wanted), Some(Value::Array(found))) if wanted.len() == found.len() => {
            for (index, (value, found)) in wanted.iter().zip(found).enumerate() {
                at.push(index.to_string());
                compare(value, Some(found), at, all);
                at.pop();
            }
        }
        (_, Some(found)) if is_equal(expected, found) => {}
        (_, found) => all.push(difference(at, expected, found)),
    }
}

fn is_equal(expected: &Value, found: &Value) -> bool {
    match (expected.as_f64(), found.as_f64()) {
        (Some(a), Some(b)) if !(expected.is_u64() && found.is_u64()) => a.total_cmp(&b).is_eq(),
        _ => expected == found,
    }
}

fn holds(name: &str, value: &Value, found: Option<&Value>) -> bool {
    match (name, found) {
        ("$absent", found) => found.is_none(),
        ("$any", found) => found.is_some(),
        ("$regex", Some(Value::String(text))) => {
            let pattern = value.as_str().and_then(|pattern| Regex::new(pattern).ok());
            pattern.is_some_and(|pattern| pattern.is_match(text))
        }
        ("$contains", Some(Value::String(text))) => {
            value.as_str().is_some_and(|part| text.contains(part))
        }
        ("$contains", Some(Value::Array(list))) => list
            .iter()
            .any(|element| differences(value, Some(element)).is_empty()),
        _ => false,
    }
}

fn difference(at: &[String], expected: &Value, found: Option<&Value>) -> JsonDifference {
    JsonDifference {
        at: at.join("."),
        expected: expected.clone(),
        found: found.cloned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(expected: &Value, found: &Value) -> Vec<String> {
        let told = |one: JsonDifference| {
            let found = one
                .found
                .map_or("nothing".to_owned(), |found| found.to_string());
            format!("{}: {} / {found}", one.at, one.expected)
        };
        differences(expected, Some(found))
            .into_iter()
            .map(told)
            .collect()
    }

    #[test]
    fn objects_match_in_part_lists_whole_and_numbers_as_numbers() {
        let found =
            json!({"a": {"b": 1, "c": null}, "list": [1, {"x": 1, "y": 2}], "n": 2.0, "s": "2"});
        let none: [&str; 0] = [];
        assert_eq!(
            told(
                &json!({"a": {"c": null}, "list": [1, {"x": 1}], "n": 2}),
                &found
            ),
            none
        );
        assert_eq!(
            told(
                &json!({"a": {"b": 2, "z": null}, "list": [1], "s": 2}),
                &found
            ),
            [
                "a.b: 2 / 1",
                "a.z: null / nothing",
                r#"list: [1] / [1,{"x":1,"y":2}]"#,
                r#"s: 2 / "2""#
            ]
        );
    }

    #[test]
    fn each_matcher_holds_for_what_it_is_for_and_nothing_else() {
        let found = json!({"text": "rule no-rm: no", "list": ["a", {"k": 1}]});
        let none: [&str; 0] = [];
        let good = json!({
            "text": {"$regex": "^rule [a-z-]+:"},
            "list": {"$contains": {"k": 1}},
            "gone": {"$absent": true},
        });
        assert_eq!(told(&good, &found), none);
        assert_eq!(
            told(
                &json!({"text": {"$contains": "no-rm"}, "list": {"$any": true}}),
                &found
            ),
            none
        );
        let bad = json!({
            "text": {"$contains": "yes"},
            "list": {"$contains": "b"},
            "gone": {"$any": true},
        });
        assert_eq!(
            told(&bad, &found),
            [
                r#"text: {"$contains":"yes"} / "rule no-rm: no""#,
                r#"list: {"$contains":"b"} / ["a",{"k":1}]"#,
                r#"gone: {"$any":true} / nothing"#,
            ]
        );
        assert_eq!(told(&json!({"text": {"$absent": true}}), &found).len(), 1);
    }

    #[test]
    fn a_matcher_that_means_nothing_is_found_before_it_is_used() {
        let flaws = [
            json!({"a": [{"$regexp": "x"}]}),
            json!({"$regex": "("}),
            json!({"$absent": false}),
            json!({"$any": true}),
        ];
        let flaws = flaws.map(|expected| {
            flaw(&expected).map(|flaw| flaw.split(':').next().unwrap_or_default().to_owned())
        });
        assert_eq!(
            flaws,
            [
                Some(
                    "no matcher is called `$regexp`; there are $contains, $regex, $absent and $any"
                        .to_owned()
                ),
                Some("`(` is no regular expression".to_owned()),
                Some("`$absent` must be true".to_owned()),
                None,
            ]
        );
    }
}
