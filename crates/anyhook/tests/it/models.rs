//! Which model is asked, whose choice that is, and what the process that asks is given.

use std::ffi::OsString;
use std::path::Path;

use anyhook::config::{Config, ConfigFiles};
use anyhook::core::event::Event;
use anyhook::core::fault::FaultKind;
use anyhook::core::handler::Handler;
use anyhook::core::hook::Hook;
use anyhook::core::manifest::{Action, Prompt};
use anyhook::core::report::Asked;
use anyhook::models::{Configured, Settings, Whose};
use anyhook::processes::Job;
use anyhook::runners::{Asking, Prepared, Shared, prepare};
use anyhook::state::SessionKey;
use anyhook::world::{Places, World};
use serde_json::{Value, json};

/// A world with these variables, and a home in this folder.
fn world(home: &Path, env: &[(&str, &str)]) -> World {
    let env = env.iter();
    World {
        env: env
            .map(|(name, value)| (name.into(), value.into()))
            .collect(),
        cwd: home.into(),
        places: Some(Places {
            home: home.into(),
            config: home.join("config"),
            state: home.join("state"),
        }),
        ..World::real()
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
    let chosen = ConfigFiles {
        managed: file("managed.toml", managed),
        user: file("user.toml", user),
    };
    let configured = Configured::read(&Config::read(chosen), &world(place.path(), env));
    let told = |error: &dyn std::error::Error| {
        let folder = format!("{}/", place.path().display());
        let text = error.to_string().replace(&folder, "");
        // Behind it stands what helps.
        text.split("; ").next().unwrap_or_default().to_owned()
    };
    let Settings {
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
        Whose::Managed(_) => "managed",
        Whose::Environment => "environment",
        Whose::User(_) => "user",
    };
    Ok((format!("{} {model} at {base} {key}", provider.id), whose))
}

const OWN: &str = "[model]\nprovider = 'anthropic'\nmodel = 'mine'\n";
const KEY: (&str, &str) = ("ANYHOOK_MODEL_KEY", "sk-1\n");

#[test]
fn the_managed_file_comes_first_then_the_environment_then_the_persons_own() {
    let managed = "[model]\nbase-url = 'http://127.0.0.1:8080/v1/'\nmodel = 'ours'\n";
    let env = [
        ("ANYHOOK_MODEL_PROVIDER", "openai"),
        ("ANYHOOK_MODEL", "theirs"),
        KEY,
    ];
    let of = |text: &str, whose| Ok((text.to_owned(), whose));
    assert_eq!(
        chosen(managed, OWN, &env),
        of(
            "openai ours at http://127.0.0.1:8080/v1 with a key",
            "managed"
        )
    );
    assert_eq!(
        chosen("", OWN, &env),
        of(
            "openai theirs at https://api.openai.com/v1 with a key",
            "environment"
        )
    );
    assert_eq!(
        chosen("[http]\n", OWN, &[KEY]),
        of(
            "anthropic mine at https://api.anthropic.com with a key",
            "user"
        )
    );
}

#[test]
fn one_place_is_taken_as_a_whole_so_that_no_address_gets_the_key_of_another() {
    let own = format!("{OWN}key-env = 'MY_KEY'\n");
    let env = [
        ("ANYHOOK_MODEL_BASE_URL", "https://elsewhere.example/v1"),
        ("MY_KEY", "sk-mine"),
    ];
    assert_eq!(
        chosen("", &own, &env),
        Err("the settings name no model".into())
    );
    let env = [&env[..], &[("ANYHOOK_MODEL", "m")]].concat();
    let expected = "openai m at https://elsewhere.example/v1 without";
    assert_eq!(chosen("", &own, &env), Ok((expected.into(), "environment")));
}

#[test]
fn a_managed_file_that_cannot_be_used_lets_no_other_file_choose() {
    assert_eq!(
        chosen("[model]\nmodel = 3\n", OWN, &[KEY]),
        Err("`managed.toml:2:9`: `model.model` must be a string".into())
    );
    let broken = chosen("[model\nkey = 'sk-4711'", OWN, &[KEY]).unwrap_err();
    assert!(broken.starts_with("`managed.toml:1:"), "{broken}");
    assert!(!broken.contains("sk-4711"), "{broken}");
}

#[test]
fn what_is_wrong_is_said_in_words() {
    let with =
        |more: &str| chosen("", &format!("[model]\nmodel = 'm'\n{more}"), &[KEY]).unwrap_err();
    assert_eq!(
        chosen("", "", &[]),
        Err("no model is configured to ask".into())
    );
    assert_eq!(
        with(""),
        "the settings name neither a provider nor the address of a server"
    );
    assert_eq!(
        with("provider = 'antropic'"),
        "no provider is called `antropic`"
    );
    assert_eq!(
        with("key = 'sk-4711'"),
        "`user.toml:3:1`: unknown field `model.key`: known are `provider`, `base-url`, `model`, `key-env`"
    );
    assert_eq!(
        with("provider = 'anthropic'\nkey-env = 'OTHER'"),
        "the variable `OTHER` holds no key"
    );
    let two = [("ANYHOOK_MODEL_KEY", "sk-1\r\nx-evil: 1")];
    assert_eq!(
        chosen("", OWN, &two),
        Err("what the variable `ANYHOOK_MODEL_KEY` holds cannot be a key".into())
    );
}

#[test]
fn a_key_travels_in_clear_text_on_this_machine_alone() {
    let at = |base: &str, env: &[(&str, &str)]| {
        let own = format!("[model]\nmodel = 'm'\nbase-url = '{base}'\n");
        chosen("", &own, env).map(|(settings, _)| settings)
    };
    for here in [
        "http://localhost:1/v1",
        "http://127.0.0.2:1",
        "http://[::1]:1/v1",
    ] {
        assert_eq!(
            at(here, &[KEY]),
            Ok(format!("openai m at {here} with a key"))
        );
    }
    for there in [
        "http://localhost.example/v1",
        "http://127.0.0.1.example:1",
        "http://192.168.1.2:1",
    ] {
        assert_eq!(
            at(there, &[KEY]),
            Err(format!("the key would go to `{there}` in clear text"))
        );
        assert_eq!(at(there, &[]), Ok(format!("openai m at {there} without")));
    }
    for (none, why) in [
        ("localhost:11434", "it has no `https://`"),
        ("file:///etc", "it names no host"),
        ("ftp://x", "it begins with neither `https://` nor `http://`"),
        (
            "https://user@x",
            "it is more than a host, a port and a path",
        ),
        (
            "http://x\\@127.0.0.1",
            "it is more than a host, a port and a path",
        ),
    ] {
        assert_eq!(
            at(none, &[]),
            Err(format!("`{none}` is no address of a server: {why}"))
        );
    }
}

/// What is made of one prompt hook, where our own program stands beside this one or does not.
fn prepared(env: &[(&str, &str)], prompt: &str, own: Option<&Path>) -> Prepared {
    let home = tempfile::tempdir().unwrap();
    let world = world(home.path(), env);
    let action = Action::Prompt(Prompt {
        prompt: prompt.into(),
    });
    let hook = Hook::new("stop", "done", Handler::Declared(Box::new(action.clone())));
    let shared = Shared {
        payload: b"{\"hook_event_name\":\"Stop\"}\n".as_slice().into(),
        own: own.map(|own| own.as_os_str().to_owned()),
        session: Some(SessionKey::new("claude-code", "s-1")),
        ..Shared::default()
    };
    let asking = Asking {
        hook: &hook,
        event: &Event::new("stop", json!({})),
        asked: Asked::First,
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
        let Prepared::Fault(fault) = prepared(&LOCAL, "Done?", own) else {
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
    let env = [
        &LOCAL[..],
        &[
            KEY,
            ("HOME", "/h"),
            ("AWS_SECRET", "x"),
            ("LD_PRELOAD", "y"),
            ("PATH", "/bin"),
        ],
    ]
    .concat();
    let Prepared::Process(job) = prepared(&env, "Done? $ARGUMENTS", Some(bin.path())) else {
        panic!("it can be asked");
    };
    let Job {
        program,
        args,
        mut env,
        stdin,
        deadline,
        ..
    } = *job;
    assert_eq!(program, bin.path().join("anyhook"));
    assert_eq!(&*stdin, b"{\"hook_event_name\":\"Stop\"}\n");
    assert_eq!(deadline.as_secs(), 20);
    env.sort();
    let names: Vec<OsString> = env.into_iter().map(|(name, _)| name).collect();
    assert_eq!(
        names,
        [
            "ANYHOOK_MODEL",
            "ANYHOOK_MODEL_BASE_URL",
            "ANYHOOK_MODEL_KEY",
            "HOME"
        ]
    );
    let [verb, judging] = &args[..] else {
        panic!("{args:?}");
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
    let Prepared::Fault(fault) = prepared(&LOCAL, &"x".repeat(70_000), own) else {
        panic!("it is too long");
    };
    assert_eq!(fault.kind, FaultKind::BadEntry);
}
