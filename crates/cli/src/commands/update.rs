//! `anyhook add --update`: brings packages that were added to what their sources hold now.

use anyhook::packages::{
    FileChange, HookChange, LockedPackage, PackageState, Packages, UpdateChanges,
};
use anyhook::world::World;
use serde::Serialize;

use super::add::{self, AddArgs};
use crate::error::CliError;
use crate::exit::Exit;
use crate::form::pretty;
use crate::packages;
use crate::person;
use crate::ui::{self, paint};

/// Updates the packages that are named, or all.
pub(super) fn run(args: &AddArgs) -> Result<Exit, CliError> {
    person::no_agent_above("anyhook add --update")?;
    let world = World::real();
    let packages = packages::of(args.user, &world)?;
    let names: Vec<&String> = args.rule.iter().collect();
    let all = packages.all().map_err(packages::problem)?;
    if let Some(unknown) = names.iter().find(|name| !all.contains_key(**name)) {
        return Err(add::no_package(unknown, &packages));
    }
    if all.is_empty() {
        let none = "no package was added here\nhelp: anyhook add PATH or anyhook add GIT-URL adds one; anyhook add --update --user looks in your home\n";
        return args.form.say_or(Some(none), &all, |_| String::new());
    }
    let (mut exit, mut values) = (Exit::Done, Vec::new());
    for (name, locked) in all
        .iter()
        .filter(|(name, _)| names.is_empty() || names.contains(name))
    {
        match one(args, name, locked, &packages, &world) {
            Ok(brought) if args.form.is_json() => values.push(brought),
            Ok(brought) => ui::out(&told(&brought, args.is_try(), &world))?,
            // The others are updated all the same.
            Err(problem) => exit = ui::problem(&problem),
        }
    }
    if args.form.is_json() {
        ui::raw(&pretty(&values))?;
    }
    Ok(exit)
}

/// What an update did to one package, or would do.
#[derive(Serialize)]
struct PackageUpdate<'a> {
    name: &'a str,
    source: &'a str,
    /// The commit that it came from, and the one that it comes from.
    revisions: [Option<String>; 2],
    #[serde(flatten)]
    update: UpdateChanges,
}

fn one<'a>(
    args: &AddArgs,
    name: &'a str,
    locked: &'a LockedPackage,
    packages: &Packages,
    world: &World,
) -> Result<PackageUpdate<'a>, CliError> {
    let state = packages.state(name).map_err(packages::problem)?;
    if state != Some(PackageState::Intact) && !args.force {
        let what =
            format!("the files of `{name}` were changed since it was added, so it is not updated");
        let help =
            format!("anyhook add --update {name} --force replaces them, and the changes are lost");
        return Err(CliError::new(Exit::Negative, what).help(help));
    }
    let source = packages::read(&locked.source, packages.folder(), packages, world)?;
    let revision = source.locked.revision.clone();
    // As long as the package that holds is still there.
    let update = if args.is_try() {
        packages.compare(name, source.tree)
    } else {
        packages.update(name, source.tree, source.locked)
    };
    let update = update.map_err(packages::problem)?;
    Ok(PackageUpdate {
        name,
        source: &locked.source,
        revisions: [locked.revision.clone(), revision],
        update,
    })
}

fn told(brought: &PackageUpdate<'_>, is_dry: bool, world: &World) -> String {
    let (name, update) = (brought.name, &brought.update);
    let from = |revision: &Option<String>| packages::from(brought.source, revision.as_deref());
    let [old, new] = brought.revisions.each_ref().map(from);
    if update.files.is_empty() {
        return format!("{name} is up to date: {new}\n");
    }
    let from = if old == new {
        new
    } else {
        format!("{old}, now {new}")
    };
    let head = if is_dry { "would update" } else { "updated" };
    let mut text = format!(
        "{}  {name} from {from}\n{}",
        paint(ui::PASS, head),
        page(update)
    );
    if !is_dry {
        for file in &update.manifests {
            let file = packages::shown(file, world);
            text.push_str(&format!("Compare: anyhook backtest --after {file}\n"));
        }
        text.push_str(&packages::now_trust(&update.manifests, world));
    }
    text
}

/// Lists the files and the hooks that changed.
fn page(update: &UpdateChanges) -> String {
    let files = update.files.iter().map(|(name, change)| {
        let name = ui::line(name);
        match change {
            FileChange::Added => format!("  {} {name}\n", paint(ui::PASS, "+")),
            FileChange::Removed => format!("  {} {name}\n", paint(ui::DENY, "-")),
            FileChange::Changed { added, removed } => {
                format!(
                    "  {} {name} (+{added} -{removed} lines)\n",
                    paint(ui::ASK, "~")
                )
            }
        }
    });
    let hooks = update.hooks.iter().map(hook);
    let hooks: String = hooks.collect();
    let head = if hooks.is_empty() {
        "  no hook says anything else; what its scripts do is in the files\n"
    } else {
        "  hooks:\n"
    };
    files.collect::<String>() + head + &hooks
}

fn hook(change: &HookChange) -> String {
    let name = ui::line(&change.name);
    let line = |mark: &str, words: &str| {
        let words = ui::line(&ui::short(words, 400));
        format!("    {mark} {name}  {words}\n")
    };
    let mut text = match (&change.before, &change.after) {
        (Some(before), Some(after)) if before == after => line("~", after),
        (Some(before), Some(after)) => line("-", before) + &line("+", after),
        (Some(before), None) => line("-", before),
        (None, Some(after)) => line("+", after),
        (None, None) => String::new(),
    };
    for other in &change.other {
        text.push_str(&format!("      {}\n", ui::line(&ui::short(other, 200))));
    }
    if change.may_allow {
        let warns = paint(ui::ASK, "it could approve an action without a question");
        text.push_str(&format!("      {warns}\n"));
    }
    text
}
