//! Tests that no mutant can be held against.

use anyhook_testing::{MutationScope, mutate, run};

use super::how;
use crate::package::Package;

#[test]
fn a_suite_that_fails_is_refused_before_anything_is_broken() {
    let package = Package::of("exit 2");
    package.expects("a", "pre-tool-use", "exit-code: 0");
    let suite = package.read();
    let ran = run(&suite.cases, &how(), &mut |_| {});
    let mut told = 0;
    let refused = mutate(&suite, &ran, MutationScope::Everything, &how(), &mut |_| {
        told += 1;
    });
    assert_eq!(
        (refused.unwrap_err().to_string().as_str(), told),
        ("the tests have to pass before their hooks are broken", 0)
    );
}

#[test]
fn where_no_case_was_run_none_is_reported_as_failed() {
    let package = Package::of("exit 2");
    let refused = mutate(
        &package.read(),
        &[],
        MutationScope::Everything,
        &how(),
        &mut |_| {},
    );
    assert_eq!(
        refused.unwrap_err().to_string(),
        "no case was run, so that none could notice a hook that is broken"
    );
}
