//! What Claude Code does not hear in an object: the path of a worktree.

use serde_json::json;

use crate::case::Case;
use crate::fixtures::ended;

const ID: &str = "claude-code";

fn sent(name: &str) -> Case {
    Case::first(ID, name)
}

#[test]
fn a_hook_that_makes_no_worktree_has_refused_it_and_its_last_line_is_the_path() {
    let case = sent("WorktreeCreate");
    let heard = |exit: i32, stdout: &str, stderr: &str| {
        let said = case.hears(&ended(exit, stdout, stderr)).unwrap();
        let native = said
            .effects
            .native()
            .first()
            .map(|one| one.fields["worktreePath"].clone());
        (said.verdict.text(), native)
    };
    assert_eq!(
        heard(0, "cloning\n/tmp/fix\n\n", ""),
        (String::new(), Some(json!("/tmp/fix")))
    );
    let silent = "a hook refused this and gave no reason".to_owned();
    assert_eq!(heard(0, "\n", ""), (silent, None));
    assert_eq!(
        heard(1, "/tmp/fix", "disk full"),
        ("disk full".to_owned(), None)
    );
}
