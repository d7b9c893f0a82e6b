//! What a person trusted stays trusted or is asked about, whatever stands in its place.

use std::fs;
use std::os::unix::fs::symlink;

use anyhook::trust::Trust;
use anyhook::world::Places;
use serde_json::json;

use crate::env::{Left, Shows as _, TestEnv, on};

/// A project of which the hooks refuse every shell, trusted and recorded as `anyhook trust` does.
fn trusted() -> TestEnv {
    let env = TestEnv::new();
    let rule = json!({"type": "rule", "when": "true", "then": {"deny": "no shell"}});
    env.manifest(
        &on(
            "pre-tool-use",
            &json!([{"matcher": "Bash", "hooks": [rule]}]),
        )
        .to_string(),
    );
    let trust = pins(&env);
    let manifest = env.path("project/hooks/hooks.json");
    trust.pin(&manifest, 0).unwrap();
    trust.record(&manifest).unwrap();
    call(&env, "one").decides("deny");
    env
}

fn pins(env: &TestEnv) -> Trust {
    Trust::of(&Places {
        home: env.path("home"),
        config: env.path("home/.config/anyhook"),
        state: env.state(),
    })
}

fn call(env: &TestEnv, command: &str) -> Left {
    env.bash(command)
}

/// A manifest that would never refuse.
fn harmless(env: &TestEnv, name: &str) {
    env.write(name, r#"{"version": 1, "hooks": {"stop": []}}"#);
}

#[test]
fn a_project_that_became_a_link_to_another_folder_is_guarded_as_before() {
    let env = trusted();
    let (project, elsewhere) = (env.path("project"), env.path("elsewhere"));
    fs::create_dir_all(elsewhere.join("hooks")).unwrap();
    harmless(&env, "elsewhere/hooks/hooks.json");
    let call = env.pre("Bash", &json!({"command": "two"}));
    fs::remove_dir_all(&project).unwrap();
    symlink(&elsewhere, &project).unwrap();
    env.claude(&call).decides("deny");
}

#[test]
fn state_that_vanished_is_noticed_and_the_question_names_the_command_that_mends_it() {
    let env = trusted();
    crate::env::remove(&env.path("home/.local"));
    let left = call(&env, "two");
    left.decides("ask");
    left.says("its pin is gone");
    left.says("anyhook trust ");
    let list = env.anyhook("list").stdout;
    list.shows("its pin is gone");
    let config = env.anyhook("list config").stdout;
    assert!(config.contains("its pin is gone"), "{config}");
    // Also where the manifest went with it.
    fs::remove_dir_all(env.path("project/hooks")).unwrap();
    let left = call(&env, "three");
    left.decides("ask");
    left.says("anyhook trust --forget");
    // A person says that it is meant so, and then nothing is asked.
    assert!(
        pins(&env)
            .forget(&env.path("project/hooks/hooks.json"))
            .unwrap()
    );
    assert_eq!(call(&env, "four").stdout, "");
}

#[test]
fn the_agent_is_asked_before_it_changes_the_record_of_what_was_trusted() {
    let env = trusted();
    let record = env.path("home/.config/anyhook/trusted.json");
    let write = json!({"file_path": record, "content": "[]"});
    env.claude(&env.pre("Write", &write)).decides("ask");
    let left = call(&env, "rm ~/.config/anyhook/trusted.json");
    assert!(left.decision().is_some(), "{left:?}");
}

#[test]
fn hooks_that_the_environment_calls_the_users_and_that_stand_in_the_project_do_not_run() {
    let env = TestEnv::new();
    fs::create_dir(env.path("project/.git")).unwrap();
    let hook = json!({"type": "command", "command": "touch \"$PWD/ran\"; exit 0"});
    let manifest = on("pre-tool-use", &json!([{"hooks": [hook]}])).to_string();
    let payload = env.pre("Bash", &json!({"command": "ls"})).to_string();
    for (variable, folder) in [("XDG_CONFIG_HOME", "config"), ("HOME", "home")] {
        let below = if variable == "HOME" {
            "home/.config"
        } else {
            folder
        };
        env.write(&format!("project/{below}/anyhook/hooks.json"), &manifest);
        // Not even where the project brings pins of its own.
        let brought = Trust::new(env.path("project/home/.local/state/anyhook/trust"));
        brought
            .pin(&env.path(&format!("project/{below}/anyhook/hooks.json")), 0)
            .unwrap();
        let mut command = env.command(&["run", "--host", "claude-code"]);
        command.env(variable, env.path("project").join(folder));
        let left = crate::env::finish(crate::env::start(command, payload.as_bytes()));
        assert!(!env.path("project/ran").exists(), "{variable}: {left:?}");
        assert!(left.stdout.contains("trust"), "{variable}: {left:?}");
    }
}
