//! `anyhook list config`: shows each setting, and the file that sets it.

use anyhook::core::hook::Hook;
use anyhook::survey::{Runs, Setting, Survey, Surveyed};
use anyhook::trust::Standing;
use anyhook::world::World;
use serde_json::{Value, json};

use crate::error::Problem;
use crate::exit::Exit;
use crate::form::Form;
use crate::permits::Permits;
use crate::ui::{self, paint};

/// Shows the layers and the settings that hold here.
pub(super) fn run(form: Form) -> Result<Exit, Problem> {
    let world = World::real();
    let survey = Survey::of(&world, "");
    let permits = Permits::of(&world);
    let mut all = as_json(&survey);
    if let Value::Object(all) = &mut all {
        all.extend(permits.as_json());
    }
    form.say(&all, |_| page(&survey) + &permits.page(world.clock.now()))?;
    Ok(Exit::Done)
}

/// The hooks of a file, and how many of them run.
fn counts(survey: &Survey, file: &Surveyed) -> (usize, usize) {
    let is_its = |hook: &Hook| {
        let source = hook.info.source.as_ref();
        source.is_some_and(|source| *source.file == *file.file.to_string_lossy())
    };
    let own = survey.hooks.iter().filter(|listed| is_its(&listed.hook));
    let run = own.clone().filter(|listed| listed.runs == Runs::Yes);
    (own.count(), run.count())
}

fn page(survey: &Survey) -> String {
    let mut text = String::new();
    text.push_str(&paint(ui::BOLD, "layers"));
    text.push('\n');
    for file in &survey.files {
        let line = format!(
            "  {:8} {}",
            file.layer.name(),
            ui::line(&file.file.to_string_lossy())
        );
        let (all, run) = counts(survey, file);
        let hooks = match (file.is_there(), all) {
            (false, _) => String::new(),
            (true, 1) => format!(", {run} of 1 hook runs"),
            (true, all) => format!(", {run} of {all} hooks run"),
        };
        let told = format!("{}{hooks}", ui::line(&file.stands()));
        text.push_str(&format!("{line}\n           {}\n", paint(ui::DIM, &told)));
    }
    text.push_str(&format!("\n{}\n", paint(ui::BOLD, "settings")));
    for Setting {
        name,
        value,
        set_by,
    } in &survey.settings
    {
        text.push_str(&format!(
            "  {name:34} {}  {}\n",
            ui::line(value),
            paint(ui::DIM, &ui::line(&by(set_by)))
        ));
    }
    text
}

/// Says what set a value.
fn by(set_by: &str) -> String {
    match set_by {
        "nothing" => "not set".to_owned(),
        built_in if built_in.starts_with("built in") => {
            built_in.replacen("built in", "the default", 1)
        }
        file => format!("by {file}"),
    }
}

fn as_json(survey: &Survey) -> Value {
    let files = survey.files.iter().map(|file| {
        let (all, run) = counts(survey, file);
        json!({
            "layer": file.layer.name(), "file": file.file, "present": file.is_there(),
            "trusted": matches!(file.standing, Some(Standing::Trusted)), "standing": file.stands(),
            "hooks": all, "running": run,
        })
    });
    let settings = survey.settings.iter();
    let settings =
        settings.map(|set| json!({"name": set.name, "value": set.value, "set_by": set.set_by}));
    json!({
        "layers": files.collect::<Vec<_>>(),
        "settings": settings.collect::<Vec<_>>(),
    })
}
