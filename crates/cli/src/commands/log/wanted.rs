//! Which records a person wants to see, from the command line.

use anyhook::record;
use anyhook::stores::{Filter, Said};
use clap::{Arg, ArgAction, ArgMatches, Command};

use crate::commands::{flag, option};
use crate::error::{self, Problem};
use crate::exit::Exit;

/// Describes the flags.
pub(crate) fn describe(command: Command) -> Command {
    flags(command).arg(
        Arg::new("TEXT")
            .action(ArgAction::Append)
            .help("Only records that hold this text; several must all be there"),
    )
}

/// Describes those that name a part of the record.
pub(crate) fn flags(command: Command) -> Command {
    command
        .arg(option(
            "since",
            "WHEN",
            "Only from then on: 30m, 2h, 7d, 2026-11-22, 2026-11-22T08:00",
        ))
        .arg(option("until", "WHEN", "Only before then"))
        .arg(flag("denied", "Only refusals"))
        .arg(flag("asked", "Only questions").conflicts_with("denied"))
        .arg(
            flag(
                "would-deny",
                "Only what a hook in shadow mode would have refused",
            )
            .conflicts_with_all(["denied", "asked"]),
        )
        .arg(option(
            "hook",
            "NAME",
            "Only where this hook answered or failed",
        ))
        .arg(option("host", "NAME", "Only of one agent"))
        .arg(option(
            "project",
            "FOLDER",
            "Only in this folder or below it; a folder's name is enough",
        ))
        .arg(option("tool", "NAME", "Only calls of one tool"))
        .arg(option(
            "path",
            "TEXT",
            "Only actions that name this path or a part of it",
        ))
        .arg(option("session", "ID", "Only those of one session"))
}

/// Reads the flags.
pub(crate) fn filter(args: &ArgMatches) -> Result<Filter, Problem> {
    let text = |name: &str| args.get_one::<String>(name).cloned();
    let said = [
        ("denied", Said::Denied),
        ("asked", Said::Asked),
        ("would-deny", Said::WouldDeny),
    ];
    let said = said.into_iter().find(|(name, _)| args.get_flag(name));
    let host = text("host").map(|name| error::host(&name)).transpose()?;
    let texts = args.try_get_many::<String>("TEXT").ok().flatten();
    let texts = texts.into_iter().flatten();
    Ok(Filter {
        since: moment(text("since"))?,
        until: moment(text("until"))?,
        said: said.map(|(_, said)| said),
        session: text("session"),
        hook: text("hook"),
        host: host.map(|host| host.id().to_owned()),
        project: text("project").map(|folder| absolute(&folder)),
        tool: text("tool"),
        path: text("path"),
        texts: texts.cloned().collect(),
    })
}

/// A folder that is there counts as that folder, and anything else as a folder's name.
fn absolute(folder: &str) -> String {
    let path = std::path::Path::new(folder).canonicalize();
    let path = path
        .ok()
        .filter(|_| folder.contains('/') || folder.starts_with('.'));
    path.map_or_else(
        || folder.to_owned(),
        |path| path.to_string_lossy().into_owned(),
    )
}

/// Reads a moment, in milliseconds since 1970.
pub(crate) fn moment(text: Option<String>) -> Result<Option<i64>, Problem> {
    let Some(text) = text else { return Ok(None) };
    let found = record::moment(&text);
    let wrong = || {
        Problem::new(Exit::Usage, format!("`{text}` is no time"))
            .help("a time is 30m, 2h, 7d or 4w ago, a day such as 2026-11-22, or 2026-11-22T08:00")
    };
    found.map(Some).ok_or_else(wrong)
}
