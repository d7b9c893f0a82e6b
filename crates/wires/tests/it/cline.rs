//! Cline's own traps: a refusal ends the run, and exit codes decide nothing.

use anyhook_core::result::HookResult;

use crate::case::Case;
use crate::fixtures::ended;

const ID: &str = "cline";

#[test]
fn of_several_answers_one_that_cancels_counts() {
    let case = Case::first(ID, "PreToolUse");
    let yes = "HOOK_CONTROL\t{\"cancel\": true, \"errorMessage\": \"frozen\"}\n";
    let no = "HOOK_CONTROL\t{\"cancel\": false}\n";
    let broken = "HOOK_CONTROL\t{\n";
    for lines in [[yes, no], [no, yes], [yes, broken], [broken, yes]] {
        let heard = case.hears(&ended(0, &lines.concat(), ""));
        assert_eq!(heard.unwrap(), HookResult::halt("frozen"));
    }
    assert!(case.hears(&ended(0, &[no, broken].concat(), "")).is_err());
}
