//! Lines that the lists approve, and lines that look like them.

use std::fs;
use std::path::Path;

use anyhook_core::event::Event;
use anyhook_core::manifest::Manifest;
use serde_json::json;
use tempfile::TempDir;

use super::super::{CompiledCondition, Facts};

/// A project with a secret, and a link that leads out.
fn project() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in [
        "p/src/a.rs",
        "p/.env",
        "p/.env.example",
        "p/a.txt",
        "p/web/b.ts",
        "h/secret",
    ] {
        let file = folder.path().join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "x\n").unwrap();
    }
    std::os::unix::fs::symlink(folder.path().join("h/secret"), folder.path().join("p/leak"))
        .unwrap();
    folder
}

fn allows(folder: &Path, when: &str, line: &str) -> bool {
    let (project, home) = (folder.join("p"), folder.join("h"));
    let input = json!({"command": line});
    let data = json!({"cwd": project, "tool_name": "Bash", "tool_input": input});
    let event = Event::new("pre-tool-use", data);
    let facts = Facts::new(&event, &project, Some(&home));
    let when = CompiledCondition::read(when).unwrap();
    when.decide(&facts).map(|decided| decided.holds).unwrap()
}

/// The lines of a text, of which `⏎` is a line break.
fn lines(text: &str) -> impl Iterator<Item = String> {
    let lines = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.replace('⏎', "\n"))
}

const BOTH: &str = "only_runs('@reading', '@building')";

/// The lines of a list that are approved, and the others.
fn judged(list: &'static str) -> (Vec<String>, Vec<String>) {
    let folder = project();
    lines(list).partition(|line| allows(folder.path(), BOTH, line))
}

#[test]
fn no_line_that_only_looks_like_reading_or_building_is_approved() {
    let (approved, refused) = judged(include_str!("chains/hostile.txt"));
    assert_eq!(approved, [""; 0]);
    assert!(refused.len() >= 200, "{}", refused.len());
}

#[test]
fn chains_that_only_read_or_build_are_approved() {
    let (approved, refused) = judged(include_str!("chains/harmless.txt"));
    assert_eq!(refused, [""; 0]);
    assert!(approved.len() >= 150, "{}", approved.len());
}

#[test]
fn reading_approves_no_build() {
    let folder = project();
    for line in ["cargo test", "make", "npm test", "git status && make"] {
        assert!(
            !allows(folder.path(), "only_runs('@reading')", line),
            "{line}"
        );
        assert!(allows(folder.path(), BOTH, line), "{line}");
    }
}

#[test]
fn a_share_of_the_ordinary_lines_needs_no_prompt() {
    let folder = project();
    let files = [
        include_str!("../../../../../fixtures/lines/everyday.txt"),
        include_str!("../../../../../fixtures/lines/everyday-more.txt"),
        include_str!("../../../../../fixtures/lines/builds.txt"),
        include_str!("../../../../../fixtures/lines/builds-more.txt"),
    ];
    let all: Vec<String> = files.into_iter().flat_map(lines).collect();
    let share = |when: &str| {
        all.iter()
            .filter(|line| allows(folder.path(), when, line))
            .count()
    };
    let (reading, building) = (
        share("only_runs('@reading')"),
        share("only_runs('@building')"),
    );
    let both = share(BOTH);
    println!("{reading} {building} {both} of {}", all.len());
    assert!(reading * 10 > all.len() && building > 50 && both >= reading + building);
}

#[test]
fn the_packs_approve_what_their_lists_have() {
    let folder = project();
    let packs = [
        (
            include_str!("../../../../../packs/reading/hooks.json"),
            "git status | head",
        ),
        (
            include_str!("../../../../../packs/building/hooks.json"),
            "git status && cargo test",
        ),
    ];
    for (pack, line) in packs {
        let manifest = Manifest::parse(pack).unwrap().manifest;
        let rule = &manifest.groups[0].entries[0].when.as_ref().unwrap().text;
        assert!(allows(folder.path(), rule, line), "{line}");
        assert!(!allows(folder.path(), rule, "git status | sh"), "{rule}");
    }
}
