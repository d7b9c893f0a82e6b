//! Judging: what a case expected, held against what it left.

mod firing;
mod merged;
mod output;
mod text;

use std::path::Path;

use anyhook::core::fault::{Fault, FaultKind};
use anyhook::core::hook::HookInfo;
use anyhook::core::manifest::DEADLINE;
use anyhook::core::report::{SkipReason, StepOutcome};
use anyhook::core::transcript::End;
use anyhook::files::FileError;
use serde_json::Value;

use crate::case::CaseMode;
use crate::case::text::expects_nothing;
use crate::matching::{self, JsonDifference};
use crate::plan::Case;
use crate::play::{Evidence, HookTranscript};
use crate::ran::CaseOutcome;
pub(crate) use firing::asked;
use firing::{fires, of_package};
use merged::merged;
pub(crate) use merged::{decision_of, losses, reasons, said, told};
use output::output;
pub(crate) use text::plain;

/// One expectation that does not hold.
#[derive(Debug, Clone, PartialEq)]
pub struct FailedExpectation {
    /// The expectation, as the case names it.
    pub about: &'static str,
    /// What is wrong.
    pub message: String,
    /// Where JSON differs.
    pub differences: Vec<JsonDifference>,
}

/// What a judgement comes to.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Judgement {
    pub(crate) failures: Vec<FailedExpectation>,
    /// Why nothing could be judged.
    pub(crate) error: Option<String>,
}

impl Judgement {
    pub(crate) fn outcome(&self) -> CaseOutcome {
        match &self.error {
            Some(why) => CaseOutcome::Broken(why.clone()),
            None if self.failures.is_empty() => CaseOutcome::Passed,
            None => CaseOutcome::Failed,
        }
    }

    fn fail(&mut self, about: &'static str, message: impl Into<String>) {
        self.failures.push(FailedExpectation {
            about,
            message: message.into(),
            differences: Vec::new(),
        });
    }

    fn differ(
        &mut self,
        about: &'static str,
        message: impl Into<String>,
        differences: Vec<JsonDifference>,
    ) {
        if !differences.is_empty() {
            self.failures.push(FailedExpectation {
                about,
                message: message.into(),
                differences,
            });
        }
    }
}

/// Judges a case.
pub(crate) fn judge(case: &Case, evidence: &Evidence) -> Judgement {
    let mut judged = Judgement::default();
    if let Some(over) = out_of_time(case, evidence) {
        judged.error = Some(over);
        return judged;
    }
    if let Some(other) = &case.payload.other {
        let (wanted, found) = (case.event.universal(), other.universal());
        judged.fail(
            "event",
            format!("the case is about `{wanted}`, and its payload is a `{found}`"),
        );
    }
    if case.spec.mode == CaseMode::Dispatch && expects_nothing(&case.text) {
        let message = "nothing is expected, so nothing could fail: `anyhook test --bless` writes what happens";
        judged.fail("expected", message);
    }
    fires(case, &evidence.report, &mut judged);
    faults(case, evidence, &mut judged);
    output(case, evidence, &mut judged);
    merged(case, evidence, &mut judged);
    files(case, evidence, &mut judged);
    model(case, evidence, &mut judged);
    judged
}

/// Tells whether the test's own limit ended a hook, and not a timeout that holds in production too.
fn out_of_time(case: &Case, evidence: &Evidence) -> Option<String> {
    let by_limit = |heard: &&HookTranscript| {
        heard.raw.end == End::TimedOut && heard.raw.took < heard.deadline.unwrap_or(DEADLINE)
    };
    let hook = evidence.heard.iter().find(by_limit);
    let unasked = evidence
        .report
        .steps
        .iter()
        .any(|step| step.became == StepOutcome::NotAsked(SkipReason::OutOfTime));
    let limit = case.limit.as_secs_f64();
    let who = hook.map(|heard| format!("`{}` was ended", heard.hook));
    let who = who.or_else(|| unasked.then(|| "not every hook could be asked".to_owned()));
    who.map(|who| format!("the case may take {limit} s, and {who}"))
}

/// A hook that fails is a hook that does not work, whatever else holds, unless the case expects that very failure.
fn faults(case: &Case, evidence: &Evidence, judged: &mut Judgement) {
    let expected = &case.spec.expected;
    let found: Vec<(&HookInfo, &Fault)> = of_package(case, &evidence.report)
        .filter_map(|(hook, became)| match became {
            StepOutcome::Failed { fault, .. } => Some((hook, &**fault)),
            StepOutcome::Said(_) | StepOutcome::Would(_) | StepOutcome::NotAsked(_) => None,
        })
        .collect();
    let wanted = expected.fault;
    let is_expected = |fault: &Fault| match fault.kind {
        FaultKind::ExitCode => expected.exit_code.is_some(),
        // JSON of the hook's own, which the case knows whole: how the hook ended, and what it printed.
        FaultKind::InvalidAnswer => expected.exit_code.is_some() && expected.stdout_json.is_some(),
        FaultKind::TimedOut => expected.timeout == Some(true),
        _ => false,
    };
    for (hook, fault) in &found {
        let is_named = wanted == Some(fault.kind);
        if !is_named && !is_expected(fault) {
            let what = format!(
                "`{}` failed ({}): {}",
                hook.name,
                fault.kind.as_str(),
                fault.text
            );
            judged.fail("fault", what);
        }
    }
    let is_found = |wanted: &FaultKind| found.iter().any(|(_, fault)| fault.kind == *wanted);
    if let Some(wanted) = wanted.filter(|wanted| !is_found(wanted)) {
        let wanted = wanted.as_str();
        judged.fail(
            "fault",
            format!("a failure of kind `{wanted}` was expected, and no hook failed so"),
        );
    }
    let timed_out = found
        .iter()
        .any(|(_, fault)| fault.kind == FaultKind::TimedOut);
    match expected.timeout {
        Some(true) if !timed_out => judged.fail(
            "timeout",
            "the hook was to run into its timeout, and ended by itself",
        ),
        Some(_) | None => {}
    }
}

/// Holds what the model was asked against what it was to be asked.
fn model(case: &Case, evidence: &Evidence, judged: &mut Judgement) {
    // The process that stands in for a model tells there what the model would have been asked.
    let heard = evidence.heard.iter();
    let asked: String = heard.map(|heard| heard.raw.stderr.text()).collect();
    let wanted = case.spec.expected.prompt_contains.iter();
    for part in wanted
        .map(|part| &part.value)
        .filter(|part| !asked.contains(*part))
    {
        judged.fail(
            "prompt-contains",
            format!("the model is not asked anything with {part:?}: {asked:?}"),
        );
    }
}

/// More of a file than this is not looked at.
const LONGEST_FILE: u64 = 4 * 1024 * 1024;

fn files(case: &Case, evidence: &Evidence, judged: &mut Judgement) {
    let Some(folder) = &evidence.workspace else {
        return;
    };
    for (path, wanted) in &case.spec.expected.files.0 {
        let found = match text_of(&folder.join(path)) {
            Ok(found) => found.map(Value::String),
            Err(why) => {
                judged.fail("files", format!("`{path}` is there, and {why}"));
                continue;
            }
        };
        let mut differences = matching::differences(&wanted.value, found.as_ref());
        for difference in &mut differences {
            difference.at.clone_from(path);
        }
        judged.differ("files", format!("`{path}` is not as expected"), differences);
    }
}

/// The text of a file; nothing where nothing is. What is there and no text is no absence.
fn text_of(file: &Path) -> Result<Option<String>, &'static str> {
    if file.symlink_metadata().is_err() {
        return Ok(None);
    }
    match anyhook::files::read(file, LONGEST_FILE) {
        Ok(bytes) => Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned())),
        Err(FileError::TooLong { .. }) => Err("is longer than what is looked at"),
        Err(_) => Err("is no file that can be read"),
    }
}
