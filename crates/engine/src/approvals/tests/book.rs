//! How long questions and approvals hold, and the files that they are kept in.

use super::*;

#[test]
fn an_open_question_is_over_after_an_hour_and_an_approval_for_once_after_a_quarter() {
    let place = Place::new();
    let hooks = place.hooks();
    let (event, asked) = (bash("ls", "1"), asks(&[0]));
    let open = place.open(&event, &asked, &hooks, NOW);
    assert_eq!(
        place.book.waiting(NOW + HOUR).unwrap(),
        std::slice::from_ref(&open)
    );
    assert_eq!(place.book.waiting(NOW + HOUR + 1).unwrap(), []);
    let late = place
        .book
        .approve(&open, &[yes(AnswerLifetime::Once)], None, NOW + HOUR + 1);
    assert!(matches!(late, Err(BookError::NoSuchCode)));
    place.approve(&event, &asked, &hooks, AnswerLifetime::Once);
    let end = NOW + 15 * MINUTE;
    assert_eq!(place.settle(&event, &asked, &hooks, end + 1).result, asked);
    assert_eq!(
        place.settle(&event, &asked, &hooks, NOW - 1).result,
        asked,
        "a clock that was set back"
    );
    let settled = place.settle(&event, &asked, &hooks, end);
    assert_eq!(settled.result, HookResult::proceed());
}

#[test]
fn a_code_works_once_and_only_for_what_was_shown() {
    let place = Place::new();
    let hooks = place.hooks();
    let (event, asked) = (bash("ls", "1"), asks(&[0]));
    let open = place.open(&event, &asked, &hooks, NOW);
    assert_eq!(open.code.len(), 6);
    assert_eq!(place.open(&event, &asked, &hooks, NOW), open, "one code");
    let mut swapped = open.clone();
    swapped.action = "something harmless".to_owned();
    let answer = [yes(AnswerLifetime::Once)];
    let changed = place.book.approve(&swapped, &answer, None, NOW);
    assert!(matches!(changed, Err(BookError::Changed)));
    let too_few = place.book.approve(&open, &[], None, NOW);
    assert!(matches!(too_few, Err(BookError::Changed)));
    let _ = place.book.approve(&open, &answer, None, NOW).unwrap();
    let again = place.book.approve(&open, &answer, None, NOW);
    assert!(matches!(again, Err(BookError::Answered(said)) if said == "yes, by anyhook approve"));
    let next = place.open(&event, &asked, &hooks, NOW);
    assert_ne!(next.code, open.code);
    place.book.refuse(&next, "", NOW).unwrap();
    assert_eq!(place.book.waiting(NOW).unwrap(), []);
}

#[test]
fn a_question_that_no_person_could_read_is_not_left_open_and_neither_are_thousands() {
    let place = Place::new();
    let hooks = place.hooks();
    let asked = asks(&[0]);
    let long = bash(&"x".repeat(64 * 1024), "1");
    let exact = ExactAction::of(&long, &asked);
    let puts = put_all(&asked, &hooks, &exact).unwrap();
    let refused = place.book.open(
        ApprovalSubject::of(&long, &exact, None),
        &exact.text,
        puts,
        NOW,
    );
    assert!(matches!(refused, Err(BookError::TooLong(_))));
    for at in 0..70 {
        place.open(&bash(&format!("ls {at}"), "1"), &asked, &hooks, NOW + at);
    }
    let waiting = place.book.waiting(NOW + 70).unwrap();
    let summaries: Vec<&str> = waiting.iter().map(|open| &*open.about.summary).collect();
    assert_eq!(summaries.len(), 64);
    assert_eq!(summaries[0], "Bash {\"command\":\"ls 6\",\"timeout\":5}");
}

#[test]
fn a_file_that_cannot_be_understood_approves_nothing_and_is_put_aside_by_the_next_change() {
    let place = Place::new();
    let hooks = place.hooks();
    let (event, asked) = (bash("ls", "1"), asks(&[0]));
    let folder = place.folder.path().join("approvals");
    for text in [
        "{\"version\": 1, ",
        "[1, []]",
        "{\"version\": 2, \"always\": []}",
    ] {
        place.approve(&event, &asked, &hooks, AnswerLifetime::Always);
        std::fs::write(folder.join("book.json"), text).unwrap();
        let with = SettlementContext {
            hooks: &hooks,
            can: &MUTE,
            book: Some(&place.book),
            session: None,
            now: NOW,
            approvers: &[],
        };
        let settled = settle(&event, asked.clone(), &with);
        assert_eq!(settled.result, asked);
        assert!(settled.trouble[0].contains("book.json` cannot be understood"));
        let found = place.book.approvals(None, NOW);
        assert!(matches!(found, Err(BookError::Unreadable { .. })));
        place.open(&event, &asked, &hooks, NOW);
        assert_eq!(place.settle(&event, &asked, &hooks, NOW).result, asked);
        let aside = std::fs::read_to_string(folder.join("book.json.bad"));
        assert_eq!(aside.unwrap(), text);
    }
    std::fs::write(folder.join("book.json"), "garbage").unwrap();
    place.book.revoke(None, None, NOW).unwrap();
    assert_eq!(place.book.approvals(None, NOW).unwrap(), []);
}

#[test]
fn what_is_taken_back_is_asked_again() {
    let place = Place::new();
    let hooks = place.hooks();
    let sessions = crate::state::FileState::new(place.folder.path().join("sessions"));
    let asked = asks(&[0]);
    for (command, lasts) in [
        ("a", AnswerLifetime::Once),
        ("b", AnswerLifetime::Session),
        ("c", AnswerLifetime::Always),
    ] {
        let open = place.open(&bash(command, "1"), &asked, &hooks, NOW);
        let _ = place
            .book
            .approve(&open, &[yes(lasts)], Some(&sessions), NOW)
            .unwrap();
    }
    let listed = || place.book.approvals(Some(&sessions), NOW).unwrap();
    let lasts = |all: &[Approval]| all.iter().map(|one| one.lasts).collect::<Vec<_>>();
    let all = listed();
    assert_eq!(all.len(), 3);
    for one in &all {
        let taken = place.book.revoke(Some(one.id()), Some(&sessions), NOW);
        let taken = taken.unwrap();
        assert_eq!(taken, 1, "{:?}", lasts(&listed()));
    }
    assert_eq!(listed(), []);
    let nothing = place.book.revoke(Some(""), Some(&sessions), NOW);
    assert_eq!(nothing.unwrap(), 0);
}

#[test]
fn the_files_are_for_one_user_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new();
    place.approve(
        &bash("ls", "1"),
        &asks(&[0]),
        &place.hooks(),
        AnswerLifetime::Always,
    );
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let folder = place.folder.path().join("approvals");
    assert_eq!(mode(&folder), 0o700);
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
}

#[test]
fn a_session_keeps_the_newest_approvals() {
    let place = Place::new();
    let event = bash("ls", "1");
    let asked = asks(&[0]);
    let exact = ExactAction::of(&event, &asked);
    let about = ApprovalSubject::of(&event, &exact, None);
    let mut put = put_all(&asked, &place.hooks(), &exact).unwrap().remove(0);
    let mut session = SessionState::default();
    for at in 0..300 {
        put.key = format!("{at:04}");
        session.approve(Approval::new(
            &about,
            &put,
            yes(AnswerLifetime::Session),
            ApprovalChannel::Dialog,
            at,
        ));
    }
    let kept: Vec<&String> = session.approvals.granted.keys().collect();
    assert_eq!((kept.len(), kept[0].as_str()), (256, "0044"));
}

#[test]
fn what_an_action_is_in_one_line_is_cut_between_letters() {
    let event = bash(&"é".repeat(300), "1");
    let summary = ExactAction::of(&event, &asks(&[0])).summary;
    assert!(summary.starts_with("Bash {\"command\":\"éé") && summary.ends_with("é…"));
    let prompt = Event::new("prompt:submit", json!({"prompt": "hi", "session_id": "s"}));
    let summary = ExactAction::of(&prompt, &asks(&[0])).summary;
    assert_eq!(summary, "{\"prompt\":\"hi\"}");
}
