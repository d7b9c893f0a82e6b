//! `anyhook demo agent`: a small agent with a scripted model, whose every event goes past the package `guardrails`.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use anyhook::core::taxonomy::EventSpec;
use anyhook::mounts::{Catalogue, ModuleEntry, ModuleSource};
use anyhook::session::SessionEmission;
use anyhook_agent::agent::{Agent, AgentSetup, Watcher};
use anyhook_agent::limits::RunLimits;
use anyhook_agent::permissions::{PermissionPhase, Permissions};
use anyhook_agent::provider::scripted::ScriptedProvider;
use serde_json::json;

use super::demo;
use crate::error::CliError;
use crate::exit::Exit;
use crate::form::JsonFlag;
use crate::timeline;
use crate::ui::{self, paint};

/// The model of the demo, word for word.
const SCRIPT: &str = include_str!("../../../../fixtures/sessions/agent.json");

/// Plays the agent in a temporary folder.
pub(super) fn demo(form: JsonFlag) -> Result<Exit, CliError> {
    let cannot = |error: std::io::Error| {
        CliError::new(Exit::CannotCreate, "cannot set up the demo").because(error)
    };
    let stage = demo::folders().map_err(cannot)?;
    let root = stage.path().join("shop");
    let provider = ScriptedProvider::read(SCRIPT)
        .map_err(|error| CliError::new(Exit::Software, "the script is broken").because(error))?;
    let seen: Arc<Mutex<BTreeSet<String>>> = Arc::default();
    let setup = AgentSetup {
        model: "scripted".into(),
        permissions: Permissions {
            phase: PermissionPhase::Trusted,
            ..Permissions::default()
        },
        limits: RunLimits {
            stop_refusals: 1,
            ..RunLimits::default()
        },
        watcher: Some(watcher(
            format!("{}/", root.display()),
            form,
            Arc::clone(&seen),
        )),
        ..AgentSetup::new("demo", Arc::new(provider), &root)
    };
    let mut agent = Agent::new(setup).map_err(cannot)?;
    let guardrails = ModuleEntry {
        source: Some(ModuleSource::Folder(stage.path().join("guardrails"))),
        ..ModuleEntry::new("guardrails", json!({}))
    };
    let mounted = Catalogue::default().mount_blocking(&agent.session, &vec![guardrails].into());
    if let Some(error) = mounted.iter().find_map(|outcome| outcome.error()) {
        let what = format!("the guards cannot be mounted: {}", error.text);
        return Err(CliError::new(Exit::Software, what));
    }
    let outcome = agent.run("add a health check");
    if !form.is_json() {
        let kinds = seen.lock().unwrap_or_else(PoisonError::into_inner).len();
        ui::out(&format!(
            "\n{}  {}; {} turns, {kinds} kinds of events\n{}\n",
            paint(ui::BOLD, "summary"),
            outcome.finish.told(),
            outcome.turns,
            outcome.text,
        ))?;
    }
    Ok(Exit::Done)
}

/// Shows each event as a line of text, or as its report in JSON.
fn watcher(folder: String, form: JsonFlag, seen: Arc<Mutex<BTreeSet<String>>>) -> Watcher {
    Arc::new(move |acted: &SessionEmission| {
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.insert(acted.event.name.as_str().to_owned());
        let report = &acted.report;
        if form.is_json() || !is_dull(acted) {
            let _ = form.say_one(report, |report| {
                let what = timeline::what(acted.event.json().into_owned(), &folder);
                timeline::line(report, &what, report.took.unwrap_or_default())
            });
        }
    })
}

/// Nothing came of it, nothing went wrong, and the event is one of the loop's own: neither one that hosts share, nor about a
/// call.
fn is_dull(acted: &SessionEmission) -> bool {
    let is_told = |spec: &EventSpec| spec.universal.is_some() || spec.subject == Some("tool_name");
    let is_shared = acted.event.name.spec().is_some_and(is_told);
    let report = &acted.report;
    !is_shared && report.result.is_identity() && anyhook::record::trouble(report).is_empty()
}
