//! Questions to the store of a fleet, which `DuckDB` answers: an engine of its own, found on `PATH`, that reads lines of JSON.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhook::record::moment;
use anyhook::text::plain;
use clap::Args;

use crate::archive::day;
use crate::error::PolicyError;
use crate::fleet_verbs::escaped;
use crate::row::COLUMNS;

/// It asks no network for extensions, and leaves memory and a processor to others.
const SETTINGS: &str = "set autoinstall_known_extensions=false; set autoload_known_extensions=false; set threads=2; \
                        set memory_limit='1GB'; set enable_progress_bar=false;";
/// The rows of `anyhook fleet log`.
pub(crate) const LOG: &str = "select strftime(epoch_ms(\"at\"), '%Y-%m-%d %H:%M:%S') as moment, member, machine, host, tool, \
    verdict, hook, attempted, reason, id from wanted order by \"at\" desc";
/// The rows of `anyhook fleet stats`: which hook decided, for whom, how often, and how slow.
pub(crate) const STATS: &str = "select hook, member, count(*) as decided, \
    count(*) filter (where verdict in ('deny', 'halt')) as refused, count(*) filter (where would_deny > 0) as would_refuse, \
    round(quantile_cont(took_us, 0.95) / 1000, 1) as p95_ms from wanted where hook <> '' or would_deny > 0 group by all \
    order by refused desc, decided desc";
/// For a person a row is one line, and no column is wider than this.
const SHORT: &str = "left(regexp_replace(columns(*)::varchar, '[[:cntrl:]]+', ' ', 'g'), 60)";

/// A question to a store.
#[derive(Args)]
pub(crate) struct QueryArgs {
    folder: PathBuf,
    /// Only what is not older than this: s, m, h, d, w
    #[arg(long, value_name = "7d", value_parser = since)]
    since: Option<i64>,
    /// Only refusals
    #[arg(long)]
    denied: bool,
    /// Only those of this person
    #[arg(long, value_name = "NAME")]
    person: Option<String>,
    /// Only those that attempted something with this text
    #[arg(long)]
    text: Option<String>,
    /// How many rows
    #[arg(short = 'n', value_name = "NUMBER", default_value = "50")]
    last: u32,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

/// Reads a moment, such as `7d` ago.
fn since(text: &str) -> Result<i64, &'static str> {
    moment(text).ok_or("it is a number and one of s, m, h, d, w, such as 7d")
}

impl QueryArgs {
    /// Asks `DuckDB` for rows of what is wanted, and returns what it prints.
    pub(crate) fn answer(&self, rows: &str) -> Result<String, PolicyError> {
        let files = self.files()?;
        let (form, columns, nothing) = if self.json {
            ("-json", "*", "[]\n")
        } else {
            ("-column", SHORT, "the store has nothing\n")
        };
        if files.is_empty() {
            return Ok(nothing.to_owned());
        }
        let (files, wanted, last) = (files.join(", "), self.wanted(), self.last.max(1));
        let printed = duckdb(
            form,
            &format!(
                "{SETTINGS} with wanted as (from read_json([{files}], format='newline_delimited', columns={COLUMNS}) \
                 where {wanted}), answer as ({rows} limit {last}) select {columns} from answer"
            ),
        )?;
        Ok(if self.json {
            escaped(&printed)
        } else {
            printed
        })
    }

    fn wanted(&self) -> String {
        let since = self.since.map(|since| format!("\"at\" >= {since}"));
        let refusals = "verdict in ('deny', 'halt')".to_owned();
        let denied = self.denied.then_some(refusals);
        let person = self.person.as_deref();
        let person = person.map(|person| format!("member = {}", text(person)));
        let part = self.text.as_deref().map(text);
        let part = part.map(|part| format!("contains(lower(attempted), lower({part}))"));
        let all = [Some("true".to_owned()), since, denied, person, part];
        all.into_iter().flatten().collect::<Vec<_>>().join(" and ")
    }

    /// The files of the days that can hold what is asked for, as texts of SQL.
    fn files(&self) -> Result<Vec<String>, PolicyError> {
        let first = self.since.map(|since| day(since, since));
        let first = self.folder.join(first.unwrap_or_default());
        let within = |folder: &Path| fs::read_dir(folder).map_err(PolicyError::no_store(folder));
        let mut files = Vec::new();
        for day in within(&self.folder)?.flatten().map(|day| day.path()) {
            if day.is_dir() && day >= first {
                files.extend(within(&day)?.flatten().map(|file| file.path()));
            }
        }
        files.retain(|file| file.extension().is_some_and(|ending| ending == "jsonl"));
        Ok(files
            .iter()
            .map(|file| text(&file.to_string_lossy()))
            .collect())
    }
}

fn duckdb(form: &str, sql: &str) -> Result<String, PolicyError> {
    let failed = |what: String| {
        PolicyError::unfit(
            what,
            "the store is asked with DuckDB: `pip install duckdb-cli` brings the program `duckdb`",
        )
    };
    // The settings of a person's own DuckDB are not read.
    let output = Command::new("duckdb")
        .args(["-init", "/dev/null", form, "-c", sql])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| failed(format!("cannot start `duckdb`: {error}")))?;
    if !output.status.success() {
        let why = plain(&String::from_utf8_lossy(&output.stderr));
        return Err(failed(format!("DuckDB could not answer: {why}")));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A text of SQL.
fn text(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''").replace('\0', ""))
}
