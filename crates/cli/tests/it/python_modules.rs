//! `anyhook module validate` about modules in Python, with a Python that only writes what it was asked.

use crate::env::{Left, TestEnv, finish, start};

/// A project with a module in Python, and a Python that answers like this.
fn project(python: &str) -> TestEnv {
    let env = TestEnv::new();
    env.write(
        "project/my-hook/pyproject.toml",
        "[project]\nname = \"x\"\n",
    );
    env.write("project/alone.py", "");
    env.program("bin/python", &format!("#!/bin/sh\n{python}\n"));
    env
}

fn validate(env: &TestEnv, args: &[&str]) -> Left {
    let mut command = env.command(&[&["module", "validate"], args].concat());
    command.env("ANYHOOK_PYTHON", env.path("bin/python"));
    finish(start(command, b""))
}

const HAS_IT: &str = r#"[ "$1" = -c ] || { echo "$@"; exit $CODE; }"#;

#[test]
fn a_module_in_python_is_validated_by_python_with_what_was_asked() {
    let env = project(&format!("CODE=0\n{HAS_IT}"));
    let folder = env.path("project/my-hook").display().to_string();
    let file = env.path("project/alone.py").display().to_string();
    for (args, asked) in [
        (
            &["my-hook", "--type", "hook"][..],
            format!("{folder} --type hook"),
        ),
        (
            &["alone.py", "-t", "tool", "--json"],
            format!("{file} --type tool --output json"),
        ),
    ] {
        let left = validate(&env, args);
        let line = format!("-m anyhook module validate {asked}\n");
        assert_eq!((left.code, left.stdout), (0, line));
    }
}

#[test]
fn what_python_finds_is_the_answer_and_two_is_never_a_code() {
    for (code, ours) in [("1", 1), ("2", 65), ("70", 65)] {
        let env = project(&format!("CODE={code}\n{HAS_IT}"));
        assert_eq!(validate(&env, &["./my-hook"]).code, ours, "{code}");
    }
}

#[test]
fn without_python_or_without_the_package_it_is_said_what_to_install() {
    let lacks = project("exit 1");
    let left = validate(&lacks, &["./my-hook"]);
    assert_eq!(left.code, 78);
    left.warns("does not have the package `anyhook`");
    left.warns("pip install anyhook");

    std::fs::remove_file(lacks.path("bin/python")).unwrap();
    let left = validate(&lacks, &["./my-hook"]);
    assert_eq!(left.code, 78);
    left.warns("cannot be started");
}

#[test]
fn a_package_of_hooks_is_validated_here_although_it_has_a_pyproject_toml() {
    let env = project("exit 9");
    env.write(
        "project/my-hook/hooks/hooks.json",
        r#"{"version": 1, "hooks": {"stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#,
    );
    let left = validate(&env, &["./my-hook"]);
    assert!(
        left.code == 0 && left.stdout.contains("is a module"),
        "{left:?}"
    );
    assert_eq!(validate(&env, &["./my-hook", "--type", "tool"]).code, 64);
}
