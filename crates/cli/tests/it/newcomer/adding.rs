//! Guards that one need not write: `init --user`, and the known rules of `add`.

use std::fs;

use serde_json::json;

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
fn a_known_rule_is_added_and_every_other_byte_of_the_file_stays() {
    let env = TestEnv::new();
    let before = "// ours\n{ \"version\": 1,\n\t\"hooks\": {\n\t\t\"PreToolUse\": [ // first\n\t\t\t{ \"hooks\": \
                  [{\"name\": \"mine\", \"type\": \"rule\", \"when\": \"true\", \"then\": {\"notify\": \"x\"}}] }\n\t\t]\n\t}\n}\n";
    let file = env.manifest(before);
    let left = at(80, &env, &["add", "no-force-push"]);
    assert_eq!((left.code, &*left.stderr), (0, ""));
    insta::assert_snapshot!("add-80", left.stdout);
    let after = fs::read_to_string(&file).unwrap();
    let (head, rest) = before.split_once(" }\n\t\t]").unwrap();
    assert!(
        after.starts_with(head) && after.ends_with("\n\t\t]\n\t}\n}\n"),
        "{after}"
    );
    assert_eq!(rest, "\n\t}\n}\n");
    let listed = env.anyhook("list --json").json();
    let names: Vec<&str> = listed["hooks"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|hook| hook["name"].as_str())
        .collect();
    assert_eq!(names, ["mine", "no-force-push"]);
    // Twice is once.
    let again = env.anyhook("add no-force-push --json").json();
    assert_eq!(again["added"], json!([]));
    assert_eq!(fs::read_to_string(&file).unwrap(), after);
    env.trust();
    let push = env.pre("Bash", &json!({"command": "git push -f"}));
    env.claude(&push).decides("deny");
}

#[test]
fn a_rule_goes_into_a_new_file_into_the_persons_own_and_never_into_a_broken_one() {
    let env = empty();
    assert_eq!(env.anyhook("add lock-files no-rm-rf").code, 0);
    let made = env.anyhook("check --strict");
    assert_eq!(made.code, 0, "{made:?}");
    let left = typed(&env, "anyhook add --user secret-files", "");
    assert_eq!(left.code, 0, "{left:?}");
    fs::read_to_string(env.path("home/.config/anyhook/hooks.json"))
        .unwrap()
        .shows("secret-files");
    let file = env.manifest("{ \"version\": 1, \"hooks\": ");
    let left = env.anyhook("add no-rm-rf");
    assert_eq!(left.code, 65, "{left:?}");
    assert_eq!(
        fs::read_to_string(file).unwrap(),
        "{ \"version\": 1, \"hooks\": "
    );
    let left = env.anyhook("add no-force-pus");
    assert_eq!(
        (left.code, &*left.stderr),
        (
            64,
            "error: no rule or pack is called `no-force-pus`\nhelp: did you mean `no-force-push`?\n"
        )
    );
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

#[test]
fn a_pack_is_added_with_the_known_rules_of_its_kind_and_a_text_that_is_denied_becomes_a_rule() {
    let env = TestEnv::new();
    let added = env
        .run(&["add", "git", "--deny", "DROP TABLE", "--json"], b"")
        .json();
    let added: Vec<&str> = added["added"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|name| name.as_str())
        .collect();
    for rule in ["no-force-push", "no-amended-commits", "no-drop-table"] {
        assert!(added.contains(&rule), "{rule}: {added:?}");
    }
    assert_eq!(env.anyhook("check --strict").code, 0);
    env.trust();
    let decided = |line: &str| {
        let left = env.bash(line);
        left.decision()
    };
    assert_eq!(decided("git commit --amend").as_deref(), Some("ask"));
    assert_eq!(decided("psql -c 'drop  table x'").as_deref(), Some("deny"));
    assert_eq!(decided("git status"), None);
}
