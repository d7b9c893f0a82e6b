//! Broken manifests, and every finding about each.

use super::render;

#[test]
fn a_broken_manifest_shows_all_of_its_errors_at_once() {
    let cases = include_str!("broken.txt").strip_suffix('\n').unwrap();
    for case in cases.split("\n=== ").skip(1) {
        let (name, text) = case.split_once('\n').unwrap();
        insta::assert_snapshot!(name, render(text));
    }
}
