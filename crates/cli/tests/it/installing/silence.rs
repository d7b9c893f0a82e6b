//! Installing into an agent that takes nothing to say for an approval.

use crate::approvals::typed;
use crate::env::TestEnv;

const NOTE: &str = "nothing to say is an approval at preToolUse";
const QUESTION: &str = "Install there? [y/N]";

#[test]
fn a_person_at_a_terminal_is_asked_before_an_agent_that_takes_silence_for_an_approval_gets_entries()
{
    let env = TestEnv::new();
    let file = env.path("home/.cursor/hooks.json");
    let declined = typed(&env, "anyhook install --host cursor", "n\n");
    declined.says(QUESTION);
    assert_eq!((declined.code, file.exists()), (1, false), "{declined:?}");

    let agreed = typed(&env, "anyhook install --host cursor", "y\n");
    agreed.says(NOTE);
    assert_eq!((agreed.code, file.exists()), (0, true), "{agreed:?}");
    let again = typed(&env, "anyhook install --host cursor", "");
    assert!(!again.text.contains(QUESTION), "nothing changes: {again:?}");
}

#[test]
fn no_person_is_asked_without_a_terminal_or_about_an_agent_with_a_neutral_answer() {
    let env = TestEnv::new();
    let other = typed(&env, "anyhook install --host claude-code", "");
    assert_eq!(other.code, 0, "{other:?}");
    assert!(
        !other.text.contains(NOTE) && !other.text.contains(QUESTION),
        "{other:?}"
    );

    let piped = TestEnv::new().anyhook("install --host cursor");
    assert!(piped.code == 0 && piped.stdout.contains(NOTE), "{piped:?}");
}
