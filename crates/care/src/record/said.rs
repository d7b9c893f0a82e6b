//! What an agent attempted, what the hooks answered and why, in plain words.

use std::sync::Arc;

use anyhook_core::events::HOOK_ERROR;
use anyhook_core::hook::HookInfo;
use anyhook_core::report::{AuditEvent, Heading, Report, SkipReason, StepOutcome};
use anyhook_core::result::Kind;
use anyhook_engine::text::tame;

use super::fates;

/// Returns what was attempted, as one text.
pub fn attempted(report: &Report) -> String {
    let action = report.action.as_ref();
    action
        .and_then(|action| action.telling())
        .unwrap_or_default()
}

/// Returns who decided, and what was said: what went wrong where nothing was said.
pub fn said(report: &Report) -> (String, String) {
    let hook = report.decided_by().and_then(|id| report.hook(id));
    let hook = hook.map(|hook| hook.name.to_string()).unwrap_or_default();
    let mut said = fates::in_short(report);
    if said.is_empty() {
        said = trouble(report).join("; ");
    }
    (hook, said)
}

/// Says all that went wrong about an event, a line each: hooks that failed, hooks whose turn never came, what was lost, and
/// what else a reader should know.
pub fn trouble(report: &Report) -> Vec<String> {
    let name = |id| report.hook(id).map_or("a hook", |hook| &*hook.name);
    let steps = report.steps.iter().filter_map(|step| match &step.became {
        StepOutcome::Failed { fault, verdict } => {
            let so = match verdict {
                Kind::Continue | Kind::Allow | Kind::Ask => "; it refuses nothing",
                Kind::Deny | Kind::Halt => "",
            };
            Some(format!("{} failed: {}{so}", name(step.hook), fault.text))
        }
        // Whom an event is for, and what was decided before, is nothing that went wrong.
        StepOutcome::Said(_)
        | StepOutcome::Would(_)
        | StepOutcome::NotAsked(
            SkipReason::NoMatch
            | SkipReason::OtherEvent
            | SkipReason::Condition
            | SkipReason::Decided
            | SkipReason::Same(_)
            | SkipReason::Once,
        ) => None,
        StepOutcome::NotAsked(why) => {
            let hook = report.hook(step.hook)?;
            let why = not_asked(&report.event, &report.hooks, *why, hook);
            Some(format!("{} {why}", hook.name))
        }
    });
    let losses = report
        .losses
        .iter()
        .map(|loss| format!("lost: {}", fates::lost(loss)));
    // Texts that the session's limits refused.
    let refused = report.audit.iter();
    let refused = refused.filter(|told| told.event.as_str() == HOOK_ERROR);
    let text = |told: &AuditEvent, field: &str| told.data.get(field)?.as_str().map(str::to_owned);
    let refused = refused.filter_map(|told| {
        let (hook, error) = (text(told, "hook_name")?, text(told, "error")?);
        Some(format!("{hook} failed: {error}"))
    });
    let remarks = report.remarks.iter();
    let remarks = remarks.filter(|remark| !anyhook_engine::sandbox::is_told(remark));
    let remarks = remarks.map(ToString::to_string);
    let all = steps.chain(refused).chain(losses).chain(remarks);
    all.map(|text| tame(&text)).collect()
}

/// Says why a hook is not asked about an event.
pub fn not_asked(
    event: &Heading,
    roster: &[Arc<HookInfo>],
    why: SkipReason,
    hook: &HookInfo,
) -> String {
    let why = match why {
        SkipReason::NoMatch => {
            let matcher = hook.matcher.as_deref().unwrap_or("*");
            let subject = event.subject.as_deref().unwrap_or_default();
            return format!("not asked: its matcher `{matcher}` does not select `{subject}`");
        }
        SkipReason::Same(other) => {
            let first = roster.get(other.index());
            let name = first.map(|hook| &*hook.name).unwrap_or_default();
            return format!("not asked: the same as `{name}`");
        }
        SkipReason::Background => return "goes on in the background".to_owned(),
        SkipReason::OtherEvent => "it is for another event",
        SkipReason::Decided => "it was decided before its turn",
        SkipReason::OutOfTime => "the event's time was over",
        SkipReason::Once => "it had its one time in this session",
        SkipReason::SingleFlight => "it answered the very same event a moment ago",
        SkipReason::Untrusted => "its file is not trusted",
        SkipReason::Condition => "its `when` or `effect` does not hold",
        SkipReason::NoValue => "the event names no file for `${file}`",
    };
    format!("not asked: {why}")
}
