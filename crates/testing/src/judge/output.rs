//! The exit code and the texts: a hook's own, or those of the answer that all hooks came to.

use anyhook::core::fault::FaultKind;
use anyhook::core::report::StepOutcome;
use anyhook::core::transcript::End;
use serde_json::Value;

use super::Judgement;
use super::firing::of_package;
use super::text::plain;
use crate::case::Expectations;
use crate::matching;
use crate::plan::Case;
use crate::play::{Evidence, ProcessOutput};

/// Holds what was said against what was to be.
pub(super) fn output(case: &Case, evidence: &Evidence, judged: &mut Judgement) {
    let expected = &case.spec.expected;
    let words = evidence.words(case.mode());
    if let Some(code) = &expected.exit_code
        && words.exit != Some(code.value)
    {
        let found = exit(&words, evidence);
        let remark = if has_failed_by_code(case, evidence) {
            ", which is a failure of the hook and no answer"
        } else {
            ""
        };
        judged.fail(
            "exit-code",
            format!("expected {}, found {found}{remark}", code.value),
        );
    }
    texts(
        expected,
        &plain(&words.stdout),
        &plain(&words.stderr),
        judged,
    );
}

fn has_failed_by_code(case: &Case, evidence: &Evidence) -> bool {
    let is_it = |became: &StepOutcome| match became {
        StepOutcome::Failed { fault, .. } => fault.kind == FaultKind::ExitCode,
        StepOutcome::Said(_) | StepOutcome::Would(_) | StepOutcome::NotAsked(_) => false,
    };
    of_package(case, &evidence.report).any(|(_, became)| is_it(became))
}

fn texts(expected: &Expectations, stdout: &str, stderr: &str, judged: &mut Judgement) {
    let both = format!("{stdout}\n{stderr}");
    let rows = [
        ("stdout-contains", stdout, &expected.stdout_contains),
        ("stderr-contains", stderr, &expected.stderr_contains),
        ("not-contains", &both, &expected.not_contains),
    ];
    for (about, text, parts) in rows {
        let is_wanted = about != "not-contains";
        let says = match about.strip_suffix("-contains") {
            Some(stream) if is_wanted => format!("{stream} does not contain"),
            _ => "the output contains".to_owned(),
        };
        let is_wrong = |part: &&String| text.contains(part.as_str()) != is_wanted;
        for part in parts.iter().filter(is_wrong) {
            judged.fail(about, format!("{says} {part:?}"));
        }
    }
    if let Some(wanted) = &expected.stdout_json {
        json(&wanted.value, stdout, judged);
    }
}

fn json(wanted: &Value, stdout: &str, judged: &mut Judgement) {
    const ABOUT: &str = "stdout-json";
    match serde_json::from_str::<Value>(stdout) {
        Ok(found) => {
            let differences = matching::differences(wanted, Some(&found));
            judged.differ(ABOUT, "stdout is another JSON", differences);
        }
        Err(_) if stdout.trim().is_empty() => judged.fail(ABOUT, "stdout is empty"),
        Err(error) => judged.fail(ABOUT, format!("stdout is no JSON: {error}")),
    }
}

fn exit(words: &ProcessOutput, evidence: &Evidence) -> String {
    match (
        words.exit,
        evidence.heard.first().map(|heard| &heard.raw.end),
    ) {
        (Some(code), _) => code.to_string(),
        (None, Some(End::Signal(signal))) => format!("signal {signal}"),
        (None, Some(End::TimedOut)) => {
            "a timeout; `stubs` replaces a program that waits".to_owned()
        }
        (None, Some(End::NotStarted(why))) => format!("no start: {why}"),
        (None, Some(End::Code(_)) | None) => "none".to_owned(),
    }
}
