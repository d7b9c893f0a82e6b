//! Questions to the store of a fleet, which `DuckDB` answers: an engine of its own, found on `PATH`, that reads lines of JSON.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhook::text::{plain, tame};
use serde_json::Value;

use crate::archive::day;
use crate::error::PolicyError;
use crate::row::COLUMNS;

/// It asks no network for extensions, and leaves memory and a processor to others.
const SETTINGS: &str = "set autoinstall_known_extensions=false; set autoload_known_extensions=false; set threads=2; \
                        set memory_limit='1GB'; set enable_progress_bar=false;";
/// Columns are no wider.
const WIDE: usize = 60;

/// What is asked for.
///
/// ```
/// use anyhook_fleet::Question;
/// let asked = Question { denied: true, ..Question::default() };
/// assert!(asked.log(&["f.jsonl".into()]).contains("'deny', 'halt'"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Question {
    /// Not before this moment, in milliseconds since 1970.
    pub since: Option<i64>,
    /// Refusals alone.
    pub denied: bool,
    /// Of one member.
    pub person: Option<String>,
    /// A text that stands in what was attempted, in any case of letters.
    pub text: Option<String>,
    /// So many rows.
    pub last: u32,
}

impl Question {
    /// The rows of `anyhook fleet log`.
    pub fn log(&self, files: &[String]) -> String {
        format!(
            "select strftime(epoch_ms(\"at\"), '%Y-%m-%d %H:%M:%S') as moment, member, machine, host, tool, verdict, hook, attempted, reason, id \
             from {} where {} order by \"at\" desc limit {}",
            from(files),
            self.wanted(),
            self.last.max(1),
        )
    }

    /// The rows of `anyhook fleet stats`: which hook decided, for whom, how often, and how slow.
    pub fn stats(&self, files: &[String]) -> String {
        format!(
            "select hook, member, count(*) as decided, count(*) filter (where verdict in ('deny', 'halt')) as refused, \
             count(*) filter (where would_deny > 0) as would_refuse, round(quantile_cont(took_us, 0.95) / 1000, 1) as p95_ms \
             from {} where (hook <> '' or would_deny > 0) and {} group by all order by refused desc, decided desc limit {}",
            from(files),
            self.wanted(),
            self.last.max(1),
        )
    }

    fn wanted(&self) -> String {
        let mut all = vec!["true".to_owned()];
        all.extend(self.since.map(|since| format!("\"at\" >= {since}")));
        all.extend(
            self.denied
                .then(|| "verdict in ('deny', 'halt')".to_owned()),
        );
        all.extend(
            self.person
                .as_ref()
                .map(|person| format!("member = {}", text(person))),
        );
        all.extend(
            self.text
                .as_ref()
                .map(|part| format!("contains(lower(attempted), lower({}))", text(part))),
        );
        all.join(" and ")
    }

    /// The files of the days that can hold what is asked for.
    pub(crate) fn files(&self, store: &Path) -> Result<Vec<String>, PolicyError> {
        let first = self
            .since
            .map(|since| day(since, since))
            .unwrap_or_default();
        let days = std::fs::read_dir(store).map_err(PolicyError::io("read the store", store))?;
        let days = days.flatten();
        let mut days: Vec<PathBuf> = days
            .map(|day| day.path())
            .filter(|day| day.is_dir())
            .collect();
        days.retain(|day| {
            day.file_name()
                .is_some_and(|name| *name.to_string_lossy() >= *first)
        });
        days.sort();
        let files = days
            .iter()
            .flat_map(|day| std::fs::read_dir(day).into_iter().flatten().flatten());
        let files = files.map(|file| file.path());
        let rows = files.filter(|file| file.extension().is_some_and(|ending| ending == "jsonl"));
        Ok(rows
            .map(|file| file.to_string_lossy().into_owned())
            .collect())
    }
}

/// Asks `DuckDB`, and returns the rows.
pub(crate) fn ask(sql: &str) -> Result<Vec<Value>, PolicyError> {
    let failed = |what: String| {
        PolicyError::unfit(
            what,
            "the store is asked with DuckDB: `pip install duckdb-cli` brings the program `duckdb`",
        )
    };
    // The settings of a person's own DuckDB are not read.
    let output = Command::new("duckdb")
        .args([
            "-init",
            "/dev/null",
            "-json",
            "-c",
            &format!("{SETTINGS} {sql}"),
        ])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| failed(format!("cannot start `duckdb`: {error}")))?;
    if !output.status.success() {
        let why = plain(&String::from_utf8_lossy(&output.stderr));
        return Err(failed(format!("DuckDB could not answer: {why}")));
    }
    // No row is no text at all, or an empty list.
    let text = String::from_utf8_lossy(&output.stdout);
    let rows = text
        .find('[')
        .and_then(|at| serde_json::from_str(text.get(at..)?).ok());
    Ok(rows.unwrap_or_default())
}

/// Writes rows as a table for a person.
pub(crate) fn table(rows: &[Value]) -> String {
    let Some(names) = rows.first().and_then(Value::as_object) else {
        return "nothing in the store fits\n".to_owned();
    };
    let cell = |value: Option<&Value>| {
        let text = match value {
            Some(Value::String(text)) => plain(text),
            Some(Value::Null) | None => String::new(),
            Some(value) => value.to_string(),
        };
        match text.char_indices().nth(WIDE) {
            Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
            None => text,
        }
    };
    let names: Vec<&String> = names.keys().filter(|name| *name != "id").collect();
    let mut lines: Vec<Vec<String>> = vec![names.iter().map(|name| (*name).clone()).collect()];
    lines.extend(
        rows.iter()
            .map(|row| names.iter().map(|name| cell(row.get(*name))).collect()),
    );
    let width = |column: usize| {
        let cells = lines.iter().filter_map(|line| line.get(column));
        cells
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or_default()
    };
    let widths: Vec<usize> = (0..names.len()).map(width).collect();
    let mut page = String::new();
    for line in &lines {
        let cells = line
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:width$}"));
        page.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        page.push('\n');
    }
    tame(&page)
}

fn from(files: &[String]) -> String {
    let files: Vec<String> = files.iter().map(|file| text(file)).collect();
    format!(
        "read_json([{}], format='newline_delimited', columns={COLUMNS})",
        files.join(", ")
    )
}

/// A text of SQL.
fn text(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''").replace('\0', ""))
}
