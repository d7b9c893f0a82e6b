//! Which records a person wants to see, from the command line.

use anyhook::stores::{Filter, Said};
use clap::{Arg, ArgAction, ArgMatches, Command};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use crate::commands::flag;
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
    let text = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    command
        .arg(text(
            "since",
            "WHEN",
            "Only from then on: 30m, 2h, 7d, 2026-11-22, 2026-11-22T08:00",
        ))
        .arg(text("until", "WHEN", "Only before then"))
        .arg(flag("denied", "Only refusals"))
        .arg(flag("asked", "Only questions").conflicts_with("denied"))
        .arg(
            flag(
                "would-deny",
                "Only what a hook in shadow mode would have refused",
            )
            .conflicts_with_all(["denied", "asked"]),
        )
        .arg(text(
            "hook",
            "NAME",
            "Only where this hook answered or failed",
        ))
        .arg(text("host", "NAME", "Only of one agent"))
        .arg(text(
            "project",
            "FOLDER",
            "Only in this folder or below it; a folder's name is enough",
        ))
        .arg(text("tool", "NAME", "Only calls of one tool"))
        .arg(text(
            "path",
            "TEXT",
            "Only actions that name this path or a part of it",
        ))
        .arg(text("session", "ID", "Only those of one session"))
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
    let now = Timestamp::now().as_millisecond();
    let found = ago(&text)
        .map(|ago| now.saturating_sub(ago))
        .or_else(|| date(&text));
    let wrong = || {
        Problem::new(Exit::Usage, format!("`{text}` is no time"))
            .help("a time is 30m, 2h, 7d or 4w ago, a day such as 2026-11-22, or 2026-11-22T08:00")
    };
    found.map(Some).ok_or_else(wrong)
}

fn ago(text: &str) -> Option<i64> {
    let unit = text.chars().next_back()?;
    let number: i64 = text.strip_suffix(unit)?.trim().parse().ok()?;
    let millis: i64 = match unit {
        's' => 1_000,
        'm' => 60_000,
        'h' => 3_600_000,
        'd' => 86_400_000,
        'w' => 604_800_000,
        _ => return None,
    };
    number.checked_mul(millis).filter(|ago| *ago >= 0)
}

fn date(text: &str) -> Option<i64> {
    if let Ok(at) = text.parse::<Timestamp>() {
        return Some(at.as_millisecond());
    }
    let day = text
        .parse::<jiff::civil::Date>()
        .map(|day| day.to_datetime(jiff::civil::Time::midnight()));
    let at: DateTime = text.parse().or(day).ok()?;
    Some(
        at.to_zoned(TimeZone::system())
            .ok()?
            .timestamp()
            .as_millisecond(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_so_long_ago_or_a_date() {
        assert_eq!(ago("2h"), Some(7_200_000));
        assert_eq!(ago("90d"), Some(90 * 86_400_000));
        assert_eq!(
            [ago("2"), ago("h"), ago("-2h"), ago("2y"), ago("")],
            [None; 5]
        );
        assert_eq!(date("1970-01-01T00:00:07Z"), Some(7_000));
        assert_eq!(date("2026-11-22").map(|at| at % 60_000), Some(0));
        assert_eq!(date("soon"), None);
    }
}
