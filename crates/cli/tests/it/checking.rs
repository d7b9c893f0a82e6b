//! `anyhook check`, as a person sees it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::env::TestEnv;

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

#[test]
fn check_mends_a_script_of_the_package_and_no_other() {
    use std::os::unix::fs::PermissionsExt as _;
    let env = TestEnv::new();
    let own = env.write("project/hooks/scripts/tidy.sh", "#!/bin/sh\ntrue\n");
    let outside = env.write("outside.sh", "#!/bin/sh\r\ntrue\r\n");
    let mode = |file: &Path| fs::metadata(file).unwrap().permissions().mode() & 0o777;
    fs::set_permissions(&own, fs::Permissions::from_mode(0o640)).unwrap();
    fs::set_permissions(&outside, fs::Permissions::from_mode(0o644)).unwrap();
    env.manifest(
        r#"{"version": 1, "hooks": {"stop": [{"hooks": [
  {"type": "command", "command": "${PACKAGE_ROOT}/hooks/scripts/tidy.sh", "timeout": 5},
  {"type": "command", "command": "sh ${PACKAGE_ROOT}/../outside.sh", "timeout": 5},
  {"type": "command", "command": "${PACKAGE_ROOT}/../outside.sh", "timeout": 5}
]}]}}"#,
    );
    let left = env.anyhook("check --fix");
    assert_eq!(left.code, 1, "{left:?}");
    let mended = "mended: hooks/hooks.json:2: set the executable bit of its script\n";
    assert_eq!(left.stderr, mended);
    assert_eq!((mode(&own), mode(&outside)), (0o750, 0o644));
    assert_eq!(fs::read(outside).unwrap(), b"#!/bin/sh\r\ntrue\r\n");
}
