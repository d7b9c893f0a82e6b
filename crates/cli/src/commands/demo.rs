//! `anyhook demo`: a recorded session of an agent, through a package of guards, by the very line that agents call.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhook::core::report::{Became, Report};
use anyhook::core::result::Kind;
use anyhook::line::{Caller, Line};
use anyhook::load::{Loading, Trusting};
use anyhook::state::MemoryState;
use anyhook::stores::{Jsonl, Keep};
use anyhook::wires::{self, Host};
use anyhook::world::{Places, World};
use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::Value;

use super::{Row, Run, agent, log};
use crate::error::Problem;
use crate::exit::Exit;
use crate::timeline;
use crate::ui::{self, paint};
use crate::view;

/// The row.
pub(crate) const ROW: Row = Row {
    name: "demo",
    describe,
    run: Run::Parsed(run),
};

/// The recorded session: one payload a line, as Claude Code sent it.
const SESSION: &str = include_str!("../../../../fixtures/sessions/shop.jsonl");

/// The folder that the session was recorded in.
const RECORDED_IN: &str = "/home/dev/shop";

/// The files of the package and of the project: name and content.
const PACKAGE: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/guardrails.rs"));
const PROJECT: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/shop.rs"));

fn describe(command: Command) -> Command {
    command
        .about("Watch a recorded session go through a package of guards")
        .arg(log::format_arg())
        .arg(
            Arg::new("agent")
                .long("agent")
                .action(ArgAction::SetTrue)
                .help("Watch our own agent instead: a scripted model, real tools, real hooks"),
        )
        .after_help(
            "Plays a recorded session of Claude Code, event by event, through the package `guardrails`: real payloads, \
             real scripts, real answers, in a temporary folder. Needs nothing but sh.",
        )
}

/// One event of the session, played.
struct Played {
    report: Report,
    what: String,
    took: Duration,
}

fn run(args: &ArgMatches) -> Result<Exit, Problem> {
    let json = log::is_json(args);
    if args.get_flag("agent") {
        return agent::demo(json);
    }
    let cannot = |error: std::io::Error| {
        Problem::new(Exit::CannotCreate, "cannot set up the demo").because(error)
    };
    let stage = Stage::build().map_err(cannot)?;
    let host = wires::host("claude-code")
        .ok_or_else(|| Problem::new(Exit::Software, "claude-code is missing"))?;
    if !json {
        ui::out(&intro())?;
    }
    let mut played = Vec::new();
    for payload in SESSION.lines().filter(|line| !line.trim().is_empty()) {
        let event = stage.play(host, payload);
        if json {
            let text = serde_json::to_string(&event.report).unwrap_or_default();
            ui::raw(&format!("{text}\n"))?;
        } else {
            ui::out(&timeline::line(&event.report, &event.what, event.took))?;
        }
        played.push(event);
    }
    if !json {
        ui::out(&summary(&played))?;
    }
    Ok(Exit::Done)
}

/// Makes a temporary folder with the package, the project, and a folder in which hooks find `anyhook`.
pub(super) fn folders() -> std::io::Result<tempfile::TempDir> {
    let folder = tempfile::Builder::new().prefix("anyhook-demo-").tempdir()?;
    let at = folder.path().canonicalize()?;
    write_all(&at.join("guardrails"), PACKAGE)?;
    write_all(&at.join("shop"), PROJECT)?;
    std::fs::create_dir_all(at.join("bin"))?;
    std::os::unix::fs::symlink(std::env::current_exe()?, at.join("bin/anyhook"))?;
    std::fs::create_dir_all(at.join("tmp"))?;
    Ok(folder)
}

/// A temporary home, project and package.
struct Stage {
    folder: tempfile::TempDir,
    world: World,
    state: MemoryState,
    store: Jsonl,
}

impl Stage {
    fn build() -> std::io::Result<Self> {
        let folder = folders()?;
        let at = folder.path().canonicalize()?;
        let bin = at.join("bin");
        let mut world = World::real();
        let home = at.join("home");
        world.places = Some(Places {
            config: home.join("config"),
            state: home.join("state"),
            home,
        });
        let mut path = bin.into_os_string();
        path.push(":");
        path.push(world.var("PATH").unwrap_or_default());
        world.env.insert("PATH".into(), path);
        world
            .env
            .insert("TMPDIR".into(), at.join("tmp").into_os_string());
        world.env.remove(std::ffi::OsStr::new("CLAUDE_PROJECT_DIR"));
        world.cwd = at.join("shop");
        let store = Jsonl::new(at.join("reports"), Keep::Payload);
        Ok(Self {
            folder,
            world,
            state: MemoryState::default(),
            store,
        })
    }

    fn play(&self, host: &'static dyn Host, recorded: &str) -> Played {
        let at = self
            .folder
            .path()
            .canonicalize()
            .unwrap_or_else(|_| self.folder.path().to_path_buf());
        let payload = recorded.replace(RECORDED_IN, &at.join("shop").to_string_lossy());
        let line = Line {
            world: &self.world,
            host,
            caller: Caller::Host,
            hint: None,
            manifest: Some(at.join("guardrails/hooks/hooks.json")),
            deadline: Some(Duration::from_mins(1)),
            loading: Loading {
                trust: Trusting::All,
                ..Loading::default()
            },
            store: Some(&self.store),
            state: Some(&self.state),
        };
        apply(&payload);
        let began = Instant::now();
        let mut answered = line.run(payload.as_bytes());
        answered.settle();
        Played {
            report: answered.report,
            what: serde_json::from_str(recorded).map_or_else(
                |_| String::new(),
                |payload| timeline::what(&payload, "/home/dev/shop/"),
            ),
            took: began.elapsed(),
        }
    }
}

/// Does to the copy of the project what the tool of a recorded event did, so that hooks after it find its work.
fn apply(payload: &str) {
    let Ok(payload) = serde_json::from_str::<Value>(payload) else {
        return;
    };
    let event = payload.get("hook_event_name").and_then(Value::as_str);
    if event != Some("PostToolUse") {
        return;
    }
    let input = payload.get("tool_input");
    let text = |name: &str| {
        input
            .and_then(|input| input.get(name))
            .and_then(Value::as_str)
    };
    let Some(file) = text("file_path").map(PathBuf::from) else {
        return;
    };
    let content = match (text("content"), text("old_string"), text("new_string")) {
        (Some(content), ..) => Some(content.to_owned()),
        (None, Some(old), Some(new)) => std::fs::read_to_string(&file)
            .ok()
            .map(|text| text.replacen(old, new, 1)),
        (None, ..) => None,
    };
    if let (Some(content), Some(folder)) = (content, file.parent()) {
        // A recorded write that cannot be repeated leaves the copy as it is: the table of the session tells.
        let _ = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&file, content));
    }
}

fn write_all(folder: &Path, files: &[(&str, &str)]) -> std::io::Result<()> {
    for (name, content) in files {
        let file: PathBuf = folder.join(name);
        if let Some(parent) = file.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(&file, content)?;
    }
    Ok(())
}

fn intro() -> String {
    format!(
        "{}\n{}\n\n",
        paint(
            ui::BOLD,
            "A recorded session of Claude Code, asked of the package `guardrails`"
        ),
        paint(
            ui::DIM,
            "each line: the event, what the agent is up to, what the hooks answered, and how long it took"
        ),
    )
}

fn summary(played: &[Played]) -> String {
    let count = |kind: Kind| {
        played
            .iter()
            .filter(|p| {
                p.report
                    .said
                    .as_ref()
                    .is_some_and(|said| said.verdict.kind() == kind)
            })
            .count()
    };
    let asked: usize = played
        .iter()
        .flat_map(|p| &p.report.steps)
        .filter(|step| !matches!(step.became, Became::NotAsked(_)))
        .count();
    let mut times: Vec<Duration> = played.iter().map(|p| p.took).collect();
    times.sort_unstable();
    let middle = times.get(times.len() / 2).copied().unwrap_or_default();
    let slowest = played.iter().max_by_key(|p| p.took);
    let mut text = format!(
        "\n{}  {} events, {asked} hooks asked: {} refused, {} asked, {} passed; median {}",
        paint(ui::BOLD, "summary"),
        played.len(),
        count(Kind::Deny) + count(Kind::Halt),
        count(Kind::Ask),
        count(Kind::Continue) + count(Kind::Allow),
        view::millis(middle),
    );
    if let Some(slowest) = slowest {
        text.push_str(&format!(
            ", slowest {} ({})",
            view::millis(slowest.took),
            slowest.report.event.native
        ));
    }
    text.push_str("\n\n");
    text.push_str(&why(played));
    text.push_str(&format!(
        "\n{}  anyhook events · anyhook list · write hooks/hooks.json and try: anyhook run --explain < payload.json\n",
        paint(ui::BOLD, "next"),
    ));
    text
}

/// Shows one `why`: the first refusal.
fn why(played: &[Played]) -> String {
    let refused = played
        .iter()
        .find(|p| p.report.result.verdict.kind() >= Kind::Deny);
    let Some(refused) = refused else {
        return String::new();
    };
    let title = format!("anyhook why {}", refused.report.id);
    format!(
        "{}\n{}",
        paint(ui::DIM, &title),
        view::report(&refused.report, ui::width())
    )
}
