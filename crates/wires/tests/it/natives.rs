//! What Claude Code does not hear in one object: the path of a worktree, and a message that depends on the payload.

use anyhook_core::result::HookResult;
use serde_json::json;

use crate::case::{Case, left};
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

#[test]
fn a_message_about_an_added_directory_reaches_the_model_only_after_a_command() {
    for (source, reaches) in [("slash_command", true), ("register_repo_root", false)] {
        let mut payload = sent("DirectoryAdded").payload;
        payload["source"] = json!(source);
        let case = Case::new(ID, "DirectoryAdded", payload);
        let (_, reply, losses) = case.says(HookResult::proceed().inject("this is a library"));
        let sees = case.does(&left(&reply)).model_sees;
        let expected: &[&str] = if reaches { &["this is a library"] } else { &[] };
        assert_eq!(
            (sees, losses.is_empty()),
            (expected.iter().map(ToString::to_string).collect(), reaches)
        );
        let heard = case
            .hears(&ended(0, r#"{"systemMessage": "a library"}"#, ""))
            .unwrap();
        assert_eq!(heard.effects.inject().len(), usize::from(reaches));
    }
}
