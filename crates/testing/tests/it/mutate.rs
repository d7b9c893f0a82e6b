//! Mutants: what weak suites miss, what mended ones notice, and that a written case does what it is written for.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhook_testing::{
    MutantFate, MutationRun, MutationScope, Selection, TestOptions, mutate, run,
};
use serde_json::json;

use crate::package::{Package, command, lines};
use crate::packages::hold;

mod refused;

fn weak() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/weak")
}

fn how() -> TestOptions {
    TestOptions {
        jobs: NonZeroUsize::new(2).unwrap(),
        ..TestOptions::default()
    }
}

/// Runs the tests, which pass, and then their mutants.
fn mutants(package: &Package) -> MutationRun {
    chosen(package, &Selection::default(), MutationScope::Everything)
}

fn chosen(package: &Package, selection: &Selection, scope: MutationScope) -> MutationRun {
    let mut suite = package.read();
    assert!(suite.problems.is_empty(), "{:?}", suite.problems);
    selection.narrow(&mut suite);
    let ran = run(&suite.cases, &how(), &mut |_| {});
    let failed = ran.iter().filter(|ran| ran.outcome.is_bad()).count();
    assert_eq!(failed, 0, "{:?}", lines(&ran));
    mutate(&suite, &ran, scope, &how(), &mut |_| {}).unwrap()
}

/// What survived: the hook, and how it was broken.
fn survivors(mutated: &MutationRun) -> Vec<String> {
    let line = |(tried, _): (&anyhook_testing::TestedMutant, &anyhook_testing::Survivor)| {
        format!("{}: {}", tried.hook.name, tried.mutation)
    };
    mutated.survivors().map(line).collect()
}

/// Everything that was tried, with what came of it.
fn all(mutated: &MutationRun) -> Vec<String> {
    let line = |tried: &anyhook_testing::TestedMutant| {
        let fate = match &tried.fate {
            MutantFate::Killed { by } => format!("killed by {by}"),
            MutantFate::Survived(survivor) => format!("survives: {}", survivor.why),
        };
        format!("{}: {}: {fate}", tried.hook.name, tried.mutation)
    };
    mutated.tried.iter().map(line).collect()
}

/// What each weak suite misses.
const WEAK: [(&str, &[&str]); 13] = [
    ("ask", &["publish: decision `ask` dropped"]),
    ("context", &["conventions: context for the model dropped"]),
    ("deny", &["no-deploy: decision `deny` dropped"]),
    ("disabled", &["no-sudo: hook disabled"]),
    ("exit-code", &["no-push: exit code 2 becomes 0"]),
    ("matcher-narrowed", &["production: matcher without `Edit`"]),
    ("matcher-removed", &["no-force: matcher removed"]),
    ("matcher-widened", &["production: matcher widened"]),
    ("only-passes", &["no-secrets: exit code 2 becomes 0"]),
    ("rewrite", &["use-pnpm: rewrite dropped"]),
    ("rule-verdict", &["no-reset: decision `deny` dropped"]),
    (
        "when-negated",
        &[
            "house-rules: hook disabled",
            "house-rules: context for the model dropped",
            "house-rules: `when` negated",
            "house-rules: `when` removed",
        ],
    ),
    ("when-removed", &["no-main: `when` removed"]),
];

#[test]
fn ten_weak_suites_and_more_are_all_caught() {
    let mut folders: Vec<String> = std::fs::read_dir(weak())
        .unwrap()
        .flatten()
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    folders.sort();
    assert_eq!(folders, WEAK.map(|(name, _)| name), "each folder has a row");
    for (name, missed) in WEAK {
        let package = Package::copy(&weak().join(name));
        assert_eq!(survivors(&mutants(&package)), missed, "{name}");
    }
}

#[test]
fn no_mutant_survives_a_mended_suite() {
    for (name, _) in WEAK {
        let from = weak().join(name);
        let package = Package::copy(&from);
        package.take(&from, "mended", "hooks/tests/cases");
        assert_eq!(survivors(&mutants(&package)), [""; 0], "{name}");
    }
}

#[test]
fn a_sketched_case_that_is_pasted_kills_its_survivor() {
    for (name, _) in WEAK.iter().filter(|(name, _)| *name != "only-passes") {
        let package = Package::copy(&weak().join(name));
        let before = mutants(&package);
        for (_, survivor) in before.survivors() {
            let file = Path::new(&survivor.sketch.file);
            let stem = file.file_stem().unwrap().to_string_lossy();
            package.case(&stem, &survivor.sketch.text);
        }
        let after = survivors(&mutants(&package));
        let again = survivors(&before)
            .into_iter()
            .filter(|one| after.contains(one));
        assert_eq!(again.collect::<Vec<_>>(), [""; 0], "{name}");
    }
}

#[test]
fn a_sketched_case_is_the_case_that_shows_the_hook_with_another_expectation() {
    let package = Package::of(
        "test -f README.md && npx && test \"$LEVEL\" = 3 && { echo 'read first' >&2; exit 2; }; exit 0",
    );
    package.case(
        "a",
        "name: a\ndescription: about\nevent: pre-tool-use\nas: [claude-code]\nmatrix:\n  toolInput.command: [ls, 'on: \"x\"']\n\
         workspace:\n  README.md: hello\nstubs:\n  npx: {exit: 0}\nenv:\n  LEVEL: '3'\n\
         expected:\n  stderr-contains: [read first]\n",
    );
    let mutated = mutants(&package);
    assert_eq!(
        survivors(&mutated),
        ["pre-tool-use[0][0]: exit code 2 becomes 0"]
    );
    let (_, survivor) = mutated.survivors().next().unwrap();
    assert_eq!(
        survivor.sketch.text,
        "# Notices: exit code 2 becomes 0 (pre-tool-use[0][0], ROOT/hooks/hooks.json:7)\n\
         name: pre-tool-use-0-0-exit-code-2-becomes-0\nevent: pre-tool-use\nas: [\"claude-code\"]\n\
         workspace:\n  README.md: hello\n\
         stubs:\n  npx:\n    exit: 0\nenv:\n  LEVEL: \"3\"\ninput:\n  overrides:\n    toolInput.command: ls\nexpected:\n  exit-code: 2\n"
            .replace("ROOT", &package.path().to_string_lossy())
    );
}

#[test]
fn a_sketched_case_of_a_hook_that_no_case_asks_sends_what_its_matcher_selects() {
    let module = json!({"name": "files", "type": "builtin", "module": "file-guard", "config": {"blocked_paths": [".env*"]}});
    let ask = json!({"name": "asks", "type": "prompt", "prompt": "ok?"});
    let package = Package::new(&json!({
        "pre-tool-use": [
            {"hooks": [command("exit 2")]},
            {"matcher": "Write|Edit", "hooks": [module, ask]},
        ],
    }));
    package.expects("a", "pre-tool-use", "exit-code: 2");
    let mutated = mutants(&package);
    assert_eq!(
        survivors(&mutated),
        ["files: hook disabled", "asks: hook disabled"]
    );
    let sketches: Vec<_> = mutated.survivors().map(|(_, one)| &one.sketch).collect();
    package.case("files", &sketches[0].text);
    let left = survivors(&mutants(&package));
    assert!(!left.contains(&"files: hook disabled".into()), "{left:?}");
    // What asks a model is played by the program alone.
    let asks = &sketches[1].text;
    assert!(asks.contains("  model-response:\n    ok: true\n"), "{asks}");
}

#[test]
fn a_hook_that_acts_in_an_earlier_event_is_broken_there_too() {
    let package = Package::new(&json!({
        "pre-tool-use": [{"hooks": [command("touch \"$TMPDIR/used\"; echo frozen >&2; exit 2")]}],
        "stop": [{"hooks": [command("test -e \"$TMPDIR/used\" && { echo tidy up >&2; exit 2; }; exit 0")]}],
    }));
    package.case(
        "a",
        "name: a\nevent: stop\ninput:\n  before:\n    - event: pre-tool-use\nexpected:\n  exit-code: 2\n",
    );
    let only = Selection {
        events: vec!["stop".into()],
        ..Selection::default()
    };
    let found = chosen(&package, &only, MutationScope::Reached);
    assert_eq!(
        all(&found),
        [
            "pre-tool-use[0][0]: hook disabled: killed by a",
            // What it answered then decides nothing in the case.
            "pre-tool-use[0][0]: exit code 2 becomes 0: survives: the one case that could notice passes",
            "stop[0][0]: hook disabled: killed by a",
            "stop[0][0]: exit code 2 becomes 0: killed by a",
        ]
    );
}

#[test]
fn cases_that_were_chosen_answer_for_the_hooks_that_they_ask() {
    let package = Package::new(&json!({
        "pre-tool-use": [{"hooks": [command("exit 2")]}],
        "stop": [{"hooks": [command("exit 2")]}],
    }));
    package.expects("a", "pre-tool-use", "exit-code: 2");
    package.expects("b", "stop", "stderr-contains: []\n  exit-code: 2");
    let selection = Selection {
        cases: vec!["a".to_owned()],
        ..Selection::default()
    };
    let reached = chosen(&package, &selection, MutationScope::Reached);
    assert_eq!(
        (reached.tried.len(), reached.killed(), reached.left_out),
        (2, 2, 1)
    );
    let everything = chosen(&package, &selection, MutationScope::Everything);
    assert_eq!(survivors(&everything), ["stop[0][0]: hook disabled"]);
}

#[test]
fn what_becomes_of_each_mutant_of_a_package_is_what_stands_beside_it() {
    hold(include_str!("mutate.txt"), |package| all(&mutants(package)));
}

#[test]
fn a_decision_is_dropped_from_every_form_of_an_answer() {
    for row in include_str!("forms.txt").lines() {
        let cells: Vec<&str> = row.split(" ⇒ ").collect();
        let [event, answer, decision] = cells[..] else {
            panic!("{row}")
        };
        let hook = command(&format!("printf '%s' '{answer}'"));
        let package = Package::new(&json!({event: [{"hooks": [hook]}]}));
        package.expects("a", event, &format!("decision: {decision}"));
        assert_eq!(survivors(&mutants(&package)), [""; 0], "{answer}");
        package.expects("a", event, "exit-code: 0");
        let dropped = format!("{event}[0][0]: decision `{decision}` dropped");
        assert_eq!(survivors(&mutants(&package)), [dropped], "{answer}");
    }
}
