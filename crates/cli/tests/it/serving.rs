//! The same event over HTTP and over standard input: the same bytes.

#[path = "../../../serve/tests/it/client.rs"]
#[allow(dead_code, reason = "the attacks on the server use the rest")]
mod client;

use std::fs;
use std::path::{Path, PathBuf};

use anyhook::trust::Trust;
use anyhook::world::{UserFolders, World};
use anyhook_serve::{Clients, Limits, Server, ServerFolder};
use serde_json::{Value, json};

use crate::env::{Shows as _, TestEnv, finish, start};
use client::Connection;

/// Hooks that refuse, ask, rewrite, inform and fail, so that every kind of answer is compared.
fn manifest() -> Value {
    let says = |line: &str| json!([{"hooks": [{"type": "command", "command": line}]}]);
    json!({"version": 1, "hooks": {
        "pre-tool-use": [
            {"matcher": "Bash", "hooks": [
                {"name": "no-tests", "type": "rule", "when": "runs('npm test')", "then": {"deny": "no tests, \u{201e}please\u{201c}"}},
                {"name": "rewrites", "type": "command", "command": "echo '{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", \"updatedInput\": {\"command\": \"true\"}}}'"}]},
            {"matcher": "Write|Edit", "hooks": [{"name": "asks", "type": "command", "command":
                "echo '{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", \"permissionDecision\": \"ask\", \"permissionDecisionReason\": \"sure?\"}}'"}]},
            {"matcher": "Read", "hooks": [{"name": "fails", "type": "command", "guard": true, "command": "echo 100 % broken >&2; exit 7"}]}],
        "post-tool-use": says("echo too late >&2; exit 2"),
        "user-prompt-submit": says("echo 'a text for the model'"),
        "session-start": says("echo 'welcome'; echo 'and a warning' >&2"),
        "stop": says("echo 'not yet' >&2; exit 2"),
        "permission-request": says("exit 2"),
        "notification": says("echo '{\"systemMessage\": \"seen\"}'"),
    }})
}

/// A state folder in which the project's file is trusted.
fn trusted(env: &TestEnv, name: &str) -> PathBuf {
    let folder = env.path(name);
    let trust = Trust::new(folder.join("anyhook/trust"));
    trust.pin(&env.path("project/hooks/hooks.json"), 0).unwrap();
    folder
}

/// The world of the server: the home and the environment of the test.
fn world(env: &TestEnv, state: &Path) -> World {
    let vars = [
        ("HOME", env.path("home")),
        ("PATH", "/usr/local/bin:/usr/bin:/bin".into()),
        ("TMPDIR", env.path("home")),
        ("XDG_STATE_HOME", state.into()),
    ];
    let vars = vars.into_iter();
    World {
        env: vars
            .map(|(name, value)| (name.into(), value.into()))
            .collect(),
        cwd: "/".into(),
        places: Some(UserFolders {
            home: env.path("home"),
            config: env.path("home/.config/anyhook"),
            state: state.join("anyhook"),
        }),
        supervisor: Some(env!("CARGO_BIN_EXE_anyhook").into()),
        ..World::real()
    }
}

/// A server of a person whose project is trusted, on a port of its own; nothing ends it but the test.
fn served(env: &TestEnv) -> (u16, Clients) {
    let state = trusted(env, "home/.local/state");
    let world = world(env, &state);
    let server = Server::bind(&world, 0, Limits::default()).unwrap();
    let address = server.running.address.clone();
    std::thread::spawn(move || server.run(std::future::pending()));
    let port = address.rsplit(':').next().unwrap().parse().unwrap();
    (
        port,
        Clients::of(&ServerFolder::of(&world).unwrap()).unwrap(),
    )
}

/// Posts a payload as Claude Code does for an entry of the type `http`: variables that are listed are put into the headers.
fn posts(entry: &Value, env: &[(&str, &str)], payload: &Value) -> client::Answer {
    let url = entry["url"].as_str().unwrap();
    let (address, path) = url
        .strip_prefix("http://")
        .unwrap()
        .split_once('/')
        .unwrap();
    let allowed = entry["allowedEnvVars"].as_array().unwrap();
    let mut head = Vec::new();
    for (name, value) in entry["headers"].as_object().unwrap() {
        let mut value = value.as_str().unwrap().to_owned();
        for (variable, text) in env {
            let is_allowed = allowed.contains(&json!(variable));
            value = value.replace(&format!("${variable}"), if is_allowed { text } else { "" });
        }
        head.push(format!("{name}: {value}"));
    }
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    let body = payload.to_string();
    Connection::port(address).send("POST", &format!("/{path}"), &head, body.as_bytes())
}

#[test]
fn entries_that_are_posted_are_answered_by_the_server_and_go_as_they_came() {
    const BEFORE: &str = "{\n  // mine\n  \"model\": \"opus\",\n}\n";
    let env = TestEnv::new();
    env.manifest(&manifest().to_string());
    let (port, clients) = served(&env);
    let token = clients.add("claude-code").unwrap();
    env.write("home/.claude/settings.json", BEFORE);
    let install = |more: &[&str]| {
        let args = ["install", "--host", "claude-code"];
        env.run(&[&args, more].concat(), b"")
    };
    let http = format!("--http={port}");
    let done = install(&[&http]);
    assert_eq!((done.code, &*done.stderr), (0, ""), "{done:?}");
    done.says("ANYHOOK_TOKEN");
    done.says("blocks what a hook");
    let settings = || fs::read_to_string(env.path("home/.claude/settings.json")).unwrap();
    let entry = |event: &str| {
        let text = settings()
            .replace("  // mine\n", "")
            .replace("},\n}", "}\n}");
        let value: Value = serde_json::from_str(&text).unwrap();
        value["hooks"][event][0]["hooks"][0].clone()
    };
    let url = format!(
        "http://127.0.0.1:{port}/v1/hosts/claude-code/events?event=PreToolUse&deadline=600"
    );
    assert_eq!(
        entry("PreToolUse"),
        json!({"type": "http", "url": url,
            "headers": {"Authorization": "Bearer $ANYHOOK_TOKEN", "Anyhook-Project": "$PWD"},
            "allowedEnvVars": ["ANYHOOK_TOKEN", "PWD"], "timeout": 600, "onFailure": "block"})
    );
    assert_eq!(
        entry("Stop")["type"],
        "command",
        "a turn's end knows no `onFailure`"
    );
    // What the agent reads: its own refusal, also from a folder into which it went.
    let project = env.path("project");
    let variables = [
        ("ANYHOOK_TOKEN", &*token),
        ("PWD", project.to_str().unwrap()),
    ];
    let mut payload = env.pre("Bash", &json!({"command": "npm test"}));
    payload["cwd"] = json!("/");
    let answer = posts(&entry("PreToolUse"), &variables, &payload);
    assert_eq!(answer.status, 200, "{answer:?}");
    let said: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(said["hookSpecificOutput"]["permissionDecision"], "deny");
    // Without the token, or without the folder, there is no success, and so the agent blocks.
    for variables in [
        [("ANYHOOK_TOKEN", ""), variables[1]],
        [variables[0], ("PWD", "")],
    ] {
        let answer = posts(&entry("PreToolUse"), &variables, &payload);
        assert!(answer.status >= 400, "{answer:?}");
    }
    // A strict entry stays strict, and a later install without the server brings the commands back, as strict as before.
    assert_eq!(install(&[&http, "--strict"]).code, 0);
    assert_eq!(install(&[&http]).code, 0);
    assert_eq!(entry("PreToolUse")["url"], format!("{url}&strict=yes"));
    assert_eq!(
        posts(&entry("PreToolUse"), &variables, &payload).status,
        200
    );
    assert_eq!(install(&[]).code, 0);
    let command = entry("PreToolUse")["command"].as_str().unwrap().to_owned();
    assert!(
        command.ends_with(" --strict") && !settings().contains("http://"),
        "{command}"
    );
    assert_eq!(install(&[&http]).code, 0);
    assert_eq!(env.anyhook("uninstall").code, 0);
    assert_eq!(settings(), BEFORE);
}

#[test]
fn an_add_on_is_the_program_beside_this_one_or_it_is_said_where_it_belongs() {
    for (verb, program, first) in [
        ("fleet", "fleet", "started apply x\n"),
        ("serve", "serve", "started apply x\n"),
    ] {
        let env = TestEnv::new();
        let alone = env.alone();
        let said = || {
            let mut command = std::process::Command::new(&alone);
            command.args([verb, "apply", "x"]).env_clear();
            let output = command.env("HOME", env.path("home")).output().unwrap();
            let said = [output.stdout, output.stderr].concat();
            let said = String::from_utf8(said).unwrap();
            (output.status.code(), said)
        };
        let (code, told) = said();
        assert_eq!(code, Some(78), "{told}");
        let place = format!("cargo install --path crates/{program}");
        told.shows(&place);
        // What stands beside it becomes the process, with the words that follow.
        let beside = format!("alone/anyhook-{program}");
        env.program(&beside, "#!/bin/sh\necho \"started $*\"; exit 5\n");
        assert_eq!(said(), (Some(5), first.to_owned()));
    }
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "takes seconds"]
    fn doctor_asks_the_server_of_posted_entries_whether_it_knows_the_token() {
        let env = TestEnv::new();
        env.manifest(&manifest().to_string());
        let (port, clients) = served(&env);
        let token = clients.add("claude-code").unwrap();
        let http = format!("--http={port}");
        env.write("home/.claude/settings.json", "{}");
        let left = env.run(&["install", "--host", "claude-code", &http], b"");
        assert_eq!(left.code, 0, "{left:?}");
        let doctor = |token: Option<&str>| {
            let mut command = env.command(&["doctor", "--host", "claude-code"]);
            command.envs(token.map(|token| ("ANYHOOK_TOKEN", token)));
            finish(start(command, b"")).stdout
        };
        let well = doctor(Some(&token));
        assert!(!well.contains("gives no answer to events"), "{well}");
        assert!(!well.contains("no entry for"), "{well}");
        for (token, what) in [
            (Some("anyhook_other_0"), "it does not know the token"),
            (None, "`ANYHOOK_TOKEN` is not set here"),
        ] {
            let told = doctor(token);
            assert!(told.contains(what), "{token:?}: {told}");
        }
        // What a project's file names is never asked: it would be told the token.
        let stranger = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        stranger.set_nonblocking(true).unwrap();
        let port = stranger.local_addr().unwrap().port();
        let url =
            format!("http://127.0.0.1:{port}/v1/hosts/claude-code/events?event=Stop&deadline=600");
        let entry = json!({"hooks": {"Stop": [{"hooks": [{"type": "http", "url": url}]}]}});
        let file = env.write("project/.claude/settings.json", &entry.to_string());
        doctor(Some(&token)).shows(&format!("127.0.0.1:{port}"));
        assert_eq!(
            stranger.accept().unwrap_err().kind(),
            std::io::ErrorKind::WouldBlock
        );
        fs::remove_file(file).unwrap();
        // A port that no server listens on.
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let http = format!("--http={}", free.local_addr().unwrap().port());
        drop(free);
        env.run(&["install", "--host", "claude-code", &http], b"");
        let told = doctor(Some(&token));
        told.shows("gives no answer to events");
        told.shows("refused");
    }
}
