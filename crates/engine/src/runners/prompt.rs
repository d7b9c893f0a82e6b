//! `type: prompt`: a model that judges the event.
//!
//! It is asked by a process of our own program, and may only judge: what else it says is refused.

use std::time::Duration;

use anyhook_core::effects::{Level, Notice};
use anyhook_core::event::Event;
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::handler::HandlerResult;
use anyhook_core::manifest::Prompt;
use anyhook_core::result::{HookResult, Kind, Verdict};
use anyhook_core::transcript::Transcript;
use anyhook_wires::dialects::read_universal;

use super::{RunnerReply, RunnerRequest, asker};
use crate::models::{DEADLINE, JudgeRequest, VERB};

/// The exit code of a process that asked, and could not read the answer.
pub const UNREAD: u8 = asker::UNREAD;

/// A longer prompt than this cannot be handed to a process.
const LONGEST_PROMPT: usize = 64 * 1024;

/// Makes ready the process that asks a model.
pub(super) fn prepare(asking: &RunnerRequest<'_>, prompt: &Prompt) -> Result<RunnerReply, Fault> {
    // Where no model is asked, no settings and no key are needed.
    let key = match asking.shared.stand_in {
        Some(_) => None,
        None => Some(key_of(asking)?),
    };
    let deadline = asking.hook.deadline.unwrap_or(DEADLINE);
    let word = judging(asking, &prompt.prompt, deadline)?;
    asker::prepare(asking, VERB, vec![word], key.into_iter(), deadline)
}

/// Names the variable that the key stands in, if a model can be asked at all.
fn key_of<'a>(asking: &RunnerRequest<'a>) -> Result<&'a str, Fault> {
    let configured = asking.shared.configured(asking.world);
    match &configured.settings {
        Ok(_) => Ok(&configured.key_env),
        Err(error) => Err(Fault::new(FaultKind::NotStarted, error.to_string())),
    }
}

/// Writes everything but the event as one argument.
fn judging(asking: &RunnerRequest<'_>, prompt: &str, deadline: Duration) -> Result<String, Fault> {
    let bad = |text: &str| Fault::new(FaultKind::BadEntry, text);
    if prompt.len() > LONGEST_PROMPT {
        return Err(bad("its prompt is longer than 64 KiB"));
    }
    let judging = JudgeRequest {
        prompt: prompt.to_owned(),
        session: asking.shared.session.clone(),
        millis: u64::try_from(deadline.as_millis()).unwrap_or(u64::MAX),
        stand_in: asking.shared.stand_in.clone(),
    };
    serde_json::to_string(&judging).map_err(|_| bad("its prompt cannot be written as JSON"))
}

/// Reads what the asking process left. A model has an objection or none: it approves nothing, and rewrites nothing.
pub(crate) fn read(raw: &Transcript, event: &Event) -> HandlerResult {
    asker::failure(raw)?;
    judged(read_universal(raw, event)?)
}

fn judged(mut said: HookResult) -> HandlerResult {
    if said.verdict.kind() == Kind::Allow {
        said.verdict = Verdict::Continue;
    }
    if said.effects.patch().is_empty() {
        return Ok(said);
    }
    let text = "a model rewrote the event, and may only judge it";
    if said.verdict.kind() < Kind::Ask {
        return Err(Fault::new(FaultKind::InvalidAnswer, text).into());
    }
    said.effects.edit().patch.clear();
    Ok(said.notifying(Notice::new(text).at(Level::Warning)))
}

#[cfg(test)]
mod tests {
    use anyhook_core::transcript::{Capture, End};
    use serde_json::json;

    use super::*;

    fn left(end: End, stdout: &str, stderr: &str) -> HandlerResult {
        let capture = |text: &str| Capture {
            kept: text.into(),
            dropped: 0,
        };
        let raw = Transcript {
            stdout: capture(stdout),
            stderr: capture(stderr),
            end,
            took: Duration::ZERO,
        };
        let call = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}});
        read(&raw, &Event::new("tool:pre", call))
    }

    #[test]
    fn an_approval_of_a_model_is_no_more_than_no_objection() {
        for answer in [
            "{}",
            r#"{"decision": "approve"}"#,
            r#"{"hookSpecificOutput": {"permissionDecision": "allow"}}"#,
        ] {
            assert_eq!(
                left(End::Code(0), answer, ""),
                Ok(HookResult::proceed()),
                "{answer}"
            );
        }
    }

    #[test]
    fn a_model_refuses_and_asks() {
        let refused = left(End::Code(0), r#"{"decision": "block", "reason": "no"}"#, "");
        assert_eq!(refused, Ok(HookResult::deny("no")));
        let asks = r#"{"permissionDecision": "ask", "permissionDecisionReason": "sure?"}"#;
        assert_eq!(left(End::Code(0), asks, ""), Ok(HookResult::ask("sure?")));
    }

    #[test]
    fn a_rewrite_of_a_model_never_lets_the_original_pass() {
        let rewrites = r#"{"permissionDecision": "allow", "updatedInput": {"command": "rm"}}"#;
        let fault = left(End::Code(0), rewrites, "").unwrap_err();
        assert_eq!(fault.kind, FaultKind::InvalidAnswer);
        let answer = r#"{"permissionDecision": "deny", "updatedInput": {"command": "rm"}}"#;
        let refused = left(End::Code(0), answer, "").unwrap();
        assert_eq!(
            (refused.verdict.kind(), refused.effects.patch().len()),
            (Kind::Deny, 0)
        );
    }

    #[test]
    fn no_exit_code_of_ours_is_a_refusal() {
        for (code, kind) in [
            (2, FaultKind::Errored),
            (65, FaultKind::InvalidAnswer),
            (101, FaultKind::Errored),
        ] {
            let fault = left(End::Code(code), "", "the model answered with nothing\n").unwrap_err();
            assert_eq!(*fault, Fault::new(kind, "the model answered with nothing"));
        }
        assert_eq!(
            left(End::TimedOut, "", "").unwrap_err().kind,
            FaultKind::TimedOut
        );
    }
}
