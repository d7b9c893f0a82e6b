//! `anyhook install --undo`: takes our entries out of the settings of the agents again.

use anyhook::install::{Change, Plan};
use anyhook::wires::settings::Scope;
use anyhook::world::World;

use super::install::{
    InstallArgs, done_as_json, dry, groups, installer, place, planned, problem, short, skipped,
    this_program,
};
use crate::error::Problem;
use crate::exit::Exit;
use crate::ui::{self, paint, visible};

/// Takes our entries out of the settings of agents. Hooks that were moved to Anyhook go back to their agent.
pub(super) fn run(args: &InstallArgs) -> Result<Exit, Problem> {
    let named = args.host.as_deref();
    let scope = args.scope;
    let world = World::real();
    let program = this_program()?;
    let installer = installer(&world, &program);
    let plan = planned(named, |which| installer.plan_undo(which, scope))?;
    if args.dry_run {
        return dry(&plan, args.form);
    }
    installer
        .carry_out(&plan)
        .map_err(|error| problem(error, scope.unwrap_or(Scope::User), &program))?;
    if args.form.is_json() {
        return done_as_json(&plan);
    }
    let managed = planned(named, |which| {
        installer.plan_undo(which, Some(Scope::Managed))
    });
    let stays = scope.is_none() && managed.is_ok_and(|plan| !plan.changes.is_empty());
    ui::out(&(page(&plan, &world) + if stays { MANAGED } else { "" }))?;
    Ok(Exit::Done)
}

/// What stays where a person did not say that it goes.
const MANAGED: &str = "Managed entries stay, because they are every user's; as root: anyhook install --undo --scope managed\n";

fn page(plan: &Plan, world: &World) -> String {
    let mut page = String::new();
    for group in groups(plan) {
        let Some(change) = group.first() else {
            continue;
        };
        page.push_str(&format!(
            "{} {}: {}\n",
            paint(ui::BOLD, change.host),
            place(&group, world),
            what(change)
        ));
        if change.adopted().is_some() {
            page.push_str("  its own hooks are back\n");
        }
    }
    if page.is_empty() {
        page.push_str("no agent calls anyhook here\n");
    } else if let Some(data) = world.data() {
        let state = world
            .places
            .as_ref()
            .map(|places| short(&places.state, world));
        let stays = format!(
            "The program ({}) and what it recorded ({}) stay.",
            short(&data, world),
            state.unwrap_or_default()
        );
        page.push_str(&ui::wrapped("", &visible(&stays)));
    }
    page + &skipped(plan)
}

fn what(change: &Change) -> &'static str {
    match (&change.before, &change.after) {
        (None, _) => "was gone already",
        (Some(_), None) => "removed, as anyhook had made it",
        (Some(_), Some(_)) if change.is_restored() => "as it was before",
        (Some(_), Some(_)) => "without the entries of anyhook",
    }
}
