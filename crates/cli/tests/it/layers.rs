//! Layers, and what `config`, `list` and `explain` say of them.

use serde_json::{Value, json};

use crate::env::{Shows as _, TestEnv, command, on};

const USER: &str = "home/.config/anyhook/hooks.json";
const LOCAL: &str = "project/hooks/hooks.local.json";
const PACKAGE: &str = "project/.agent-packages/style/hooks/hooks.json";

/// The person's file switches off the hook of a package, and the project tries to switch off the person's.
fn layered() -> TestEnv {
    let env = TestEnv::new();
    let write = |file: &str, manifest: &Value| {
        env.write(file, &serde_json::to_string_pretty(manifest).unwrap());
    };
    write(
        USER,
        &json!({"version": 1, "disable": ["tidy"], "hooks": {"pre-tool-use": [
            {"matcher": "Bash", "name": "no-force", "hooks": [
                {"type": "rule", "when": "runs('git push', '-f')", "then": {"deny": "no force"}},
            ]},
        ]}}),
    );
    write(
        "project/hooks/hooks.json",
        &json!({"version": 1, "disable": ["no-force"], "hooks": {"pre-tool-use": [
            {"matcher": "Write|Edit", "priority": -5, "hooks": [
                {"type": "command", "command": "true", "name": "secrets", "guard": true, "timeout": 2.5},
                {"type": "command", "command": "true", "name": "old", "enabled": false},
            ]},
        ], "post-tool-use": [{"hooks": [
            {"type": "command", "command": "true", "name": "index", "async": true, "timeout": 60},
        ]}]}}),
    );
    write(
        LOCAL,
        &on(
            "stop",
            &json!([{"name": "mine", "hooks": [command("true")]}]),
        ),
    );
    write(
        PACKAGE,
        &on(
            "stop",
            &json!([{"name": "tidy", "hooks": [command("true")]}]),
        ),
    );
    env.trust();
    env.trust_file(".agent-packages/style/hooks/hooks.json");
    env
}

fn shown(env: &TestEnv, args: &[&str]) -> String {
    let left = env.run(args, b"");
    assert_eq!(left.code, 0, "{left:?}");
    let told = left.stdout.replace(&*env.path("").to_string_lossy(), "@/");
    // What was trusted in 1970 is older every day.
    let lines = told.split_inclusive('\n').map(|line| {
        let age = line.split_once("by anyhook trust, ");
        let age = age.and_then(|(before, after)| Some((before, after.split_once(" days ago")?.1)));
        age.map_or_else(
            || line.to_owned(),
            |(before, after)| format!("{before}by anyhook trust, MANY days ago{after}"),
        )
    });
    // The name of a copy is a digest of where its package was, too.
    let lines = lines.map(|line| match line.split_once("trust/copies/") {
        Some((before, _)) if line.starts_with("trusted: ") => {
            format!("{before}trust/copies/COPY\n")
        }
        Some(_) | None => line,
    });
    lines.collect()
}

#[test]
fn config_shows_which_file_set_what() {
    let env = layered();
    insta::assert_snapshot!("config", shown(&env, &["list", "config"]));
}

#[test]
fn list_shows_every_hook_of_every_layer_and_whether_it_runs() {
    let env = layered();
    insta::assert_snapshot!("list", shown(&env, &["list"]));
    insta::assert_snapshot!("list-json", shown(&env, &["list", "--json"]));
}

#[test]
fn explain_tells_layer_file_and_line_and_what_is_switched_off_by_what() {
    let env = layered();
    let args = [
        "explain",
        "--event",
        "pre-tool-use",
        "--tool",
        "Write",
        "--input",
        "file_path=/x",
    ];
    insta::assert_snapshot!("explain-layers", shown(&env, &args));
    let args = ["explain", "--event", "post-tool-use", "--tool", "Write"];
    let told = shown(&env, &args);
    told.shows("project @/project/hooks/hooks.json:");
    told.shows("goes on in the background");
}

#[test]
fn platform_info_tells_the_events_and_types_of_every_agent() {
    let env = TestEnv::new();
    let all = env.anyhook("list platform info --json").json();
    assert_eq!(all["platform"], "anyhook");
    assert_eq!(all["hook_types"], json!(anyhook::runners::TYPES));
    let hosts = all["hosts"].as_array().unwrap();
    assert_eq!(hosts.len(), anyhook::wires::hosts::HOSTS.len());
    for host in hosts {
        let blocking = host["blocking_events"].as_array().unwrap();
        let events = host["hook_events"].as_array().unwrap();
        assert!(blocking.iter().all(|name| events.contains(name)), "{host}");
        let name = host["platform"].as_str().unwrap();
        let one = env.run(&["list", "platform", name], b"").json();
        assert_eq!(one, *host);
    }
    insta::assert_snapshot!("platform-info", shown(&env, &["list", "platform", "info"]));
}

#[test]
fn a_hook_is_what_its_system_says_and_its_shell_reads_it() {
    let env = TestEnv::hook(
        "pre-tool-use",
        &json!({"type": "command", "command": "exit 3", "name": "mine",
             "linux": {"command": "[[ $WHERE == here ]] && echo \"${BASH_VERSION:+bash}\" > \"$HOME/seen\"", "shell": "bash",
                       "env": {"WHERE": "here"}},
             "macos": {"command": "[[ $WHERE == here ]] && echo \"${BASH_VERSION:+bash}\" > \"$HOME/seen\"", "shell": "bash",
                       "env": {"WHERE": "here"}},
             "windows": {"command": "exit 1", "shell": "pwsh"}}),
    );
    env.claude(&env.pre("Write", &json!({"file_path": "/x"})));
    assert_eq!(env.lines("seen"), ["bash"]);
}

#[test]
fn a_shell_that_is_not_there_is_a_failure_of_the_hook() {
    let env = TestEnv::hook(
        "pre-tool-use",
        &json!({"type": "command", "command": "Get-Date", "shell": "pwsh", "guard": true, "name": "odd"}),
    );
    let left = env.claude(&env.pre("Write", &json!({"file_path": "/x"})));
    left.decides("deny");
    left.says("the shell `pwsh` is not on this machine");
}
