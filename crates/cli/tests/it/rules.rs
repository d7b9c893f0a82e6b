//! Rules: guards that start nothing.

use std::path::Path;

#[test]
fn the_guardrails_that_have_the_name_of_a_known_rule_are_that_rule() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let rules = |package: &str| {
        let file = root.join(package).join("hooks/hooks.json");
        let text = std::fs::read_to_string(&file).unwrap();
        let parsed = anyhook::load::parse(&file, &text).unwrap();
        let entries = parsed
            .manifest
            .groups
            .into_iter()
            .flat_map(|group| group.entries);
        let named = entries.filter_map(|entry| {
            Some((entry.name?, entry.when?.text, format!("{:?}", entry.action)))
        });
        named.collect::<Vec<_>>()
    };
    let known = rules("rules");
    let is_known = |one: &&(_, _, _)| known.contains(one);
    let guardrails = rules("guardrails");
    let names: Vec<&str> = guardrails
        .iter()
        .filter(is_known)
        .map(|one| &*one.0)
        .collect();
    let expected = [
        "no-pipe-to-shell",
        "no-rm-rf",
        "no-force-push",
        "secret-files",
        "lock-files",
    ];
    assert_eq!(names, expected, "one rule is written twice and differs");
}
