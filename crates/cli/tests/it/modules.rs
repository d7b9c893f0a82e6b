//! `anyhook module`, as a person calls it.

use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::{Value, json};

use crate::env::{TestEnv, finish, start};

/// A package of hooks in the project.
fn package(env: &TestEnv, name: &str, hooks: &Value) {
    let manifest = json!({"version": 1, "hooks": hooks});
    env.write(
        &format!("project/{name}/hooks/hooks.json"),
        &manifest.to_string(),
    );
}

fn good(env: &TestEnv) {
    package(
        env,
        "my-hook",
        &json!({"stop": [{"priority": 50, "hooks": [
            {"type": "command", "command": "touch ran", "name": "tests", "timeout": 10}
        ]}]}),
    );
}

#[test]
fn the_seeds_command_lines_validate_through_links() {
    let env = TestEnv::new();
    good(&env);
    let lines: [(&str, &[&str]); 2] = [
        (
            "amplifier",
            &["module", "validate", "./my-hook", "--type", "hook"],
        ),
        ("amplifier-core", &["validate", "hook", "./my-hook"]),
    ];
    let own = env.anyhook("module validate ./my-hook");
    for (name, args) in lines {
        let link = env.path("bin").join(name);
        symlink(env!("CARGO_BIN_EXE_anyhook"), &link).unwrap();
        let ran = finish(start(env.other(&link, args), b""));
        assert_eq!((ran.code, &ran.stdout), (0, &own.stdout), "{name}");
    }
}

/// The blocks of the page about modules that are in this language.
fn page(language: &str) -> Vec<String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/mounts.md");
    let text = std::fs::read_to_string(page).unwrap();
    let begins = format!("```{language}\n");
    let blocks = text.split(&begins).skip(1);
    blocks
        .map(|rest| rest.split("```").next().unwrap().to_owned())
        .collect()
}

#[test]
fn the_plan_of_the_page_about_modules_is_well() {
    let [plan] = &page("yaml")[..] else { panic!() };
    let plan = anyhook::mounts::Plan::read(Path::new("plan.yaml"), plan).unwrap();
    assert_eq!((plan.findings, plan.entries.len()), (vec![], 3));
}

#[test]
fn every_command_of_the_page_about_modules_works() {
    let env = TestEnv::new();
    good(&env);
    let [commands] = &page("sh")[..] else {
        panic!()
    };
    for line in commands.lines() {
        let words: Vec<&str> = line.split_whitespace().skip(1).collect();
        let left = env.run(&words, b"");
        assert_eq!((left.code, &*left.stderr), (0, ""), "{line}: {left:?}");
    }
}
