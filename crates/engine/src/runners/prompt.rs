//! `type: prompt`: a model that judges the event.
//!
//! It is asked by a process of our own program, so that its deadline, its end and its place beside other hooks are those of
//! a command, and the process that answers the agent opens no connection. That process gets the event on its standard
//! input as commands do, and of the environment no more than it needs to find its settings, its key and a proxy.
//!
//! ```
//! use anyhook_engine::core::manifest::{Action, Prompt};
//! use anyhook_engine::runners::prompt::{ROW, UNREAD};
//!
//! assert_eq!((ROW.kind, UNREAD), ("prompt", 65));
//! assert!((ROW.owns)(&Action::Prompt(Prompt { prompt: "Is it safe? $ARGUMENTS".into() })));
//! ```

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhook_core::effects::{Level, Notice};
use anyhook_core::event::Event;
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::handler::{Handler, Said};
use anyhook_core::manifest::Action;
use anyhook_core::result::{HookResult, Kind, Verdict};
use anyhook_core::transcript::{End, Transcript};
use anyhook_wires::dialects::read_universal;

use super::{Asking, Prepared, Runner};
use crate::models::{DEADLINE, Judging, VERB};
use crate::processes::{Job, MARK};

/// The row.
pub const ROW: Runner = Runner {
    kind: "prompt",
    owns: |action| matches!(action, Action::Prompt(_)),
    prepare,
};

/// The exit code of a process that asked, and could not read the answer.
pub const UNREAD: u8 = 65;

/// The name of our own program.
const PROGRAM: &str = "anyhook";

/// A longer prompt than this cannot be handed to a process.
const LONGEST_PROMPT: usize = 64 * 1024;

/// What the asking process gets of the environment, besides the key: where its files are, and how the network is reached.
const NEEDED: &[&str] = &[
    "HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "ANYHOOK_MODEL",
    "ANYHOOK_MODEL_BASE_URL",
    "ANYHOOK_MODEL_PROVIDER",
    "ALL_PROXY",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
    "all_proxy",
    "https_proxy",
    "http_proxy",
    "no_proxy",
    MARK,
];

fn prepare(asking: &Asking<'_>) -> Prepared {
    let Handler::Declared(action) = &asking.hook.handler else {
        return Prepared::Fault(Fault::new(FaultKind::BadEntry, "not a declared hook"));
    };
    let Action::Prompt(prompt) = &**action else {
        return Prepared::Fault(Fault::new(FaultKind::BadEntry, "not a prompt"));
    };
    match job(asking, &prompt.prompt) {
        Ok(job) => Prepared::Process(Box::new(job)),
        Err(fault) => Prepared::Fault(fault),
    }
}

fn job(asking: &Asking<'_>, prompt: &str) -> Result<Job, Fault> {
    // Where nobody is asked, no settings and no key are needed.
    let key = match asking.shared.stand_in {
        Some(_) => None,
        None => Some(key_of(asking)?),
    };
    let deadline = asking.hook.deadline.unwrap_or(DEADLINE);
    Ok(Job {
        program: program(asking.shared.own.as_deref())?,
        args: vec![VERB.into(), judging(asking, prompt, deadline)?.into()],
        env: environment(asking, key),
        cwd: "/".into(),
        stdin: match asking.shared.parts_of(asking.hook, asking.event).first() {
            Some(part) => Arc::clone(&part.payload),
            None => Arc::clone(&asking.shared.payload),
        },
        deadline,
        confined: None,
    })
}

/// Names the variable that the key stands in, if a model can be asked at all.
fn key_of<'a>(asking: &Asking<'a>) -> Result<&'a str, Fault> {
    let configured = asking.shared.configured(asking.world);
    match &configured.settings {
        Ok(_) => Ok(&configured.key_env),
        Err(error) => Err(Fault::new(FaultKind::NotStarted, error.told())),
    }
}

/// Writes everything but the event as one argument.
fn judging(asking: &Asking<'_>, prompt: &str, deadline: Duration) -> Result<String, Fault> {
    let bad = |text: &str| Fault::new(FaultKind::BadEntry, text);
    if prompt.len() > LONGEST_PROMPT {
        return Err(bad("its prompt is longer than 64 KiB"));
    }
    let judging = Judging {
        prompt: prompt.to_owned(),
        session: asking.shared.session.clone(),
        millis: u64::try_from(deadline.as_millis()).unwrap_or(u64::MAX),
        stand_in: asking.shared.stand_in.clone(),
    };
    serde_json::to_string(&judging).map_err(|_| bad("its prompt cannot be written as JSON"))
}

fn program(own: Option<&OsStr>) -> Result<PathBuf, Fault> {
    let missing = |text: &str| Fault::new(FaultKind::NotStarted, text);
    if cfg!(not(feature = "net")) {
        return Err(missing(
            "this program was built without the means to ask a model",
        ));
    }
    let program = own.map(|own| Path::new(own).join(PROGRAM));
    program.filter(|program| program.is_file()).ok_or_else(|| {
        missing("a model is asked by the program `anyhook`, which is not in the folder of this one")
    })
}

fn environment(asking: &Asking<'_>, key: Option<&str>) -> Vec<(OsString, OsString)> {
    let names = NEEDED.iter().copied().chain(key);
    let given = names.filter_map(|name| Some((name.into(), asking.world.var(name)?.to_owned())));
    given.collect()
}

/// Reads what the asking process left. A model has an objection or none: it approves nothing, and rewrites nothing.
pub(crate) fn read(raw: &Transcript, event: &Event) -> Said {
    if let End::Code(code @ 1..) = raw.end {
        let kind = if code == i32::from(UNREAD) {
            FaultKind::InvalidAnswer
        } else {
            FaultKind::Errored
        };
        let stderr = raw.stderr.text();
        let told = stderr.lines().map(str::trim).find(|line| !line.is_empty());
        let told = told.unwrap_or("the process that asks the model failed");
        return Err(Fault::new(kind, told).into());
    }
    judged(read_universal(raw, event)?)
}

fn judged(mut said: HookResult) -> Said {
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
    use anyhook_core::transcript::Capture;
    use serde_json::json;

    use super::*;

    fn left(end: End, stdout: &str, stderr: &str) -> Said {
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
