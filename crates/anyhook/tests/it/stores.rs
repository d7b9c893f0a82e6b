//! One suite for every store that keeps something, then what only files show.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use anyhook::stores::{Jsonl, Keep, Memory, Opening, Page, STORES, find};
use anyhook_core::event::EventName;
use anyhook_core::hook::Hooks;
use anyhook_core::ports::{Query, Store};
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
        hooks: Arc::clone(Hooks::new().roster()),
        steps: Vec::new(),
        losses: Vec::new(),
        remarks: Vec::new(),
        audit: Vec::new(),
        took: None,
    }
}

fn ids(reports: &[Report]) -> Vec<&str> {
    reports.iter().map(|report| &*report.id).collect()
}

fn last(last: usize) -> Query {
    Query {
        last: Some(last),
        ..Query::default()
    }
}

fn conforms(store: &dyn Store) {
    assert_eq!(store.find(&Query::default()).unwrap(), []);
    for (id, session) in [("aa1", "s"), ("ab2", "t"), ("aa3", "s"), ("b4", "s")] {
        store.append(&report(id, session)).unwrap();
    }
    let found = |query: Query| store.find(&query).unwrap();
    assert_eq!(ids(&found(Query::default())), ["aa1", "ab2", "aa3", "b4"]);
    assert_eq!(ids(&found(last(2))), ["aa3", "b4"]);
    assert_eq!(found(last(0)), []);
    let of_session = Query {
        session: Some("s".into()),
        last: Some(2),
        ..Query::default()
    };
    assert_eq!(ids(&found(of_session)), ["aa3", "b4"]);
    let by_prefix = Query {
        id: Some("aa".into()),
        ..Query::default()
    };
    assert_eq!(found(by_prefix), [report("aa1", "s"), report("aa3", "s")]);
    let of_nobody = Query {
        session: Some("a\"\n".into()),
        ..Query::default()
    };
    assert_eq!(found(of_nobody), []);
}

#[test]
fn every_store_of_the_table_conforms_except_the_one_that_keeps_nothing() {
    for row in STORES.iter().filter(|row| row.name != "none") {
        let home = tempfile::tempdir().unwrap();
        conforms(&*(row.open)(&Opening {
            dir: home.path().join("state/anyhook"),
            keep: Keep::Verdicts,
        }));
    }
    let names: Vec<_> = STORES.iter().map(|row| row.name).collect();
    assert_eq!(names, ["none", "memory", "jsonl"]);
    assert!(find("sqlite").is_none());
}

#[test]
fn payload_is_kept_only_where_it_was_asked_for() {
    let mut with_values = report("r", "s");
    with_values.result = HookResult::proceed().modify("tool_input", json!({"content": "hunter2"}));
    let home = tempfile::tempdir().unwrap();
    let kept = |keep| -> [Vec<Report>; 2] {
        let stores: [Box<dyn Store>; 2] = [
            Box::new(Memory::new(keep)),
            Box::new(Jsonl::new(home.path().join(format!("{keep:?}")), keep)),
        ];
        stores.map(|store| {
            store.append(&with_values).unwrap();
            store.find(&Query::default()).unwrap()
        })
    };
    assert_eq!(
        kept(Keep::Payload),
        [[with_values.clone()], [with_values.clone()]]
    );
    for found in kept(Keep::Verdicts) {
        assert!(!serde_json::to_string(&found).unwrap().contains("hunter2"));
    }
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
    let store = Jsonl::new(home.path(), Keep::Payload);
    store.append(&report).unwrap();
    let page = store.read(&Query::default()).unwrap();
    assert_eq!(page.skipped, 0);
    assert_eq!(page.reports[0].remarks.len(), 1);
}

#[test]
fn torn_and_foreign_lines_are_skipped_and_counted_and_spoil_no_neighbour() {
    let home = tempfile::tempdir().unwrap();
    let store = Jsonl::new(home.path(), Keep::Verdicts);
    let path = home.path().join("reports.jsonl");
    let spoil = |bytes: &[u8]| {
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(bytes).unwrap();
    };
    store.append(&report("a", "s")).unwrap();
    spoil(b"{\"not\": \"ours\"}\n\n\xff\xfe\0\n{\"version\":1,\"id\":\"to");
    store.append(&report("b", "s")).unwrap();
    let page = store.read(&Query::default()).unwrap();
    let reports = vec![report("a", "s"), report("b", "s")];
    assert_eq!(
        page,
        Page {
            reports,
            skipped: 3
        }
    );
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o600
    );
}

#[test]
fn four_files_are_kept_and_the_newest_reports_are_in_them_in_order() {
    let home = tempfile::tempdir().unwrap();
    let store = Jsonl::new(home.path(), Keep::Verdicts).limit(4096);
    for number in 0..200 {
        store.append(&report(&format!("{number:03}"), "s")).unwrap();
    }
    let mut names: Vec<_> = fs::read_dir(home.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let expected = [
        "reports.1.jsonl",
        "reports.2.jsonl",
        "reports.3.jsonl",
        "reports.jsonl",
        "reports.lock",
    ];
    assert_eq!(names, expected);
    let found = store.find(&Query::default()).unwrap();
    let oldest = 200 - found.len();
    assert!((20..100).contains(&found.len()), "{}", found.len());
    let all: Vec<String> = (oldest..200).map(|number| format!("{number:03}")).collect();
    assert_eq!(ids(&found), all);
    assert_eq!(ids(&store.find(&last(30)).unwrap()), all[all.len() - 30..]);
    for entry in fs::read_dir(home.path()).unwrap() {
        assert!(entry.unwrap().metadata().unwrap().len() <= 4096);
    }
}

#[test]
fn writers_side_by_side_lose_nothing_while_files_rotate() {
    let home = tempfile::tempdir().unwrap();
    let writers = 4;
    std::thread::scope(|scope| {
        for writer in 0..writers {
            let store = Jsonl::new(home.path(), Keep::Verdicts).limit(16 * 1024);
            scope.spawn(move || {
                for number in 0..30 {
                    store
                        .append(&report(&format!("{writer}-{number:02}"), "s"))
                        .unwrap();
                }
            });
        }
    });
    let store = Jsonl::new(home.path(), Keep::Verdicts);
    let page = store.read(&Query::default()).unwrap();
    assert!(home.path().join("reports.1.jsonl").exists());
    assert_eq!((page.reports.len(), page.skipped), (writers * 30, 0));
}

#[test]
fn a_report_that_is_too_long_or_cannot_be_written_is_an_error() {
    let home = tempfile::tempdir().unwrap();
    let mut long = report("r", "s");
    long.result = HookResult::deny("x".repeat(2000));
    let store = Jsonl::new(home.path(), Keep::Verdicts).limit(4096);
    let error = store.append(&long).unwrap_err();
    assert_eq!(error.to_string(), "the report `r` is too long to be kept");
    fs::write(home.path().join("file"), "").unwrap();
    let nowhere = Jsonl::new(home.path().join("file"), Keep::Verdicts);
    assert!(nowhere.append(&report("r", "s")).is_err());
    std::os::unix::fs::symlink("/dev/full", home.path().join("reports.jsonl")).unwrap();
    assert!(store.append(&report("r", "s")).is_err());
}
