//! `anyhook list config`: shows each setting, and the file that sets it.

use anyhook::approvals::given;
use anyhook::survey::{HookStatus, LayerFile, Survey};
use anyhook::trust::{PinStatus, Trust};
use anyhook::world::World;
use serde_json::{Value, json};

use crate::error::CliError;
use crate::exit::Exit;
use crate::form::JsonFlag;
use crate::permits;
use crate::ui::{self, paint};

/// Shows the layers and the settings that hold here.
pub(super) fn run(form: JsonFlag) -> Result<Exit, CliError> {
    let world = World::real();
    let survey = Survey::of(&world, "");
    let kept = world.places.as_ref().map(|places| Trust::of(places).kept());
    let (kept, given) = (kept.unwrap_or_default(), given(&world));
    let mut facts = json!({
        "layers": survey.files.iter().map(as_json).collect::<Value>(),
        "settings": survey.settings,
    });
    let permits = permits::as_json(&kept, given.as_deref().unwrap_or_default());
    if let (Value::Object(facts), Value::Object(permits)) = (&mut facts, permits) {
        facts.extend(permits);
    }
    form.say(&facts, |_| {
        let approvals = given.as_deref().unwrap_or_default();
        let mut text = page(&survey) + &permits::page(&kept, approvals, world.clock.now());
        if let Err(error) = &given {
            let told = format!("what is approved cannot be told: {error}");
            text += &format!("\n{}", ui::warning(&told));
        }
        text
    })?;
    tell_mistakes(&world);
    Ok(Exit::Done)
}

/// Says on standard error what is wrong in `config.toml`, a line for each mistake.
pub(super) fn tell_mistakes(world: &World) {
    for mistake in world.config().mistakes() {
        ui::err(&ui::warning(&format!("settings: {mistake}")));
    }
}

/// Counts the hooks of a file, and those that run.
fn counts(file: &LayerFile) -> (usize, usize) {
    let running = file
        .hooks
        .iter()
        .filter(|listed| listed.runs == HookStatus::Yes);
    (file.hooks.len(), running.count())
}

fn as_json(file: &LayerFile) -> Value {
    let (hooks, running) = counts(file);
    json!({
        "layer": file.layer.name(), "file": file.file.to_string_lossy(), "present": file.is_there(),
        "trusted": matches!(file.standing, Some(PinStatus::Trusted)), "standing": file.stands(),
        "hooks": hooks, "running": running,
    })
}

fn page(survey: &Survey) -> String {
    let mut text = format!("{}\n", paint(ui::BOLD, "layers"));
    for file in &survey.files {
        let name = ui::path(&file.file);
        let hooks = match (file.is_there(), counts(file)) {
            (false, _) => String::new(),
            (true, (1, running)) => format!(", {running} of 1 hook runs"),
            (true, (all, running)) => format!(", {running} of {all} hooks run"),
        };
        let told = paint(ui::DIM, &format!("{}{hooks}", ui::line(&file.stands())));
        text += &format!("  {:8} {name}\n           {told}\n", file.layer.name());
    }
    text += &format!("\n{}\n", paint(ui::BOLD, "settings"));
    for set in &survey.settings {
        let by = match &*set.set_by {
            "nothing" => "not set".to_owned(),
            "built in" => "the default".to_owned(),
            "its table has a mistake" => "as its table has a mistake".to_owned(),
            file => format!("by {file}"),
        };
        let by = paint(ui::DIM, &ui::line(&by));
        let value = match &*set.value {
            "" => "-".to_owned(),
            value => ui::line(value),
        };
        text += &format!("  {:34} {value}  {by}\n", set.name);
    }
    text
}
