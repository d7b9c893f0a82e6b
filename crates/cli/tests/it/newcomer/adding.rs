//! Guards that one need not write: `init --user`, and the known rules of `add`.

use std::fs;

use super::{at, empty, shown};
use crate::approvals::typed;
use crate::env::{Shows as _, TestEnv, repository};

#[test]
fn init_user_guards_every_project_without_trust() {
    let env = empty();
    // No agent may write what needs no trust, so this is typed where none is above.
    let left = typed(&env, "anyhook init --user", "");
    assert_eq!(left.code, 0, "{left:?}");
    // A kernel that can confine is asked about before.
    let text = left.text.rsplit("[y/N] ").next().unwrap();
    insta::assert_snapshot!("init-user", shown(&env, text));
    let checked = env.anyhook("check --user --strict");
    assert_eq!(checked.code, 0, "{checked:?}");
    let call = |line: &str| env.bash(line).decision();
    assert_eq!(call("rm -rf /").as_deref(), Some("deny"));
    assert_eq!(call("cat .env").as_deref(), Some("deny"));
    assert_eq!(call("ls"), None);
    let again = typed(&env, "anyhook init --user", "");
    assert_eq!(again.code, 73, "{again:?}");
    again.says("anyhook add");
    let agent = env.path("bin/claude");
    fs::copy("/bin/sh", &agent).unwrap();
    for line in ["anyhook init --user", "anyhook add --user reading-is-free"] {
        let below = typed(
            &env,
            &format!("{} -c '{line}; exit $?'", agent.display()),
            "",
        );
        assert_eq!(below.code, 77, "{below:?}");
        below.says("below the agent `claude`");
    }
}

#[test]
fn the_rules_that_can_be_added_are_those_of_the_page_about_rules() {
    let env = TestEnv::new();
    insta::assert_snapshot!("add-list-80", at(80, &env, &["add"]).stdout);
    let page = fs::read_to_string(repository().join("docs/rules.md")).unwrap();
    let known = env.anyhook("add --json").json();
    let known = known.as_array().unwrap();
    for rule in known.iter().filter(|rule| rule["pack"].is_null()) {
        let (name, when) = (
            rule["name"].as_str().unwrap(),
            rule["hook"]["when"].as_str().unwrap(),
        );
        let row = format!("| `{name}` | `{}` |", when.replace("||", "\\|\\|"));
        page.shows(&row);
    }
    assert!(known.len() >= 10);
    let packs = fs::read_to_string(repository().join("docs/packs.md")).unwrap();
    for pack in known.iter().filter_map(|rule| rule["pack"].as_str()) {
        assert!(packs.contains(&format!("| `{pack}` |")), "{pack}");
    }
}
