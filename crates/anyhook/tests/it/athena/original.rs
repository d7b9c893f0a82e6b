//! Patterns against the original: what `ex_athena` made of them stands in `recorded.jsonl`, whose first line has the names that
//! they were held against.

use anyhook::core::matcher::{Hit, Matcher, Subject};
use serde_json::Value;

const PATTERNS: usize = 534;

/// Tells which names a pattern selects here; nothing where it is refused.
fn selected<'n>(pattern: &str, names: &'n [String]) -> Option<Vec<&'n str>> {
    let matcher = Matcher::pcre(pattern).ok()?;
    let selects = |name: &&str| {
        let subject = Subject {
            name,
            also: &[],
            canonical: None,
        };
        matcher.selects(Some(&subject)) != Hit::No
    };
    Some(names.iter().map(String::as_str).filter(selects).collect())
}

/// Compares what both select; a pattern that is broken there may be one here. A name that ends in a line break, which no tool
/// has, may be selected here alone.
fn strange(patterns: &[Value], names: &[String]) -> Vec<String> {
    let differs = |one: &Value| {
        let (pattern, theirs) = (&one["case"]["pattern"], &one["theirs"]);
        let ours = selected(pattern.as_str().unwrap(), names)?;
        let theirs_has = |name: &str| {
            let all = theirs["selects"].as_array();
            all.is_some_and(|all| all.iter().any(|one| one == name))
        };
        let same = theirs["error"] == true
            || names.iter().all(|name| {
                let (there, here) = (theirs_has(name), ours.contains(&name.as_str()));
                there == here || (here && name.ends_with('\n'))
            });
        (!same).then(|| format!("{pattern}: theirs {theirs}, ours {ours:?}"))
    };
    patterns.iter().filter_map(differs).collect()
}

#[test]
fn recorded_patterns_select_what_they_selected_in_the_original_or_are_refused() {
    let mut lines = include_str!("recorded.jsonl").lines();
    let first: Value = serde_json::from_str(lines.next().unwrap()).unwrap();
    let names: Vec<String> = serde_json::from_value(first["names"].clone()).unwrap();
    let patterns: Vec<Value> = lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(patterns.len(), PATTERNS);
    assert_eq!(strange(&patterns, &names), Vec::<String>::new());
}
