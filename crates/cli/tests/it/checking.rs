//! `anyhook check`, as a person sees it.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::env::{Shows as _, TestEnv};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The place at which a fixture is looked at: that of a host, if its name begins with one.
fn place(stem: &str) -> &'static str {
    match stem.split_once("--") {
        Some(("claude-code", _)) => "project/.claude/settings.json",
        Some(("cursor", _)) => "project/.cursor/hooks.json",
        _ => "project/hooks/hooks.json",
    }
}

#[test]
fn fifty_broken_manifests_are_each_shown_with_every_error_its_place_and_what_to_do() {
    let mut seen = 0;
    let mut files: Vec<_> = fs::read_dir(root().join("fixtures/broken"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    for file in files {
        let stem = file.file_stem().unwrap().to_str().unwrap();
        let env = TestEnv::new();
        env.write(place(stem), &fs::read_to_string(&file).unwrap());
        let file = place(stem).trim_start_matches("project/");
        let left = env.run(&["check", "--strict", file], b"");
        assert_eq!((left.code, &*left.stderr), (1, ""), "{stem}");
        insta::assert_snapshot!(format!("broken@{stem}"), left.stdout);
        seen += 1;
    }
    assert!(seen >= 50, "{seen}");
}

const SLIPS: &str = r#"{"hooks": {"post-tool-use": [{"matcher": "Write", "hooks": [
  {"type": "command", "command": "cat ${file} | cat", "timeout": 5}
]}]}}"#;

#[test]
fn check_mends_what_is_safe_and_says_what_it_did() {
    let env = TestEnv::new();
    let file = env.manifest(SLIPS);
    let before = env.anyhook("check hooks/hooks.json");
    assert_eq!(before.code, 1);
    assert!(
        before.stdout.ends_with("anyhook check --explain AH010\n"),
        "{}",
        before.stdout
    );
    let left = env.anyhook("check --fix hooks/hooks.json");
    assert_eq!(
        (left.code, &*left.stdout, &*left.stderr),
        (
            0,
            "0 errors, 0 warnings in 1 file\n",
            "mended: hooks/hooks.json:1: add the version\nmended: hooks/hooks.json:2: add quotes\n"
        )
    );
    let mended = fs::read_to_string(file).unwrap();
    mended.shows(r#"{"version": 1, "hooks""#);
    mended.shows(r#"cat \"${file}\" | cat"#);
}

#[test]
fn check_sets_the_executable_bit_of_a_script_of_the_package_and_of_no_other() {
    use std::os::unix::fs::PermissionsExt as _;
    let env = TestEnv::new();
    let own = env.write("project/hooks/scripts/tidy.sh", "#!/bin/sh\ntrue\n");
    let outside = env.write("outside.sh", "#!/bin/sh\ntrue\n");
    let mode = |file: &Path| fs::metadata(file).unwrap().permissions().mode() & 0o777;
    fs::set_permissions(&own, fs::Permissions::from_mode(0o640)).unwrap();
    fs::set_permissions(&outside, fs::Permissions::from_mode(0o644)).unwrap();
    env.manifest(
        r#"{"version": 1, "hooks": {"stop": [{"hooks": [
  {"type": "command", "command": "${PACKAGE_ROOT}/hooks/scripts/tidy.sh", "timeout": 5},
  {"type": "command", "command": "${PACKAGE_ROOT}/../outside.sh", "timeout": 5}
]}]}}"#,
    );
    let left = env.anyhook("check --fix");
    assert_eq!(left.code, 1, "{left:?}");
    let mended = "mended: hooks/hooks.json:2: set the executable bit of its script\n";
    assert_eq!(left.stderr, mended);
    assert_eq!((mode(&own), mode(&outside)), (0o750, 0o644));
}

#[test]
fn check_mends_no_file_outside_of_the_package() {
    let env = TestEnv::new();
    let outside = env.write("outside.sh", "#!/bin/sh\r\ntrue\r\n");
    env.manifest(
        r#"{"version": 1, "hooks": {"stop": [{"hooks": [
  {"type": "command", "command": "sh ${PACKAGE_ROOT}/../outside.sh", "timeout": 5}
]}]}}"#,
    );
    let left = env.anyhook("check --fix");
    assert_eq!(left.code, 1, "{left:?}");
    assert_eq!(
        fs::read_to_string(outside).unwrap(),
        "#!/bin/sh\r\ntrue\r\n"
    );
}

#[test]
fn check_ends_with_one_at_an_error_and_with_strict_at_a_warning() {
    let env = TestEnv::new();
    let none = env.anyhook("check");
    assert_eq!((none.code, none.stdout.as_str()), (66, ""));
    none.warns("anyhook init");
    env.manifest(r#"{"hooks": {}}"#);
    assert_eq!(env.anyhook("check").code, 0);
    assert_eq!(env.anyhook("check --strict").code, 1);
    env.manifest(r#"{"version": 2, "hooks": {}}"#);
    assert_eq!(env.anyhook("check").code, 1);
}

#[test]
fn findings_can_be_read_by_a_program_and_by_a_workflow() {
    let env = TestEnv::new();
    env.manifest(r#"{"hooks": {}}"#);
    let json: Value = env.anyhook("check --json").json();
    insta::assert_json_snapshot!("findings-as-json", json);
    let github = env.anyhook("check --format github");
    assert_eq!(
        github.stdout,
        "::warning file=hooks/hooks.json,line=1,col=1,title=AH010 no-version::`version` is missing, 1 is \
         assumed%0Awrite `\"version\": 1`\n"
    );
}

#[test]
fn a_rule_is_explained_with_both_samples() {
    let env = TestEnv::new();
    insta::assert_snapshot!("explained", env.anyhook("check --explain ah020").stdout);
    let unknown = env.anyhook("check --explain AH999");
    assert_eq!(unknown.code, 64);
}

#[test]
fn what_a_host_cannot_be_told_is_said_for_that_host() {
    let env = TestEnv::new();
    env.manifest(
        r#"{"version": 1, "hooks": {
  "pre-compact": [{"hooks": [{"type": "rule", "then": {"notify": "compacting"}}]}],
  "pre-tool-use": [{"matcher": "Bash", "hooks": [{"type": "rule", "when": "runs('sudo')", "then": {"ask": "As root?"}}]}]
}}"#,
    );
    assert_eq!(env.anyhook("check --strict").code, 0);
    let left = env.anyhook("check --host windsurf");
    insta::assert_snapshot!("for-a-host", left.stdout);
}
