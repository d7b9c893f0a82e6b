//! The functions about what a session has seen: its marks and its calls.

use anyhook_core::hook::Hook;
use serde_json::Value;

use super::functions::{FUNCTIONS, FunctionKind};
use super::{Facts, written};

const UNKNOWN: &str = "what the session has seen is not known here: the event names no session, or nothing is kept of it";

pub(super) fn marked(facts: &Facts<'_>, names: &[String]) -> Result<Value, String> {
    Ok((sum(facts, names)? > 0).into())
}

pub(super) fn marks(facts: &Facts<'_>, names: &[String]) -> Result<Value, String> {
    sum(facts, names).map(Value::from)
}

pub(super) fn calls(facts: &Facts<'_>, tools: &[String]) -> Result<Value, String> {
    let (tally, _) = facts.tally().ok_or(UNKNOWN)?;
    Ok(of_tools(tools, |tool| tally.calls(tool)).into())
}

pub(super) fn session_calls(facts: &Facts<'_>, tools: &[String]) -> Result<Value, String> {
    let (tally, _) = facts.tally().ok_or(UNKNOWN)?;
    Ok(of_tools(tools, |tool| tally.session_calls(tool)).into())
}

pub(super) fn repeats(facts: &Facts<'_>, _: &[String]) -> Result<Value, String> {
    let (tally, event) = facts.tally().ok_or(UNKNOWN)?;
    Ok(tally.repeats(event).into())
}

pub(super) fn written_here(facts: &Facts<'_>, _: &[String]) -> Result<Value, String> {
    let (tally, _) = facts.tally().ok_or(UNKNOWN)?;
    Ok(written::runs(facts, tally).into())
}

fn sum(facts: &Facts<'_>, names: &[String]) -> Result<u64, String> {
    let (tally, _) = facts.tally().ok_or(UNKNOWN)?;
    Ok(names.iter().map(|name| tally.marks(name)).sum())
}

fn of_tools(tools: &[String], count: impl Fn(Option<&str>) -> u64) -> u64 {
    match tools {
        [] => count(None),
        tools => tools.iter().map(|tool| count(Some(tool))).sum(),
    }
}

/// Tells whether a hook's condition may ask about what the session has seen.
pub(crate) fn asks_memory(hook: &Hook) -> bool {
    let all = FUNCTIONS.iter();
    let all = all.filter(|function| matches!(function.does, FunctionKind::Recall(..)));
    calls_one_of(hook, all.map(|function| function.name))
}

/// Tells whether a hook's condition may ask about calls, so that each has to be counted.
pub(crate) fn counts_calls(hook: &Hook) -> bool {
    calls_one_of(hook, ["calls", "session_calls", "repeats"])
}

/// Tells whether a hook's condition may ask what the session wrote, so that each file has to be remembered.
pub(crate) fn asks_written(hook: &Hook) -> bool {
    calls_one_of(hook, ["written_here"])
}

/// Looks at the text alone, so it may say yes too often.
fn calls_one_of(hook: &Hook, functions: impl IntoIterator<Item = &'static str>) -> bool {
    let condition = hook.condition.as_deref().unwrap_or_default();
    let mut functions = functions.into_iter();
    functions.any(|function| condition.contains(function))
}
