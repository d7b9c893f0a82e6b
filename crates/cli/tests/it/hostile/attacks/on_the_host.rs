//! What reaches us from the host: its environment, its payload, its time, its signals.

use std::io::Read as _;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::env::{TestEnv, command, finish, start};
use crate::hostile::{claude, guarded, is_an_answer, refused, secret};

const RUN: &[&str] = &[
    "run",
    "PreToolUse",
    "--host",
    "claude-code",
    "--deadline",
    "20",
];

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
        let mut command = env.command(RUN);
        command
            .env("PATH", &path)
            .current_dir(env.path("project/bin"));
        let left = finish(start(command, &secret(&env)));
        assert_eq!(left.decision().as_deref(), Some("deny"), "{path}: {left:?}");
        assert!(
            left.stdout.contains("protected"),
            "the guard itself: {left:?}"
        );
    }
}

#[test]
fn hooks_get_no_variable_that_changes_what_a_shell_does_and_none_of_ours_that_another_program_set()
{
    let env = TestEnv::hook("pre-tool-use", &command("env > $HOME/env"));
    let hostile = [
        "SHELLOPTS",
        "BASHOPTS",
        "BASH_ENV",
        "ENV",
        "BASH_FUNC_exit%%",
        "BASH_FUNC_get()",
        "IFS",
        "PS4",
        "CDPATH",
        "ZDOTDIR",
        "ANYHOOK_RECHECK",
        "ANYHOOK_TRUST_ALL",
        "file",
        "files",
    ];
    let mut command = env.command(RUN);
    command
        .envs(hostile.map(|name| (name, "x")))
        .env("NODE_OPTIONS", "--kept");
    finish(start(
        command,
        env.pre("Task", &json!({})).to_string().as_bytes(),
    ));
    let lines = env.lines("env");
    let names: Vec<&str> = lines
        .iter()
        .filter_map(|line| Some(line.split_once('=')?.0))
        .collect();
    let handed: Vec<&&str> = hostile.iter().filter(|name| names.contains(name)).collect();
    assert_eq!(handed, Vec::<&&str>::new());
    assert!(
        lines.contains(&"NODE_OPTIONS=--kept".to_owned()),
        "{lines:?}"
    );
    assert!(
        lines.contains(&"PYTHONDONTWRITEBYTECODE=1".to_owned()),
        "{lines:?}"
    );
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
        let mut command = env.command(RUN);
        command.env("ANYHOOK_PAYLOAD", &harmless);
        let left = finish(start(command, &secret(&env)));
        assert!(refused(&left), "{left:?}");
    }
}

#[test]
fn fields_of_the_payload_that_look_like_ours_show_a_hook_no_other_event() {
    let env = TestEnv::hook("pre-tool-use", &command("cat > $HOME/seen"));
    let mut payload = env.pre("Write", &json!({"file_path": "/p/.env"}));
    for (name, value) in [
        ("hookEventName", json!("Notification")),
        ("toolName", json!("Read")),
        ("toolInput", json!({"file_path": "/p/a.txt"})),
        ("native", json!({"host": "x"})),
        ("__proto__", json!({"tool_name": "Read"})),
    ] {
        payload[name] = value;
    }
    let left = claude(&env, payload.to_string().as_bytes());
    assert!(is_an_answer(&left), "{left:?}");
    let seen: Value = serde_json::from_str(&env.lines("seen").join("\n")).unwrap();
    let names = [
        "hookEventName",
        "hook_event_name",
        "toolName",
        "tool_name",
        "toolInput",
        "tool_input",
    ];
    let input = json!({"file_path": "/p/.env"});
    assert_eq!(
        names.map(|name| seen[name].clone()),
        [
            json!("pre-tool-use"),
            json!("PreToolUse"),
            json!("Write"),
            json!("Write"),
            input.clone(),
            input
        ],
    );
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
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mkfifoat(rustix::fs::CWD, &asked, mode).unwrap();
    let mut holder = start(
        env.command(&["run", "--host", "claude-code", "--deadline", "60"]),
        &secret(&env),
    );
    // Opening the pipe waits for the hook: from then on the event is held.
    let mut said = String::new();
    std::fs::File::open(&asked)
        .unwrap()
        .read_to_string(&mut said)
        .unwrap();
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
        let mut payload = env.pre("Write", &json!({"file_path": "/p/.env"}));
        payload["session_id"] = id.clone().into();
        let left = claude(&env, payload.to_string().as_bytes());
        assert!(refused(&left), "{}: {left:?}", crate::env::head(&id));
    }
    let files = super::super::environments::files(&env.path(""));
    assert!(
        !files.iter().any(|file| file.ends_with("pwned")),
        "{files:?}"
    );
}
