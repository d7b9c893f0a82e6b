//! One event, from the bytes that a host sent to the bytes that it reads.
//!
//! [`Context::run`] is the way of it, and each step is a file below `event`:
//!
//! | | |
//! |---|---|
//! | `read` | the bytes become an event, in the project of its session |
//! | `find` | the files that hold there, as far as they are trusted, become hooks |
//! | `turn` | what the session remembers, and what is known without asking |
//! | `ask` | the hooks are asked, and one result is made of what they say |
//! | `answer` | passes over that result: settle, deliver, fit, limit |
//! | `turn` | the session and the record keep what came of it |
//!
//! Under a host the way cannot end without an answer: every call of [`Context::run`] ends in a [`Reply`].
//!
//! ```
//! use std::fs;
//!
//! use anyhook_engine::core::matcher::Hit;
//! use anyhook_engine::core::report::SkipReason;
//! use anyhook_engine::core::result::Kind;
//! use anyhook_engine::event::{EventAnswer, Caller, Context, EventExplanation, HookExplanation, HookSelection, HookPreview};
//! use anyhook_engine::world::World;
//!
//! let place = tempfile::tempdir()?;
//! let manifest = place.path().join("hooks.json");
//! fs::write(
//!     &manifest,
//!     r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [
//!         {"type": "command", "command": "echo 'deploys are frozen' >&2; exit 2", "name": "frozen"}
//!     ]}], "stop": [{"hooks": [{"type": "command", "command": "exit 2", "name": "tests"}]}]}}"#,
//! )?;
//!
//! // A person tries a manifest: no trust is asked for, and nothing is remembered.
//! let world = World { cwd: place.path().into(), places: None, ..World::real() };
//! let host = anyhook_engine::wires::host("claude-code").ok_or("no such host")?;
//! let context = Context { manifest: Some(manifest), ..Context::new(&world, host, Caller::Person) };
//! let payload = br#"{
//!     "hook_event_name": "PreToolUse",
//!     "tool_name": "Bash",
//!     "tool_input": {"command": "make deploy"}
//! }"#;
//! let mut answered: EventAnswer = context.run(payload);
//! assert_eq!(answered.report.result.verdict.kind(), Kind::Deny);
//! assert!(answered.reply.stdout.contains("deploys are frozen"));
//!
//! // The answer goes out first; then whatever the hooks left running is ended.
//! answered.settle();
//!
//! // What would happen is told without starting anything.
//! let EventExplanation { hooks, .. } = context.explain(payload)?;
//! let [HookExplanation { hook, fires, .. }, other] = &hooks[..] else { panic!() };
//! assert_eq!(&*hook.name, "frozen");
//! let HookSelection::Yes { hit: Hit::Name, turn: 1, by: HookPreview::Process(job) } = fires else {
//!     panic!()
//! };
//! assert_eq!(job.args[0], "-c");
//! assert!(matches!(other.fires, HookSelection::No(SkipReason::OtherEvent)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A test looks on, and chooses who takes part:
//!
//! ```
//! use std::cell::RefCell;
//! use std::fs;
//!
//! use anyhook_engine::core::hook::Hook;
//! use anyhook_engine::core::result::{HookResult, Kind};
//! use anyhook_engine::core::transcript::{End, Transcript};
//! use anyhook_engine::event::{Caller, Context, TranscriptReader, HookInterceptor};
//! use anyhook_engine::models::StandIn;
//! use anyhook_engine::world::World;
//!
//! #[derive(Default)]
//! struct Ends(RefCell<Vec<End>>);
//!
//! impl HookInterceptor for Ends {
//!     fn hear(&self, _: &Hook, raw: &Transcript, read: &TranscriptReader<'_>) -> Option<Transcript> {
//!         assert!(read(raw).is_ok(), "what the hook says by it");
//!         self.0.borrow_mut().push(raw.end.clone());
//!         None // It is read as it is.
//!     }
//!     fn take(&self, _: &Hook, said: HookResult) -> HookResult {
//!         said // of a hook that has no process
//!     }
//! }
//!
//! let place = tempfile::tempdir()?;
//! let manifest = place.path().join("hooks.json");
//! fs::write(
//!     &manifest,
//!     r#"{"version": 1, "hooks": {"stop": [{"hooks": [
//!     {"type": "command", "command": "exit 0"},
//!     {"type": "command", "command": "exit 2"}
//! ]}]}}"#,
//! )?;
//! let world = World { cwd: place.path().into(), places: None, ..World::real() };
//! let host = anyhook_engine::wires::host("claude-code").ok_or("no such host")?;
//! let ends = Ends::default();
//! let context = Context {
//!     manifest: Some(manifest),
//!     own: Some("/opt/stubs".into()),
//!     // Here no model is asked.
//!     model: Some(&StandIn::Late),
//!     watch: Some(&ends),
//!     ..Context::new(&world, host, Caller::Person)
//! };
//! let stop = br#"{"hook_event_name": "Stop"}"#;
//! let first = context.run_with(stop, &mut |hooks, _| hooks.into_iter().take(1).collect());
//! assert_eq!(first.report.result.verdict.kind(), Kind::Continue);
//! assert_eq!(ends.0.take(), [End::Code(0)]);
//! assert_eq!(context.run(stop).report.result.verdict.kind(), Kind::Deny);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod action;
mod answer;
mod ask;
mod behind;
mod brought;
mod explain;
mod find;
mod guard;
mod kept;
mod known;
mod later;
mod limit;
mod outbox;
mod read;
mod reasons;
mod snapshot;
mod tally;
mod times;
mod turn;
mod wait;
mod written;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use anyhook_core::event::Event;
use anyhook_core::handler::HandlerResult;
use anyhook_core::hook::Hook;
use anyhook_core::ports::Approver;
use anyhook_core::report::Report;
use anyhook_core::result::HookResult;
use anyhook_core::transcript::Transcript;
use anyhook_wires::{Host, Reply};
use serde::{Deserialize, Serialize};

use crate::config::RecordSettings;
use crate::load::LoadOptions;
use crate::models::StandIn;
use crate::processes::{Leftovers, Pool};
use crate::state::{FileState, State};
use crate::stores::Jsonl;
use crate::world::World;

use answer::{AnswerDraft, PASSES};
#[doc(hidden)]
pub use ask::alone;
pub(crate) use behind::go_on;
pub use explain::{EventExplanation, HookExplanation, HookPreview, HookSelection, RuleEffect};
pub use find::PlaceHooks;
#[doc(hidden)]
pub use read::after_a_panic;
pub use times::EventTime;
use turn::EventRun;
#[doc(hidden)]
pub use turn::hook_mark;

/// Everything around the events of one host: who asks, in which world, and who takes part.
pub struct Context<'a> {
    /// The world.
    pub world: &'a World,
    /// The host that calls.
    pub host: &'static Host,
    /// Whether a host calls, or a person.
    pub caller: Caller,
    /// The event's name from the command line, in any spelling.
    pub hint: Option<&'a str>,
    /// The manifest named on the command line.
    pub manifest: Option<PathBuf>,
    /// The host's own timeout, in which everything has to be over.
    pub deadline: Option<Duration>,
    /// How files are trusted, and what an unusable one means.
    pub loading: LoadOptions,
    /// What is wrong with the command line, which the person is told of.
    pub mistakes: &'a [String],
    /// Where reports go.
    pub store: Option<&'a Jsonl>,
    /// What a session remembers.
    pub state: Option<&'a dyn State>,
    /// The folder in which hooks find `anyhook` first: that of this program, unless a test has one of its own.
    pub own: Option<OsString>,
    /// What says something in the place of every model, so that none is asked.
    pub model: Option<&'a StandIn>,
    /// Who answers for the person, where the host cannot ask or there is none.
    pub person: Option<&'a dyn Approver>,
    /// The test that looks on.
    pub watch: Option<&'a dyn HookInterceptor>,
}

/// Where the events of a person are remembered.
///
/// ```
/// use anyhook_engine::event::{Caller, Stores};
/// use anyhook_engine::world::World;
///
/// let world = World { places: None, ..World::real() };
/// let stores = Stores::of(&world);
/// let host = anyhook_engine::wires::host("claude-code").ok_or("no such host")?;
/// assert!(stores.context(&world, host, Caller::Host).state.is_none(), "no home, no state");
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug)]
pub struct Stores {
    /// The record.
    pub store: Option<Jsonl>,
    /// The state of sessions.
    pub state: Option<FileState>,
}

impl Stores {
    /// Opens what the world of this moment has: a record that is configured in a way that cannot be read is required.
    pub fn of(world: &World) -> Self {
        let places = world.places.as_ref();
        Self {
            store: RecordSettings::of(world).store(world),
            state: places.map(|places| FileState::new(places.sessions())),
        }
    }

    /// Returns the context of an event that is remembered here.
    pub fn context<'a>(
        &'a self,
        world: &'a World,
        host: &'static Host,
        caller: Caller,
    ) -> Context<'a> {
        Context {
            store: self.store.as_ref(),
            state: self.state.as_ref().map(|state| state as _),
            ..Context::new(world, host, caller)
        }
    }
}

/// Who calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Caller {
    /// An agent: project files have to be trusted, and the guarded may not unguard.
    Host,
    /// A person, on a command line.
    Person,
    /// A replay of what a host sent before: the hooks are asked as they are for a host, and nothing is kept of it.
    Again,
}

/// How what a hook's process left is read: what the hook says by it.
pub type TranscriptReader<'r> = dyn Fn(&Transcript) -> HandlerResult + 'r;

/// Chooses those of the loaded hooks that take part in an event, in their order.
pub type HookSelector<'c> = dyn FnMut(Vec<Hook>, &Event) -> Vec<Hook> + 'c;

/// A test that sees what each hook left, and may have something else read in its place, which is how a test of tests breaks
/// a guard.
pub trait HookInterceptor {
    /// Hears what a hook's process left, and returns what is read in its place, if anything is.
    fn hear(
        &self,
        hook: &Hook,
        raw: &Transcript,
        read: &TranscriptReader<'_>,
    ) -> Option<Transcript>;

    /// Hears what a hook says that has no process, a rule or a module, and returns what it is taken to say.
    fn take(&self, hook: &Hook, said: HookResult) -> HookResult;
}

/// What an event came to.
#[derive(Debug)]
pub struct EventAnswer {
    /// What the host reads.
    pub reply: Reply,
    /// Everything that happened.
    pub report: Report,
    /// What hooks left running.
    left: Option<Pool>,
}

impl EventAnswer {
    /// Ends what hooks left running; to be called when the answer is out, so that no process waits for it.
    pub fn settle(&mut self) -> Leftovers {
        let left = self.left.as_mut();
        left.map_or(Leftovers::Gone, Pool::settle)
    }
}

impl<'a> Context<'a> {
    /// Makes one in which files are found as they stand, and nothing is remembered.
    pub fn new(world: &'a World, host: &'static Host, caller: Caller) -> Self {
        let program = std::env::current_exe().ok();
        let own = program.as_ref().and_then(|program| program.parent());
        Self {
            world,
            host,
            caller,
            hint: None,
            manifest: None,
            deadline: None,
            loading: LoadOptions::default(),
            mistakes: &[],
            store: None,
            state: None,
            own: own.map(|folder| folder.as_os_str().to_owned()),
            model: None,
            person: None,
            watch: None,
        }
    }

    /// Answers one event.
    pub fn run(&self, payload: &[u8]) -> EventAnswer {
        self.run_with(payload, &mut |hooks, _| hooks)
    }

    /// Answers one event, about which those hooks are asked that are chosen.
    pub fn run_with(&self, payload: &[u8], choose: &mut HookSelector<'_>) -> EventAnswer {
        let began = self.world.clock.since();
        let event = match self.read(payload) {
            Ok(event) => event,
            Err(error) => return self.unread(&error),
        };
        let held = self.hold(&event, choose);
        self.answer(event, &held, began)
    }

    /// Answers an event that happened before, as [`Context::run`] answers one that happens, without reading the files again.
    pub fn again(&self, event: Event, held: &PlaceHooks) -> EventAnswer {
        self.answer(event, held, self.world.clock.since())
    }

    fn answer(&self, mut event: Event, held: &PlaceHooks, began: Duration) -> EventAnswer {
        let hooks = held.about(&event);
        let mut turn = EventRun::begin(self, held, &hooks, &event);
        turn.ends = began + self.budget();
        let (mut finished, left) = match turn.known(&event) {
            Some(finished) => (finished, None),
            None => turn.decide(&mut event),
        };
        turn.say_once(&mut finished);
        turn.can.later = turn.later();
        let mut answer = AnswerDraft {
            finished,
            ..AnswerDraft::default()
        };
        for pass in PASSES {
            pass(&mut answer, &mut turn, &event);
        }
        let took = self.world.clock.since().saturating_sub(began);
        let (report, heard) = turn.commit(&event, answer, took);
        let reply = self.host.write_result_of(&event, &heard, &report.hooks);
        EventAnswer {
            reply,
            report,
            left,
        }
    }

    /// How long hooks may take together.
    fn budget(&self) -> Duration {
        times::budget(self.deadline)
    }

    /// Ends a reason with the report that it is from, where there is a place for reports.
    fn reason_with_id(&self, reason: &str, id: &str) -> String {
        match self.world.places {
            Some(_) => named(reason, id),
            None => reason.to_owned(),
        }
    }
}

/// Ends a reason with the report that it is from.
fn named(reason: &str, id: &str) -> String {
    format!("{reason} (anyhook why {id})")
}

impl std::fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context")
            .field("host", &self.host.id())
            .field("hint", &self.hint)
            .finish_non_exhaustive()
    }
}
