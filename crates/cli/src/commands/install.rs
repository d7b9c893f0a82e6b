//! `anyhook install`: puts our entries into the settings of the agents on this machine.

use std::path::{Path, PathBuf};

use anyhook::install::{Adopting, Change, InstallError, Installer, Plan, Which, unhindered};
use anyhook::wires::settings::Scope;
use anyhook::wires::{self, hosts::HOSTS};
use anyhook::world::World;
use clap::{Arg, ArgMatches, Command};
use serde_json::{Value, json};

use super::{Row, Run, flag};
use crate::error::Problem;
use crate::exit::Exit;
use crate::ui::{self, paint, visible};

/// The row.
pub(crate) const ROW: Row = Row {
    name: "install",
    describe,
    run: Run::Parsed(run),
};

fn describe(command: Command) -> Command {
    command
        .about("Let an agent call anyhook at every point of its life")
        .arg(host().required(true))
        .arg(scope().default_value("user"))
        .arg(flag("adopt", "Move the hooks that the agent has already to anyhook"))
        .arg(flag("dry-run", "Show what would change, and write nothing"))
        .arg(format())
        .after_help(
            "Copies the program to a stable place and writes one entry per event into the agent's own settings. \
             Comments, order and everybody else's entries stay; what was there is kept, and `anyhook uninstall` brings it \
             back byte for byte.\n\n\
             In project settings, which others share, an entry refuses loudly where anyhook is missing.\n\n\
             Examples:\n  anyhook install --host all --dry-run\n  anyhook install --host claude-code --scope project",
        )
}

pub(super) fn host() -> Arg {
    Arg::new("host")
        .long("host")
        .value_name("NAME")
        .help("The agent, or all that are found on this machine")
}

pub(super) fn scope() -> Arg {
    Arg::new("scope")
        .long("scope")
        .value_name("SCOPE")
        .value_parser(Scope::ALL.map(Scope::name))
        .help("Whose settings")
}

pub(super) fn format() -> Arg {
    Arg::new("format")
        .long("format")
        .value_name("FORMAT")
        .value_parser(["text", "json"])
        .default_value("text")
        .help("How to say what was done")
}

fn run(args: &ArgMatches) -> Result<Exit, Problem> {
    let which = which(args)?;
    let scope = chosen_scope(args).unwrap_or(Scope::User);
    let adopting = if args.get_flag("adopt") {
        Adopting::Yes
    } else {
        Adopting::No
    };
    let world = World::real();
    let program = this_program()?;
    let installer = installer(&world, &program);
    let plan = installer
        .plan(which, scope, adopting)
        .map_err(|errors| all(&errors))?;
    if args.get_flag("dry-run") {
        return dry(&plan, args);
    }
    installer
        .carry_out(&plan)
        .map_err(|error| problem(error, scope, &program))?;
    if is_json(args) {
        return done_as_json(&plan);
    }
    ui::out(&page(&plan, &world))?;
    Ok(if plan.changes.is_empty() {
        Exit::Negative
    } else {
        Exit::Done
    })
}

pub(super) fn installer<'a>(world: &'a World, program: &'a Path) -> Installer<'a> {
    Installer {
        world,
        program,
        root: Path::new("/"),
        os: std::env::consts::OS,
        probe: &unhindered,
    }
}

pub(super) fn this_program() -> Result<PathBuf, Problem> {
    std::env::current_exe().map_err(|error| {
        Problem::new(Exit::NoInput, "cannot tell where this program is").because(error)
    })
}

pub(super) fn which(args: &ArgMatches) -> Result<Which, Problem> {
    let name = args.get_one::<String>("host").map_or("all", String::as_str);
    if name == "all" {
        return Ok(Which::All);
    }
    let known = HOSTS.iter().filter(|host| host.settings().is_some());
    let known = known.map(|host| host.id()).chain(["all"]);
    wires::host(name)
        .map(Which::One)
        .ok_or_else(|| Problem::unknown("host", name, known))
}

pub(super) fn chosen_scope(args: &ArgMatches) -> Option<Scope> {
    args.get_one::<String>("scope")
        .and_then(|name| Scope::named(name))
}

pub(super) fn is_json(args: &ArgMatches) -> bool {
    args.get_one::<String>("format")
        .is_some_and(|format| format == "json")
}

/// Says every error, and returns the first for the end.
pub(super) fn all(errors: &[InstallError]) -> Problem {
    let mut said = errors
        .iter()
        .map(|error| (exit(error), error.chain(), error.help()));
    let Some((exit, what, help)) = said.next() else {
        return Problem::new(Exit::Software, "it failed without saying why");
    };
    for (exit, what, help) in said {
        ui::problem(&Problem::new(exit, what).help(help));
    }
    Problem::new(exit, what).help(help)
}

fn exit(error: &InstallError) -> Exit {
    match error {
        InstallError::NoHome => Exit::Config,
        InstallError::NoSettings { .. }
        | InstallError::NoScope { .. }
        | InstallError::NotOnes { .. }
        | InstallError::HomeIsNoProject { .. } => Exit::Usage,
        InstallError::Unreadable { .. } => Exit::NoInput,
        InstallError::Unfit { .. } | InstallError::Text { .. } => Exit::Data,
        InstallError::Write { source, .. }
            if source.kind() == std::io::ErrorKind::PermissionDenied =>
        {
            Exit::Permission
        }
        _ => Exit::CannotCreate,
    }
}

/// Says why it could not be carried out. What needs root says the line that root types.
pub(super) fn problem(error: InstallError, scope: Scope, program: &Path) -> Problem {
    let exit = exit(&error);
    let mut help = error.help();
    if exit == Exit::Permission && scope == Scope::Managed {
        let args: Vec<String> = std::env::args().skip(1).collect();
        help = format!(
            "managed settings are root's: sudo {} {}",
            program.display(),
            args.join(" ")
        );
    }
    let what = match scope {
        Scope::Managed => "the machine's settings were not written",
        Scope::User | Scope::Project | Scope::Local => "not everything was written",
    };
    Problem::new(exit, what).help(help).because(error)
}

/// Shows what would change.
pub(super) fn dry(plan: &Plan, args: &ArgMatches) -> Result<Exit, Problem> {
    if is_json(args) {
        return done_as_json(plan);
    }
    let mut page = String::new();
    for change in plan.changes.iter().filter(|change| !change.is_none()) {
        page.push_str(&change.diff());
        if let Some(path) = change.adopted() {
            page.push_str(&format!("# its hooks move: {}\n", path.display()));
        }
    }
    if page.is_empty() {
        page.push_str("nothing would change\n");
    } else {
        page.push_str("\nnothing was written: this is what would change\n");
    }
    ui::out(&visible(&page))?;
    ui::out(&skipped(plan))?;
    Ok(Exit::Done)
}

pub(super) fn done_as_json(plan: &Plan) -> Result<Exit, Problem> {
    let changes: Vec<Value> = plan.changes.iter().map(as_json).collect();
    let skipped = plan.skipped.iter();
    let skipped: Vec<Value> = skipped
        .map(|skipped| json!({"host": skipped.host, "why": skipped.why}))
        .collect();
    let value = json!({"files": changes, "skipped": skipped, "program": plan.program});
    let text = serde_json::to_string_pretty(&value)
        .map_err(|error| Problem::new(Exit::Software, "cannot write it as JSON").because(error))?;
    ui::raw(&format!("{text}\n"))?;
    Ok(Exit::Done)
}

fn as_json(change: &Change) -> Value {
    json!({
        "host": change.host,
        "scope": change.scope.name(),
        "path": change.path.to_string_lossy(),
        "changed": !change.is_none(),
        "removed": change.after.is_none(),
        "events": change.entries,
        "adopted": change.adopted().map(Path::to_string_lossy),
        "notes": change.notes,
    })
}

fn page(plan: &Plan, world: &World) -> String {
    let mut page = String::new();
    let mut last = None;
    for group in groups(plan) {
        page.push_str(&of_group(&group, world));
        let change = group.first().filter(|change| last != Some(change.host));
        page.push_str(&change.map(|change| about_host(change)).unwrap_or_default());
        last = group.first().map(|change| change.host);
    }
    page.push_str(&skipped(plan));
    if let Some(program) = &plan.program {
        page.push_str(&format!(
            "\nThe entries call {}\n",
            visible(&short(program, world))
        ));
        page.push_str("Take them out again with: anyhook uninstall\n");
    }
    page
}

/// Puts the scripts of one folder together.
pub(super) fn groups(plan: &Plan) -> Vec<Vec<&Change>> {
    let mut groups: Vec<Vec<&Change>> = Vec::new();
    for change in &plan.changes {
        let is_with = |other: &&Change| {
            change.is_script() && other.is_script() && other.path.parent() == change.path.parent()
        };
        match groups.last_mut() {
            Some(group) if group.last().is_some_and(is_with) => group.push(change),
            Some(_) | None => groups.push(vec![change]),
        }
    }
    groups
}

/// Writes where a group stands: the file, or the folder of its scripts.
pub(super) fn place(group: &[&Change], world: &World) -> String {
    let path = group.first().map(|change| match change.path.parent() {
        Some(folder) if change.is_script() => folder,
        Some(_) | None => &change.path,
    });
    path.map(|path| visible(&short(path, world)))
        .unwrap_or_default()
}

pub(super) fn skipped(plan: &Plan) -> String {
    let lines = plan.skipped.iter();
    let lines = lines.map(|skipped| format!("skipped {}: {}\n", skipped.host, skipped.why));
    lines.map(|line| paint(ui::DIM, &visible(&line))).collect()
}

fn of_group(group: &[&Change], world: &World) -> String {
    let Some(change) = group.first() else {
        return String::new();
    };
    let is_new = group.iter().all(|change| change.before.is_none());
    let what = if group.iter().all(|change| change.is_none()) {
        "has its entries already"
    } else if is_new {
        "made"
    } else {
        "changed"
    };
    let entries: usize = group.iter().map(|change| change.entries).sum();
    let events = if entries == 1 {
        "event calls"
    } else {
        "events call"
    };
    let mut page = format!(
        "{} {}: {what}, {entries} {events} anyhook\n",
        paint(ui::BOLD, change.host),
        place(group, world),
    );
    let mut line = |text: &str| page.push_str(&format!("  {}\n", visible(text)));
    if let Some(path) = change.adopted() {
        line(&format!("its own hooks moved to {}", short(path, world)));
    }
    for found in &change.kept {
        line(&format!(
            "a hook of {} stays with the agent: {}",
            found.event, found.kind
        ));
    }
    page
}

/// Writes what holds for a host, whatever the file.
fn about_host(change: &Change) -> String {
    let settings = wires::host(change.host).and_then(wires::Host::settings);
    let next = settings.map(|settings| format!("next: {}", settings.next));
    let lines = change.notes.iter().cloned().chain(next);
    lines.fold(String::new(), |mut page, line| {
        page.push_str(&format!("  {}\n", visible(&line)));
        page
    })
}

/// Writes a path with `~` for the home.
pub(super) fn short(path: &Path, world: &World) -> String {
    let home = world.places.as_ref().map(|places| &places.home);
    match home.and_then(|home| path.strip_prefix(home).ok()) {
        Some(rest) => format!("~/{}", rest.display()),
        None => path.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn managed_settings_that_only_root_may_write_say_what_root_types() {
        let error = InstallError::Write {
            doing: "make the folder",
            path: "/etc/claude-code".into(),
            source: std::io::ErrorKind::PermissionDenied.into(),
        };
        let said = problem(error, Scope::Managed, Path::new("/opt/anyhook"));
        assert_eq!(said.exit, Exit::Permission);
        assert_eq!(
            said.to_string(),
            "the machine's settings were not written: cannot make the folder `/etc/claude-code`: permission denied"
        );
        let help = said.help.unwrap_or_default();
        assert!(
            help.starts_with("managed settings are root's: sudo /opt/anyhook"),
            "{help}"
        );
    }
}
