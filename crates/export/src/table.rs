//! Records as a table: one row for each event, with the columns that statistics need.

use std::path::Path;
use std::sync::Arc;

use anyhook::core::report::{Action, Became, Report};
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
}";

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
const TEXTS: [fn(&Report) -> String; 15] = [
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
    |report| report.result.verdict.text(),
    |report| of_action(report, |action| action.policy.as_deref()),
    |report| {
        of_action(report, |action| {
            Some(action.imported.as_ref()?.outcome.as_str())
        })
    },
];

fn of_action(report: &Report, of: impl Fn(&Action) -> Option<&str>) -> String {
    let action = report.action.as_deref();
    action.and_then(of).unwrap_or_default().to_owned()
}

/// Writes them. The head of the chain is in the file's own data, under `anyhook.head`.
pub(crate) fn write(store: &Jsonl, filter: &Filter, to: &Path) -> Result<Exported, ExportError> {
    let file = create(to).map_err(|source| ExportError::File {
        file: to.into(),
        source,
    })?;
    let head = store.head_link()?.unwrap_or_default();
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_key_value_metadata(Some(vec![KeyValue::new("anyhook.head".to_owned(), head)]))
        .build();
    let schema = Arc::new(parse_message_type(SCHEMA)?);
    let mut table = SerializedFileWriter::new(file, schema, Arc::new(properties))?;
    let (mut done, mut place) = (Exported::default(), Place::default());
    loop {
        let page = store.some_news(&mut place, filter, TOGETHER)?;
        done.skipped += page.skipped;
        if page.reports.is_empty() {
            table.close()?;
            return Ok(done);
        }
        done.records += page.reports.len() as u64;
        group(&mut table, &page.reports)?;
    }
}

fn group(
    table: &mut SerializedFileWriter<std::fs::File>,
    reports: &[Report],
) -> Result<(), ParquetError> {
    let mut group = table.next_row_group()?;
    for of in NUMBERS {
        let values: Vec<i64> = reports.iter().map(of).collect();
        let mut column = group.next_column()?.ok_or_else(missing)?;
        column
            .typed::<Int64Type>()
            .write_batch(&values, None, None)?;
        column.close()?;
    }
    for of in TEXTS {
        let values: Vec<ByteArray> = reports
            .iter()
            .map(|report| of(report).into_bytes().into())
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
