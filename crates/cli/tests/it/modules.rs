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
fn the_modules_that_are_built_in_are_listed() {
    let env = TestEnv::new();
    let left = env.anyhook("module list");
    assert_eq!(left.code, 0);
    for module in anyhook::modules::MODULES {
        left.says(module.name);
        left.says(module.summary);
    }
    let json = env.anyhook("module list --json").json();
    assert_eq!(
        json.as_array().unwrap().len(),
        anyhook::modules::MODULES.len()
    );
}

#[test]
fn a_good_module_is_one_and_nothing_of_it_ran() {
    let env = TestEnv::new();
    good(&env);
    let left = env.anyhook("module validate ./my-hook --type hook");
    assert_eq!((left.code, &*left.stderr), (0, ""), "{left:?}");
    insta::assert_snapshot!(left.stdout);
    assert!(!env.path("project/ran").exists());
    assert!(
        !env.path("home/.local").exists() && !env.path("home/.cache").exists(),
        "nothing is remembered"
    );
}

#[test]
fn a_broken_module_is_told_with_a_reason_and_a_fix() {
    let env = TestEnv::new();
    package(
        &env,
        "my-hook",
        &json!({"stopp": [{"hooks": [{"type": "command", "command": "exit 3", "name": "a"}]}], "stop": [{"priority": 50, "hooks": [
            {"type": "command", "command": "exit 3", "name": "b"}
        ]}]}),
    );
    let left = env.anyhook("module validate my-hook");
    assert_eq!(left.code, 0, "what is recommended does not fail it");
    let root = env.path("project").to_string_lossy().into_owned();
    insta::assert_snapshot!(left.stdout.replace(&root, "[project]"));

    let json = env.anyhook("module validate my-hook --json").json();
    assert_eq!(json["passed"], true);
    assert_eq!(env.anyhook("module validate ./nowhere").code, 66);
    assert_eq!(env.anyhook("module validate file-guard").code, 0);
    assert_eq!(
        env.anyhook("module validate file-guard --type provider")
            .code,
        64
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
