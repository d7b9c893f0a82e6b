//! `anyhook list`: the hooks that hold in this folder.

use std::path::PathBuf;

use anyhook::core::handler::Handler;
use anyhook::core::hook::{Hook, Hooks};
use anyhook::load::{self, Found, Layer, Loading, Trusting};
use anyhook::trust::{Standing, Trust};
use anyhook::world::World;
use clap::{Arg, ArgMatches, Command, value_parser};
use serde_json::json;

use super::{Row, Run, log};
use crate::error::Problem;
use crate::exit::Exit;
use crate::findings;
use crate::ui::{self, paint, short, visible};
use crate::view;

/// The row.
pub(crate) const ROW: Row = Row {
    name: "list",
    describe,
    run: Run::Parsed(run),
};

fn describe(command: Command) -> Command {
    command
        .about("List the hooks that hold in this folder")
        .arg(
            Arg::new("manifest")
                .long("manifest")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("Those of this hooks.json alone"),
        )
        .arg(log::format_arg())
}

fn run(args: &ArgMatches) -> Result<Exit, Problem> {
    let world = World::real();
    let found = match args.get_one::<PathBuf>("manifest") {
        Some(file) => {
            std::fs::File::open(file).map_err(|error| Problem::unreadable(file, error))?;
            vec![Found {
                file: world.absolute(file),
                layer: Layer::Project,
            }]
        }
        None => here(&world),
    };
    if found.is_empty() {
        let problem = Problem::new(Exit::Negative, "no hooks hold in this folder");
        return Err(problem
            .help("write hooks/hooks.json here, or one for all projects in the config folder"));
    }
    // Everything is listed, trusted or not; each file says how it stands.
    let loaded = load::load(
        &found,
        None,
        Loading {
            trust: Trusting::All,
            ..Loading::default()
        },
    );
    let hooks: Hooks = loaded.hooks.into_iter().collect();
    let trust = world
        .places
        .as_ref()
        .map(|places| Trust::new(places.trust()));
    let standing: Vec<(Found, String)> = found
        .into_iter()
        .map(|found| {
            let words = standing(&found, trust.as_ref());
            (found, words)
        })
        .collect();
    if log::is_json(args) {
        ui::raw(&as_json(&hooks, &standing))?;
    } else {
        ui::out(&table(&hooks, &standing))?;
    }
    let findings: String = standing
        .iter()
        .map(|(found, _)| findings::of(&found.file))
        .collect();
    ui::err(&findings);
    // The findings say it with their lines; without them the remarks do.
    for remark in loaded.remarks.iter().filter(|_| findings.is_empty()) {
        let warning = paint(ui::ASK, "warning");
        ui::err(&format!("{warning}: {}\n", visible(&remark.text)));
    }
    Ok(Exit::Done)
}

/// Finds what holds under an agent that works here: also what was trusted in a folder above, whatever stands between.
fn here(world: &World) -> Vec<Found> {
    let projects = std::slice::from_ref(&world.cwd);
    let mut found = load::find(world, projects, "");
    if let Some(places) = &world.places {
        load::add_pinned(&Trust::new(places.trust()), projects, "", &mut found);
    }
    found
}

fn standing(found: &Found, trust: Option<&Trust>) -> String {
    match (found.layer, trust.map(|trust| trust.standing(&found.file))) {
        (Layer::User, _) => "your own".to_owned(),
        (Layer::Project, Some(Standing::Trusted)) => "trusted".to_owned(),
        (Layer::Project, None) => "not trusted: does not run under an agent".to_owned(),
        (Layer::Project, Some(Standing::Never(why))) => {
            let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
            format!("not trusted{why}: does not run under an agent")
        }
        (Layer::Project, Some(Standing::Changed(changes))) => {
            let changes: Vec<String> = changes.iter().map(ToString::to_string).collect();
            format!("changed since it was trusted: {}", changes.join(", "))
        }
        (Layer::Project, Some(Standing::Unreadable(why))) => format!("cannot be read: {why}"),
    }
}

fn kind(hook: &Hook) -> &'static str {
    match &hook.handler {
        Handler::Declared(action) => load::kind(action),
        Handler::InProcess(_) => "built in",
    }
}

fn table(hooks: &Hooks, files: &[(Found, String)]) -> String {
    let mut text = String::new();
    for (file, standing) in files {
        let name = visible(&file.file.to_string_lossy());
        text.push_str(&format!(
            "{}  {}\n",
            paint(ui::BOLD, &name),
            paint(ui::DIM, &visible(standing))
        ));
    }
    text.push('\n');
    let head = format!(
        "{:18} {:20} {:26} {:8} {:>4}  {:6} {:>7}  {}",
        "event", "matcher", "name", "type", "prio", "rule", "timeout", "line"
    );
    text.push_str(&paint(ui::BOLD, &head));
    text.push('\n');
    for hook in hooks.list() {
        let info = &hook.info;
        let rule = match (info.shadow, info.guard) {
            (true, _) => "shadow",
            (false, true) => "guard",
            (false, false) => "",
        };
        let timeout = hook
            .deadline
            .map(|time| format!("{} s", time.as_secs_f64()))
            .unwrap_or_default();
        let line = info
            .source
            .as_ref()
            .map(|source| source.line.to_string())
            .unwrap_or_default();
        text.push_str(&format!(
            "{:18} {:20} {:26} {:8} {:>4}  {:6} {:>7}  {}\n",
            short(hook.event.universal(), 18),
            short(info.matcher.as_deref().unwrap_or("*"), 20),
            short(&info.name, 26),
            kind(hook),
            info.priority,
            rule,
            timeout,
            line,
        ));
    }
    text
}

fn as_json(hooks: &Hooks, files: &[(Found, String)]) -> String {
    let hooks: Vec<_> = hooks
        .list()
        .iter()
        .map(|hook| {
            json!({
                "event": hook.event.as_str(), "name": hook.info.name, "matcher": hook.info.matcher, "type": kind(hook),
                "priority": hook.info.priority, "guard": hook.info.guard, "shadow": hook.info.shadow,
                "timeout": hook.deadline.map(|time| time.as_secs_f64()), "at": view::place(&hook.info),
            })
        })
        .collect();
    let files: Vec<_> = files
        .iter()
        .map(|(found, standing)| json!({"file": found.file, "standing": standing}))
        .collect();
    format!(
        "{}\n",
        serde_json::to_string_pretty(&json!({"files": files, "hooks": hooks})).unwrap_or_default()
    )
}
