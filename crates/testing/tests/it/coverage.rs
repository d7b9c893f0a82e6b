//! Coverage: the numbers of packages that were counted by hand.

use anyhook_testing::{Coverage, HookCoverage, TestOptions, coverage, run};
use serde_json::json;

use crate::package::{Package, command, lines};
use crate::packages::{hold, named};

/// One line for each hook: outcomes, then branches, then what is missing.
fn table(hooks: &[HookCoverage]) -> Vec<String> {
    let line = |hook: &HookCoverage| {
        let mut parts = Vec::new();
        for row in &hook.rows {
            parts.push(row.event.clone());
            let cells = row.cases.iter();
            parts.extend(cells.map(|(saw, count)| format!("{} {count}", saw.as_str())));
            parts.extend((row.not_asked > 0).then(|| format!("not asked {}", row.not_asked)));
        }
        let branches = hook.branches.iter();
        parts.extend(branches.map(|one| format!("{} {} {}", one.of, one.branch, one.cases)));
        let missing = hook.goals.iter().filter(|goal| !goal.is_covered);
        parts.extend(missing.map(|goal| format!("missing: {}", goal.goal)));
        format!("{}: {}", hook.hook.name, parts.join(", "))
    };
    hooks.iter().map(line).collect()
}

/// The packages of which it is counted here.
const COUNTED: &str = include_str!("coverage.txt");

fn of(package: &Package) -> (Coverage, Vec<String>) {
    let suite = package.read();
    let ran = package.run();
    let bad = lines(&ran)
        .into_iter()
        .filter(|line| !line.starts_with("pass"));
    (coverage(&suite, &ran), bad.collect())
}

#[test]
fn what_the_cases_of_a_package_see_of_each_hook_is_what_was_counted_by_hand() {
    hold(COUNTED, |package| {
        let (found, bad) = of(package);
        let counted = found.counted();
        let counted = format!("{} of {}", counted.covered, counted.total);
        [table(&found.hooks), vec![counted], bad].concat()
    });
}

#[test]
fn a_hook_that_no_case_asks_is_named_with_the_case_to_write() {
    let package = named(COUNTED, "the numbers are those that were counted by hand");
    let (found, _) = of(&package);
    let counted = found.counted();
    assert!(counted.is_below(76.2) && !counted.is_below(76.1));
    let unasked: Vec<&HookCoverage> = found
        .hooks
        .iter()
        .filter(|hook| hook.sketch.is_some())
        .collect();
    let [never] = unasked[..] else {
        panic!("{unasked:?}")
    };
    let written = never.sketch.as_ref().unwrap();
    let root = package.path();
    assert_eq!(
        written.file,
        root.join("hooks/tests/cases/never-is-asked.yaml")
            .to_string_lossy()
    );
    assert_eq!(
        written.text,
        "# Say what the hook is to answer.\nname: never-is-asked\nevent: stop\nexpected:\n  fires: true\n"
    );
    package.case("never-is-asked", &written.text);
    let (found, _) = of(&package);
    assert!(found.hooks.iter().all(|hook| hook.sketch.is_none()));
}

#[test]
fn several_packages_are_counted_together_and_one_without_tests_too() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let file = folder.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    };
    for name in ["one", "two"] {
        let hooks = json!({"version": 1, "hooks": {"stop": [{"hooks": [command("exit 2")]}]}});
        write(&format!("{name}/hooks/hooks.json"), &hooks.to_string());
    }
    write(
        "one/hooks/tests/cases/a.yaml",
        "name: a\nevent: stop\nexpected:\n  exit-code: 2\n",
    );
    let suite = anyhook_testing::read(&[folder.path().to_path_buf()]);
    let ran = run(&suite.cases, &TestOptions::default(), &mut |_| {});
    let found = coverage(&suite, &ran);
    assert_eq!(
        table(&found.hooks),
        [
            "stop[0][0]: stop, denied 1",
            "stop[0][0]: stop, missing: it is asked, missing: it does more than let pass",
        ]
    );
    assert_eq!((found.counted().covered, found.counted().total), (2, 4));
}

#[test]
fn a_case_to_write_counts_the_entries_that_are_switched_off() {
    let name = "a case to write counts the entries that are switched off";
    let package = named(COUNTED, name);
    for hook in of(&package).0.hooks {
        let written = hook.sketch.unwrap();
        package.case(&hook.hook.name, &written.text);
    }
    assert_eq!(
        table(&of(&package).0.hooks),
        ["one: pre-tool-use, denied 1", "end: stop, denied 1"]
    );
}
