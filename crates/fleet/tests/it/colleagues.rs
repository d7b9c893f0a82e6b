//! A question of one machine, answered by a colleague on another one.

use std::fs;
use std::io::Write as _;
use std::process::{Output, Stdio};

use anyhook::approvals::{About, Book, Exact, Put};
use anyhook::core::question::Remember;
use anyhook::core::report::Report;
use anyhook::core::result::HookResult;
use anyhook::line::{Caller, Line};
use anyhook::load::Loading;
use anyhook::stores::{Jsonl, Keep};
use anyhook::world::{Places, World};
use anyhook_fleet::{Keyring, Secret, Source, Store};
use serde_json::{Value, json};

use crate::fleets::{Room, until};
use crate::room::Lead;

/// Asks a question on the machine of ada, as a hook does whose agent cannot ask; returns its code.
pub(crate) fn asked(room: &Room, command: &str) -> String {
    let payload = json!({"hook_event_name": "PreToolUse", "session_id": "s1", "cwd": room.place.path(),
        "permission_mode": "default", "tool_name": "Bash", "tool_use_id": command, "tool_input": {"command": command}});
    let host = anyhook::wires::host("claude-code").unwrap();
    let event = host
        .read_event(payload.to_string().as_bytes(), None)
        .unwrap();
    let exact = Exact::of(&event, &HookResult::default());
    let put = Put {
        key: format!("key of {command}"),
        hook: "careful".into(),
        place: None,
        definition: None,
        prompt: format!("really {command}?"),
        options: Vec::new(),
        longest: Remember::Once,
    };
    let about = About::of(&event, &exact, None);
    book(room)
        .open(about, &exact.text, vec![put], now())
        .unwrap()
}

fn now() -> i64 {
    World::real().clock.now()
}

fn book(room: &Room) -> Book {
    Book::new(room.state("ada").join("approvals"))
}

pub(crate) fn codes(room: &Room) -> Vec<String> {
    book(room)
        .waiting(now())
        .unwrap()
        .into_iter()
        .map(|open| open.code)
        .collect()
}

/// `anyhook fleet answer` of grace, away from a terminal.
fn looks(room: &Room, more: &[&str]) -> Output {
    let args = [
        "answer",
        "fleet.json",
        "--key",
        "grace.key",
        "--server",
        &room.address,
    ];
    room.fleet(&[&args, more].concat())
}

/// `anyhook fleet answer` at a terminal, where a person types this.
pub(crate) fn typed(room: &Room, who: &str, code: &str, typed: &str, more: &str) -> Output {
    let program = env!("CARGO_BIN_EXE_anyhook-fleet");
    let line = format!(
        "{program} fleet answer fleet.json {code} --key {who}.key --server {} {more}",
        room.address
    );
    let mut script = std::process::Command::new("script")
        .args(["-qec", &line, "/dev/null"])
        .current_dir(room.place.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = script.stdin.take().unwrap();
    stdin.write_all(typed.as_bytes()).unwrap();
    let output = script.wait_with_output().unwrap();
    drop(stdin);
    output
}

/// A room whose policy lets grace answer, and not mallory, who has a key of the same role.
fn room() -> Option<(Room, Store, Lead)> {
    let room = Room::of(&["ada", "grace:answerer", "mallory:answerer"])?;
    let lead = Lead::new();
    let etc = room.path("ada-etc");
    fs::create_dir_all(&etc).unwrap();
    Keyring::at(&etc).add(&lead.key.public("lead")).unwrap();
    let grace = Secret::open(&room.path("grace.key"))
        .unwrap()
        .public("grace");
    lead.rules(json!({"name": "acme", "revision": 1, "answerers": [grace.to_string().trim_end()]}));
    let store = Store::at(&etc);
    store
        .apply(&lead.signed(), &Source::file("acme.policy"))
        .unwrap();
    Some((room, store, lead))
}

#[test]
fn a_colleague_whom_the_policy_names_answers_exactly_one_question_and_no_one_else_does() {
    let Some((room, ..)) = room() else {
        return;
    };
    let follower = Room::following(room.shipping("ada", &["--follow"]));
    let (first, second) = (
        asked(&room, "npm publish"),
        asked(&room, "git push --force"),
    );
    let listed = || {
        let said = looks(&room, &["--json"]);
        let rows: Vec<Value> = serde_json::from_slice(&said.stdout).unwrap_or_default();
        rows.iter()
            .map(|row| row["code"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    until("both questions are heard", || listed().len() == 2);

    // The server lets her answer; the machine's policy does not name her.
    let stranger = typed(&room, "mallory", &first, "y\n", "");
    let text = String::from_utf8_lossy(&stranger.stdout).into_owned();
    assert!(
        text.contains("does not name this key below `answerers`"),
        "{text}"
    );
    assert_eq!(codes(&room).len(), 2);

    let yes = typed(&room, "grace", &first, "y\n", "");
    let text = String::from_utf8_lossy(&yes.stdout).into_owned();
    for part in [
        "npm publish",
        "careful asks: really npm publish?",
        "grace let it happen once",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert_eq!(
        codes(&room),
        std::slice::from_ref(&second),
        "the other question waits on"
    );
    assert_eq!(
        book(&room).closed(&first, now()).unwrap().as_deref(),
        Some("yes, by the colleague grace")
    );

    let nothing = typed(&room, "grace", &second, "\n", "");
    assert!(String::from_utf8_lossy(&nothing.stdout).contains("the question waits on"));
    let no = typed(&room, "grace", &second, "n\n", "--note 'from main only'");
    let text = String::from_utf8_lossy(&no.stdout).into_owned();
    assert!(text.contains("grace refused it"), "{text}");
    assert_eq!(codes(&room), Vec::<String>::new());
    follower.kill();
}

/// What the agent of ada hears when it runs a command, as it is recorded.
fn runs(room: &Room, command: &str) -> Report {
    let project = room.path("project");
    fs::create_dir_all(&project).unwrap();
    let home = room.path("ada-home");
    let world = World {
        env: [("PATH".into(), "/usr/bin:/bin".into())].into(),
        cwd: project.clone(),
        places: Some(Places {
            config: home.join(".config/anyhook"),
            state: room.state("ada"),
            home,
        }),
        managed: room.path("ada-etc"),
        ..World::real()
    };
    let store = Jsonl::new(room.state("ada").join("reports"), Keep::Payload);
    let line = Line {
        world: &world,
        host: anyhook::wires::host("codex-cli").unwrap(),
        caller: Caller::Host,
        hint: None,
        manifest: None,
        deadline: None,
        loading: Loading::default(),
        store: Some(&store),
        state: None,
    };
    let payload = json!({
        "session_id": "s1", "turn_id": "1", "transcript_path": "/t", "cwd": project,
        "hook_event_name": "PreToolUse", "model": "m", "permission_mode": "default", "tool_name": "Bash",
        "tool_input": {"command": command}, "tool_use_id": "c1",
    });
    line.run(payload.to_string().as_bytes()).report
}

#[test]
fn the_record_of_the_machine_and_that_of_the_fleet_name_the_colleague_who_answered() {
    let Some((room, store, lead)) = room() else {
        return;
    };
    lead.hooks(&[("careful", "runs('npm publish') || runs('git push')", "ask")]);
    let rules = lead.folder().join("policy.json");
    let mut rules: Value = serde_json::from_slice(&fs::read(rules).unwrap()).unwrap();
    rules["revision"] = json!(2);
    lead.rules(rules);
    let file = Source::file("acme.policy");
    store.apply(&lead.signed(), &file).unwrap();

    let follower = Room::following(room.shipping("ada", &["--follow"]));
    let mut remarks = Vec::new();
    for (command, answer, more) in [
        ("npm publish", "y\n", ""),
        ("git push", "n\n", "--note 'from main only'"),
    ] {
        runs(&room, command);
        let open = codes(&room);
        let [code] = &open[..] else {
            panic!("one question is open: {open:?}");
        };
        let said = typed(&room, "grace", code, answer, more);
        assert!(said.status.success(), "{said:?}");
        let report = runs(&room, command);
        let told = report.remarks.iter().map(ToString::to_string);
        let told: Vec<String> = told.filter(|one| one.contains("question")).collect();
        remarks.extend(told);
    }
    follower.kill();
    let told = |text: &str| text.split(" (").next().unwrap_or_default().to_owned();
    assert_eq!(
        remarks.iter().map(|text| told(text)).collect::<Vec<_>>(),
        [
            "the question of `careful` was approved for once by the colleague grace",
            "the colleague grace answered the question of `careful` with no",
        ]
    );

    assert!(room.ship("ada").status.success());
    room.keep();
    let rows = room.rows(&["log", "kept"]);
    let reasons: Vec<&str> = rows
        .iter()
        .filter_map(|row| row["reason"].as_str())
        .collect();
    for remark in &remarks {
        assert_eq!(
            reasons.iter().filter(|one| one.contains(&**remark)).count(),
            1,
            "{remark}\n{reasons:#?}"
        );
    }
}

#[test]
fn an_answer_needs_a_terminal_and_without_answerers_no_question_leaves_the_machine() {
    let Some((room, store, lead)) = room() else {
        return;
    };
    let said = looks(&room, &["K7F2Q9"]);
    let text = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(
        !said.status.success() && text.contains("a person at a terminal"),
        "{text}"
    );

    lead.rules(json!({"name": "acme", "revision": 2}));
    store
        .apply(&lead.signed(), &Source::file("acme.policy"))
        .unwrap();
    let code = asked(&room, "npm publish");
    let follower = Room::following(room.shipping("ada", &["--follow"]));
    let said = looks(&room, &[]);
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    assert_eq!(
        text,
        "no machine has an open question that a colleague may answer\n"
    );
    assert_eq!(codes(&room), [code]);
    follower.kill();
}

#[test]
fn the_local_trial_has_answerers_where_a_name_has_that_role() {
    let place = tempfile::tempdir().unwrap();
    let up = |folder: &str, names: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_anyhook-fleet"));
        command
            .args(["fleet", "up", folder])
            .args(names)
            .current_dir(place.path())
            .env_clear()
            // No server is found there: what was made before it would start is looked at.
            .env("PATH", place.path());
        String::from_utf8(command.output().unwrap().stderr).unwrap()
    };
    let said = up("trial", &["ada", "grace:answerer"]);
    assert!(said.contains("cannot start `nats-server`"), "{said}");
    let fleet: Value =
        serde_json::from_slice(&fs::read(place.path().join("trial/fleet.json")).unwrap()).unwrap();
    let roles: Vec<(&str, &Value)> = fleet["people"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, listed)| (&**name, &listed["role"]))
        .collect();
    assert_eq!(
        roles,
        [
            ("lead", &json!("lead")),
            ("store", &json!("store")),
            ("ada", &json!("member")),
            ("grace", &json!("answerer")),
        ]
    );
    assert!(place.path().join("trial/grace.key").exists());
    let said = up("other", &["grace:boss"]);
    assert!(said.contains("`boss` is no role"), "{said}");
    assert!(!place.path().join("other/fleet.json").exists());
}
