//! `anyhook check`, as a person sees it.

use std::fs;

use crate::env::{TestEnv, repository};

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
    let mut files: Vec<_> = fs::read_dir(repository().join("fixtures/broken"))
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
