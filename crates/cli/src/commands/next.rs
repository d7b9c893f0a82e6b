//! What to do next: for a person who calls `anyhook` alone, or lists the hooks of a folder that has none.

use anyhook::stores::{Filter, VerdictFilter};
use anyhook::survey::{HookStatus, LayerFile, Survey};
use anyhook::world::World;

use super::{config, install, log, trust};
use crate::error::CliError;
use crate::exit::Exit;
use crate::ui::{self, paint};

/// One step on the way to an agent that asks hooks.
struct SetupStep {
    is_done: bool,
    command: &'static str,
    what: &'static str,
}

/// Answers a person who named no command.
pub(crate) fn alone() -> Result<Exit, CliError> {
    let world = World::real();
    let survey = Survey::of(&world, "");
    config::tell_mistakes(&world);
    let about = format!("{}\n\n", paint(ui::BOLD, super::ABOUT));
    ui::done(&(about + &state(&world, &survey) + &page(&world, &survey)))
}

/// So many of the newest refusals are shown.
const REFUSALS: usize = 3;

/// Says what holds in this folder: the files of hooks and whether they are trusted, the agents that ask them, and what was
/// refused last.
fn state(world: &World, survey: &Survey) -> String {
    let mut text = String::new();
    for file in survey.files.iter().filter(|file| file.is_there()) {
        let name = ui::path(&file.file);
        let stands = paint(ui::DIM, &ui::line(&file.stands()));
        let before = format!("{:8} ", file.layer.name());
        text.push_str(&ui::beside(&before, 9, &format!("{name}  {stands}")));
    }
    let agents = install::asking(world);
    if !agents.is_empty() {
        text.push_str(&format!("{:8} {}\n", "asked by", agents.join(", ")));
    }
    let filter = Filter {
        said: Some(VerdictFilter::Denied),
        project: Some(world.cwd.to_string_lossy().into_owned()),
        ..Filter::default()
    };
    // A record that cannot be read is told by `anyhook log`.
    let found = log::store()
        .ok()
        .and_then(|store| store.search(&filter, REFUSALS).ok());
    let refused = found.map(|found| found.reports).unwrap_or_default();
    if !refused.is_empty() {
        text.push_str("refused last\n");
    }
    for report in &refused {
        text.push_str(&format!("{}\n", log::row(report)));
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

/// Says how far this folder is, and the next step.
pub(crate) fn page(world: &World, survey: &Survey) -> String {
    let steps = steps(world, survey);
    let next = steps.iter().position(|step| !step.is_done);
    let mut text = format!("{} What to do:\n\n", head(survey));
    for (at, step) in steps.iter().enumerate() {
        let mark = match (step.is_done, Some(at) == next) {
            (true, _) => paint(ui::PASS, "✓"),
            (false, true) => paint(ui::BOLD, "→"),
            (false, false) => paint(ui::DIM, "·"),
        };
        let command = paint(ui::BOLD, &format!("{:15}", step.command));
        text.push_str(&format!("  {mark} {command}  {}\n", step.what));
    }
    text.push_str(
        "\nanyhook init --user guards all your projects. anyhook demo shows guards at work.\n\
         anyhook help lists the commands.\n",
    );
    text
}

fn steps(world: &World, survey: &Survey) -> [SetupStep; 4] {
    let is_there = survey.files.iter().any(LayerFile::is_there);
    let step = |is_done, command, what| SetupStep {
        is_done,
        command,
        what,
    };
    let is_trusted = is_there && trust::untrusted(survey).is_empty();
    let is_installed = !install::asking(world).is_empty();
    // Without an agent the command has nothing to write.
    let to_agents = if is_trusted && !is_installed && !install::is_any_here(world) {
        "lets agents ask the hooks, once one is on this machine"
    } else {
        "lets the agents on this machine ask the hooks"
    };
    [
        step(is_there, "anyhook init", "writes a first package of hooks"),
        step(
            is_trusted,
            "anyhook trust",
            "shows you the hooks of a project and lets them run",
        ),
        step(is_installed, "anyhook install", to_agents),
        step(
            false,
            "anyhook doctor",
            "says whether the agents really ask them",
        ),
    ]
}

fn head(survey: &Survey) -> String {
    match (survey.hooks().count(), untrusted(survey)) {
        (0, _) => "No hooks in this folder yet.".to_owned(),
        (all, 0) => format!("{} in this folder.", ui::many(all, "hook")),
        (all, some) => format!(
            "{} in this folder, {some} not trusted.",
            ui::many(all, "hook")
        ),
    }
}

fn untrusted(survey: &Survey) -> usize {
    let hooks = survey.hooks();
    let untrusted = hooks.filter(|(_, hook)| hook.runs == HookStatus::Untrusted);
    untrusted.count()
}
