//! Broken inputs: each is told with its place, and the other cases still run.

use serde_json::json;

use crate::package::{Package, command, lines, told};

const GOOD: &str = "name: good\nevent: pre-tool-use\n";

fn package() -> Package {
    let package = Package::new(&json!({
        "pre-tool-use": [
            {"matcher": "Write|Bash", "hooks": [command("exit 0")]},
            {"hooks": [command("exit 0"), command("exit 2")]},
        ],
    }));
    package.case("zz-good", GOOD);
    let endless = package.path().join("hooks/tests/fixtures/zero.json");
    std::os::unix::fs::symlink("/dev/zero", endless).unwrap();
    package
}

/// What is told about this case, where all others go on.
fn problems(case: &str) -> Vec<String> {
    let package = package();
    package.case("a", case);
    let suite = package.read();
    let ran = anyhook_testing::run(
        &suite.cases,
        &anyhook_testing::TestOptions::default(),
        &mut |_| {},
    );
    assert_eq!(lines(&ran), ["pass good"], "{case}");
    told(&suite)
}

/// The rows of `broken.txt`: what stands behind the name of a case, and what is told of it, place by place. `⏎` ends a line.
#[test]
fn what_is_wrong_with_a_case_is_told_at_its_place_and_the_others_go_on() {
    for row in include_str!("broken.txt").lines() {
        let (case, expected) = row.split_once(" ⇒ ").unwrap();
        let told = problems(&format!("name: a\n{}\n", case.replace('⏎', "\n")));
        let expected: Vec<&str> = expected.split(" ⇒ ").collect();
        assert_eq!(told.len(), expected.len(), "{told:?}");
        for (told, expected) in told.iter().zip(expected) {
            assert!(told.starts_with(&format!("a.yaml:{expected}")), "{told}");
        }
    }
}

#[test]
fn a_slip_is_told_with_what_was_meant_and_the_dialects_of_a_package_are_played() {
    let package = package();
    package.case("a", "name: a\nevent: pre-tool-usee\n");
    let help = package.read().problems[0].finding.help.clone();
    assert_eq!(help.as_deref(), Some("did you mean `pre-tool-use`?"));
    let config = "\u{feff}{\"version\": 1, \"dialects\": [\"cursor\"]}";
    package.write("hooks/tests/test-config.json", config);
    let on = "mode: dispatch\nexpected: {decision: continue, on: {cursor: {decision: deny}}}";
    package.case("a", &format!("name: a\nevent: pre-tool-use\n{on}\n"));
    assert_eq!(told(&package.read()), [""; 0]);
}

#[test]
fn a_broken_configuration_is_told_and_other_packages_run() {
    let (broken, good) = (package(), package());
    for (config, expected) in [
        ("{\"version\": 2}", "1:2: `version` must be 1, and is 2"),
        ("{}", "1:2: missing field `version`"),
        (
            "{\"env\": {\"timeout\": \"\\\"{\"}, \"version\": 1,\n \"timeout\": 0}",
            "2:2: `timeout` must be above 0 and at most 3600, and is 0",
        ),
    ] {
        broken.write("hooks/tests/test-config.json", config);
        let suite = anyhook_testing::read(&[broken.path(), good.path()]);
        assert_eq!(suite.cases.len(), 1, "{config}");
        assert_eq!(told(&suite), [format!("test-config.json:{expected}")]);
    }
}

#[test]
fn an_alias_bomb_is_refused_and_costs_nothing() {
    let mut bomb = String::from(
        "name: a\nevent: pre-tool-use\ninput:\n  overrides:\n    k0: &a0 [x, x, x, x, x, x, x, x, x, x]\n",
    );
    for level in 1..20 {
        let below = format!("*a{}", level - 1);
        let all = vec![below; 10].join(", ");
        bomb.push_str(&format!("    k{level}: &a{level} [{all}]\n"));
    }
    let told = problems(&bomb);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(
        told[0].starts_with("a.yaml:") && !told[0].starts_with("a.yaml:1:1:"),
        "{told:?}"
    );
    assert!(
        told[0].ends_with("aliases stand for too much: write it out"),
        "{told:?}"
    );
}

#[test]
fn what_looks_like_a_case_and_is_none_is_told() {
    let package = package();
    let cases = package.path().join("hooks/tests/cases");
    std::fs::create_dir(cases.join("folder.yaml")).unwrap();
    std::os::unix::fs::symlink("nowhere", cases.join("link.yml")).unwrap();
    package.write("hooks/tests/cases/git/push.yaml", GOOD);
    package.write("hooks/tests/cases/data/files.txt", "no case");
    package.write("hooks/tests/cases/notes.txt", "no case");
    let suite = package.read();
    assert_eq!(
        told(&suite),
        [
            "folder.yaml:1:1: is no file that could be read",
            "git:1:1: `push.yaml` is not run: cases stand in `cases` itself, in no folder below",
            "link.yml:1:1: is no file that could be read",
        ]
    );
    assert_eq!(suite.cases.len(), 1);
    // Who names one file asks about that one.
    let one = anyhook_testing::read(&[cases.join("zz-good.yaml")]);
    assert_eq!((told(&one), one.cases.len()), (Vec::new(), 1));
}

#[test]
fn of_paths_that_overlap_everything_is_found_once() {
    let package = package();
    package.case("a", "name: [\n");
    let place = package.path();
    let cases = place.join("hooks/tests/cases");
    let file = |name: &str| cases.join(name);
    let paths = [
        file("zz-good.yaml"),
        place.clone(),
        place.clone(),
        file("a.yaml"),
        cases.clone(),
    ];
    let suite = anyhook_testing::read(&paths);
    let names: Vec<&str> = suite
        .cases
        .iter()
        .map(anyhook_testing::Case::name)
        .collect();
    assert_eq!(
        (names, suite.problems.len(), suite.packages.len()),
        (vec!["good"], 1, 1)
    );
}

#[test]
fn a_folder_without_a_package_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let suite = anyhook_testing::read(&[folder.path().to_path_buf(), folder.path().join("none")]);
    assert_eq!((suite.problems.len(), suite.cases.len()), (2, 0));
}
