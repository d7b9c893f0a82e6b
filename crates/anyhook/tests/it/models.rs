//! Which model is asked, whose choice that is, and what the process that asks is given.

use std::ffi::OsString;
use std::path::Path;

use anyhook::config::Config;
use anyhook::core::event::Event;
use anyhook::core::fault::{Fault, FaultKind};
use anyhook::core::handler::Handler;
use anyhook::core::hook::Hook;
use anyhook::core::manifest::{Action, Prompt};
use anyhook::core::report::AskRound;
use anyhook::models::{ConfiguredModel, ModelSettings, SettingsSource};
use anyhook::runners::{RunnerContext, RunnerReply, RunnerRequest, prepare};
use anyhook::state::SessionKey;
use anyhook::world::World;
use serde_json::{Value, json};

use crate::lines;

/// A world with these variables, and a home in this folder.
fn world(home: &Path, env: &[(&str, &str)]) -> World {
    let env = env.iter();
    World {
        env: env
            .map(|(name, value)| (name.into(), value.into()))
            .collect(),
        ..lines::world(home)
    }
}

/// What comes of these files and variables: provider, address, model, whether there is a key, and whose choice it is.
fn chosen(
    managed: &str,
    user: &str,
    env: &[(&str, &str)],
) -> Result<(String, &'static str), String> {
    let place = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let file = place.path().join(name);
        if !text.is_empty() {
            std::fs::write(&file, text).unwrap();
        }
        Some(file)
    };
    let chosen = [file("managed.toml", managed), file("user.toml", user)];
    let configured = ConfiguredModel::read(&Config::read(chosen), &world(place.path(), env));
    let told = |error: &dyn std::error::Error| {
        let folder = format!("{}/", place.path().display());
        let text = error.to_string().replace(&folder, "");
        // Behind it stands what helps.
        text.split("; ").next().unwrap_or_default().to_owned()
    };
    let ModelSettings {
        provider,
        base,
        model,
        key,
        whose,
    } = configured.settings.map_err(|error| told(&error))?;
    let key = if key.is_some() {
        "with a key"
    } else {
        "without"
    };
    let whose = match whose {
        SettingsSource::Managed(_) => "managed",
        SettingsSource::Environment => "environment",
        SettingsSource::User(_) => "user",
    };
    Ok((format!("{} {model} at {base} {key}", provider.id), whose))
}

/// The managed file, the person's own, the variables, and what comes of them: whose choice it is and which, or what is wrong.
/// `⏎` is the end of a line, `KEY` a variable with a key, `MODEL` a file with a model and this provider or address.
const CHOSEN: &str = include_str!("models.txt");

const KEY: (&str, &str) = ("ANYHOOK_MODEL_KEY", "sk-1\n");

#[test]
fn one_place_chooses_the_model_as_a_whole_and_no_address_gets_the_key_of_another_or_in_clear_text()
{
    for row in CHOSEN.lines() {
        let cells: Vec<&str> = row.split("⇒").map(str::trim).collect();
        let [managed, user, env, expected] = cells[..] else {
            panic!("{row}")
        };
        let text = |cell: &str| {
            let text = cell.replace("MODEL", "[model]⏎model = 'm'⏎");
            text.replace('⏎', "\n")
        };
        let env = env.replace('⏎', "\r\n");
        let env = env.split(' ').filter(|one| !one.is_empty());
        let env: Vec<(&str, &str)> = env.map(|one| one.split_once('=').unwrap_or(KEY)).collect();
        let found = chosen(&text(managed), &text(user), &env);
        let found = found.map_or_else(|why| why, |(what, whose)| format!("{whose}: {what}"));
        assert_eq!(found, expected, "{row}");
    }
    let broken = chosen("[model\nkey = 'sk-4711'", "", &[KEY]).unwrap_err();
    assert!(broken.starts_with("`managed.toml:1:"), "{broken}");
    assert!(!broken.contains("sk-4711"), "{broken}");
}

/// What is made of one prompt hook, where our own program stands beside this one or does not.
fn prepared(env: &[(&str, &str)], prompt: &str, own: Option<&Path>) -> Result<RunnerReply, Fault> {
    let home = tempfile::tempdir().unwrap();
    let world = world(home.path(), env);
    let action = Action::Prompt(Prompt {
        prompt: prompt.into(),
    });
    let hook = Hook::new("stop", "done", Handler::Declared(Box::new(action.clone())));
    let shared = RunnerContext {
        payload: b"{\"hook_event_name\":\"Stop\"}\n".as_slice().into(),
        own: own.map(|own| own.as_os_str().to_owned()),
        session: Some(SessionKey::new("claude-code", "s-1")),
        ..RunnerContext::default()
    };
    let asking = RunnerRequest {
        hook: &hook,
        event: &Event::new("stop", json!({})),
        asked: AskRound::First,
        world: &world,
        shared: &shared,
    };
    prepare(&action, &asking)
}

const LOCAL: [(&str, &str); 2] = [
    ("ANYHOOK_MODEL", "m"),
    ("ANYHOOK_MODEL_BASE_URL", "http://localhost:1/v1"),
];

#[test]
fn a_program_without_anyhook_beside_it_says_so() {
    let bare = tempfile::tempdir().unwrap();
    for own in [None, Some(bare.path())] {
        let Err(fault) = prepared(&LOCAL, "Done?", own) else {
            panic!("there is nothing to start");
        };
        assert_eq!(fault.kind, FaultKind::NotStarted);
        assert!(fault.text.contains("the program `anyhook`"), "{fault}");
    }
}

#[test]
fn the_process_that_asks_gets_the_event_the_key_and_little_else() {
    let bin = tempfile::tempdir().unwrap();
    std::fs::write(bin.path().join("anyhook"), "").unwrap();
    let more = [
        ("HOME", "/h"),
        ("AWS_SECRET", "x"),
        ("LD_PRELOAD", "y"),
        ("PATH", "/bin"),
    ];
    let env = [&LOCAL[..], &[KEY], &more].concat();
    let Ok(RunnerReply::Process(job)) = prepared(&env, "Done? $ARGUMENTS", Some(bin.path())) else {
        panic!("it can be asked");
    };
    assert_eq!(job.program, bin.path().join("anyhook"));
    assert_eq!(&*job.stdin, b"{\"hook_event_name\":\"Stop\"}\n");
    assert_eq!(job.deadline.as_secs(), 20);
    let mut names: Vec<&OsString> = job.env.iter().map(|(name, _)| name).collect();
    names.sort();
    let model = [
        "ANYHOOK_MODEL",
        "ANYHOOK_MODEL_BASE_URL",
        "ANYHOOK_MODEL_KEY",
    ];
    assert_eq!(names, [&model[..], &["HOME"]].concat());
    let [verb, judging] = &job.args[..] else {
        panic!("{:?}", job.args);
    };
    assert_eq!(verb, "ask-model");
    let judging: Value = serde_json::from_str(judging.to_str().unwrap()).unwrap();
    let expected = json!({
        "prompt": "Done? $ARGUMENTS",
        "session": {"host": "claude-code", "session": "s-1"},
        "millis": 20_000,
    });
    assert_eq!(judging, expected);
}

#[test]
fn a_prompt_that_no_process_can_be_handed_is_a_failure_of_its_entry() {
    let bin = tempfile::tempdir().unwrap();
    std::fs::write(bin.path().join("anyhook"), "").unwrap();
    let own = Some(bin.path());
    let Err(fault) = prepared(&LOCAL, &"x".repeat(70_000), own) else {
        panic!("it is too long");
    };
    assert_eq!(fault.kind, FaultKind::BadEntry);
}
