//! The line: one event, from the bytes that a host sent to the bytes that it reads.
//!
//! ```text
//! payload -> understand -> decide -> ask -> fit -> remember -> answer
//! ```
//!
//! Under a host the line cannot end without an answer: every way through [`Line::run`] ends in a [`Reply`].
//!
//! ```
//! use std::fs;
//!
//! use anyhook_engine::core::result::Kind;
//! use anyhook_engine::line::{Answered, Caller, Line};
//! use anyhook_engine::load::Loading;
//! use anyhook_engine::world::World;
//!
//! let place = tempfile::tempdir()?;
//! let manifest = place.path().join("hooks.json");
//! fs::write(
//!     &manifest,
//!     r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [
//!     {"type": "command", "command": "echo 'deploys are frozen' >&2; exit 2"}
//! ]}]}}"#,
//! )?;
//!
//! // A person tries a manifest: no trust is asked for, and nothing is remembered.
//! let world = World { cwd: place.path().into(), places: None, ..World::real() };
//! let line = Line {
//!     world: &world,
//!     host: anyhook_engine::wires::host("claude-code").ok_or("no such host")?,
//!     caller: Caller::Person,
//!     hint: None,
//!     manifest: Some(manifest),
//!     deadline: None,
//!     loading: Loading::default(),
//!     store: None,
//!     state: None,
//! };
//! let payload = br#"{
//!     "hook_event_name": "PreToolUse",
//!     "tool_name": "Bash",
//!     "tool_input": {"command": "make deploy"}
//! }"#;
//! let mut answered: Answered = line.run(payload);
//! assert_eq!(answered.report.result.verdict.kind(), Kind::Deny);
//! assert!(answered.reply.stdout.contains("deploys are frozen"));
//!
//! // The answer goes out first; then whatever the hooks left running is ended.
//! answered.settle();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What would happen is told by [`Line::explain`], which starts nothing:
//!
//! ```
//! use std::fs;
//!
//! use anyhook_engine::core::matcher::Hit;
//! use anyhook_engine::core::report::WhyNot;
//! use anyhook_engine::line::{Caller, Explained, Explanation, Fires, Line, Means};
//! use anyhook_engine::load::Loading;
//! use anyhook_engine::world::World;
//!
//! let place = tempfile::tempdir()?;
//! let manifest = place.path().join("hooks.json");
//! fs::write(
//!     &manifest,
//!     r#"{"version": 1, "hooks": {"stop": [
//!         {"hooks": [{"type": "command", "command": "/bin/sh -c 'exit 2'", "name": "tests"}]}
//!     ], "session-start": [
//!         {"hooks": [{"type": "command", "command": "exit 2", "name": "greeting"}]}
//!     ]}}"#,
//! )?;
//! let world = World { cwd: place.path().into(), places: None, ..World::real() };
//! let line = Line {
//!     world: &world,
//!     host: anyhook_engine::wires::host("claude-code").ok_or("no such host")?,
//!     caller: Caller::Person,
//!     hint: None,
//!     manifest: Some(manifest),
//!     deadline: None,
//!     loading: Loading::default(),
//!     store: None,
//!     state: None,
//! };
//! let Explained { hooks, .. } = line.explain(br#"{"hook_event_name": "Stop"}"#)?;
//! let [Explanation { hook, fires, .. }, other] = &hooks[..] else { panic!() };
//! assert_eq!(&*hook.name, "tests");
//! let Fires::Yes { hit: Hit::Name, turn: 1, by: Means::Process { argv, .. } } = fires else {
//!     panic!()
//! };
//! assert_eq!(argv[..], ["/bin/sh", "-c", "exit 2"]);
//! assert!(matches!(other.fires, Fires::No(WhyNot::OtherEvent)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A test looks on, and chooses who takes part. The line stays what it is:
//!
//! ```
//! use std::borrow::Cow;
//! use std::cell::RefCell;
//! use std::ffi::OsString;
//! use std::fs;
//! use std::sync::Arc;
//!
//! use anyhook_engine::core::event::Event;
//! use anyhook_engine::approvers::NoApprover;
//! use anyhook_engine::core::hook::Hook;
//! use anyhook_engine::core::ports::Approver;
//! use anyhook_engine::core::result::{HookResult, Kind};
//! use anyhook_engine::core::transcript::{End, Transcript};
//! use anyhook_engine::line::{Caller, Line, Reading, Real, Stage};
//! use anyhook_engine::load::Loading;
//! use anyhook_engine::models::StandIn;
//! use anyhook_engine::world::World;
//!
//! struct OnlyTheFirst(RefCell<Vec<End>>);
//!
//! impl Stage for OnlyTheFirst {
//!     fn choose(&self, loaded: Vec<Hook>, _: &Event) -> Vec<Hook> {
//!         loaded.into_iter().take(1).collect()
//!     }
//!     fn hear<'t>(&self, _: &Hook, raw: &'t Transcript, read: &Reading<'_>) -> Cow<'t, Transcript> {
//!         assert!(read(raw).is_ok(), "what the hook says by it");
//!         self.0.borrow_mut().push(raw.end.clone());
//!         Cow::Borrowed(raw)
//!     }
//!     fn take(&self, _: &Hook, said: HookResult) -> HookResult {
//!         said // of a hook that has no process
//!     }
//!     fn own(&self) -> Option<OsString> {
//!         Some("/opt/stubs".into())
//!     }
//!     // Here nothing is asked, of a model or of a person.
//!     fn model(&self) -> Option<&StandIn> {
//!         Some(&StandIn::Late)
//!     }
//!     fn person(&self) -> Option<&dyn Approver> {
//!         Some(&NoApprover)
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
//! let line = Line {
//!     world: &world,
//!     host: anyhook_engine::wires::host("claude-code").ok_or("no such host")?,
//!     caller: Caller::Person,
//!     hint: None,
//!     manifest: Some(manifest),
//!     deadline: None,
//!     loading: Loading::default(),
//!     store: None,
//!     state: None,
//! };
//! let stop = br#"{"hook_event_name": "Stop"}"#;
//! let first = OnlyTheFirst(RefCell::default());
//! assert_eq!(line.staged(stop, &first).report.result.verdict.kind(), Kind::Continue);
//! assert!(!Arc::ptr_eq(&first.cache(), &first.cache()), "what was found out is kept for one event");
//! assert_eq!(first.0.into_inner(), [End::Code(0)]);
//! assert_eq!(line.staged(stop, &Real).report.result.verdict.kind(), Kind::Deny);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod action;
mod again;
mod alone;
mod ask;
mod away;
mod cache;
mod context;
mod explain;
mod guarding;
mod kept;
mod known;
mod later;
mod outbox;
mod overdue;
mod payloads;
mod poll;
mod reasons;
mod remember;
mod snapshot;
mod spill;
mod stage;
mod supervise;
mod tally;
mod understand;
mod version;
mod wait;
mod within;

#[doc(hidden)]
pub use alone::ask;
#[doc(hidden)]
pub use overdue::after_a_panic;
pub(crate) use payloads::read as read_answer;
#[doc(hidden)]
pub use remember::hook_mark;

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhook_core::dispatch::{Faults, Finished, Policy, Record};
use anyhook_core::event::Event;
use anyhook_core::hook::{Hook, Hooks};
use anyhook_core::ports::Store;
use anyhook_core::report::{Asked, Heading, Report, VERSION};
use anyhook_core::result::{HookResult, Kind, Verdict};
use anyhook_core::transcript::Transcript;
use anyhook_wires::{Host, Reply};

use crate::background::Order;
use crate::load::{self, Loading, Strictness};
use crate::processes::{Leftovers, Pool};
use crate::runners::PreparedPart;
use crate::state::State;
use crate::world::World;

pub use again::Held;
pub use cache::Cache;
use context::Context;
pub use explain::{Explained, Explanation, Fires, Means};
use payloads::Payloads;
use poll::{Driving, drive};
use reasons::Room;
pub use stage::{Lasting, Reading, Real, Stage};
pub use supervise::supervise;
use understand::Understood;

/// How events of one host are answered.
pub struct Line<'a> {
    /// The world.
    pub world: &'a World,
    /// The host that calls.
    pub host: &'static dyn Host,
    /// Whether a host calls, or a person.
    pub caller: Caller,
    /// The event's name from the command line, in any spelling.
    pub hint: Option<&'a str>,
    /// The manifest named on the command line.
    pub manifest: Option<PathBuf>,
    /// The host's own timeout, in which everything has to be over.
    pub deadline: Option<Duration>,
    /// How files are trusted, and what an unusable one means.
    pub loading: Loading,
    /// Where reports go.
    pub store: Option<&'a dyn Store>,
    /// What a session remembers.
    pub state: Option<&'a dyn State>,
}

/// Who calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// An agent: project files have to be trusted, and the guarded may not unguard.
    Host,
    /// A person, on a command line.
    Person,
    /// A replay of what a host sent before: the hooks are asked as they are for a host, and nothing is kept of it.
    Again,
}

/// What the line came to.
#[derive(Debug)]
pub struct Answered {
    /// What the host reads.
    pub reply: Reply,
    /// Everything that happened.
    pub report: Report,
    /// What hooks left running.
    left: Option<Pool>,
}

impl Answered {
    /// Ends what hooks left running; to be called when the answer is out, so that no process waits for it.
    pub fn settle(&mut self) -> Leftovers {
        let left = self.left.as_mut();
        left.map_or(Leftovers::Gone, Pool::settle)
    }
}

/// How long hooks may take together where the host's own limit is not known.
const UNKNOWN_TIMEOUT: Duration = Duration::from_secs(30);

impl Line<'_> {
    /// Answers one event.
    pub fn run(&self, payload: &[u8]) -> Answered {
        self.staged(payload, &Real)
    }

    /// Answers one event, with a test looking on.
    pub fn staged(&self, payload: &[u8], stage: &dyn Stage) -> Answered {
        let began = self.world.clock.since();
        let cache = stage.cache();
        let understood = self.understand(payload, &cache);
        let Understood {
            mut event,
            mut loaded,
        } = match understood {
            Ok(understood) => understood,
            Err(refused) => return *refused,
        };
        let came = self.came(&event, &mut loaded);
        let chosen = stage.choose(std::mem::take(&mut loaded.hooks), &event);
        let (hooks, last_call) = self.hooks(chosen, &loaded, &event);
        let context = Context {
            hooks: &hooks,
            loaded: &loaded,
            last_call: &last_call,
            stage,
            cache,
            began,
            id: (self.world.ids)(),
            can: self.host.can(&event),
            late: RefCell::default(),
        };
        self.answer(&mut event, context, came)
    }

    /// Answers an event, of which is known which hooks are asked.
    fn answer(
        &self,
        event: &mut Event,
        mut context: Context<'_>,
        came: Option<action::Came>,
    ) -> Answered {
        let (hooks, loaded) = (context.hooks, context.loaded);
        let mut memory = self.recall(event, &loaded.files);
        // The holder of the same event may be a process that only holds its lock: half of the time is for our own asking.
        let patience = self.left(&context) / 2;
        let (mut finished, left) = match memory.known(event, hooks, &context.can, patience) {
            Some(finished) => (finished, None),
            None => self.decide(event, &context, &mut memory),
        };
        memory.say_once(&loaded.remarks, hooks, &mut finished);
        if memory.is_there() {
            memory.tell(self.tell_version(event, &mut finished));
        }
        context.can.later = memory.later();
        let said = self.say(event, &context, &mut memory, &mut finished);
        let mut report = self.report(event, hooks, finished, &loaded.remarks);
        report.id = context.id;
        report.said = Some(self.with_id(said.result, &report.id));
        report.losses = said.losses;
        report.losses.extend(context.late.take());
        report.audit = said.audit;
        report.took = Some(self.world.clock.since().saturating_sub(context.began));
        report.action = came.map(|came| self.action(event, came, said.approval));
        memory.begin();
        memory.answered(event, hooks, &mut report);
        memory.keep(&mut report, &context.can);
        let heard = ask::with_code(report.said.as_ref(), said.code.as_deref(), &context.can);
        let reply = self.host.write_result_of(event, &heard, &report.hooks);
        Answered {
            reply,
            report,
            left,
        }
    }

    fn decide(
        &self,
        event: &mut Event,
        context: &Context<'_>,
        memory: &mut remember::Memory<'_>,
    ) -> (Finished, Option<Pool>) {
        let (hooks, stage, late) = (context.hooks, context.stage, &context.late);
        // Where it is decided: a second process with the same prompt is in the same turn.
        memory.begin_turn();
        let faults = match self.loading.strict {
            Strictness::Strict => Faults::Strict,
            Strictness::Lenient => Faults::AsDeclared,
        };
        let mut payloads = Payloads::new(self, hooks, event, stage);
        payloads.cache = Arc::clone(&context.cache);
        payloads.last_call = context.last_call.clone();
        payloads.tally =
            memory.recollect(event, hooks, self.written(event, hooks, context.last_call));
        let session = memory.session().map(|(key, _)| key.clone());
        let mut away = |hook: &Hook, event: &Event, parts: Vec<PreparedPart>| {
            let mut order = Order::new(hook, hook_mark(hook), &context.id);
            order.session.clone_from(&session);
            self.send_away(order, event, parts)
        };
        let mut driving = Driving {
            world: self.world,
            budget: self.left(context),
            read: &|hook, raw, event| {
                let read = |raw: &Transcript| payloads::read(hook, raw, event);
                let raw = stage.hear(hook, raw, &read);
                away::heard(hook, &raw, read(&raw), late)
            },
            hear: &|hook, said| stage.take(hook, said),
            share: &mut |event, hooks| payloads.share(event, hooks),
            asked: Asked::First,
            once: &mut |hook| memory.once(hook),
            taken: Vec::new(),
            gravest: Kind::Continue,
            background: match self.world.supervisor {
                Some(_) => Some(&mut away),
                None => None,
            },
        };
        let (mut finished, left) = drive(
            hooks,
            event,
            Policy {
                faults,
                record: Record::Steps,
            },
            &mut driving,
        );
        if finished.result.verdict.kind() >= Kind::Ask {
            let room = Room {
                hooks,
                event,
                shared: &payloads.plain(event, &[]),
                world: self.world,
            };
            room.tell(&mut finished.result.verdict);
        }
        late.borrow_mut().extend(memory.mark(hooks, &mut finished));
        let kept = self.snapshot(event, context, &mut finished);
        late.borrow_mut().extend(kept);
        let unsaid = memory.conclude(event, &context.can, &mut finished);
        late.borrow_mut().extend(unsaid);
        (finished, Some(left))
    }

    /// The host's timeout, less the smaller of 1.5 s and half of it.
    fn budget(&self) -> Duration {
        let timeout = self.deadline.unwrap_or(UNKNOWN_TIMEOUT);
        timeout.saturating_sub(Duration::from_millis(1500).min(timeout / 2))
    }

    /// What is left of the time for this event.
    fn left(&self, context: &Context<'_>) -> Duration {
        (context.began + self.budget()).saturating_sub(self.world.clock.since())
    }

    /// Names the report in a refusal, so that a person can ask why.
    fn with_id(&self, mut said: HookResult, id: &str) -> HookResult {
        if self.caller == Caller::Host
            && let Verdict::Deny { reasons } | Verdict::Halt { reasons } = &mut said.verdict
            && let Some(last) = reasons.last_mut()
        {
            last.text = self.reason_with_id(&last.text, id).into();
        }
        said
    }

    /// Ends a reason with the report that it is from, where there is a place for reports.
    fn reason_with_id(&self, reason: &str, id: &str) -> String {
        match self.world.places {
            Some(_) => named(reason, id),
            None => reason.to_owned(),
        }
    }

    fn report(
        &self,
        event: &Event,
        hooks: &Hooks,
        finished: Finished,
        remarks: &[load::Remark],
    ) -> Report {
        let remarks = remarks.iter().map(|remark| remark.text.as_str().into());
        Report {
            version: VERSION,
            id: Box::default(),
            parent: None,
            at: Some(self.world.clock.now()),
            event: Heading::from(event),
            result: finished.result,
            said: None,
            hooks: Arc::clone(hooks.roster()),
            steps: finished.steps,
            losses: Vec::new(),
            remarks: finished.remarks.into_iter().chain(remarks).collect(),
            audit: Vec::new(),
            took: None,
            action: None,
        }
    }
}

/// Ends a reason with the report that it is from.
fn named(reason: &str, id: &str) -> String {
    format!("{reason} (anyhook why {id})")
}

impl std::fmt::Debug for Line<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Line")
            .field("host", &self.host.id())
            .field("hint", &self.hint)
            .finish_non_exhaustive()
    }
}
