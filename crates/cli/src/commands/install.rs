//! `anyhook install`: puts our entries into the settings of the agents on this machine.

mod shown;

use std::path::{Path, PathBuf};

use anyhook::install::{InstallError, InstallOptions, InstallPlan, Installer, Obstacle};
use anyhook::load::Strictness;
use anyhook::wires::settings::Scope;
use anyhook::wires::{self, Host, Neutral};
use anyhook::world::World;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, value_parser};

use super::CommandSpec;
use crate::error::{self, CliError};
use crate::exit::Exit;
use crate::form::JsonFlag;
use crate::person;
use crate::ui::{self, visible};

use shown::{dry, page, say, skipped};

pub(super) use shown::short;

/// The row.
pub(crate) const ROW: CommandSpec = verb!("install", InstallArgs, run);

/// Let the agents on this machine ask your hooks
#[derive(Args)]
#[command(after_help = include_str!("help/install.txt"))]
struct InstallArgs {
    /// The agents, with commas, or all: every agent on this machine [default: you choose]
    #[arg(long, value_name = "NAME")]
    host: Option<String>,
    /// Whose settings to change: user, project, local or managed [default: user; with --undo all but managed]
    #[arg(long, value_name = "SCOPE", value_parser = scopes())]
    scope: Option<Scope>,
    /// Write entries that block what hooks guard while they are untrusted or unreadable
    #[arg(long)]
    strict: bool,
    /// Post events to `anyhook serve`, if the agent can; --http=PORT for another port of the server
    #[arg(long, value_name = "PORT", num_args = 0..=1, require_equals = true, default_missing_value = "7467", value_parser = value_parser!(u16).range(1..))]
    http: Option<u16>,
    /// Also write the files and machines that your rules refuse into the agent's own sandbox
    #[arg(long)]
    sandbox: bool,
    /// Remove the entries: a file that only Anyhook changed becomes what it was, byte for byte
    #[arg(long, conflicts_with_all = ["strict", "http", "sandbox"])]
    undo: bool,
    /// Show what would change, and write nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    form: JsonFlag,
}

/// Reads the name of a scope.
fn scopes() -> impl TypedValueParser<Value = Scope> {
    let names = PossibleValuesParser::new(Scope::ALL.map(Scope::name));
    names.try_map(|name| Scope::named(&name).ok_or("no scope is called so"))
}

fn run(args: &InstallArgs) -> Result<Exit, CliError> {
    if args.undo {
        return undo(args);
    }
    let named = args.host.as_deref();
    let scope = args.scope.unwrap_or(Scope::User);
    let strictness = if args.strict {
        Strictness::Strict
    } else {
        Strictness::Lenient
    };
    let how = InstallOptions {
        strictness,
        server: args.http,
    };
    let world = World::real();
    let program = this_program()?;
    let installer = installer(&world, &program);
    let mut plan = planned(named, |which| installer.plan_as(which, scope, how))?;
    if named.is_none() && !plan.changes.is_empty() {
        choose(&mut plan)?;
    }
    if args.sandbox {
        let added = installer.add_sandbox(&mut plan, scope);
        added.map_err(|errors| all(&errors))?;
    }
    if args.dry_run {
        return dry(&plan, args.form);
    }
    if person::is_there("anyhook install").is_ok() {
        leave_out(&mut plan)?;
    }
    installer
        .carry_out(&plan)
        .map_err(|error| problem(error, scope, &program))?;
    say(&plan, args.form, || {
        let mut text = page(&plan, &world);
        if plan.changes.is_empty() {
            text.push_str("no agent to write for was found, so nothing was written\n");
        }
        text.push_str(&skipped(&plan));
        if let Some(program) = &plan.program {
            text.push_str(&format!(
                "\nThe entries call {}\nTake them out again with: anyhook uninstall\n",
                visible(&short(program, &world))
            ));
        }
        text
    })?;
    Ok(Exit::from(!plan.changes.is_empty()))
}

/// What stays where a person did not say that it goes.
const MANAGED: &str = "Managed entries stay, because they are every user's; as root: anyhook install --undo --scope managed\n";

/// Takes our entries out of the settings of agents. Hooks that were taken over go back to their agent.
fn undo(args: &InstallArgs) -> Result<Exit, CliError> {
    let (named, scope) = (args.host.as_deref(), args.scope);
    let world = World::real();
    let program = this_program()?;
    let installer = installer(&world, &program);
    let plan = planned(named, |which| installer.plan_undo(which, scope))?;
    if args.dry_run {
        return dry(&plan, args.form);
    }
    person::no_agent_above("anyhook uninstall")?;
    installer
        .carry_out(&plan)
        .map_err(|error| problem(error, scope.unwrap_or(Scope::User), &program))?;
    let managed = planned(named, |which| {
        installer.plan_undo(which, Some(Scope::Managed))
    });
    let stays = scope.is_none() && managed.is_ok_and(|plan| !plan.changes.is_empty());
    say(&plan, args.form, || {
        let mut text = page(&plan, &world);
        if let (Some(data), Some(places), false) = (world.data(), &world.places, text.is_empty()) {
            let [data, state, config] =
                [&data, &places.state, &places.config].map(|folder| short(folder, &world));
            let kept = format!(
                "The program ({data}), what it recorded ({state}) and your hooks and settings ({config}) stay: remove \
                 these folders to be rid of all of it."
            );
            text.push_str(&ui::wrapped("", &visible(&kept)));
        }
        if text.is_empty() {
            let others = asking(&world).join(", ");
            text.push_str(&match named {
                Some(named) if !others.is_empty() => format!(
                    "no entry of {} calls anyhook here; others do: {others}\n",
                    visible(named)
                ),
                _ => "no agent calls anyhook here\n".to_owned(),
            });
        }
        text + &skipped(&plan) + if stays { MANAGED } else { "" }
    })?;
    Ok(Exit::Done)
}

/// Lets the person choose among the agents that are here. Without a terminal it lists the commands.
fn choose(plan: &mut InstallPlan) -> Result<(), CliError> {
    let mut here: Vec<&str> = plan.changes.iter().map(|change| change.host).collect();
    here.dedup();
    if person::is_there("anyhook install").is_err() {
        let one = |host: &&str| format!("\n  anyhook install --host {host}");
        let all: String = here.iter().chain(["all"].iter()).map(one).collect();
        let problem = CliError::new(Exit::Usage, "which agent shall ask your hooks?");
        return Err(problem.help(format!("choose one of{all}")));
    }
    let question = format!(
        "Found on this machine: {}\nWhich of them shall ask your hooks? [names, or Enter for all] ",
        here.join(", ")
    );
    let answer = person::ask(&question)?;
    let names = answer.split([',', ' ']).filter(|name| !name.is_empty());
    let mut chosen = Vec::new();
    for name in names {
        let begins = here.iter().copied().find(|host| host.starts_with(name));
        chosen.push(begins.map_or_else(|| error::host(name).map(<Host>::id), Ok)?);
    }
    if !chosen.is_empty() {
        plan.changes.retain(|change| chosen.contains(&change.host));
    }
    Ok(())
}

/// Tells whether any agent is on this machine.
pub(super) fn is_any_here(world: &World) -> bool {
    let Ok(program) = this_program() else {
        return false;
    };
    let installer = installer(world, &program);
    let is_here = |host: &&Host| {
        let settings = host.facts().settings;
        settings.is_some_and(|settings| installer.finds(host, settings).is_some())
    };
    wires::hosts::HOSTS.iter().any(is_here)
}

/// Returns the agents that were told to call us.
pub(super) fn asking(world: &World) -> Vec<&'static str> {
    let Ok(program) = this_program() else {
        return Vec::new();
    };
    let installer = installer(world, &program);
    let asks = |host: &&'static Host| installer.is_asked_by(host);
    let hosts = wires::hosts::HOSTS.iter().copied().filter(asks);
    let mut hosts: Vec<&str> = hosts.map(wires::Host::id).collect();
    hosts.sort_unstable();
    hosts
}

/// Leaves out each agent that takes silence for an approval, if the person at the terminal does not want that.
fn leave_out(plan: &mut InstallPlan) -> Result<(), CliError> {
    let approves = |host: &&'static str| {
        let rows = wires::host(host).map(wires::Host::rows).unwrap_or_default();
        rows.iter().any(|row| row.neutral() == Neutral::Allow)
    };
    let changed = plan.changes.iter().filter(|change| !change.is_none());
    let mut asked: Vec<&str> = changed.map(|change| change.host).filter(approves).collect();
    asked.dedup();
    for host in asked {
        let question = format!(
            "{host} has no answer for a hook that has nothing to say: what no hook decides about, it would run without \
             asking you. Install there? [y/N] "
        );
        if !person::is_yes(&person::ask(&question)?) {
            plan.changes.retain(|change| change.host != host);
        }
    }
    Ok(())
}

pub(super) fn installer<'a>(world: &'a World, program: &'a Path) -> Installer<'a> {
    Installer {
        world,
        program,
        root: Path::new("/"),
        os: std::env::consts::OS,
        probe: || (),
    }
}

pub(super) fn this_program() -> Result<PathBuf, CliError> {
    std::env::current_exe().map_err(|error| {
        CliError::new(Exit::NoInput, "cannot tell where this program is").because(error)
    })
}

/// Makes one plan for the agents that are named, with commas between them; for all where none is.
fn planned(
    named: Option<&str>,
    plan: impl Fn(Option<&'static Host>) -> Result<InstallPlan, Vec<InstallError>>,
) -> Result<InstallPlan, CliError> {
    let mut whole = InstallPlan::default();
    for name in named.unwrap_or("all").split(',').map(str::trim) {
        let which = match name {
            "all" => None,
            name => Some(error::host(name)?),
        };
        let one = plan(which).map_err(|errors| all(&errors))?;
        whole.changes.extend(one.changes);
        whole.skipped.extend(one.skipped);
        whole.program = whole.program.or(one.program);
    }
    Ok(whole)
}

/// Says every error, and returns the first for the end.
pub(super) fn all(errors: &[InstallError]) -> CliError {
    let mut said = errors
        .iter()
        .map(|error| (exit(error), error.chain(), error.help().to_owned()));
    let Some((exit, what, help)) = said.next() else {
        return CliError::new(Exit::Software, "it failed without saying why");
    };
    for (exit, what, help) in said {
        ui::problem(&CliError::new(exit, what).help(help));
    }
    CliError::new(exit, what).help(help)
}

fn exit(error: &InstallError) -> Exit {
    match error.obstacle {
        Obstacle::NoHome => Exit::Config,
        Obstacle::Unusable | Obstacle::Lacking | Obstacle::AtHome => Exit::Usage,
        Obstacle::Unreadable => Exit::NoInput,
        Obstacle::Unfit => Exit::Data,
        Obstacle::Denied => Exit::Permission,
        Obstacle::OtherSandbox | Obstacle::Changed | Obstacle::Failed => Exit::CannotCreate,
    }
}

/// Says why it could not be carried out. What needs root says the line that root types.
fn problem(error: InstallError, scope: Scope, program: &Path) -> CliError {
    let exit = exit(&error);
    let mut help = error.help().to_owned();
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
    CliError::new(exit, what).help(help).because(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn managed_settings_that_only_root_may_write_say_what_root_types() {
        let error = InstallError::write("make the folder", "/etc/claude-code".as_ref())(
            std::io::ErrorKind::PermissionDenied.into(),
        );
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
