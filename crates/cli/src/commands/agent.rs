//! `anyhook agent`: a small agent on the terminal, whose every event goes past hooks that can be watched.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhook::Session;
use anyhook::core::event::Event;
use anyhook::core::manifest::Severity;
use anyhook::core::result::{HookResult, Kind};
use anyhook::core::taxonomy::EventSpec;
use anyhook::guarded::{self, Protected};
use anyhook::models::Configured;
use anyhook::mounts::{Catalogue, Entry, Outcome, Plan, Source};
use anyhook::session::{self, Acted};
use anyhook::world::World;
use anyhook_agent::agent::{Agent, Cancel, Setup, Watcher};
use anyhook_agent::limits::Limits;
use anyhook_agent::message::Call;
use anyhook_agent::permissions::{CanUseTool, Denial, Permission, Permissions, Phase};
use anyhook_agent::provider::Provider;
use anyhook_agent::provider::http::Http;
use anyhook_agent::provider::scripted::Scripted;
use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Value, json};
use signal_hook::consts::SIGINT;
use signal_hook::flag;

use super::{Row, Run, demo};
use crate::error::Problem;
use crate::exit::Exit;
use crate::timeline;
use crate::ui::{self, paint};

/// The row.
pub(crate) const ROW: Row = Row {
    name: "agent",
    describe,
    run: Run::Parsed(run),
};

/// What the model is told first.
const SYSTEM: &str = "You work on the project in your folder. Use the tools to look before you change, change only what is \
                      asked for, and say in the end what you did. A call that is refused tells you why: do what it says \
                      instead.";

/// The conversation of `demo --agent`.
const SCRIPT: &str = include_str!("../../../../fixtures/sessions/agent.json");

/// The exit code of a program that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

fn describe(command: Command) -> Command {
    let text = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    command
        .about("Give a task to a small agent, and watch its hooks")
        .arg(Arg::new("prompt").required(true).help("What it is to do"))
        .arg(text(
            "provider",
            "NAME",
            "Who answers: `scripted:FILE`, `anthropic` or `openai`; else the configured model",
        ))
        .arg(text("model", "NAME", "Which model is asked for"))
        .arg(text("hooks", "FILE", "A package of hooks, or its hooks.json"))
        .arg(text("plan", "FILE", "A mount plan, in YAML or JSON"))
        .arg(
            text("phase", "NAME", "How much is asked before something is done").default_value("default")
                .value_parser(["plan", "default", "accept_edits", "trusted", "bypass_permissions"]),
        )
        .arg(text("root", "FOLDER", "The folder that it works in; else this one"))
        .arg(
            Arg::new("all")
                .long("all")
                .action(ArgAction::SetTrue)
                .help("Show every event, also those that no hook is asked about"),
        )
        .after_help(
            "Each event is a line on standard error: what happened, what the hooks answered, how long it took. The answer \
             is on standard output. Questions are put on the terminal; where there is none, they are refused. Ctrl-C ends \
             the run in order, with the command that runs; a second one ends it at once. Exits with 1 if the task was not \
             done.",
        )
}

fn run(args: &ArgMatches) -> Result<Exit, Problem> {
    let text = |name: &str| args.get_one::<String>(name).map(String::as_str);
    let root = match text("root") {
        Some(root) => PathBuf::from(root),
        None => std::env::current_dir().map_err(|error| {
            Problem::new(Exit::NoInput, "this folder cannot be read").because(error)
        })?,
    };
    let plan = text("plan").map(|file| plan(Path::new(file))).transpose()?;
    let limits = plan.as_ref().map(|plan| plan.settings.clone());
    let (provider, configured) = provider(text("provider"))?;
    let id = new_id();
    let setup = Setup {
        model: text("model").map_or(configured, str::to_owned),
        system: SYSTEM.to_owned(),
        permissions: Permissions {
            phase: text("phase").and_then(Phase::named).unwrap_or_default(),
            can_use_tool: Some(asks_on_the_terminal(&id)),
            ..Permissions::default()
        },
        session: session::Setup {
            settings: limits.unwrap_or_default(),
            ..session::Setup::terminal()
        },
        watcher: Some(watches(
            root.to_string_lossy().into_owned(),
            args.get_flag("all"),
        )),
        cancel: cancels(),
        ..Setup::new(&id, provider, root)
    };
    let mut agent = Agent::new(setup).map_err(|error| {
        Problem::new(Exit::NoInput, "the folder cannot be opened").because(error)
    })?;
    if let Some(plan) = &plan {
        mounted(&Catalogue::default().mount_blocking(agent.session(), plan))?;
    }
    if let Some(file) = text("hooks") {
        let folder = mount_package(&agent, Path::new(file))?;
        guard(&agent, folder);
    }
    let outcome = agent.run(text("prompt").unwrap_or_default());
    if !outcome.text.is_empty() {
        ui::out(&format!("{}\n", outcome.text))?;
    }
    ui::err(&format!(
        "{}  {} turns, {} tokens\n",
        paint(ui::BOLD, &outcome.finish.told()),
        outcome.turns,
        outcome.usage.tokens(),
    ));
    Ok(if outcome.finish.is_good() {
        Exit::Done
    } else {
        Exit::Negative
    })
}

/// Reads a mount plan. One with an error is none: a limit or a guard that was misspelled would be off.
fn plan(file: &Path) -> Result<Plan, Problem> {
    let shown = file.display();
    let plan = Plan::open(file).map_err(|error| {
        Problem::new(Exit::Data, format!("`{shown}` is no mount plan")).because(error)
    })?;
    let mut errors = plan.findings.iter();
    match errors.find(|finding| finding.severity == Severity::Error) {
        None => Ok(plan),
        Some(finding) => {
            let (line, column) = (finding.at.line, finding.at.column);
            let what = format!("`{shown}:{line}:{column}`: {}", finding.message);
            let problem = Problem::new(Exit::Data, what);
            Err(match &finding.help {
                Some(help) => problem.help(help.clone()),
                None => problem,
            })
        }
    }
}

/// Finds who answers, and the model that is asked for if nobody says another.
fn provider(wanted: Option<&str>) -> Result<(Arc<dyn Provider>, String), Problem> {
    if let Some(file) = wanted.and_then(|wanted| wanted.strip_prefix("scripted:")) {
        let script = std::fs::read_to_string(file)
            .map_err(|error| Problem::unreadable(Path::new(file), error))?;
        let script = Scripted::read(&script).map_err(|error| {
            Problem::new(Exit::Data, format!("`{file}` is no script")).because(error)
        })?;
        return Ok((Arc::new(script), "scripted".into()));
    }
    let mut world = World::real();
    if let Some(id) = wanted {
        world.env.insert("ANYHOOK_MODEL_PROVIDER".into(), id.into());
    }
    let settings = Configured::of(&world).settings.map_err(|error| {
        Problem::new(Exit::Config, "no model can be asked")
            .help(error.help())
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
        let data = json!({"tool_name": call.name, "tool_input": call.input});
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

/// Shows each event as a line.
fn watches(folder: String, all: bool) -> Watcher {
    Arc::new(move |acted: &Acted| {
        if !all && is_dull(acted) {
            return;
        }
        ui::err(&line(acted, &folder));
    })
}

/// Nothing came of it, and the event is one of the loop's own: neither one that hosts share, nor about a call.
fn is_dull(acted: &Acted) -> bool {
    let is_told = |spec: &EventSpec| spec.universal.is_some() || spec.subject == Some("tool_name");
    let is_shared = acted.event.name.spec().is_some_and(is_told);
    !is_shared && acted.report.result.is_identity()
}

/// One event as a line; those of an agent inside another one stand further in.
fn line(acted: &Acted, folder: &str) -> String {
    let data = Value::Object(acted.event.json().into_owned());
    let what = timeline::what(&data, &format!("{folder}/"));
    let depth = acted
        .event
        .text("session_id")
        .map_or(0, |id| id.matches('.').count());
    let text = timeline::line(&acted.report, &what, acted.report.took.unwrap_or_default());
    let further_in = "  ".repeat(depth);
    let lines: Vec<String> = text
        .lines()
        .map(|line| format!("{further_in}{line}\n"))
        .collect();
    lines.concat()
}

/// Ends the agent in order when the person presses Ctrl-C; at once at the second time.
fn cancels() -> Cancel {
    let flag = Arc::new(AtomicBool::new(false));
    // Without the handlers Ctrl-C ends the program as it always does.
    let _ = flag::register_conditional_shutdown(SIGINT, INTERRUPTED, Arc::clone(&flag));
    let _ = flag::register(SIGINT, Arc::clone(&flag));
    Cancel::from(flag)
}

fn new_id() -> String {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    format!("agent-{}-{}", now.as_millis(), std::process::id())
}

/// Asks the person before the agent changes the package that guards it: its commands are read again at each event.
fn guard(agent: &Agent, package: PathBuf) {
    let root = agent.root().to_path_buf();
    agent.session().hooks().register(guarded::hook(Protected {
        folders: vec![package],
        project: root.clone(),
        cwd: root,
        home: World::real().places.map(|places| places.home),
        ..Protected::default()
    }));
}

/// Mounts one package of hooks: that of a folder, or that which a manifest belongs to; returns its folder.
fn mount_package(agent: &Agent, file: &Path) -> Result<PathBuf, Problem> {
    let folder = if file.is_dir() {
        file
    } else {
        file.parent().unwrap_or(Path::new(""))
    };
    let folder = match folder.file_name() {
        Some(name) if name == "hooks" => folder.parent().unwrap_or(folder),
        _ => folder,
    };
    let folder = folder
        .canonicalize()
        .map_err(|error| Problem::unreadable(file, error))?;
    let name = folder
        .file_name()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let entry = Entry {
        source: Some(Source::Folder(folder.clone())),
        ..Entry::new(&name, json!({}))
    };
    mounted(&Catalogue::default().mount_all_blocking(agent.session(), &[entry]))?;
    Ok(folder)
}

/// An agent does not begin without the hooks that it was given.
fn mounted(outcomes: &[Outcome]) -> Result<(), Problem> {
    for outcome in outcomes {
        if let Some(error) = outcome.error() {
            let what = format!(
                "the module `{}` cannot be mounted: {}",
                outcome.module, error.text
            );
            let problem = Problem::new(Exit::Data, what);
            return Err(match &error.help {
                Some(help) => problem.help(help.as_str()),
                None => problem,
            });
        }
    }
    Ok(())
}

/// `anyhook demo --agent`: a scripted model, a project of its own, real tools, and the package `guardrails`.
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
    drop(mount_package(&agent, &stage.path().join("guardrails"))?);
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
        if is_dull(acted) {
            return;
        }
        let _ = ui::out(&line(acted, &folder));
    })
}
