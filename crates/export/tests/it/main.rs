//! Exports of the bundled history: into files that are read back, and to a receiver that fails and comes back.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod receiver;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhook::core::report::Report;
use anyhook::stores::{Filter, Jsonl, Keep, Purge, Said};
use anyhook_export::{ExportError, Exported, Form, Request, export};
use anyhook_testing::history::{self, Plan};
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::RowAccessor as _;
use receiver::{Receiver, text};

/// A record with a history, and a place for what is exported.
struct Place {
    folder: tempfile::TempDir,
    records: usize,
}

impl Place {
    fn new(events: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
        let plan = Plan {
            events,
            ..Plan::default()
        };
        let records = history::write(&plan, &fixtures, &folder.path().join("reports")).unwrap();
        Self { folder, records }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn store(&self) -> Jsonl {
        Jsonl::new(self.path("reports"), Keep::Payload)
    }

    fn all(&self) -> Vec<Report> {
        self.store()
            .search(&Filter::default(), usize::MAX)
            .unwrap()
            .reports
    }

    fn request(&self, form: Form) -> Request {
        Request {
            reports: self.path("reports"),
            filter: Filter::default(),
            form,
        }
    }

    fn otlp(&self, to: &Receiver) -> Request {
        self.request(Form::Otlp {
            to: to.to.clone(),
            authorization: Some("Bearer of-the-receiver".into()),
            state: self.path("state"),
            level: Keep::Payload,
        })
    }
}

fn ids(reports: &[Report]) -> BTreeSet<String> {
    reports.iter().map(|report| report.id.to_string()).collect()
}

fn logged(got: &receiver::Got) -> BTreeSet<String> {
    let uid = |log: &opentelemetry_proto::tonic::logs::v1::LogRecord| {
        text(&log.attributes, "log.record.uid").unwrap()
    };
    got.logs.iter().map(uid).collect()
}

#[test]
fn every_record_arrives_as_a_log_and_as_a_span_in_the_words_of_the_conventions() {
    let (place, receiver) = (Place::new(600), Receiver::start());
    let done = export(&place.otlp(&receiver)).unwrap();
    assert_eq!(
        done,
        Exported {
            records: place.records as u64,
            ..Exported::default()
        }
    );
    let all = place.all();
    let got = receiver.got.lock().unwrap();
    assert_eq!((got.logs.len(), got.spans.len()), (all.len(), all.len()));
    assert_eq!(logged(&got), ids(&all));
    assert_eq!(got.authorization.as_deref(), Some("Bearer of-the-receiver"));
    assert_eq!(
        got.heads.last(),
        place.store().head_link().unwrap().as_ref()
    );
    let denied = |report: &&Report| {
        report.decided_by().is_some() && report.event.subject.as_deref() == Some("Bash")
    };
    let report = all.iter().find(denied).unwrap();
    let span = got
        .spans
        .iter()
        .find(|span| text(&span.attributes, "anyhook.record.id").as_deref() == Some(&*report.id));
    let span = span.unwrap();
    let told = |key: &str| text(&span.attributes, key).unwrap_or_default();
    assert_eq!(span.name, "execute_tool Bash");
    assert_eq!(told("gen_ai.operation.name"), "execute_tool");
    assert_eq!(told("gen_ai.tool.name"), "Bash");
    assert_eq!(
        told("gen_ai.conversation.id"),
        report.event.session.clone().unwrap().to_string()
    );
    assert!(told("gen_ai.tool.call.arguments").contains("command"));
    let hook = report.hook(report.decided_by().unwrap()).unwrap();
    assert_eq!(told("anyhook.decision.hook"), hook.name.to_string());
    assert_eq!((span.trace_id.len(), span.span_id.len()), (16, 8));
    assert_eq!(
        span.start_time_unix_nano,
        report.at.unwrap().unsigned_abs() * 1_000_000
    );
    assert!(span.end_time_unix_nano > span.start_time_unix_nano && !span.events.is_empty());
    let log = got
        .logs
        .iter()
        .find(|log| log.span_id == span.span_id)
        .unwrap();
    assert_eq!(log.trace_id, span.trace_id);
    assert_ne!(log.severity_number, 0);
}

#[test]
fn what_goes_out_is_compressed_and_the_receiver_finds_the_same_records() {
    let (place, receiver) = (Place::new(1_000), Receiver::start());
    let (mut came, mut bytes) = (0, (0, 0));
    // As many as go out together, and then one alone.
    for at_least in [8, 2] {
        export(&place.otlp(&receiver)).unwrap();
        let got = receiver.got.lock().unwrap();
        assert_eq!(logged(&got), ids(&place.all()));
        assert_eq!(got.spans.len(), place.all().len());
        let count = got.spans.len() - came;
        let (sent, plain) = (got.bytes.0 - bytes.0, got.bytes.1 - bytes.1);
        (came, bytes) = (got.spans.len(), got.bytes);
        // The figures of `docs/fleet-size.md`.
        eprintln!(
            "{count} records: {} bytes each, and {} before they were compressed",
            sent / count,
            plain / count
        );
        assert!(sent * at_least < plain, "{sent} of {plain}");
        let alone = place.all().pop().unwrap();
        place.store().append_all(&[alone]).unwrap();
    }
}

#[test]
fn a_receiver_that_fails_and_comes_back_gets_every_record_and_what_was_taken_is_not_sent_again() {
    let (place, receiver) = (Place::new(600), Receiver::start());
    let busy = "503 Busy\r\nretry-after: 0\r\n";
    receiver.got.lock().unwrap().answers.extend([busy, busy]);
    // It says twice that it cannot now, and takes it then; the second batch it does not want at all.
    receiver
        .got
        .lock()
        .unwrap()
        .answers
        .extend(["200 OK\r\n", "200 OK\r\n", "400 Bad\r\n"]);
    let error = export(&place.otlp(&receiver)).unwrap_err();
    assert!(
        matches!(error, ExportError::Receiver { sent: 256, .. }),
        "{error}"
    );
    assert!(error.to_string().contains("status 400"), "{error}");
    assert_eq!(receiver.got.lock().unwrap().logs.len(), 256);
    let left = place.records as u64 - 256;
    assert_eq!(export(&place.otlp(&receiver)).unwrap().records, left);
    assert_eq!(receiver.got.lock().unwrap().logs.len(), place.records);
    assert_eq!(logged(&receiver.got.lock().unwrap()), ids(&place.all()));
    assert_eq!(
        export(&place.otlp(&receiver)).unwrap().records,
        0,
        "there is nothing new"
    );
}

#[test]
fn an_export_that_is_killed_at_any_moment_loses_no_record() {
    let (place, receiver) = (Place::new(1_500), Receiver::start());
    let request = serde_json::json!({
        "reports": place.path("reports"),
        "form": {"otlp": {"to": receiver.to, "state": place.path("state")}},
    });
    for looks in [10, 300, 3_000, 10_000, 30_000] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_anyhook-export"))
            .arg(request.to_string())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        for _ in 0..looks {
            if child.try_wait().unwrap().is_some() {
                break;
            }
        }
        let _ = child.kill();
        child.wait().unwrap();
    }
    export(&place.otlp(&receiver)).unwrap();
    assert_eq!(logged(&receiver.got.lock().unwrap()), ids(&place.all()));
    let spans = receiver.got.lock().unwrap();
    let spans = spans
        .spans
        .iter()
        .map(|span| text(&span.attributes, "log.record.uid").unwrap());
    assert_eq!(spans.collect::<BTreeSet<_>>(), ids(&place.all()));
}

#[test]
fn after_a_purge_the_export_goes_on_and_passes_nothing_over() {
    let (place, receiver) = (Place::new(600), Receiver::start());
    receiver
        .got
        .lock()
        .unwrap()
        .answers
        .extend(["200 OK\r\n", "200 OK\r\n", "400 Bad\r\n"]);
    export(&place.otlp(&receiver)).unwrap_err();
    let session = place.all()[0].event.session.as_deref().unwrap().to_owned();
    let purge = Purge {
        session: Some(session),
        ..Purge::default()
    };
    assert!(place.store().purge(&purge, 0, "p1".into()).unwrap() > 0);
    export(&place.otlp(&receiver)).unwrap();
    let got = receiver.got.lock().unwrap();
    let logged = logged(&got);
    assert!(
        ids(&place.all()).is_subset(&logged),
        "every record that is left arrived"
    );
    assert_eq!(got.logs.len(), logged.len(), "and none twice");
}

#[test]
fn lines_of_json_are_the_records_that_the_filter_takes_and_the_head_of_the_chain() {
    let place = Place::new(600);
    let to = place.path("out.jsonl");
    let filter = Filter {
        said: Some(Said::Denied),
        ..Filter::default()
    };
    let request = Request {
        filter: filter.clone(),
        ..place.request(Form::Jsonl {
            to: Some(to.clone()),
        })
    };
    export(&request).unwrap();
    let text = fs::read_to_string(&to).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    let head: serde_json::Value = serde_json::from_str(lines.pop().unwrap()).unwrap();
    let read: Vec<Report> = lines
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        read,
        place.store().search(&filter, usize::MAX).unwrap().reports
    );
    let head = head["head"].as_str().unwrap().to_owned();
    assert_eq!(
        place
            .store()
            .verify_with(std::slice::from_ref(&head))
            .unwrap()
            .missing,
        [""; 0]
    );
    // A program that owns the folder writes the chain anew, without one record: it holds, and the head is not in it.
    let rest = place.all().split_off(1);
    fs::remove_dir_all(place.path("reports")).unwrap();
    place.store().append_all(&rest).unwrap();
    let verified = place
        .store()
        .verify_with(std::slice::from_ref(&head))
        .unwrap();
    assert_eq!((verified.broken, verified.missing), (vec![], vec![head]));
}

#[test]
fn a_table_has_a_row_for_each_record_with_what_statistics_need() {
    let place = Place::new(600);
    let to = place.path("out.parquet");
    export(&place.request(Form::Parquet { to: to.clone() })).unwrap();
    let table = SerializedFileReader::new(fs::File::open(&to).unwrap()).unwrap();
    let own = table
        .metadata()
        .file_metadata()
        .key_value_metadata()
        .unwrap()
        .clone();
    assert!(own.iter().any(|own| own.key == "anyhook.head" && own.value == place.store().head_link().unwrap()));
    let names: Vec<String> = table
        .metadata()
        .file_metadata()
        .schema_descr()
        .columns()
        .iter()
        .map(|column| column.name().to_owned())
        .collect();
    let at = |name: &str| names.iter().position(|is| is == name).unwrap();
    let rows: Vec<_> = table
        .get_row_iter(None)
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let all = place.all();
    assert_eq!(rows.len(), all.len());
    for (row, report) in rows.iter().zip(&all) {
        assert_eq!(row.get_string(at("id")).unwrap(), &*report.id);
        assert_eq!(row.get_string(at("host")).unwrap(), &*report.event.host);
        assert_eq!(
            row.get_string(at("person")).unwrap(),
            report.action.as_ref().unwrap().person.as_deref().unwrap()
        );
        let verdict = report.said.as_ref().unwrap().verdict.kind().as_str();
        assert_eq!(row.get_string(at("verdict")).unwrap(), verdict);
        assert_eq!(
            row.get_long(at("took_us")).unwrap(),
            i64::try_from(report.took.unwrap().as_micros()).unwrap()
        );
    }
    let would: i64 = rows
        .iter()
        .map(|row| row.get_long(at("would_deny")).unwrap())
        .sum();
    let faults: i64 = rows
        .iter()
        .map(|row| row.get_long(at("faults")).unwrap())
        .sum();
    assert!(would > 0 && faults > 0, "{would} {faults}");
}
