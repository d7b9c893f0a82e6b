//! The six worked examples of `ex_athena`'s documentation, as tables.

use std::sync::mpsc::Sender;

use anyhook::athena::{EventInput, Mistakes, Outputs, Return, Table, run_lifecycle_with_outputs};
use anyhook::core::effects::Injection;
use anyhook::hooks;
use serde_json::json;

/// Denies writes to a protected path.
pub(crate) fn protected_path() -> Table {
    let deny_protected = |input: &EventInput<'_>, _: Option<&str>| match input.text("path") {
        Some(path) if path.contains("priv/secrets") => Return::deny("protected_path"),
        _ => Return::Ok,
    };
    hooks! { PreToolUse: [{ matcher: "write|edit", hooks: [deny_protected] }] }
}

/// Adds what the project is about to every request.
pub(crate) fn ticket() -> Table {
    let inject_metadata = |_: &EventInput<'_>, _: Option<&str>| {
        Return::inject(Injection {
            name: Some("ticket-context".into()),
            ..Injection::new("Current ticket: ENG-1234")
        })
    };
    hooks! { ChatParams: [inject_metadata] }
}

/// Rewrites a prompt with the conventions of the project.
pub(crate) fn macros() -> Table {
    let expand_macros = |input: &EventInput<'_>, _: Option<&str>| match input.text("prompt") {
        Some(prompt) if prompt.starts_with("/deploy") => {
            Return::Transform("Deploy the staging branch to production. Steps: ...".into())
        }
        _ => Return::Ok,
    };
    hooks! { UserPromptSubmit: [expand_macros] }
}

/// Tells of every tool that failed.
pub(crate) fn telemetry(tell: Sender<String>) -> Table {
    hooks! { PostToolUseFailure: [move |input: &EventInput<'_>, id: Option<&str>| {
        let text = |key| input.text(key).unwrap_or_default().into_owned();
        tell.send(format!("{} failed ({}): {}", text("tool_name"), id.unwrap_or("-"), text("reason")))
    }] }
}

/// Keeps what every run came to.
pub(crate) fn persist(keep: Sender<String>, alert: Sender<String>) -> Table {
    let line = |input: &EventInput<'_>, session: Option<&str>| {
        let result = input.get("result").unwrap_or_default();
        format!("{}: {result}", session.unwrap_or("-"))
    };
    hooks! {
        Stop: [move |input: &EventInput<'_>, session: Option<&str>| keep.send(line(input, session))],
        StopFailure: [move |input: &EventInput<'_>, session: Option<&str>| alert.send(line(input, session))],
    }
}

/// Asks a table without a loop.
pub(crate) fn dispatched() -> Result<Outputs, Mistakes> {
    let hooks = ticket().finish()?;
    Ok(run_lifecycle_with_outputs(
        &hooks,
        "ChatParams",
        &json!({"request": {}, "messages": []}),
    ))
}
