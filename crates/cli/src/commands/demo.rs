//! `anyhook demo`: a recorded session of an agent, through a package of guards, by the very line that agents call.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhook::core::report::Report;
use anyhook::core::result::Kind;
use anyhook::event::{Caller, Context};
use anyhook::files;
use anyhook::load::LoadOptions;
use anyhook::packages::PackageContents;
use anyhook::state::MemoryState;
use anyhook::stores::{Jsonl, RecordDetail};
use anyhook::undo::{DifferingFile, Snapshots};
use anyhook::wires::{self, Host};
use anyhook::world::{UserFolders, World};
use clap::Args;
use serde_json::{Value, json};

use super::{CommandSpec, agent, log};
use crate::error::CliError;
use crate::exit::Exit;
use crate::form::JsonFlag;
use crate::packages::GUARDRAILS;
use crate::tested::interrupts;
use crate::timeline;
use crate::ui::{self, paint};
use crate::view;

/// The row.
pub(crate) const ROW: CommandSpec = verb!("demo", DemoArgs, run);

/// The recorded session: one payload a line, as Claude Code sent it.
const SESSION: &str = include_str!("../../../../fixtures/sessions/shop.jsonl");

/// The folder that the session was recorded in.
const RECORDED_IN: &str = "/home/dev/shop";

/// The files of the project: name and content.
const PROJECT: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/shop.rs"));

/// Watch guards at work in a recorded session, or in a small agent
#[derive(Args)]
#[command(after_help = include_str!("help/demo.txt"))]
struct DemoArgs {
    /// `agent`: watch a small agent instead of the recorded session
    #[arg(value_name = "agent", value_parser = ["agent"], hide_possible_values = true)]
    agent: Option<String>,
    #[command(flatten)]
    form: JsonFlag,
}

/// One event of the session, played.
struct DemoEvent {
    report: Report,
    what: String,
    took: Duration,
}

fn run(args: &DemoArgs) -> Result<Exit, CliError> {
    if args.agent.is_some() {
        return agent::demo(args.form);
    }
    let form = args.form;
    let json = form.is_json();
    let cannot = |error: std::io::Error| {
        CliError::new(Exit::CannotCreate, "cannot set up the demo").because(error)
    };
    if let Some(before) = log::demo_folder() {
        // The reports of the last demo: where they cannot be removed, these are added to them.
        let _ = std::fs::remove_dir_all(before);
    }
    let interrupted = interrupts();
    let stage = DemoStage::build(Arc::clone(&interrupted)).map_err(cannot)?;
    let host = wires::host("claude-code")
        .ok_or_else(|| CliError::new(Exit::Software, "claude-code is missing"))?;
    if !json {
        ui::out(&intro())?;
    }
    let mut played = Vec::new();
    for payload in SESSION.lines().filter(|line| !line.trim().is_empty()) {
        if interrupted.load(Ordering::Relaxed) {
            // The folder goes first; then the signal does what it would have done.
            drop(stage);
            let _ = signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGINT);
            return Ok(Exit::Negative);
        }
        let event = stage.play(host, payload);
        form.say_one(&event.report, |report| {
            timeline::line(report, &event.what, event.took)
        })?;
        let is_watched = !json && std::io::IsTerminal::is_terminal(&std::io::stdout());
        if is_watched && !event.report.result.is_identity() {
            std::thread::sleep(Duration::from_millis(300));
        }
        played.push(event);
    }
    if !json {
        ui::out(&undone(stage.lose_and_restore(host).as_deref()))?;
        ui::out(&summary(&played))?;
    }
    Ok(Exit::Done)
}

/// Makes a temporary folder with the package, the project, and a folder in which hooks find `anyhook`.
pub(super) fn folders() -> std::io::Result<tempfile::TempDir> {
    let folder = tempfile::Builder::new().prefix("anyhook-demo-").tempdir()?;
    let at = folder.path().canonicalize()?;
    PackageContents::of(GUARDRAILS).write(&at.join("guardrails"))?;
    PackageContents::of(PROJECT).write(&at.join("shop"))?;
    std::fs::create_dir_all(at.join("bin"))?;
    std::os::unix::fs::symlink(std::env::current_exe()?, at.join("bin/anyhook"))?;
    std::fs::create_dir_all(at.join("tmp"))?;
    Ok(folder)
}

/// A temporary home, project and package.
struct DemoStage {
    folder: tempfile::TempDir,
    world: World,
    state: MemoryState,
    store: Jsonl,
}

impl DemoStage {
    fn build(interrupted: Arc<AtomicBool>) -> std::io::Result<Self> {
        let folder = folders()?;
        let at = folder.path().canonicalize()?;
        let bin = at.join("bin");
        let mut world = World {
            interrupted,
            ..World::real()
        };
        let home = at.join("home");
        world.places = Some(UserFolders {
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
        let store = Jsonl::new(
            log::demo_folder().unwrap_or_else(|| at.join("reports")),
            RecordDetail::Payload,
        );
        Ok(Self {
            folder,
            world,
            state: MemoryState::default(),
            store,
        })
    }

    /// Its folder, as the system names it.
    fn at(&self) -> PathBuf {
        files::real(self.folder.path())
    }

    /// Asks the hooks of one file about an event.
    fn ask(&self, host: &'static Host, manifest: PathBuf, payload: &str) -> Report {
        let line = Context {
            manifest: Some(manifest),
            deadline: Some(Duration::from_mins(1)),
            loading: LoadOptions::ALL,
            store: Some(&self.store),
            state: Some(&self.state),
            ..Context::new(&self.world, host, Caller::Host)
        };
        let mut answered = line.run(payload.as_bytes());
        answered.settle();
        answered.report
    }

    fn play(&self, host: &'static Host, recorded: &str) -> DemoEvent {
        let at = self.at();
        let payload = recorded.replace(RECORDED_IN, &at.join("shop").to_string_lossy());
        apply(&payload);
        let began = Instant::now();
        DemoEvent {
            report: self.ask(host, at.join("guardrails/hooks/hooks.json"), &payload),
            what: timeline::what(
                serde_json::from_str(recorded).unwrap_or_default(),
                "/home/dev/shop/",
            ),
            took: began.elapsed(),
        }
    }

    /// Lets a command remove a folder behind the rule of the pack `undo`, and brings the folder back as `anyhook undo` does.
    fn lose_and_restore(&self, host: &'static Host) -> Option<Vec<String>> {
        const PACK: &str = include_str!("../../../../packs/undo/hooks.json");
        let (at, shop) = (self.at(), self.at().join("shop"));
        let manifest = at.join("undo.json");
        std::fs::write(&manifest, PACK).ok()?;
        let payload = json!({
            "session_id": "demo", "cwd": shop, "hook_event_name": "PreToolUse", "permission_mode": "default",
            "transcript_path": "/", "tool_name": "Bash", "tool_input": {"command": "rm -r src"}, "tool_use_id": "t",
        });
        self.ask(host, manifest, &payload.to_string());
        std::fs::remove_dir_all(shop.join("src")).ok()?;
        let snapshots = Snapshots::of(&self.world)?;
        let snapshot = snapshots.list().into_iter().next()?;
        let new = (self.world.ids)();
        let restored = snapshots.restore(&snapshot, None, &new, self.world.clock.now());
        let restored = restored
            .ok()
            .filter(|restored| restored.failed.is_empty())?;
        let name = |file: &DifferingFile| {
            let below = file.path.strip_prefix(&shop).unwrap_or(&file.path);
            below.to_string_lossy().into_owned()
        };
        Some(restored.difference.files.iter().map(name).collect())
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

fn intro() -> String {
    let about = "An agent works in a shop's repository: a recorded session of Claude Code. Each thing that it is about to \
                 do is put to the guards of the package `guardrails` first.";
    format!(
        "{}\n{}\n{}\n\n",
        paint(ui::BOLD, "Guards at work"),
        wrapped(about),
        paint(
            ui::DIM,
            "each line: the event, what the agent wants, the answer, and the time it took"
        ),
    )
}

fn wrapped(text: &str) -> String {
    ui::wrap(text, ui::width().min(100)).join("\n")
}

/// Tells of the loss and its return; nothing where it could not be played.
fn undone(files: Option<&[String]>) -> String {
    let Some(files) = files else {
        return String::new();
    };
    let names: Vec<String> = files
        .iter()
        .map(|name| format!("  back  {name}\n"))
        .collect();
    format!(
        "\n{}\n{}\n{}",
        paint(ui::BOLD, "Lost, and back"),
        wrapped(
            "The agent runs `rm -r src`, and no guard forbids it. The rule of the pack `undo` has kept the folder, so `anyhook undo` brings it back:"
        ),
        names.concat()
    )
}

fn summary(played: &[DemoEvent]) -> String {
    let count = |is_it: fn(&Report) -> bool| played.iter().filter(|p| is_it(&p.report)).count();
    let stopped = count(|report| view::kind(report) >= Kind::Deny);
    let asked = count(|report| view::kind(report) == Kind::Ask);
    let changed = count(|report| !report.result.effects.patch().is_empty());
    let told = count(|report| !report.result.effects.inject().is_empty());
    let total = format!(
        "{} were stopped, {} had to be asked about, {} were corrected, and {told} times the model was told something. \
         Everything else of the {} events went on untouched.",
        ui::many(stopped, "action"),
        ui::many(asked, "action"),
        ui::many(changed, "call"),
        played.len(),
    );
    format!(
        "\n{}\n{}\n\n{}\n{}\n  anyhook init      write first guards of your own, in this folder\n  \
         anyhook install   let the agents on this machine ask them\n\n{}\n",
        paint(ui::BOLD, "summary"),
        wrapped(&total),
        why(played),
        paint(ui::BOLD, "next"),
        wrapped(
            "The demo ran in a temporary folder that is gone; only its reports are kept until the next demo, for \
                 `anyhook why`."
        ),
    )
}

/// Shows one `why`: the first refusal.
fn why(played: &[DemoEvent]) -> String {
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
