//! Which records a person wants to see, from the command line.

use anyhook::record;
use anyhook::stores::{Filter, VerdictFilter};
use clap::Args;

use crate::error::{self, CliError};
use crate::exit::Exit;

/// What can have been answered.
const SAID: [(&str, VerdictFilter); 3] = [
    ("deny", VerdictFilter::Denied),
    ("ask", VerdictFilter::Asked),
    ("would-deny", VerdictFilter::WouldDeny),
];

/// A part of the record.
#[derive(Args)]
pub(crate) struct LogFilter {
    /// Only records since then: 30m, 2h, 7d, yesterday, 2026-11-22, 2026-11-22T08:00
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// Only records before then, in the same forms
    #[arg(long, value_name = "WHEN")]
    until: Option<String>,
    /// Only what was answered so: deny, ask, or would-deny (refused by a hook in shadow mode)
    #[arg(long, value_name = "WORD", value_parser = SAID.map(|(word, _)| word), hide_possible_values = true)]
    said: Option<String>,
    /// Only records in which this hook answered or failed
    #[arg(long, value_name = "NAME")]
    hook: Option<String>,
    /// Only records of this agent
    #[arg(long, value_name = "NAME")]
    host: Option<String>,
    /// Only records of this folder or below it; a folder's name is enough
    #[arg(long, value_name = "FOLDER")]
    pub(super) project: Option<String>,
    /// Only calls of this tool
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// Only records of this session
    #[arg(long, value_name = "ID")]
    session: Option<String>,
}

impl LogFilter {
    /// Returns what the store is asked for.
    pub(crate) fn filter(&self) -> Result<Filter, CliError> {
        let host = self.host.as_deref().map(error::host).transpose()?;
        let said = self.said.as_deref();
        let said = SAID.iter().find(|(word, _)| Some(*word) == said);
        Ok(Filter {
            since: moment(self.since.as_deref())?,
            until: moment(self.until.as_deref())?,
            said: said.map(|(_, said)| *said),
            session: self.session.clone(),
            hook: self.hook.clone(),
            host: host.map(|host| host.id().to_owned()),
            project: self.project.as_deref().map(project),
            tool: self.tool.clone(),
            ..Filter::default()
        })
    }
}

/// A folder that is there counts as that folder, and anything else as a folder's name.
pub(crate) fn project(folder: &str) -> String {
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
pub(crate) fn moment(text: Option<&str>) -> Result<Option<i64>, CliError> {
    let Some(text) = text else { return Ok(None) };
    let now = jiff::Timestamp::now().as_millisecond();
    let day = |before: i64| record::time(Some(now - before * 86_400_000), "%F");
    let found = record::moment(&match text {
        "today" => day(0),
        "yesterday" => day(1),
        other => other.to_owned(),
    });
    let wrong = || {
        CliError::new(Exit::Usage, format!("`{text}` is no time")).help(
            "a time is 30m, 2h, 7d or 4w ago, today, yesterday, 2026-11-22, or 2026-11-22T08:00",
        )
    };
    found.map(Some).ok_or_else(wrong)
}
