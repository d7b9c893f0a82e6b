//! Questions to the store of a fleet, which `DuckDB` answers: an engine of its own, found on `PATH`, that reads Parquet.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhook::text::{plain, tame};
use serde_json::Value;

use crate::archive::{Known, day, known, present};
use crate::error::PolicyError;
use crate::presence::Presence;
use crate::rules::shown;

/// It asks no network for extensions, and leaves memory and a processor to others.
const SETTINGS: &str = "set autoinstall_known_extensions=false; set autoload_known_extensions=false; set threads=2; \
                        set memory_limit='1GB'; set enable_progress_bar=false;";
/// A member is silent whose machine said nothing for so long.
const SILENT: i64 = 24 * 60 * 60 * 1000;
/// An exception that ends within so long is told.
const SOON: i64 = 14 * SILENT;
/// Columns are no wider.
const WIDE: usize = 60;

/// What is asked for.
///
/// ```
/// use anyhook_fleet::Question;
/// let asked = Question { denied: true, ..Question::default() };
/// assert!(asked.log(&["f.parquet".into()]).contains("'deny', 'halt'"));
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
            "select strftime(\"at\", '%Y-%m-%d %H:%M:%S') as moment, member, machine, host, tool, verdict, hook, attempted, reason, id \
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
        all.extend(
            self.since
                .map(|since| format!("\"at\" >= epoch_ms({since})")),
        );
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
    pub(crate) fn files(&self, store: &Path) -> Vec<String> {
        let first = self
            .since
            .map(|since| day(since, since))
            .unwrap_or_default();
        let days = std::fs::read_dir(store).into_iter().flatten().flatten();
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
        let files = files.map(|file| file.path().to_string_lossy().into_owned());
        files.filter(|file| file.ends_with(".parquet")).collect()
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

/// The page of `anyhook fleet coverage`: which machines are guarded, by which revision, and what did not arrive.
pub(crate) fn coverage(store: &Path, now: i64) -> Result<String, PolicyError> {
    let taken = known(store)?;
    let present = present(store)?;
    let subject = |said: &Presence| format!("audit.{}.{}", said.person, said.machine);
    let mut page = String::new();
    for said in &present {
        let mut notes = of_guards(said, now);
        notes.extend(
            taken
                .machines
                .get(&subject(said))
                .into_iter()
                .flat_map(of_batches),
        );
        let revision = said.revision.as_deref().unwrap_or("no policy");
        let (person, machine) = (&said.person, &said.machine);
        page.push_str(&format!(
            "{person} {machine}  {revision}  {}\n",
            notes.join("; ")
        ));
    }
    let silent = taken.machines.iter();
    for (name, known) in
        silent.filter(|(name, _)| present.iter().all(|said| subject(said) != **name))
    {
        let number = known.head.number;
        page.push_str(&format!(
            "{name}  sent {number} batches and says nothing of its guards\n"
        ));
    }
    page.push_str(&ending(&present, now));
    for (why, count) in &taken.refused {
        page.push_str(&format!("refused {count} messages  {why}\n"));
    }
    if page.is_empty() {
        page.push_str("no machine sent anything yet\n");
    }
    Ok(tame(&page))
}

/// Lists the exceptions that end soon, each once for all machines on which it was granted.
fn ending(present: &[Presence], now: i64) -> String {
    let mut soon: BTreeMap<(i64, &str, &str), usize> = BTreeMap::new();
    for said in present {
        let granted = said
            .exceptions
            .iter()
            .filter(|granted| (now..now + SOON).contains(&granted.until));
        for granted in granted {
            *soon
                .entry((granted.until, &granted.hook, &granted.owner))
                .or_default() += 1;
        }
    }
    let line = |((until, hook, owner), machines): (&(i64, &str, &str), &usize)| {
        let many = if *machines == 1 {
            "machine"
        } else {
            "machines"
        };
        format!(
            "exception from {hook} of {owner} ends {}, on {machines} {many}\n",
            shown(*until)
        )
    };
    soon.iter().map(line).collect()
}

fn of_guards(said: &Presence, now: i64) -> Vec<String> {
    let hosts = |healthy: bool| {
        let guards = said.guards.iter().filter(|guard| guard.healthy == healthy);
        guards
            .map(|guard| &*guard.host)
            .collect::<Vec<_>>()
            .join(", ")
    };
    let mut notes = vec![match hosts(true) {
        on if on.is_empty() => "no guard is known to be on".to_owned(),
        on => format!("guards on: {on}"),
    }];
    let off = hosts(false);
    notes.extend((!off.is_empty()).then(|| format!("GUARDS OFF: {off}")));
    let waits = said.waits_for.as_ref();
    notes.extend(waits.map(|next| format!("revision {next} does not hold yet")));
    notes.extend((now - said.at > SILENT).then(|| format!("SILENT since {}", shown(said.at))));
    notes
}

fn of_batches(known: &Known) -> Vec<String> {
    let counts = [
        (known.thinned, "records thinned"),
        (known.missing, "BATCHES MISSING"),
        (known.lost, "times LOST its oldest part"),
    ];
    let told = counts.iter().filter(|(count, _)| *count > 0);
    told.map(|(count, what)| format!("{count} {what}"))
        .collect()
}

fn from(files: &[String]) -> String {
    let files: Vec<String> = files.iter().map(|file| text(file)).collect();
    format!("read_parquet([{}])", files.join(", "))
}

/// A text of SQL.
fn text(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''").replace('\0', ""))
}

#[cfg(test)]
mod tests {
    use anyhook::policy::Exception;

    use super::*;

    #[test]
    fn exceptions_that_end_soon_are_listed_once_for_all_machines_and_others_are_not() {
        const DAY: i64 = SILENT;
        let granted = |hook: &str, until| Exception {
            hook: hook.into(),
            people: Vec::new(),
            owner: "grace".into(),
            reason: "the release".into(),
            until,
        };
        let machine = |name: &str, exceptions: &[Exception]| Presence {
            machine: name.into(),
            exceptions: exceptions.into(),
            ..Presence::default()
        };
        let [soon, late, over] = [
            granted("no-publish", 3 * DAY),
            granted("no-rm", 40 * DAY),
            granted("old", DAY),
        ];
        let all = [
            machine("a", &[soon.clone(), late.clone(), over]),
            machine("b", &[soon, late]),
            machine("c", &[granted("no-push", 2 * DAY)]),
        ];
        assert_eq!(
            ending(&all, DAY + 1),
            "exception from no-push of grace ends 1970-01-03 00:00Z, on 1 machine\n\
             exception from no-publish of grace ends 1970-01-04 00:00Z, on 2 machines\n"
        );
    }
}
