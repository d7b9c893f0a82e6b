//! The six worked examples of `ex_athena`'s documentation, run by the reference loop with a script for a model.
//!
//! ```sh
//! cargo run -p anyhook-agent --example athena
//! ```

use std::error::Error;
use std::io::Write;
use std::sync::mpsc::Sender;
use std::sync::{Arc, mpsc};

use anyhook::athena::{
    Hooks, Input, Message, Mistakes, Outputs, Return, Table, run_lifecycle_with_outputs,
};
use anyhook::hooks;
use anyhook_agent::agent::{Agent, Setup};
use anyhook_agent::permissions::{Permissions, Phase};
use anyhook_agent::provider::scripted::Scripted;
use serde_json::json;

/// Denies writes to a protected path.
pub(crate) fn protected_path() -> Table {
    let deny_protected = |input: &Input<'_>, _: Option<&str>| match input.text("path") {
        Some(path) if path.contains("priv/secrets") => Return::deny("protected_path"),
        _ => Return::Ok,
    };
    hooks! { PreToolUse: [{ matcher: "write|edit", hooks: [deny_protected] }] }
}

/// Adds what the project is about to every request.
pub(crate) fn ticket() -> Table {
    let inject_metadata = |_: &Input<'_>, _: Option<&str>| {
        Return::inject(Message::system("Current ticket: ENG-1234").named("ticket-context"))
    };
    hooks! { ChatParams: [inject_metadata] }
}

/// Rewrites a prompt with the conventions of the project.
pub(crate) fn macros() -> Table {
    let expand_macros = |input: &Input<'_>, _: Option<&str>| match input.text("prompt") {
        Some(prompt) if prompt.starts_with("/deploy") => {
            Return::Transform("Deploy the staging branch to production. Steps: ...".into())
        }
        _ => Return::Ok,
    };
    hooks! { UserPromptSubmit: [expand_macros] }
}

/// Tells of every tool that failed.
pub(crate) fn telemetry(tell: Sender<String>) -> Table {
    hooks! { PostToolUseFailure: [move |input: &Input<'_>, id: Option<&str>| {
        let text = |key| input.text(key).unwrap_or_default().into_owned();
        tell.send(format!("{} failed ({}): {}", text("tool_name"), id.unwrap_or("-"), text("reason")))
    }] }
}

/// Keeps what every run came to.
pub(crate) fn persist(keep: Sender<String>, alert: Sender<String>) -> Table {
    let line = |input: &Input<'_>, session: Option<&str>| {
        let result = input.get("result").unwrap_or_default();
        format!("{}: {result}", session.unwrap_or("-"))
    };
    hooks! {
        Stop: [move |input: &Input<'_>, session: Option<&str>| keep.send(line(input, session))],
        StopFailure: [move |input: &Input<'_>, session: Option<&str>| alert.send(line(input, session))],
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

/// Lets an agent without restrictions work on a prompt with some tables.
#[allow(dead_code, reason = "the tests include this file for its tables")]
fn run(script: &str, prompt: &str, tables: &[Hooks]) -> Result<String, Box<dyn Error>> {
    let place = tempfile::tempdir()?;
    let permissions = Permissions {
        phase: Phase::Trusted,
        ..Permissions::default()
    };
    let provider = Arc::new(Scripted::read(script)?);
    let mut agent = Agent::new(Setup {
        permissions,
        ..Setup::new("s1", provider, place.path())
    })?;
    for table in tables {
        table.mount(agent.session().hooks());
    }
    Ok(agent.run(prompt).text)
}

#[allow(dead_code, reason = "the tests include this file for its tables")]
fn main() -> Result<(), Box<dyn Error>> {
    let (tell, told) = mpsc::channel();
    let tools = ["read", "write", "edit", "bash", "spawn_agent"];
    let tables = [
        protected_path().tools(tools).finish()?,
        ticket().finish()?,
        macros().finish()?,
        telemetry(tell.clone()).finish()?,
        persist(tell.clone(), tell).finish()?,
    ];
    let script = r#"[
        {"calls": [{"name": "write", "input": {"file_path": "priv/secrets/key", "content": "x"}}]},
        {"calls": [{"name": "read", "input": {"file_path": "nowhere.txt"}}]},
        "deployed"
    ]"#;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", run(script, "/deploy", &tables)?)?;
    drop(tables);
    for line in told {
        writeln!(out, "{line}")?;
    }
    writeln!(out, "{:?}", dispatched()?)?;
    Ok(())
}
