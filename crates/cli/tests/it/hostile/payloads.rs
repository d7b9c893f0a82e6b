//! Every payload of the corpus, byte for byte.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{claude, guarded, has_pwned, is_an_answer, refused};
use crate::env::{at_once, repository};

/// The cases of the corpus: name and bytes.
fn cases() -> BTreeMap<String, Vec<u8>> {
    let folder = repository().join("fixtures/hostile");
    let mut cases = BTreeMap::new();
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if name.as_bytes()[0].is_ascii_digit() {
            cases.insert(name, std::fs::read(&path).unwrap());
        }
    }
    let recipes = std::fs::read_to_string(folder.join("generated.json")).unwrap();
    let recipes: Vec<Value> = serde_json::from_str(&recipes).unwrap();
    cases.extend(recipes.iter().map(|recipe| {
        (
            recipe["name"].as_str().unwrap().to_owned(),
            cook(&recipe["parts"]),
        )
    }));
    cases
}

/// Makes a payload from its recipe; the grammar stands in the corpus' own page.
fn cook(parts: &Value) -> Vec<u8> {
    let mut text = String::new();
    for part in parts.as_array().unwrap() {
        let times = part["times"].as_u64().unwrap_or(1);
        if let Some(whole) = part.as_str() {
            text.push_str(whole);
        } else if let Some(repeat) = part["repeat"].as_str() {
            text.push_str(&repeat.repeat(usize::try_from(times).unwrap()));
        } else if let Some(each) = part["each"].as_str() {
            text.extend((0..times).map(|n| each.replace("{n}", &n.to_string())));
        }
    }
    text.into_bytes()
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "takes seconds"]
    fn every_hostile_payload_is_refused_or_answered_as_its_table_says() {
        let text =
            std::fs::read_to_string(repository().join("fixtures/hostile/expect.json")).unwrap();
        let expect: BTreeMap<String, String> = serde_json::from_str(&text).unwrap();
        let cases = cases();
        assert!(cases.len() >= 40, "at least forty cases: {}", cases.len());
        let env = guarded();
        let wrong = at_once(cases.iter(), |(name, payload)| {
            let left = claude(&env, payload);
            let must_refuse = expect
                .get(name)
                .is_none_or(|expected| expected == "refused");
            if !is_an_answer(&left) {
                return Some(format!("{name}: no answer: {left:?}"));
            }
            (must_refuse && !refused(&left)).then(|| format!("{name}: went through: {left:?}"))
        });
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(!has_pwned(&env));
    }
}
