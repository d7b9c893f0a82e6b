//! `anyhook list config`: shows each setting, and the file that sets it.

use std::path::Path;

use anyhook::survey::{Runs, Setting, Survey, Surveyed};
use anyhook::trust::Standing;
use anyhook::world::World;
use serde::Serialize;

use crate::error::Problem;
use crate::exit::Exit;
use crate::form::Form;
use crate::permits::Permits;
use crate::ui::{self, paint};

/// Shows the layers and the settings that hold here.
pub(super) fn run(form: Form) -> Result<Exit, Problem> {
    let world = World::real();
    let survey = Survey::of(&world, "");
    let facts = Facts {
        layers: survey
            .files
            .iter()
            .map(|file| File::of(&survey, file))
            .collect(),
        settings: &survey.settings,
        permits: Permits::of(&world),
    };
    form.say(&facts, |facts| page(facts, world.clock.now()))
}

#[derive(Serialize)]
struct Facts<'s> {
    layers: Vec<File<'s>>,
    settings: &'s [Setting],
    #[serde(flatten)]
    permits: Permits,
}

/// A file of a layer, its hooks, and how many of them run.
#[derive(Serialize)]
struct File<'s> {
    layer: &'static str,
    #[serde(rename = "file")]
    path: &'s Path,
    present: bool,
    trusted: bool,
    standing: String,
    hooks: usize,
    running: usize,
}

impl<'s> File<'s> {
    fn of(survey: &'s Survey, file: &'s Surveyed) -> Self {
        let own = survey.hooks.iter().filter(|listed| listed.is_of(file));
        Self {
            layer: file.layer.name(),
            path: &file.file,
            present: file.is_there(),
            trusted: matches!(file.standing, Some(Standing::Trusted)),
            standing: file.stands(),
            hooks: own.clone().count(),
            running: own.filter(|listed| listed.runs == Runs::Yes).count(),
        }
    }
}

fn page(facts: &Facts<'_>, now: i64) -> String {
    let mut text = format!("{}\n", paint(ui::BOLD, "layers"));
    for file in &facts.layers {
        let name = ui::line(&file.path.to_string_lossy());
        let hooks = match (file.present, file.running, file.hooks) {
            (false, ..) => String::new(),
            (true, running, 1) => format!(", {running} of 1 hook runs"),
            (true, running, all) => format!(", {running} of {all} hooks run"),
        };
        let told = paint(ui::DIM, &format!("{}{hooks}", ui::line(&file.standing)));
        text += &format!("  {:8} {name}\n           {told}\n", file.layer);
    }
    text += &format!("\n{}\n", paint(ui::BOLD, "settings"));
    for set in facts.settings {
        let by = match &*set.set_by {
            "nothing" => "not set".to_owned(),
            by if by.starts_with("built in") => by.replacen("built in", "the default", 1),
            file => format!("by {file}"),
        };
        let by = paint(ui::DIM, &ui::line(&by));
        text += &format!("  {:34} {}  {by}\n", set.name, ui::line(&set.value));
    }
    text + &facts.permits.page(now)
}
