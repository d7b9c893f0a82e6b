//! `anyhook enable`: switches a hook on again that the person switched off.

use anyhook::survey::Survey;
use anyhook::world::World;
use clap::Args;

use super::{Row, disable};
use crate::error::Problem;
use crate::exit::Exit;
use crate::person;
use crate::ui::{self, visible};

/// The row.
pub(crate) const ROW: Row = verb!("enable", EnableArgs, run);

/// Switch a hook on that you switched off
#[derive(Args)]
#[command(
    after_help = "Removes what `anyhook disable` wrote into your own hooks.json. If another file switched the hook off, it stays \
             off, and Anyhook names that file.\n\n\
             Needs a terminal. It does not work if an agent starts it.\n\n\
             Examples:\n  anyhook enable check-style.sh"
)]
struct EnableArgs {
    #[command(flatten)]
    which: disable::Which,
}

fn run(args: &EnableArgs) -> Result<Exit, Problem> {
    person::is_there("anyhook enable")?;
    let world = World::real();
    let survey = Survey::of(&world, "");
    let hook = disable::find(&args.which, &world, &survey)?;
    let name = ui::line(&hook.name);
    if disable::off_by(&survey, &hook).is_none() {
        ui::out(&format!("{name} is on already\n"))?;
        return Ok(Exit::Done);
    }
    let own = super::approve::places(&world)?.user_manifest();
    disable::edit(&own, |list| {
        let named = list.elements().into_iter();
        let named: Vec<_> = named.filter(|node| disable::means(node, &hook)).collect();
        let any = !named.is_empty();
        for node in named {
            node.remove();
        }
        any
    })?;
    let now = Survey::of(&world, "");
    if let Some(by) = disable::off_by(&now, &hook) {
        let what = format!("`{name}` is still off, by {}", visible(&by.to_string()));
        let help = "change that file, and look at it with: anyhook list";
        return Err(Problem::new(Exit::Negative, what).help(help));
    }
    let shown = visible(&hook.file.to_string_lossy());
    ui::out(&format!("on: {name} of {shown}\n"))?;
    Ok(Exit::Done)
}
