//! Records as a table: one row for each event, with the columns that statistics need.

use std::iter;
use std::path::Path;
use std::sync::Arc;

use anyhook::core::report::{Action, Became, Report};
use anyhook::core::result::Kind;
use anyhook::stores::{Filter, Jsonl, Place};
use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use crate::jsonl::create;
use crate::{ExportError, Exported};

/// So many rows are a group.
const TOGETHER: usize = 65_536;

/// The columns: `at` in milliseconds since 1970, times in microseconds.
const SCHEMA: &str = "message record {
    required int64 at (timestamp_millis);
    required int64 took_us;
    required int64 faults;
    required int64 would_deny;
    required binary id (utf8);
    required binary host (utf8);
    required binary agent_version (utf8);
    required binary session (utf8);
    required binary project (utf8);
    required binary person (utf8);
    required binary event (utf8);
    required binary tool (utf8);
    required binary call (utf8);
    required binary attempted (utf8);
    required binary verdict (utf8);
    required binary hook (utf8);
    required binary reason (utf8);
    required binary policy (utf8);
    required binary outcome (utf8);
    required binary revision (utf8);
    required binary member (utf8);
    required binary machine (utf8);
}";

/// A record, and who sent it where it came from another machine.
#[derive(Debug, Clone, Copy)]
pub struct Row<'r> {
    /// The record.
    pub report: &'r Report,
    /// The member of the fleet; empty for the record of this machine.
    pub member: &'r str,
    /// The machine of that member.
    pub machine: &'r str,
}

/// The columns of numbers, in their order.
const NUMBERS: [fn(&Report) -> i64; 4] = [
    |report| report.at.unwrap_or_default(),
    |report| i64::try_from(report.took.unwrap_or_default().as_micros()).unwrap_or(i64::MAX),
    |report| i64::try_from(report.faults().count()).unwrap_or(i64::MAX),
    |report| {
        let would = |became: &Became| matches!(became, Became::Would(would) if would.verdict.kind().as_str() == "deny");
        i64::from(report.steps.iter().any(|step| would(&step.became)))
    },
];

/// The columns of texts, in their order.
const TEXTS: [fn(&Report) -> String; 16] = [
    |report| report.id.to_string(),
    |report| report.event.host.to_string(),
    |report| of_action(report, |action| action.agent_version.as_deref()),
    |report| {
        report
            .event
            .session
            .as_deref()
            .unwrap_or_default()
            .to_owned()
    },
    |report| of_action(report, |action| action.project.as_deref()),
    |report| of_action(report, |action| action.person.as_deref()),
    |report| report.event.name.to_string(),
    |report| {
        report
            .event
            .subject
            .as_deref()
            .unwrap_or_default()
            .to_owned()
    },
    |report| of_action(report, |action| action.text("tool_use_id")),
    |report| {
        let action = report.action.as_deref();
        action.and_then(Action::telling).unwrap_or_default()
    },
    |report| {
        let said = report.said.as_ref().unwrap_or(&report.result);
        said.verdict.kind().as_str().to_owned()
    },
    |report| {
        let hook = report.decided_by().and_then(|id| report.hook(id));
        hook.map(|hook| hook.name.to_string()).unwrap_or_default()
    },
    reason,
    |report| of_action(report, |action| action.policy.as_deref()),
    |report| {
        of_action(report, |action| {
            Some(action.imported.as_ref()?.outcome.as_str())
        })
    },
    |report| of_action(report, |action| action.revision.as_deref()),
];

/// Returns why it was decided so; of a question also who answered it, as the remarks say.
fn reason(report: &Report) -> String {
    let text = report.result.verdict.text();
    match report.result.verdict.kind() {
        Kind::Ask => iter::once(&*text)
            .chain(report.remarks.iter().map(|remark| &**remark))
            .collect::<Vec<&str>>()
            .join("; "),
        Kind::Continue | Kind::Allow | Kind::Deny | Kind::Halt => text,
    }
}

fn of_action(report: &Report, of: impl Fn(&Action) -> Option<&str>) -> String {
    let action = report.action.as_deref();
    action.and_then(of).unwrap_or_default().to_owned()
}

/// Writes them. The head of the chain is in the file's own data, under `anyhook.head`.
pub(crate) fn write(store: &Jsonl, filter: &Filter, to: &Path) -> Result<Exported, ExportError> {
    let mut table = begin(to, store.head_link()?.unwrap_or_default())?;
    let (mut done, mut place) = (Exported::default(), Place::default());
    loop {
        let page = store.some_news(&mut place, filter, TOGETHER)?;
        done.skipped += page.skipped;
        if page.reports.is_empty() {
            table.close()?;
            return Ok(done);
        }
        done.records += page.reports.len() as u64;
        let row = |report| Row {
            report,
            member: "",
            machine: "",
        };
        let rows: Vec<Row<'_>> = page.reports.iter().map(row).collect();
        group(&mut table, &rows)?;
    }
}

/// Writes the records of many machines into a file, as `anyhook export parquet` writes those of one. The file has each of them
/// when this returns; it may have a part of them when it fails.
pub fn write_rows(to: &Path, rows: &[Row<'_>]) -> Result<(), ExportError> {
    let mut table = begin(to, String::new())?;
    for rows in rows.chunks(TOGETHER) {
        group(&mut table, rows)?;
    }
    let file = table.into_inner()?;
    file.sync_all().map_err(|source| ExportError::File {
        file: to.into(),
        source,
    })
}

fn begin(to: &Path, head: String) -> Result<SerializedFileWriter<std::fs::File>, ExportError> {
    let file = create(to).map_err(|source| ExportError::File {
        file: to.into(),
        source,
    })?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_key_value_metadata(Some(vec![KeyValue::new("anyhook.head".to_owned(), head)]))
        .build();
    let schema = Arc::new(parse_message_type(SCHEMA)?);
    Ok(SerializedFileWriter::new(
        file,
        schema,
        Arc::new(properties),
    )?)
}

fn group(
    table: &mut SerializedFileWriter<std::fs::File>,
    rows: &[Row<'_>],
) -> Result<(), ParquetError> {
    let mut group = table.next_row_group()?;
    for of in NUMBERS {
        let values: Vec<i64> = rows.iter().map(|row| of(row.report)).collect();
        let mut column = group.next_column()?.ok_or_else(missing)?;
        column
            .typed::<Int64Type>()
            .write_batch(&values, None, None)?;
        column.close()?;
    }
    let sent: [fn(&Row<'_>) -> String; 2] = [|row| row.member.into(), |row| row.machine.into()];
    let texts = TEXTS.map(|of| move |row: &Row<'_>| of(row.report));
    for values in texts
        .iter()
        .map(|of| rows.iter().map(of).collect::<Vec<String>>())
        .chain(sent.iter().map(|of| rows.iter().map(of).collect()))
    {
        let values: Vec<ByteArray> = values
            .into_iter()
            .map(|text| text.into_bytes().into())
            .collect();
        let mut column = group.next_column()?.ok_or_else(missing)?;
        column
            .typed::<ByteArrayType>()
            .write_batch(&values, None, None)?;
        column.close()?;
    }
    group.close()?;
    Ok(())
}

fn missing() -> ParquetError {
    ParquetError::General("the schema has fewer columns than are written".to_owned())
}
