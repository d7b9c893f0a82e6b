//! Expectations that are written from what happens.

use std::num::NonZeroUsize;

use anyhook_testing::{Blessed, How, Refused, bless};
use serde_json::json;

use crate::package::{Package, command};

fn blessed(package: &Package) -> (Vec<Blessed>, Vec<String>) {
    let how = How {
        jobs: NonZeroUsize::MIN,
        repeat: NonZeroUsize::new(2).unwrap(),
        ..How::default()
    };
    let (blessed, refused) = bless(&package.run_as(&how));
    let why = |Refused { case, why }: Refused| format!("{case}: {why}");
    (blessed, refused.into_iter().map(why).collect())
}

/// Blesses the one case, writes it, and returns its text. Afterwards it passes, and blessing changes nothing.
fn after(package: &Package, case: &str) -> String {
    package.case("only", case);
    let (first, refused) = blessed(package);
    assert_eq!(refused, [""; 0]);
    let text = first[0].after.clone();
    package.case("only", &text);
    assert_eq!(blessed(package), (Vec::new(), Vec::new()), "{text}");
    text
}

#[test]
fn the_block_of_expectations_is_written_anew_and_everything_else_stays() {
    let package = Package::of(
        r#"echo "{\"decision\": \"block\", \"reason\": \"in $TMPDIR/x\"}"; echo 'no: '"$PACKAGE_ROOT/a.txt"' is protected' >&2; exit 2"#,
    );
    assert_eq!(
        after(
            &package,
            "# No person writes here.\nname: only\nevent: pre-tool-use\nexpected:\n  exit-code: 0 # the seed's\n  \
             stdout-json: {decision: approve}\n  stderr-contains:\n    - something else\n  timeout: false\n",
        ),
        "# No person writes here.\nname: only\nevent: pre-tool-use\nexpected:\n  exit-code: 2\n  \
         stdout-json:\n    decision: block\n    reason: {\"$regex\":\"(?s)^in .*$\"}\n  \
         stderr-contains: [\"is protected\"]\n  timeout: false\n"
    );
}

#[test]
fn an_expected_part_that_is_there_stays_and_nothing_at_all_is_no_expectation() {
    let package = Package::of("echo no >&2; exit 2");
    let case = |parts: &str| {
        format!("name: only\nevent: pre-tool-use\nexpected:\n  stderr-contains: {parts}\n")
    };
    assert_eq!(after(&package, &case("[no, old]")), case("[\"no\"]"));
    package.case("only", &case("[old]"));
    let (written, refused) = blessed(&package);
    assert_eq!(written, Vec::new());
    assert_eq!(
        refused,
        ["only: `stderr-contains` cannot be written: nothing is left that could be expected"]
    );
    let package = Package::of("echo 'blocked: the path' >&2; echo 'twice over' >&2; exit 2");
    assert_eq!(
        after(&package, &case("[blocked, old]")),
        case("[\"blocked\",\"twice over\"]")
    );
}

#[test]
fn a_case_that_expects_nothing_gets_its_first_expectations() {
    let package = Package::of("echo 'no, never' >&2; exit 2");
    assert_eq!(
        after(&package, "name: only\nevent: pre-tool-use\n"),
        "name: only\nevent: pre-tool-use\nexpected:\n  exit-code: 2\n  stderr-contains: [\"no, never\"]\n"
    );
    assert_eq!(
        after(
            &package,
            "name: only\nevent: pre-tool-use\nmode: dispatch\n"
        ),
        "name: only\nevent: pre-tool-use\nmode: dispatch\nexpected:\n  decision: deny\n  \
         reason-contains: [\"no, never\"]\n"
    );
}

#[test]
fn what_all_hooks_say_together_is_written_too() {
    let package = Package::new(&json!({"pre-tool-use": [{"hooks": [
        command(r#"echo '{"updatedInput": {"command": "ls -l"}, "additionalContext": "list it well"}'"#),
    ]}]}));
    let case = "name: only\nevent: pre-tool-use\nmode: dispatch\nexpected:\n  decision: deny\n  \
                rewrites: {}\n  injects: []\n  fires: [other]\n";
    let text = after(&package, case);
    assert!(text.contains("  decision: continue\n"), "{text}");
    assert!(
        text.contains("ls -l") && text.contains("list it well"),
        "{text}"
    );
    assert!(text.contains("fires: [\"pre-tool-use[0][0]\"]"), "{text}");
}

#[test]
fn a_case_that_will_not_refuse_any_more_says_so() {
    let package = Package::of("exit 0");
    for case in [
        "name: only\nevent: pre-tool-use\nexpected:\n  exit-code: 2\n",
        "name: only\nevent: pre-tool-use\nmode: dispatch\nexpected:\n  decision: deny\n",
    ] {
        package.case("only", case);
        let (blessed, _) = blessed(&package);
        assert!(blessed[0].softens, "{case}");
    }
}

#[test]
fn what_is_no_expectation_is_not_written() {
    let uuid = "cat /proc/sys/kernel/random/uuid 2>/dev/null || date +%N";
    let refuses = |line: &str, case: &str| {
        let package = Package::of(line);
        package.case("only", &format!("name: only\nevent: pre-tool-use\n{case}"));
        let (blessed, refused) = blessed(&package);
        assert_eq!(blessed, []);
        refused.join("; ")
    };
    assert_eq!(
        refuses(uuid, "expected:\n  exit-code: 2\n"),
        "only: run again, it went otherwise: what would be written is no expectation"
    );
    assert_eq!(
        refuses("echo secret", "expected:\n  not-contains: [secret]\n"),
        "only: `not-contains` can only be written by a person"
    );
    assert_eq!(
        refuses("exit 3", ""),
        "only: `fault` can only be written by a person"
    );
    assert_eq!(
        refuses("exit 0", "expected: &all\n  exit-code: 2\n"),
        "only: its `expected` is written in a form that cannot be changed in place"
    );
    let variants = "matrix:\n  toolInput.command: [a, b]\nexpected:\n  stdout-contains: [x]\n";
    assert_eq!(
        refuses(
            "anyhook_get() { cat; }; case \"$(anyhook_get)\" in *'\"a\"'*) echo for a;; *) echo for b;; esac",
            variants
        ),
        "only[toolInput.command=b]: its variants differ in `stdout-contains`: write them as cases of their own"
    );
}
