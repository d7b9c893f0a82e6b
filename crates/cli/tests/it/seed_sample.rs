//! The manifest that the seed shows, as it stands there: each of its hooks runs for real, and ends in every way.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::env::{Left, Shows as _, TestEnv, finish, repository, start};
use crate::server::{Reply, Server, openai};

/// Where the program of each command hook stands: two scripts of the package, and a stub of `npx`.
const PROGRAMS: [(&str, &str, &str); 3] = [
    (
        "pre-tool-use",
        "PreToolUse",
        "project/hooks/scripts/validate.sh",
    ),
    ("post-tool-use", "PostToolUse", "bin/npx"),
    (
        "session-start",
        "SessionStart",
        "project/hooks/scripts/setup.sh",
    ),
];

/// Every way to end, and a program that ends so; nothing where there is none.
const ENDS: [(&str, Option<&str>); 9] = [
    ("exit 0", Some("exit 0")),
    ("exit 2", Some("echo frozen >&2; exit 2")),
    ("exit 1", Some("echo oops >&2; exit 1")),
    ("timeout", Some("sleep 60")),
    ("signal", Some("kill -9 $$")),
    ("missing", None),
    (
        "noise before JSON",
        Some("echo Welcome; echo '{\"decision\": \"block\", \"reason\": \"frozen\"}'"),
    ),
    (
        "5 MiB of output",
        Some("head -c 5242880 /dev/zero | tr '\\0' x"),
    ),
    ("invalid UTF-8", Some("printf 'a\\377b'")),
];

fn sample(env: &TestEnv) {
    let text = std::fs::read_to_string(repository().join("fixtures/manifests/seed.json")).unwrap();
    env.manifest(&text);
}

fn program(env: &TestEnv, name: &str, body: &str) {
    env.program(name, &format!("#!/bin/sh\ncat >/dev/null\n{body}\n"));
}

fn payload(env: &TestEnv, native: &str) -> Value {
    let mut payload = env.pre(
        "Write",
        &json!({"file_path": env.path("project/a.ts"), "content": "x"}),
    );
    payload["hook_event_name"] = native.into();
    match native {
        "PreToolUse" => payload,
        "PostToolUse" => {
            payload["tool_response"] =
                json!({"filePath": env.path("project/a.ts"), "success": true});
            payload
        }
        _ => json!({"session_id": "s-1", "transcript_path": "/t.jsonl", "cwd": env.path("project"),
            "hook_event_name": native, "source": "startup", "stop_hook_active": false}),
    }
}

/// The line, with no program on the path but a few and the stub: a real `npx` would ask the network.
fn line(env: &TestEnv, deadline: &str) -> Command {
    for name in ["bash", "cat", "head", "sh", "sleep", "tr"] {
        let mut folders = ["/bin", "/usr/bin"].into_iter().map(Path::new);
        let program = folders.find_map(|folder| folder.join(name).canonicalize().ok());
        let link = env.path("bin").join(name);
        std::os::unix::fs::symlink(program.unwrap(), link).unwrap();
    }
    let mut command = env.command(&["run", "--host", "claude-code", "--deadline", deadline]);
    command.env("PATH", env.path("bin"));
    command
}

/// What the agent hears, without the report's id and the folder of the test.
fn heard(env: &TestEnv, left: &Left) -> String {
    let folder = env.path("").display().to_string();
    let text = format!("{} {}{}", left.code, left.stdout.trim(), left.stderr.trim());
    let text = text.replace(folder.trim_end_matches('/'), "FOLDER");
    let mut shown = String::new();
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once("anyhook why ") {
        let id = after
            .find(|letter: char| !letter.is_ascii_alphanumeric())
            .unwrap_or(after.len());
        let _ = write!(shown, "{before}anyhook why ID");
        rest = after.get(id..).unwrap();
    }
    shown.push_str(rest);
    // How long it took is another time each time.
    let took = shown
        .find("stopped after ")
        .map(|at| at + "stopped after ".len());
    if let Some(at) = took {
        let end = shown.get(at..).and_then(|rest| rest.find(" s")).unwrap();
        shown.replace_range(at..at + end, "N");
    }
    // Each shell has its own words for a program that is not there.
    if let Some(at) = shown.find("exit code 127: ") {
        let end = shown.get(at..).and_then(|rest| rest.find('"')).unwrap();
        shown.replace_range(at..at + end, "exit code 127: and the words of the shell");
    }
    let long = shown.chars().count();
    match long {
        0..=600 => shown,
        _ => format!(
            "{} … ({} bytes or so)",
            shown.chars().take(120).collect::<String>(),
            long / 1000 * 1000
        ),
    }
}

#[test]
fn each_command_of_the_seeds_sample_runs_and_ends_in_every_way() {
    let mut table = String::new();
    for (event, native, place) in PROGRAMS {
        for (end, body) in ENDS {
            let env = TestEnv::new();
            sample(&env);
            for (_, _, other) in PROGRAMS {
                program(&env, other, "exit 0");
            }
            match body {
                Some(body) => program(&env, place, body),
                None => std::fs::remove_file(env.path(place)).unwrap(),
            }
            env.trust();
            let deadline = if end == "timeout" { "2" } else { "20" };
            let payload = payload(&env, native).to_string();
            let left = finish(start(line(&env, deadline), payload.as_bytes()));
            let _ = writeln!(table, "{event}, {end}: {}", heard(&env, &left));
        }
    }
    insta::assert_snapshot!("commands", table);
}

#[test]
fn the_prompt_of_the_seeds_sample_asks_a_model_and_ends_in_every_way() {
    let answers = [
        (
            "ok",
            Reply::json(&openai("{\"ok\": true, \"reason\": \"\"}")),
        ),
        (
            "not ok",
            Reply::json(&openai(
                "{\"ok\": false, \"reason\": \"the tests are red\"}",
            )),
        ),
        ("no answer", Reply::json(&openai("I would rather not say"))),
        ("refused key", Reply::error("401 Unauthorized", "bad key")),
    ];
    let mut table = String::new();
    for (end, answer) in answers {
        let server = Server::says(vec![answer]);
        let env = TestEnv::new();
        sample(&env);
        env.trust();
        let config = format!(
            "[model]\nprovider = \"openai\"\nbase-url = \"{}/\"\nmodel = \"m\"\n",
            server.base()
        );
        env.config(&config);
        let payload = payload(&env, "Stop").to_string();
        let left = finish(start(line(&env, "20"), payload.as_bytes()));
        let asked = server.asked();
        asked
            .first()
            .map(|asked| asked.body.to_string())
            .unwrap_or_default()
            .shows("Check if all tasks are complete. Context:");
        let _ = writeln!(table, "stop, {end}: {}", heard(&env, &left));
    }
    let env = TestEnv::new();
    sample(&env);
    env.trust();
    let payload = payload(&env, "Stop").to_string();
    let left = finish(start(line(&env, "20"), payload.as_bytes()));
    let _ = writeln!(table, "stop, no model: {}", heard(&env, &left));
    insta::assert_snapshot!("prompt", table);
}
