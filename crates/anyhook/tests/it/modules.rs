//! The modules that are built in, together on one session.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use anyhook::Session;
use anyhook::core::event::Event;
use anyhook::core::ports::{Query, Store};
use anyhook::core::redact::{Class, RULES, Rule, Shape};
use anyhook::modules::{MODULES, find};
use anyhook::session::{Acted, Setup};
use anyhook::stores::{Jsonl, Keep};
use anyhook::world::{Places, World};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

fn world(folder: &Path) -> Arc<World> {
    Arc::new(World {
        cwd: folder.join("shop"),
        places: Some(Places {
            home: folder.join("home"),
            config: folder.join("config"),
            state: folder.join("state"),
        }),
        ..World::real()
    })
}

/// Every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found
}

/// Secrets of every kind, made up from a number.
fn secrets(seed: u32) -> Vec<(&'static str, String)> {
    let mut last = seed;
    let mut draw = move || {
        last = last.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        last >> 8
    };
    let mut letters = |set: &str, count: usize| -> String {
        let set = if matches!(set, "digits" | "upper") {
            10
        } else {
            16
        };
        let drawn = (0..count).filter_map(|_| char::from_digit(draw() % set, 16));
        drawn.collect()
    };
    let mut made_up = |rule: &'static Rule| match rule.shape {
        Shape::Token {
            prefixes,
            body,
            least,
            ..
        } => {
            let set = format!("{body:?}").to_lowercase();
            prefixes[0].to_owned() + &letters(&set, least + 3)
        }
        Shape::Pattern { .. } if rule.made.is_empty() => rule.good.concat(),
        Shape::Pattern { .. } => {
            let mut made = String::new();
            for part in rule.made.split('>') {
                let (text, drawn) = part.split_once('<').unwrap_or((part, "- 0"));
                let (set, count) = drawn.split_once(' ').unwrap();
                made += &(text.to_owned() + &letters(set, count.parse().unwrap()));
            }
            made
        }
    };
    let rules = RULES.iter().filter(|rule| rule.class == Class::Secret);
    rules.map(|rule| (rule.id, made_up(rule))).collect()
}

/// What may not be read anywhere: the longest word of a secret, which is what was drawn.
fn drawn(secret: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let words = secret.split(|c: char| !is_word(c));
    let word = words.max_by_key(|word| word.len()).unwrap_or_default();
    word.to_owned()
}

#[test]
fn the_table_has_the_canonical_modules() {
    let names: Vec<&str> = MODULES.iter().map(|module| module.name).collect();
    assert_eq!(names, ["approval", "file-guard", "redaction", "logging"]);
    let mut all = BTreeSet::new();
    for module in MODULES {
        for name in module.aliases.iter().chain([&module.name]) {
            assert!(all.insert(*name), "{name} is there twice");
            assert_eq!(find(name).unwrap().name, module.name);
        }
    }
}

fn no_secret_survives(seed: u32) -> Result<(), TestCaseError> {
    let place = tempfile::tempdir().unwrap();
    let world = world(place.path());
    let session = Session::with("s1", Setup::default());
    for module in ["redaction", "approval", "logging"] {
        find(module)
            .unwrap()
            .mount_in(world.clone(), &session, &Value::Null)
            .unwrap();
    }
    let heard = Arc::new(Mutex::new(String::new()));
    let ours = heard.clone();
    session.hooks().register(
        anyhook::core::hook::Hook::on("*", move |event: &Event| {
            ours.lock()
                .unwrap()
                .push_str(&serde_json::to_string(&*event.json()).unwrap());
        })
        .priority(1000),
    );
    let kept = tempfile::tempdir().unwrap();
    let store = Jsonl::new(kept.path(), Keep::Payload);
    let secrets = secrets(seed);
    prop_assert!(secrets.len() >= 40);
    for (at, (_, secret)) in secrets.iter().enumerate() {
        let (event, data) = match at % 4 {
            0 => (
                "tool:pre",
                json!({"tool_name": "Bash", "tool_input": {"command": format!("use {secret} now")}}),
            ),
            1 => (
                "prompt:submit",
                json!({"prompt": format!("a\n{secret}\nb")}),
            ),
            2 => (
                "tool:post",
                json!({"tool_result": {"out": [{"deep": secret}], secret: 1}}),
            ),
            _ => (
                "my-hook:custom",
                json!({"error": {"inner": json!({"k": secret}).to_string()}}),
            ),
        };
        let acted = session.emit_blocking(event, data);
        store.append(&acted.report).unwrap();
    }
    let logs: Vec<String> = files(&place.path().join("state"))
        .iter()
        .map(|file| std::fs::read_to_string(file).unwrap())
        .collect();
    prop_assert_eq!(logs.len(), 1, "a log");
    let reports = store.find(&Query::default()).unwrap();
    let reports = serde_json::to_string(&reports).unwrap();
    let heard = heard.lock().unwrap().clone();
    for (id, secret) in &secrets {
        let drawn = drawn(secret);
        prop_assert!(drawn.len() >= 6, "{id}");
        for text in logs.iter().chain([&heard, &reports]) {
            prop_assert!(!text.contains(&drawn), "{id}: {drawn}");
        }
    }
    Ok(())
}

#[test]
fn ids_and_times_of_an_event_are_left_alone_on_every_way() {
    let place = tempfile::tempdir().unwrap();
    let id = "550e8400-e29b-41d4-a716-446655440000";
    let session = Session::with(id, Setup::default());
    for module in ["redaction", "logging"] {
        find(module)
            .unwrap()
            .mount_in(world(place.path()), &session, &Value::Null)
            .unwrap();
    }
    let Acted { event, .. } =
        session.emit_blocking("tool:post", json!({"tool_use_id": "toolu_1", "n": 1}));
    let mut data = event.data.json().into_owned();
    data.shift_remove("timestamp");
    assert_eq!(
        Value::Object(data),
        json!({"tool_use_id": "toolu_1", "n": 1, "session_id": id})
    );
    let log = &files(&place.path().join("state"))[0];
    assert!(log.to_string_lossy().contains(id), "{}", log.display());
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "takes seconds"]
    fn no_secret_of_any_kind_survives_in_an_event_or_a_log() {
        // A session for each case: so few that they cost a second, whatever the environment says of properties.
        let config = ProptestConfig {
            cases: 3,
            failure_persistence: None,
            ..ProptestConfig::default()
        };
        let mut runner = TestRunner::new(config);
        runner.run(&any::<u32>(), no_secret_survives).unwrap();
    }
}
