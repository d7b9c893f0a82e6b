//! The line under a host that cannot ask: what it leaves open, and what an answer changes.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use anyhook::approvals::{Answered, Book, Open};
use anyhook::event::{Answered as Reported, Caller, Context};
use anyhook::state::{FileState, SessionKey, State};
use anyhook::wires::hosts::universal::Universal;
use anyhook::wires::{DecodeError, Host, HostFacts, NativeEvent, Reply, Wire};
use anyhook::world::{Places, World};
use anyhook_core::can::{Can, Shown};
use anyhook_core::event::Event;
use anyhook_core::handler::Said;
use anyhook_core::ports::Clock;
use anyhook_core::question::{Grants, Remember};
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::transcript::Transcript;
use serde_json::{Value, json};

use crate::lines::line;

/// An agent that speaks the universal form and cannot ask, and maybe shows its person nothing.
struct Mute {
    shows: Shown,
}

static MUTE: Mute = Mute { shows: Shown::Yes };
static DARK: Mute = Mute { shows: Shown::No };

impl Wire for Mute {
    fn id(&self) -> &'static str {
        Universal.id()
    }
    fn read_event(&self, bytes: &[u8], hint: Option<&str>) -> Result<Event, DecodeError> {
        Universal.read_event(bytes, hint)
    }
    fn write_event(&self, event: &Event) -> Value {
        Universal.write_event(event)
    }
    fn read_result(&self, raw: &Transcript, event: &Event) -> Said {
        Universal.read_result(raw, event)
    }
    fn write_result(&self, event: &Event, result: &HookResult) -> Reply {
        Universal.write_result(event, result)
    }
}

impl Host for Mute {
    fn rows(&self) -> &'static [NativeEvent] {
        Universal.rows()
    }
    fn can(&self, event: &Event) -> Can {
        Can {
            verdicts: &[Kind::Deny],
            notify: self.shows,
            ..Universal.can(event)
        }
    }
    fn refuse_unread(&self, row: Option<&'static NativeEvent>, reason: &str) -> Reply {
        Universal.refuse_unread(row, reason)
    }
    /// Its sessions are remembered under another host's name.
    fn facts(&self) -> &'static HostFacts {
        static FACTS: LazyLock<HostFacts> = LazyLock::new(|| HostFacts {
            also_reads: &["claude-code"],
            ..*Universal.facts()
        });
        &FACTS
    }
}

struct Given(AtomicI64);

impl Clock for Given {
    fn now(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
    fn since(&self) -> Duration {
        Duration::ZERO
    }
}

struct Place {
    folder: tempfile::TempDir,
    world: World,
    clock: Arc<Given>,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for dir in ["home", "project/hooks"] {
            std::fs::create_dir_all(root.join(dir)).unwrap();
        }
        let manifest = json!({"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Write", "hooks": [
            {"type": "command", "name": "careful", "command": "echo '{\"decision\": \"ask\", \"reason\": \"Really?\"}'"},
        ]}]}});
        let places = Places {
            home: root.join("home"),
            config: root.join("config"),
            state: root.join("state"),
        };
        std::fs::create_dir_all(&places.config).unwrap();
        std::fs::write(places.user_manifest(), manifest.to_string()).unwrap();
        let clock = Arc::new(Given(AtomicI64::new(1_000_000_000)));
        let world = World {
            env: BTreeMap::new(),
            cwd: root.join("project"),
            places: Some(places),
            clock: Arc::clone(&clock) as _,
            ids: || "test1234".into(),
            managed: root.join("managed"),
            supervisor: None,
            interrupted: Arc::default(),
            configured: anyhook::config::Once::default(),
        };
        Self {
            folder,
            world,
            clock,
        }
    }

    fn pass(&self, time: Duration) {
        let time = i64::try_from(time.as_millis()).unwrap();
        self.clock.0.fetch_add(time, Ordering::Relaxed);
    }

    fn sessions(&self) -> FileState {
        FileState::new(self.world.places.as_ref().unwrap().sessions())
    }

    fn book(&self) -> Book {
        Book::new(self.world.places.as_ref().unwrap().approvals())
    }

    fn open(&self) -> Vec<Open> {
        self.book().waiting(self.clock.now()).unwrap()
    }

    fn approve(&self, lasts: Remember) {
        let open = self.open().remove(0);
        let yes = Answered {
            grants: Grants::Proceed,
            lasts,
        };
        let sessions = self.sessions();
        let sessions: Option<&dyn State> = Some(&sessions);
        let now = self.clock.now();
        let _ = self.book().approve(&open, &[yes], sessions, now).unwrap();
    }

    fn call(&self, host: &'static dyn Host, tool: &str, input: &Value, call: &str) -> Reported {
        let payload = json!({
            "hookEventName": "pre-tool-use", "sessionId": "s-1", "cwd": self.folder.path().join("project"),
            "toolName": tool, "toolInput": input, "toolUseId": call,
        });
        let state = self.sessions();
        let line = Context {
            host,
            caller: Caller::Host,
            state: Some(&state),
            ..line(&self.world)
        };
        line.run(payload.to_string().as_bytes())
    }

    fn write(&self, call: &str) -> Kind {
        let input = json!({"file_path": "a", "content": ""});
        said(&self.call(&MUTE, "Write", &input, call))
    }
}

fn said(answered: &Reported) -> Kind {
    answered.report.said.as_ref().unwrap().verdict.kind()
}

#[test]
fn an_agent_that_cannot_ask_may_change_what_guards_it_once_if_a_person_says_so() {
    let place = Place::new();
    let settings = json!({"file_path": "~/.claude/settings.json", "content": "{}"});
    let refused = place.call(&MUTE, "Edit", &settings, "1");
    assert_eq!(said(&refused), Kind::Deny);
    let [open] = <[Open; 1]>::try_from(place.open()).unwrap();
    assert_eq!(open.asked[0].hook, "anyhook:guarded");
    assert!(refused.reply.stdout.contains(&open.code));
    for lasts in [Remember::Session, Remember::Always] {
        assert!(open.may_last(lasts).is_err());
    }
    place.approve(Remember::Once);
    let kinds = ["2", "3"].map(|call| said(&place.call(&MUTE, "Edit", &settings, call)));
    assert_eq!(kinds, [Kind::Continue, Kind::Deny]);
}

#[test]
fn where_the_person_is_shown_nothing_the_code_is_in_the_list_alone() {
    let place = Place::new();
    let input = json!({"file_path": "a", "content": ""});
    let answered = place.call(&DARK, "Write", &input, "1");
    let [open] = <[Open; 1]>::try_from(place.open()).unwrap();
    let reply = &answered.reply.stdout;
    assert!(reply.contains("Really?") && reply.contains("`anyhook approve`"));
    let report = serde_json::to_string(&answered.report).unwrap();
    assert!(!reply.contains(&open.code) && !report.contains(&open.code));
    let shown = place.call(&MUTE, "Write", &input, "2");
    assert!(shown.reply.stdout.contains(&open.code), "it keeps its code");
    let report = serde_json::to_string(&shown.report).unwrap();
    assert!(!report.contains(&open.code));
}

#[test]
fn an_approval_for_the_session_is_where_the_session_is_remembered() {
    let place = Place::new();
    place.write("1");
    let key = SessionKey::new("claude-code", "s-1");
    assert_eq!(place.open()[0].about.kept.as_ref(), Some(&key));
    place.approve(Remember::Session);
    place.pass(Duration::from_hours(24));
    assert_eq!([place.write("2"), place.write("3")], [Kind::Continue; 2]);
    let mut held = 0;
    let _ = place
        .sessions()
        .update(&key, &mut |state| held = state.approvals.granted.len())
        .unwrap();
    assert_eq!(held, 1);
}

#[test]
fn a_book_that_cannot_be_used_refuses_as_before_and_is_told() {
    let place = Place::new();
    std::fs::create_dir_all(place.folder.path().join("state")).unwrap();
    std::fs::write(place.folder.path().join("state/approvals"), "in the way").unwrap();
    let input = json!({"file_path": "a", "content": ""});
    let answered = place.call(&MUTE, "Write", &input, "1");
    assert_eq!(said(&answered), Kind::Deny);
    let reply = &answered.reply.stdout;
    assert!(
        reply.contains("the question could not be left open for a person"),
        "{reply}"
    );
    assert!(!reply.contains("anyhook approve"), "{reply}");
}
