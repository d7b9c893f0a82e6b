//! What reaches us from the host: its environment, its payload, its time, its signals.

use std::process::Stdio;

use anyhook::trust::Trust;
use serde_json::{Value, json};

use crate::env::{TestEnv, command, fifo, finish, on, start, with};
use crate::hostile::{claude, claude_in, guarded, has_pwned, is_an_answer, refused, secret};

#[test]
fn a_program_that_the_project_plants_on_path_does_not_pass_for_one_of_the_guard() {
    let env = guarded();
    for name in ["sh", "tr", "printf", "anyhook", "cat"] {
        env.program(&format!("project/bin/{name}"), "#!/bin/true\n");
    }
    for path in [
        "project/bin:/usr/bin:/bin",
        ":/usr/bin:/bin",
        "bin:.:/usr/bin:/bin",
    ] {
        let path = path.replace("project", &env.path("project").display().to_string());
        let bin = env.path("project/bin");
        let left = claude_in(&env, |run| run.env("PATH", &path).current_dir(bin));
        assert_eq!(left.decision().as_deref(), Some("deny"), "{path}: {left:?}");
        left.says("protected");
    }
}

#[test]
fn hooks_get_no_variable_that_changes_what_a_shell_does_and_none_of_ours_that_another_program_set()
{
    let env = TestEnv::hook("pre-tool-use", &command("env > $HOME/env"));
    let hostile = "SHELLOPTS BASHOPTS BASH_ENV ENV BASH_FUNC_exit%% BASH_FUNC_get() IFS PS4 CDPATH ZDOTDIR \
        ANYHOOK_RECHECK ANYHOOK_TRUST_ALL file files";
    let hostile: Vec<&str> = hostile.split_whitespace().collect();
    env.told_in("claude-code", &env.pre("Task", &json!({})), |run| {
        run.envs(hostile.iter().map(|name| (name, "x")))
            .env("NODE_OPTIONS", "--kept")
    });
    let lines = env.lines("env");
    let is_handed = |name: &&str| {
        lines
            .iter()
            .any(|line| line.starts_with(&format!("{name}=")))
    };
    let handed: Vec<&str> = hostile.into_iter().filter(is_handed).collect();
    assert_eq!(handed, [""; 0]);
    for kept in ["NODE_OPTIONS=--kept", "PYTHONDONTWRITEBYTECODE=1"] {
        assert!(lines.iter().any(|line| line == kept), "{lines:?}");
    }
}

#[test]
fn a_payload_of_the_attacker_in_our_own_environment_is_not_what_a_guard_gets() {
    let env = guarded();
    let harmless = env.write(
        "home/harmless.json",
        r#"{"tool_name": "Read", "tool_input": {}}"#,
    );
    for spoilt in ["", "payloads"] {
        if !spoilt.is_empty() {
            // Where no payload can be written, `get` reads the standard input.
            let _ = std::fs::remove_dir_all(env.state().join(spoilt));
            std::fs::write(env.state().join(spoilt), "").unwrap();
        }
        let left = claude_in(&env, |run| run.env("ANYHOOK_PAYLOAD", &harmless));
        assert!(refused(&left), "{left:?}");
    }
}

#[test]
fn fields_of_the_payload_that_look_like_ours_show_a_hook_no_other_event() {
    let env = TestEnv::hook("pre-tool-use", &command("cat > $HOME/seen"));
    let input = json!({"file_path": "/p/.env"});
    let forged = json!({
        "hookEventName": "Notification", "toolName": "Read", "toolInput": {"file_path": "/p/a.txt"},
        "native": {"host": "x"}, "__proto__": {"tool_name": "Read"},
    });
    let payload = with(env.pre("Write", &input), &forged);
    let left = claude(&env, payload.to_string().as_bytes());
    assert!(is_an_answer(&left), "{left:?}");
    let seen: Value = serde_json::from_str(&env.lines("seen").join("\n")).unwrap();
    let shown = json!({
        "hookEventName": "pre-tool-use", "hook_event_name": "PreToolUse", "toolName": "Write", "tool_name": "Write",
        "toolInput": input, "tool_input": input,
    });
    assert_eq!(with(seen.clone(), &shown), seen);
    assert_eq!(seen["native"]["host"], "claude-code");
}

#[test]
fn a_process_that_holds_the_same_event_does_not_hold_it_beyond_the_deadline() {
    let line = "echo asked > $HOME/asked; sleep 60";
    let env = TestEnv::hook(
        "pre-tool-use",
        &json!({"type": "command", "guard": true, "command": line}),
    );
    let asked = env.path("home/asked");
    fifo(&asked);
    let mut holder = start(
        env.command(&["run", "--host", "claude-code", "--deadline", "60"]),
        &secret(&env),
    );
    // Opening the pipe waits for the hook: from then on the event is held.
    std::fs::read(&asked).unwrap();
    std::fs::remove_file(&asked).unwrap();
    let left = env.run(
        &["run", "--host", "claude-code", "--deadline", "2"],
        &secret(&env),
    );
    assert_eq!(holder.try_wait().unwrap(), None, "it still holds the event");
    rustix::process::kill_process(
        rustix::process::Pid::from_child(&holder),
        rustix::process::Signal::TERM,
    )
    .unwrap();
    let interrupted = finish(holder);
    // On a busy machine the watchdog answers, in fewer words.
    assert!(refused(&left), "{left:?}");
    interrupted.decides("deny");
}

#[test]
fn broken_bytes_cannot_claim_to_be_an_event_that_cannot_be_refused() {
    let env = guarded();
    let left = claude(
        &env,
        br#"{"hook_event_name": "Notification", "tool_input": {"file_path": "/p/.env"#,
    );
    assert!(refused(&left), "{left:?}");
}

#[test]
fn an_answer_that_cannot_be_written_refuses_only_what_was_refused() {
    let env = TestEnv::hook("stop", &command("anyhook say notify hello"));
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = env.command(&["run", "--host", "claude-code"]);
    command.stdout(Stdio::from(writer));
    let left = finish(start(command, env.stop(false).to_string().as_bytes()));
    assert_eq!(left.code, 0, "the agent may stop: {left:?}");
}

#[test]
fn session_ids_of_any_length_and_shape_answer_and_stay_inside_the_state() {
    let env = guarded();
    for id in [
        "x".repeat(1 << 20),
        "../../../pwned".into(),
        "/pwned".into(),
        "a\u{0}b".into(),
        String::new(),
    ] {
        let call = env.pre("Write", &json!({"file_path": "/p/.env"}));
        let payload = with(call, &json!({"session_id": id}));
        let left = claude(&env, payload.to_string().as_bytes());
        assert!(refused(&left), "{}: {left:?}", crate::env::head(&id));
    }
    assert!(!has_pwned(&env));
}

#[test]
fn hooks_that_the_environment_calls_the_users_and_that_stand_in_the_project_do_not_run() {
    for (variable, folder, below) in [
        (
            "XDG_CONFIG_HOME",
            "project/config",
            "project/config/anyhook",
        ),
        ("HOME", "project/home", "project/home/.config/anyhook"),
    ] {
        let env = TestEnv::new();
        std::fs::create_dir(env.path("project/.git")).unwrap();
        let hook = command("touch \"$PWD/ran\"; exit 0");
        let hooks = on("pre-tool-use", &json!([{"hooks": [hook]}])).to_string();
        let file = env.write(&format!("{below}/hooks.json"), &hooks);
        // Not even where the project brings pins of its own.
        let brought = env.path("project/home/.local/state/anyhook/trust");
        Trust::new(brought).pin(&file, 0).unwrap();
        let left = claude_in(&env, |run| run.env(variable, env.path(folder)));
        assert!(!env.path("project/ran").exists(), "{variable}: {left:?}");
        left.says("trust");
    }
}
