//! `anyhook demo agent`: a small agent on the terminal, whose every event goes past hooks that can be watched.

mod ending;
mod given;
mod left;
mod shown;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhook::Session;
use anyhook::approvers::Terminal;
use anyhook::core::event::Event;
use anyhook::core::result::{HookResult, Kind};
use anyhook::models::Configured;
use anyhook::mounts::Catalogue;
use anyhook::session::{self, Acted};
use anyhook::world::World;
use anyhook_agent::agent::{Agent, Setup, Watcher};
use anyhook_agent::limits::Limits;
use anyhook_agent::message::Call;
use anyhook_agent::outcome::Outcome;
use anyhook_agent::permissions::{CanUseTool, Denial, Permission, Permissions, Phase};
use anyhook_agent::provider::Provider;
use anyhook_agent::provider::http::Http;
use anyhook_agent::provider::scripted::Scripted;
use clap::Args;

use super::demo;
use crate::error::Problem;
use crate::exit::Exit;
use crate::ui::{self, paint};
use ending::{Ending, INTERRUPTED};
use given::Package;

/// What the model is told first.
const SYSTEM: &str = "You work on the project in your folder. Use the tools to look before you change, change only what is \
                      asked for, and say in the end what you did. A call that is refused tells you why: do what it says \
                      instead.";

/// The conversation of `demo agent`.
const SCRIPT: &str = include_str!("../../../../fixtures/sessions/agent.json");

/// What the agent works with.
#[derive(Args)]
pub(super) struct Given {
    /// The model's provider: `scripted:FILE`, `anthropic` or `openai` [default: the configured model]
    #[arg(long, value_name = "NAME")]
    provider: Option<String>,
    /// A package of hooks that guards it: its folder, or its hooks.json
    #[arg(long, value_name = "PATH")]
    hooks: Option<PathBuf>,
}

/// Lets the agent work on a task in this folder.
pub(super) fn run(prompt: &str, args: &Given) -> Result<Exit, Problem> {
    let root = std::env::current_dir().map_err(|error| {
        Problem::new(Exit::NoInput, "this folder cannot be read").because(error)
    })?;
    let package = args.hooks.as_deref().map(Package::at).transpose()?;
    let (provider, model) = provider(args.provider.as_deref())?;
    let ending = Ending::listens();
    let world = World {
        interrupted: Arc::clone(&ending.at_once),
        ..World::real()
    };
    let (id, kept) = (new_id(), Arc::new(AtomicBool::new(false)));
    let folder = root.to_string_lossy().into_owned();
    let setup = Setup {
        model,
        system: SYSTEM.to_owned(),
        permissions: Permissions {
            can_use_tool: Terminal::default()
                .can_ask()
                .then(|| asks_on_the_terminal(&id)),
            ..Permissions::default()
        },
        session: session_of(),
        watcher: Some(shown::watches(&world, folder, Arc::clone(&kept))),
        cancel: ending.cancel.clone(),
        ..Setup::new(&id, provider, root)
    };
    let mut agent = Agent::new(setup).map_err(|error| {
        Problem::new(Exit::NoInput, "the folder cannot be opened").because(error)
    })?;
    if let Some(package) = package {
        package.mount(&Catalogue::new(world), &agent)?;
        package.guard(&agent);
    }
    let outcome = agent.run(prompt);
    ending.end_rest();
    tell_end(&agent, &outcome)?;
    if kept.load(Ordering::Relaxed) {
        let told = format!("what its hooks did: anyhook log --session {id}\n");
        ui::err(&paint(ui::DIM, &told));
    }
    Ok(match outcome.finish.is_good() {
        _ if ending.is_at_once() => Exit::Answer(INTERRUPTED),
        true => Exit::Done,
        false => Exit::Negative,
    })
}

/// Tells what the agent answered, how it ended, and what it left.
fn tell_end(agent: &Agent, outcome: &Outcome) -> Result<(), Problem> {
    if !outcome.text.is_empty() {
        ui::out(&format!("{}\n", outcome.text))?;
    }
    ui::err(&left::told(agent.worktrees()));
    ui::err(&format!(
        "{}  {} turns, {} tokens\n",
        paint(ui::BOLD, &outcome.finish.told()),
        outcome.turns,
        outcome.usage.tokens(),
    ));
    Ok(())
}

/// The session of a person at a terminal; without a terminal, no person is asked.
fn session_of() -> session::Setup {
    let terminal = session::Setup::terminal();
    session::Setup {
        approvers: if Terminal::default().can_ask() {
            terminal.approvers
        } else {
            Vec::new()
        },
        ..terminal
    }
}

/// Finds who answers, and the model that is asked for if the person names no other.
fn provider(wanted: Option<&str>) -> Result<(Arc<dyn Provider>, String), Problem> {
    if let Some(file) = wanted.and_then(|wanted| wanted.strip_prefix("scripted:")) {
        let script = std::fs::read_to_string(file)
            .map_err(|error| Problem::unreadable(Path::new(file), error))?;
        let script = Scripted::read(&script).map_err(|error| {
            let (line, column) = (error.line, error.column);
            let what = format!("`{file}:{line}:{column}`: {}", error.what);
            Problem::new(Exit::Data, what).help(error.help())
        })?;
        return Ok((Arc::new(script), "scripted".into()));
    }
    let mut world = World::real();
    if let Some(id) = wanted {
        world.env.insert("ANYHOOK_MODEL_PROVIDER".into(), id.into());
    }
    let settings = Configured::of(&world).settings.map_err(|error| {
        let help = format!(
            "{}; `--provider scripted:FILE` needs no model",
            error.help()
        );
        Problem::new(Exit::Config, "no model can be asked")
            .help(help)
            .because(error)
    })?;
    let model = settings.model.clone();
    let http = Http::new(settings)
        .ok_or_else(|| Problem::new(Exit::Config, "this provider cannot call tools"))?;
    Ok((Arc::new(http), model))
}

/// Puts each call on the terminal, by the function that settles every question.
fn asks_on_the_terminal(id: &str) -> CanUseTool {
    let asks = Session::with(&format!("{id}-permissions"), session::Setup::terminal());
    Arc::new(move |call: &Call| {
        let data = serde_json::json!({"tool_name": call.name, "tool_input": call.input});
        let event = Event::new("approval:required", data);
        let question = HookResult::ask(format!("may the agent use `{}`?", call.name));
        let settled = asks
            .process_blocking(question, &event, "the agent")
            .result
            .verdict;
        match settled.kind() {
            Kind::Continue | Kind::Allow => Permission::Allow,
            Kind::Ask | Kind::Deny | Kind::Halt => Permission::Deny(Denial::by_user(&format!(
                "`{}` was not permitted; do without it, or say what you would do",
                call.name
            ))),
        }
    })
}

fn new_id() -> String {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    format!("agent-{}-{}", now.as_millis(), std::process::id())
}

/// `anyhook demo agent`: a scripted model, a project of its own, real tools, and the package `guardrails`.
pub(super) fn demo(json: bool) -> Result<Exit, Problem> {
    let cannot = |error: std::io::Error| {
        Problem::new(Exit::CannotCreate, "cannot set up the demo").because(error)
    };
    let stage = demo::folders().map_err(cannot)?;
    let root = stage.path().join("shop");
    let provider = Scripted::read(SCRIPT)
        .map_err(|error| Problem::new(Exit::Software, "the script is broken").because(error))?;
    let seen: Arc<Mutex<BTreeSet<String>>> = Arc::default();
    let fired = Arc::clone(&seen);
    let shows = watches_on_stdout(root.to_string_lossy().into_owned(), json);
    let watcher: Watcher = Arc::new(move |acted: &Acted| {
        let mut seen = fired.lock().unwrap_or_else(PoisonError::into_inner);
        seen.insert(acted.event.name.as_str().to_owned());
        shows(acted);
    });
    let setup = Setup {
        model: "scripted".into(),
        system: SYSTEM.into(),
        permissions: Permissions {
            phase: Phase::Trusted,
            ..Permissions::default()
        },
        limits: Limits {
            stop_refusals: 1,
            ..Limits::default()
        },
        watcher: Some(watcher),
        ..Setup::new("demo", Arc::new(provider), &root)
    };
    let mut agent = Agent::new(setup).map_err(cannot)?;
    Package::at(&stage.path().join("guardrails"))?.mount(&Catalogue::default(), &agent)?;
    let outcome = agent.run("add a health check");
    if !json {
        let seen = seen.lock().unwrap_or_else(PoisonError::into_inner).len();
        ui::out(&format!(
            "\n{}  {}; {} turns, {seen} kinds of events\n{}\n",
            paint(ui::BOLD, "summary"),
            outcome.finish.told(),
            outcome.turns,
            outcome.text,
        ))?;
    }
    Ok(Exit::Done)
}

fn watches_on_stdout(folder: String, json: bool) -> Watcher {
    Arc::new(move |acted: &Acted| {
        if json {
            let text = serde_json::to_string(&acted.report).unwrap_or_default();
            let _ = ui::raw(&format!("{text}\n"));
            return;
        }
        if shown::is_dull(acted) {
            return;
        }
        let _ = ui::out(&shown::line(acted, &folder));
    })
}
