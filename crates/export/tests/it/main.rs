//! Exports: into a file that is read back, and to a receiver that fails and comes back.

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
use std::path::PathBuf;

use anyhook::core::report::Report;
use anyhook::stores::{Filter, Jsonl, RecordDetail, VerdictFilter};
use anyhook_export::{ExportError, ExportSummary, Exporter, lines};
use receiver::{CUT, Receiver, text};
use serde_json::{Value, json};

/// A record, and a place for what is exported.
struct Place {
    folder: tempfile::TempDir,
}

/// An event, one of ten a refusal. Each session has ten.
fn report(number: usize) -> Report {
    let said = match number % 10 {
        0 => {
            json!({"verdict": "deny", "reasons": [{"by": 0, "text": "Releases go through the pipeline."}]})
        }
        _ => json!({"verdict": "continue"}),
    };
    let step = json!({"hook": 0, "became": {"said": said}, "took_us": 3});
    Report::from_json(json!({
        "version": 1, "id": format!("r{number:06}"), "at": 1_790_000_000_000_u64 + number as u64 * 1000, "took_us": 4,
        "event": {"name": "tool:pre", "host": "codex-cli", "session": format!("s{}", number / 10), "subject": "Bash"},
        "result": said, "hooks": [{"name": "no-publish", "priority": 0, "guard": true, "shadow": false}], "steps": [step],
        "action": {"project": "/p", "person": "ada", "data": {"tool_input": {"command": format!("npm publish part-{number}")}}},
    }))
    .unwrap()
}

impl Place {
    fn new(records: usize) -> Self {
        let place = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        let all: Vec<Report> = (0..records).map(report).collect();
        place.store().append_all(&all).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn store(&self) -> Jsonl {
        Jsonl::new(self.path("reports"), RecordDetail::Payload)
    }

    fn all(&self) -> Vec<Report> {
        self.store()
            .search(&Filter::default(), usize::MAX)
            .unwrap()
            .reports
    }

    fn otlp(&self, to: &Receiver) -> Result<ExportSummary, ExportError> {
        let authorization = Some("Bearer of-the-receiver");
        let shipping = Exporter::to(&to.to, authorization, &self.path("state"));
        shipping.ship(&self.store(), &Filter::default())
    }
}

fn ids(reports: &[Report]) -> BTreeSet<String> {
    reports.iter().map(|report| report.id.to_string()).collect()
}

fn logged(got: &receiver::Got) -> BTreeSet<String> {
    let uid = |log: &Value| text(log, "log.record.uid").unwrap();
    got.logs.iter().map(uid).collect()
}

#[test]
fn every_record_arrives_as_a_log_and_as_a_span_in_the_words_of_the_conventions() {
    let (place, receiver) = (Place::new(300), Receiver::start());
    let done = place.otlp(&receiver).unwrap();
    let expected = ExportSummary {
        records: 300,
        ..ExportSummary::default()
    };
    assert_eq!(done, expected);
    let all = place.all();
    let got = receiver.got.lock().unwrap();
    assert_eq!((got.logs.len(), got.spans.len()), (300, 300));
    assert_eq!(logged(&got), ids(&all));
    assert_eq!(got.authorization.as_deref(), Some("Bearer of-the-receiver"));
    assert_eq!(
        got.heads.last(),
        place.store().head_link().unwrap().as_ref()
    );
    let of = |all: &[Value]| {
        let is_it = |one: &&Value| text(one, "anyhook.record.id").as_deref() == Some("r000010");
        all.iter().find(is_it).unwrap().clone()
    };
    let (mut log, mut span) = (of(&got.logs), of(&got.spans));
    let [attributes, same] = [&mut log, &mut span].map(|one| one["attributes"].take());
    assert_eq!(attributes, same);
    let attributes: Vec<(&str, &str)> = attributes.as_array().unwrap().iter().map(pair).collect();
    assert_eq!(
        attributes,
        [
            ("log.record.uid", "r000010"),
            ("anyhook.record.id", "r000010"),
            ("anyhook.event", "tool:pre"),
            ("anyhook.decision", "deny"),
            (
                "anyhook.decision.reason",
                "Releases go through the pipeline."
            ),
            ("anyhook.decision.hook", "no-publish"),
            ("anyhook.project", "/p"),
            ("user.name", "ada"),
            ("gen_ai.operation.name", "execute_tool"),
            ("gen_ai.agent.name", "codex-cli"),
            ("gen_ai.conversation.id", "s1"),
            ("gen_ai.tool.name", "Bash"),
            (
                "gen_ai.tool.call.arguments",
                r#"{"command":"npm publish part-10"}"#
            ),
        ]
    );
    let ids = ["traceId", "spanId"].map(|name| (log[name].take(), span[name].take()));
    for ((log, span), length) in ids.iter().zip([32, 16]) {
        assert!(
            log == span && log.as_str().unwrap().len() == length,
            "{log}"
        );
    }
    let at = "1790000010000000000";
    assert_eq!(
        log,
        json!({
            "timeUnixNano": at, "observedTimeUnixNano": at, "severityNumber": 13, "severityText": "WARN",
            "eventName": "anyhook.tool:pre", "body": {"stringValue": "npm publish part-10"},
            "attributes": null, "traceId": null, "spanId": null,
        })
    );
    let hook = json!([
        {"key": "anyhook.hook.name", "value": {"stringValue": "no-publish"}},
        {"key": "anyhook.hook.verdict", "value": {"stringValue": "deny"}},
        {"key": "anyhook.hook.took_us", "value": {"intValue": "3"}},
    ]);
    assert_eq!(
        span,
        json!({
            "name": "execute_tool Bash", "kind": 1, "startTimeUnixNano": at, "endTimeUnixNano": "1790000010000004000",
            "events": [{"timeUnixNano": at, "name": "anyhook.hook", "attributes": hook}], "status": {},
            "attributes": null, "traceId": null, "spanId": null,
        })
    );
}

fn pair(attribute: &Value) -> (&str, &str) {
    let value = attribute["value"]["stringValue"].as_str();
    (attribute["key"].as_str().unwrap(), value.unwrap())
}

#[test]
fn what_was_taken_without_a_word_is_sent_again_under_the_same_ids() {
    let (place, receiver) = (Place::new(30), Receiver::start());
    // The logs are taken and the connection is cut; each try after it fails.
    let busy = "503 Busy\r\nretry-after: 0\r\n";
    receiver.will_answer(&[CUT, busy, busy, busy]);
    place.otlp(&receiver).unwrap_err();
    receiver.got.lock().unwrap().answers.clear();
    assert_eq!(place.otlp(&receiver).unwrap().records, 30);
    let got = receiver.got.lock().unwrap();
    assert_eq!((got.logs.len(), got.spans.len()), (60, 30));
    assert_eq!(logged(&got), ids(&place.all()));
    assert_eq!(got.logs[..30], got.logs[30..]);
}

#[test]
fn after_a_purge_the_export_goes_on_and_passes_nothing_over() {
    let (place, receiver) = (Place::new(600), Receiver::start());
    receiver.will_answer(&["200 OK\r\n", "200 OK\r\n", "400 Bad\r\n"]);
    place.otlp(&receiver).unwrap_err();
    let session = place.all()[0].event.session.as_deref().unwrap().to_owned();
    let purge = Filter {
        session: Some(session),
        ..Filter::default()
    };
    assert!(place.store().purge(&purge, 0, "p1".into()).unwrap() > 0);
    place.otlp(&receiver).unwrap();
    let got = receiver.got.lock().unwrap();
    let logged = logged(&got);
    assert!(
        ids(&place.all()).is_subset(&logged),
        "every record that is left arrived"
    );
    assert_eq!(got.logs.len(), logged.len(), "and none twice");
}

#[test]
fn a_file_of_the_record_that_went_before_it_was_sent_is_told_once() {
    let (place, receiver) = (Place::new(20), Receiver::start());
    place.otlp(&receiver).unwrap();
    let [file] = &place.store().segments()[..] else {
        panic!("one file")
    };
    fs::remove_file(file).unwrap();
    place.store().append_all(&[report(30)]).unwrap();
    let later = file.with_file_name("record-00000009.jsonl");
    fs::rename(&place.store().segments()[0], later).unwrap();
    let done = place.otlp(&receiver).unwrap();
    assert_eq!((done.records, done.lost), (1, true));
    let done = place.otlp(&receiver).unwrap();
    assert_eq!((done.records, done.lost), (0, false));
}

#[test]
fn lines_of_json_are_the_records_that_the_filter_takes_and_the_head_of_the_chain() {
    let place = Place::new(100);
    let filter = Filter {
        said: Some(VerdictFilter::Denied),
        ..Filter::default()
    };
    let mut out = Vec::new();
    lines(&place.store(), &filter, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    let mut written: Vec<&str> = text.lines().collect();
    let head: Value = serde_json::from_str(written.pop().unwrap()).unwrap();
    let read: Vec<Report> = written
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
            .verify(std::slice::from_ref(&head))
            .unwrap()
            .missing,
        [""; 0]
    );
    // A program that owns the folder writes the chain anew, without one record: it holds, and the head is not in it.
    let rest = place.all().split_off(1);
    fs::remove_dir_all(place.path("reports")).unwrap();
    place.store().append_all(&rest).unwrap();
    let verified = place.store().verify(std::slice::from_ref(&head)).unwrap();
    assert_eq!((verified.broken, verified.missing), (vec![], vec![head]));
}

mod slow {
    use std::process::{Command, Stdio};
    use std::time::Duration;

    use super::*;

    const TO: &str = "ANYHOOK_TEST_RECEIVER";
    const FOLDER: &str = "ANYHOOK_TEST_FOLDER";

    /// An export in a process of its own. Run by itself it does nothing.
    #[test]
    #[ignore = "takes seconds"]
    fn the_export_that_is_killed() {
        let Some(folder) = std::env::var_os(FOLDER) else {
            return;
        };
        let folder = PathBuf::from(folder);
        let store = Jsonl::new(folder.join("reports"), RecordDetail::Payload);
        let to = std::env::var(TO).unwrap();
        let shipping = Exporter::to(&to, None, &folder.join("state"));
        shipping.ship(&store, &Filter::default()).unwrap();
    }

    #[test]
    #[ignore = "takes seconds"]
    fn an_export_that_is_killed_at_any_moment_loses_no_record() {
        let (place, receiver) = (Place::new(3_000), Receiver::start());
        for millis in [20, 60, 120, 200, 300, 1000] {
            let mut child = Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "slow::the_export_that_is_killed", "--ignored"])
                .env(FOLDER, place.folder.path())
                .env(TO, &receiver.to)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(Duration::from_millis(millis));
            child.kill().unwrap();
            child.wait().unwrap();
        }
        let at_last = place.otlp(&receiver).unwrap();
        assert!(at_last.records < 3_000, "nothing went out before");
        assert!(!at_last.lost && !at_last.busy, "{at_last:?}");
        let got = receiver.got.lock().unwrap();
        assert_eq!(logged(&got), ids(&place.all()));
        let spans = got
            .spans
            .iter()
            .map(|span| text(span, "log.record.uid").unwrap());
        assert_eq!(spans.collect::<BTreeSet<_>>(), ids(&place.all()));
    }

    #[test]
    #[ignore = "takes seconds"]
    fn a_receiver_that_fails_and_comes_back_gets_every_record_and_what_was_taken_is_not_sent_again()
    {
        let (place, receiver) = (Place::new(600), Receiver::start());
        let busy = "503 Busy\r\nretry-after: 0\r\n";
        // It says twice that it cannot now, and takes it then; the second batch it does not want at all.
        receiver.will_answer(&[busy, busy, "200 OK\r\n", "200 OK\r\n", "400 Bad\r\n"]);
        let error = place.otlp(&receiver).unwrap_err();
        assert!(
            matches!(error, ExportError::Receiver { sent: 256, .. }),
            "{error}"
        );
        assert!(error.to_string().contains("status 400"), "{error}");
        assert_eq!(receiver.got.lock().unwrap().logs.len(), 256);
        assert_eq!(place.otlp(&receiver).unwrap().records, 344);
        assert_eq!(receiver.got.lock().unwrap().logs.len(), 600);
        assert_eq!(logged(&receiver.got.lock().unwrap()), ids(&place.all()));
        assert_eq!(
            place.otlp(&receiver).unwrap().records,
            0,
            "there is nothing new"
        );
    }
}
