//! The record in files.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::time::Duration;

use anyhook::stores::{Filter, Jsonl, RecordDetail, Retention};
use anyhook_core::event::EventName;
use anyhook_core::hook::Hooks;
use anyhook_core::report::{Heading, Report, VERSION};
use anyhook_core::result::HookResult;
use serde_json::{Value, json};

fn report(id: &str, session: &str) -> Report {
    Report {
        version: VERSION,
        id: id.into(),
        parent: None,
        at: Some(1),
        event: Heading {
            name: EventName::new("PreToolUse"),
            host: "claude-code".into(),
            native: "PreToolUse".into(),
            session: Some(session.into()),
            subject: Some("Write".into()),
        },
        result: HookResult::deny("line\nbreak \u{2028} \u{1b}[31m"),
        said: None,
        hooks: Arc::clone(Hooks::default().roster()),
        steps: Vec::new(),
        losses: Vec::new(),
        remarks: Vec::new(),
        audit: Vec::new(),
        took: None,
        action: None,
    }
}

fn ids(reports: &[Report]) -> Vec<&str> {
    reports.iter().map(|report| &*report.id).collect()
}

fn of_session(session: &str) -> Filter {
    Filter {
        session: Some(session.into()),
        ..Filter::default()
    }
}

#[test]
fn the_record_finds_what_it_was_given() {
    let home = tempfile::tempdir().unwrap();
    let store = Jsonl::new(home.path().join("state/anyhook"), RecordDetail::Verdicts);
    assert_eq!(store.find(&Filter::default()).unwrap(), []);
    for (id, session) in [("aa1", "s"), ("ab2", "t"), ("aa3", "s"), ("b4", "s")] {
        store.append(&report(id, session)).unwrap();
    }
    let found = |filter: Filter, last| store.search(&filter, last).unwrap().reports;
    let newest = |last| found(Filter::default(), last);
    assert_eq!(ids(&newest(9)), ["aa1", "ab2", "aa3", "b4"]);
    assert_eq!(ids(&newest(2)), ["aa3", "b4"]);
    assert_eq!(newest(0), []);
    assert_eq!(ids(&found(of_session("s"), 2)), ["aa3", "b4"]);
    assert_eq!(found(of_session("a\"\n"), 9), []);
    let by_prefix = Filter {
        id: Some("aa".into()),
        ..Filter::default()
    };
    assert_eq!(
        found(by_prefix, 9),
        [report("aa1", "s"), report("aa3", "s")]
    );
}

#[test]
fn payload_is_kept_only_where_it_was_asked_for() {
    let mut with_values = report("r", "s");
    with_values.result = HookResult::proceed().modify("tool_input", json!({"content": "hunter2"}));
    let home = tempfile::tempdir().unwrap();
    let kept = |keep| -> Vec<Report> {
        let store = Jsonl::new(home.path().join(format!("{keep:?}")), keep);
        store.append(&with_values).unwrap();
        store.find(&Filter::default()).unwrap()
    };
    assert_eq!(kept(RecordDetail::Payload), [with_values.clone()]);
    let found = kept(RecordDetail::Verdicts);
    assert!(!serde_json::to_string(&found).unwrap().contains("hunter2"));
}

#[test]
fn values_too_deep_to_be_read_back_are_left_out_and_it_is_said() {
    let mut deep = Value::Null;
    for _ in 0..200 {
        deep = json!([deep]);
    }
    let mut report = report("r", "s");
    report.result = HookResult::proceed().modify("tool_input", deep);
    let home = tempfile::tempdir().unwrap();
    let store = Jsonl::new(home.path(), RecordDetail::Payload);
    store.append(&report).unwrap();
    let page = store.search(&Filter::default(), usize::MAX).unwrap();
    assert_eq!(page.skipped, 0);
    assert_eq!(page.reports[0].remarks.len(), 1);
}

#[test]
fn torn_and_foreign_lines_are_skipped_and_counted_and_spoil_no_neighbour() {
    let home = tempfile::tempdir().unwrap();
    let store = Jsonl::new(home.path(), RecordDetail::Verdicts);
    let path = home.path().join("record-00000001.jsonl");
    let spoil = |bytes: &[u8]| {
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(bytes).unwrap();
    };
    store.append(&report("a", "s")).unwrap();
    spoil(b"{\"not\": \"ours\"}\n\n\xff\xfe\0\n{\"version\":1,\"id\":\"to");
    store.append(&report("b", "s")).unwrap();
    let page = store.search(&Filter::default(), usize::MAX).unwrap();
    let reports = [report("a", "s"), report("b", "s")];
    assert_eq!((page.reports, page.skipped), (reports.into(), 3));
    let verified = store.verify(&[]).unwrap();
    let is = (verified.records, verified.torn, verified.broken);
    assert_eq!(is, (2, 3, vec![]));
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn the_oldest_segments_go_and_the_newest_reports_stay_in_order() {
    let home = tempfile::tempdir().unwrap();
    let retention = Retention {
        segment: 4096,
        total: 16 * 1024,
        days: 90,
    };
    let store = Jsonl::new(home.path(), RecordDetail::Verdicts).retaining(retention);
    for number in 0..200 {
        store.append(&report(&format!("{number:03}"), "s")).unwrap();
    }
    let segments = store.segments();
    assert!((3..=4).contains(&segments.len()), "{segments:?}");
    let found = store.find(&Filter::default()).unwrap();
    let oldest = 200 - found.len();
    assert!((15..100).contains(&found.len()), "{}", found.len());
    let all: Vec<String> = (oldest..200).map(|number| format!("{number:03}")).collect();
    assert_eq!(ids(&found), all);
    let last = store.search(&Filter::default(), 12).unwrap();
    assert_eq!(ids(&last.reports), all[all.len() - 12..]);
    for segment in segments {
        let meta = fs::metadata(segment).unwrap();
        assert!(meta.len() <= 4096 && meta.permissions().mode() & 0o777 == 0o600);
    }
    let verified = store.verify(&[]).unwrap();
    assert_eq!(verified.records, found.len() as u64);
    assert!(verified.broken.is_empty() && verified.oldest > 1);
}

fn segments_of(segment: u64) -> Retention {
    Retention {
        segment,
        ..Retention::default()
    }
}

/// A store with some records of two sessions in several segments.
fn chained(home: &std::path::Path) -> Jsonl {
    let store = Jsonl::new(home, RecordDetail::Payload).retaining(segments_of(4096));
    for number in 0..30 {
        let session = if number % 3 == 0 { "t" } else { "s" };
        let report = report(&format!("{number:03}"), session);
        store.append(&report).unwrap();
    }
    store
}

/// What the chain says after the lines of a segment were changed.
fn after(segment: usize, change: impl Fn(&mut Vec<String>)) -> (u64, usize) {
    let home = tempfile::tempdir().unwrap();
    let store = chained(home.path());
    assert_eq!(store.verify(&[]).unwrap().broken, []);
    let path = &store.segments()[segment];
    let text = fs::read_to_string(path).unwrap();
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    change(&mut lines);
    fs::write(path, lines.concat()).unwrap();
    // What is added later does not hide it.
    let before = store.verify(&[]).unwrap().broken.len();
    store.append(&report("new", "s")).unwrap();
    let verified = store.verify(&[]).unwrap();
    assert!(before > 0 && !verified.broken.is_empty(), "{verified:?}");
    (verified.records, before)
}

#[test]
fn a_line_that_was_changed_removed_added_or_moved_is_found() {
    let whole = tempfile::tempdir().unwrap();
    let last = chained(whole.path()).segments().len() - 1;
    for segment in [0, 1, last] {
        after(segment, |lines| lines[1] = lines[1].replace("deny", "none"));
        after(segment, |lines| drop(lines.remove(1)));
        after(segment, |lines| drop(lines.pop()));
        after(segment, |lines| lines.insert(1, lines[1].clone()));
        after(segment, |lines| lines.swap(1, 2));
        after(segment, Vec::clear);
    }
    let home = tempfile::tempdir().unwrap();
    let store = chained(home.path());
    fs::remove_file(&store.segments()[1]).unwrap();
    assert_ne!(store.verify(&[]).unwrap().broken, [], "a segment is gone");
}

#[test]
fn what_is_purged_is_gone_and_the_rest_stays_provable() {
    let home = tempfile::tempdir().unwrap();
    let store = chained(home.path());
    let which = of_session("t");
    assert_eq!(store.purge(&which, 7, "purge".into()).unwrap(), 10);
    let verified = store.verify(&[]).unwrap();
    assert_eq!((verified.records, verified.purged), (21, 10));
    assert_eq!(verified.broken, []);
    let found = store.find(&Filter::default()).unwrap();
    let is_purged = |report: &Report| report.event.session.as_deref() == Some("t");
    assert!(!found.iter().any(is_purged));
    // The purge itself is a record.
    assert_eq!(ids(&found).last(), Some(&"purge"));
    for segment in store.segments() {
        let text = fs::read_to_string(segment).unwrap();
        assert!(!text.contains("\"session\":\"t\",\"sub"));
    }
    assert_eq!(store.purge(&which, 8, "again".into()).unwrap(), 0);
    let before = Filter {
        until: Some(5),
        ..Filter::default()
    };
    assert_eq!(store.purge(&before, 9, "all".into()).unwrap(), 20);
    assert_eq!(store.verify(&[]).unwrap().broken, []);
}

#[test]
fn a_writer_waits_for_another_process_that_holds_the_head() {
    let home = tempfile::tempdir().unwrap();
    let store = chained(home.path());
    let held = anyhook::files::lock(&home.path().join("head"), Duration::ZERO).unwrap();
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| store.append(&report("waited", "s")));
        drop(held);
        waits.join().unwrap().unwrap();
    });
    let last = store.search(&Filter::default(), 1).unwrap();
    assert_eq!(ids(&last.reports), ["waited"]);
    assert_eq!(store.verify(&[]).unwrap().broken, []);
}

#[test]
fn writers_side_by_side_lose_nothing_while_files_rotate() {
    let home = tempfile::tempdir().unwrap();
    let writers = 4;
    std::thread::scope(|scope| {
        for writer in 0..writers {
            let store =
                Jsonl::new(home.path(), RecordDetail::Verdicts).retaining(segments_of(16 * 1024));
            scope.spawn(move || {
                for number in 0..30 {
                    let report = report(&format!("{writer}-{number:02}"), "s");
                    store.append(&report).unwrap();
                }
            });
        }
    });
    let store = Jsonl::new(home.path(), RecordDetail::Verdicts);
    let page = store.search(&Filter::default(), usize::MAX).unwrap();
    assert!(home.path().join("record-00000002.jsonl").exists());
    assert_eq!((page.reports.len(), page.skipped), (writers * 30, 0));
}

#[test]
fn a_report_that_is_too_long_or_cannot_be_written_is_an_error() {
    let home = tempfile::tempdir().unwrap();
    let mut long = report("r", "s");
    long.result = HookResult::deny("x".repeat(2000));
    let store = Jsonl::new(home.path(), RecordDetail::Verdicts).retaining(segments_of(4096));
    let error = store.append(&long).unwrap_err();
    assert_eq!(error.to_string(), "the report `r` is too long to be kept");
    fs::write(home.path().join("file"), "").unwrap();
    let nowhere = Jsonl::new(home.path().join("file"), RecordDetail::Verdicts);
    assert!(nowhere.append(&report("r", "s")).is_err());
    std::os::unix::fs::symlink("/dev/full", home.path().join("record-00000001.jsonl")).unwrap();
    assert!(store.append(&report("r", "s")).is_err());
}
