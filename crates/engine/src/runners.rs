//! The runners, which carry out what a manifest declares: one file for each type of hook.
//!
//! ```
//! use anyhook_engine::core::event::Event;
//! use anyhook_engine::core::fault::FaultKind;
//! use anyhook_engine::core::handler::Handler;
//! use anyhook_engine::core::hook::Hook;
//! use anyhook_engine::core::manifest::{Action, Command};
//! use anyhook_engine::core::report::{AskRound, SkipReason};
//! use anyhook_engine::runners::{RunnerRequest, RunnerReply, RunnerContext, prepare};
//! use anyhook_engine::world::World;
//! use serde_json::json;
//!
//! let action = |command: &str| {
//!     Action::Command(Command { command: command.into(), ..Command::default() })
//! };
//! let world = World::real();
//! let shared = RunnerContext {
//!     payload: b"{}\n".as_slice().into(),
//!     project: world.cwd.clone(),
//!     ..RunnerContext::default()
//! };
//! let event = Event::new("session:start", json!({"source": "startup"}));
//! let prepared = |action: &Action| {
//!     let hook = Hook::new("session:start", "tidy", Handler::Declared(Box::new(action.clone())));
//!     prepare(
//!         action,
//!         &RunnerRequest {
//!             hook: &hook,
//!             event: &event,
//!             asked: AskRound::First,
//!             world: &world,
//!             shared: &shared,
//!         },
//!     )
//! };
//! // Nothing runs here: what comes back is a process to run, a reason not to ask, or a fault.
//! assert!(matches!(prepared(&action("exit 0"))?, RunnerReply::Process(_)));
//! assert_eq!(prepared(&action("tidy ${file}")).unwrap_err().why_not(), Some(SkipReason::NoValue));
//! let broken = prepared(&Action::Broken("`command` is missing".into()));
//! assert_eq!(broken.unwrap_err().kind, FaultKind::BadEntry);
//! # Ok::<(), anyhook_engine::core::fault::Fault>(())
//! ```

pub(crate) mod asker;
mod builtin;
mod command;
mod http;
mod mcp_tool;
pub mod prompt;
mod rule;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use anyhook_core::event::Event;
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::hook::{Hook, HookDialect};
use anyhook_core::manifest::{Action, SnapshotMode};
use anyhook_core::matcher::Hit;
use anyhook_core::report::{AskRound, SkipReason};
use anyhook_core::result::{HookResult, Kind};

use crate::models::{ConfiguredModel, StandIn};
use crate::processes::{Job, is_program};
use crate::remote;
use crate::rules::{CompiledCondition, ConditionEvaluation, Facts, LastCall};
use crate::state::{SessionKey, Tally};
use crate::trust::package_root;
use crate::world::{RunMode, World};

/// What a runner is told about one asking.
#[derive(Debug)]
pub struct RunnerRequest<'a> {
    /// The hook.
    pub hook: &'a Hook,
    /// The event, with the rewrites so far.
    pub event: &'a Event,
    /// Whether it is a second asking.
    pub asked: AskRound,
    /// The world.
    pub world: &'a World,
    /// What every hook of this event shares.
    pub shared: &'a RunnerContext,
}

/// What every hook of one event shares.
#[derive(Debug, Clone, Default)]
pub struct RunnerContext {
    /// The event as a universal hook reads it.
    pub payload: Arc<[u8]>,
    /// The event as hooks of hosts' own files read it, once for each form.
    pub natives: Vec<(HookDialect, Vec<EventPart>)>,
    /// The event as universal hooks read it that asked for a part of what it does: one for each file of a patch.
    pub parts: Vec<EventPart>,
    /// The file that holds it, where one could be written.
    pub payload_file: Option<PathBuf>,
    /// The project's folder.
    pub project: PathBuf,
    /// Every folder that may be the project's, with links resolved and without: files in them are a stranger's.
    pub projects: Vec<PathBuf>,
    /// The folder of our own program, where hooks find `anyhook` first.
    pub own: Option<OsString>,
    /// The session that what they cost is counted for.
    pub session: Option<SessionKey>,
    /// Whether it happens, or is only told.
    pub pass: RunMode,
    /// Which model is asked: read when the first hook needs to know.
    pub configured: Arc<OnceLock<ConfiguredModel>>,
    /// What a test has in the place of every model.
    pub stand_in: Option<StandIn>,
    /// What the call does, read when the first rule asks about it.
    pub last_call: LastCall,
    /// What the session has seen, where a condition asks about it and it is remembered.
    pub tally: Option<Arc<Tally>>,
    /// Whether a snapshot is taken where a rule asks for one.
    pub keeps: bool,
}

/// What a hook is asked about at one time: an event, or a part of one that its host would have told in parts.
///
/// ```
/// use anyhook_engine::runners::EventPart;
///
/// let whole = EventPart { payload: b"{}\n".as_slice().into(), event: None };
/// assert!(whole.event.is_none(), "the hook is asked about all of it");
/// ```
#[derive(Debug, Clone)]
pub struct EventPart {
    /// What it reads on its standard input.
    pub payload: Arc<[u8]>,
    /// The part as an event of its own; nothing where the hook is asked about the whole.
    pub event: Option<Arc<Event>>,
}

impl RunnerContext {
    /// Returns which model is asked in this world, and with which key.
    pub(crate) fn configured(&self, world: &World) -> &ConfiguredModel {
        self.configured.get_or_init(|| ConfiguredModel::of(world))
    }

    /// Returns the event as this hook reads it, in one or more parts; nothing where it reads [`RunnerContext::payload`].
    ///
    /// A hook of a host's own file reads that host's form. A universal hook that asked for a tool by another name
    /// of what a patch does, `Write` or `Edit`, reads the patch as those calls, one for each file.
    ///
    /// ```
    /// use anyhook_engine::core::event::Event;
    /// use anyhook_engine::core::hook::{Hook, HookDialect};
    /// use anyhook_engine::runners::{EventPart, RunnerContext};
    /// use serde_json::json;
    ///
    /// let speaks = HookDialect { host: "claude-code".into(), native: "Stop".into() };
    /// let part = EventPart { payload: b"{}\n".as_slice().into(), event: None };
    /// let shared = RunnerContext { natives: vec![(speaks.clone(), vec![part])], ..RunnerContext::default() };
    ///
    /// let event = Event::new("stop", json!({}));
    /// let mut hook = Hook::on("stop", |_: &Event| ());
    /// assert!(shared.parts_of(&hook, &event).is_empty(), "a universal hook reads the shared payload");
    /// hook.speaks = Some(speaks.into());
    /// assert_eq!(shared.parts_of(&hook, &event).len(), 1);
    /// ```
    pub fn parts_of(&self, hook: &Hook, event: &Event) -> &[EventPart] {
        match hook.speaks.as_deref() {
            Some(speaks) => {
                let found = self.natives.iter().find(|(form, _)| form == speaks);
                found.map_or(&[], |(_, parts)| parts)
            }
            None if !self.parts.is_empty() && hook.selects(event) == Hit::Alias => &self.parts,
            None => &[],
        }
    }
}

/// What a runner made of an asking.
#[derive(Debug)]
pub enum RunnerReply {
    /// A process to run.
    Process(Box<Job>),
    /// It has answered already.
    Said(Box<HookResult>),
}

impl<'a> RunnerRequest<'a> {
    /// Returns what an expression may ask about this event.
    pub(crate) fn facts(&self) -> Facts<'a> {
        let home = self.world.home();
        Facts::new(self.event, &self.shared.project, home)
            .sharing(&self.shared.last_call)
            .remembering(self.shared.tally.clone())
    }

    /// Returns what a process reads on its standard input.
    fn payload(&self) -> Arc<[u8]> {
        let part = self.shared.parts_of(self.hook, self.event).first();
        Arc::clone(part.map_or(&self.shared.payload, |part| &part.payload))
    }

    /// Returns the folder of the hook's package, and where it lies: that of the trusted copy, and the live one.
    fn package(&self) -> (PathBuf, PathBuf) {
        if let Some(copied) = self.hook.copied.as_deref() {
            return (copied.folder.to_path_buf(), copied.root.to_path_buf());
        }
        let source = self.hook.info.source.as_ref();
        let live = source.map(|source| package_root(Path::new(&*source.file)));
        let live = live.unwrap_or_else(|| self.shared.project.clone());
        (live.clone(), live)
    }

    /// Finds our own program: beside this one, or else on the `PATH` outside of the project, where it is no stranger's.
    fn anyhook(&self) -> Result<PathBuf, String> {
        const NAME: &str = "anyhook";
        let strange = &self.shared.projects;
        let is_ours = |file: &PathBuf| {
            let real = file.canonicalize().ok();
            real.is_some_and(|real| !strange.iter().any(|project| real.starts_with(project)))
        };
        let own = self.shared.own.iter().map(|own| Path::new(own).join(NAME));
        let path = self.world.var("PATH").unwrap_or_default();
        let on_path = std::env::split_paths(path).filter(|folder| folder.is_absolute());
        let on_path = on_path.map(|folder| folder.join(NAME)).filter(is_ours);
        let found = own.chain(on_path).find(|file| is_program(file));
        found.ok_or_else(|| {
            "the program `anyhook` is neither beside this program nor on the PATH outside of the project".to_owned()
        })
    }

    /// Returns what a rule decides that has to look at what is below a folder to tell whether it holds, and that says nothing
    /// besides. Where a refusal as grave stands already, it need not look.
    pub(crate) fn needs_a_look(&self) -> Option<Kind> {
        let Some(Action::Rule(then)) = self.hook.action() else {
            return None;
        };
        let (kind, _) = then.verdict.as_ref()?;
        let is_all = then.inject.is_empty()
            && then.notify.is_empty()
            && then.marks.is_empty()
            && then.keeps() == SnapshotMode::No
            && then.unknown.is_none();
        let when = CompiledCondition::read(self.hook.condition.as_ref()?).ok()?;
        (is_all && self.hook.counts() && when.needs_a_look(&self.facts())).then_some(*kind)
    }

    /// Tells whether the hook's condition holds only because of what is not known of the call.
    pub(crate) fn is_only_unknown(&self, facts: &Facts<'_>) -> bool {
        let Some(text) = &self.hook.condition else {
            return false;
        };
        CompiledCondition::read(text).is_ok_and(|when| when.is_only_unknown(facts))
    }

    /// Tells whether the hook's own condition holds; without one it does.
    fn condition(&self) -> Result<bool, Fault> {
        let decided = decided(self.hook, &self.facts());
        let wrong = |why| {
            let text = format!("its condition `when` cannot be answered: {why}");
            Fault::new(FaultKind::BadEntry, text)
        };
        Ok(decided.map_err(wrong)?.is_none_or(|decided| decided.holds))
    }
}

/// Decides the condition of a hook, where it has one.
pub(crate) fn decided(
    hook: &Hook,
    facts: &Facts<'_>,
) -> Result<Option<ConditionEvaluation>, String> {
    let Some(text) = &hook.condition else {
        return Ok(None);
    };
    let when = CompiledCondition::read(text).map_err(|error| error.what)?;
    when.decide(facts).map(Some)
}

/// What becomes of one part of an event.
///
/// ```
/// use anyhook_engine::core::result::HookResult;
/// use anyhook_engine::runners::{RunnerReply, PreparedPart};
///
/// let said = RunnerReply::Said(HookResult::proceed().into());
/// let whole = PreparedPart { prepared: Ok(said), event: None };
/// assert!(whole.prepared.is_ok());
/// ```
#[derive(Debug)]
pub struct PreparedPart {
    /// What the runner made of it, or why it cannot be asked.
    pub prepared: Result<RunnerReply, Fault>,
    /// The part as an event of its own; nothing where the hook is asked about the whole.
    pub event: Option<Arc<Event>>,
}

impl PreparedPart {
    fn why_not(&self) -> Option<SkipReason> {
        self.prepared.as_ref().err()?.why_not()
    }
}

/// Makes an asking ready to run, part by part where the hook reads parts, else once for the whole; without those parts about
/// which it is not asked. Where that is all of them, it tells why.
///
/// ```
/// use anyhook_engine::core::event::Event;
/// use anyhook_engine::core::manifest::Action;
/// use anyhook_engine::core::hook::Hook;
/// use anyhook_engine::core::report::AskRound;
/// use anyhook_engine::runners::{RunnerRequest, PreparedPart, RunnerContext, prepare_parts};
/// use anyhook_engine::world::World;
/// use serde_json::json;
///
/// let hook = Hook::on("stop", |_: &Event| ());
/// let (event, world) = (Event::new("stop", json!({})), World::real());
/// let shared = RunnerContext::default();
/// let asking = RunnerRequest { hook: &hook, event: &event, asked: AskRound::First, world: &world, shared: &shared };
/// let parts: Vec<PreparedPart> = prepare_parts(&Action::Broken("no command".into()), &asking).unwrap();
/// assert!(parts.len() == 1 && parts[0].event.is_none());
/// assert!(parts[0].prepared.is_err());
/// ```
pub fn prepare_parts(
    action: &Action,
    asking: &RunnerRequest<'_>,
) -> Result<Vec<PreparedPart>, SkipReason> {
    let parts = asking.shared.parts_of(asking.hook, asking.event);
    if parts.iter().all(|part| part.event.is_none()) {
        let whole = PreparedPart {
            prepared: prepare(action, asking),
            event: None,
        };
        return whole.why_not().map_or(Ok(vec![whole]), Err);
    }
    // The file of the payload holds the whole: who reads a part reads its standard input.
    let shared = RunnerContext {
        payload_file: None,
        ..asking.shared.clone()
    };
    let one = |part: &EventPart| {
        let event = part.event.as_deref().unwrap_or(asking.event);
        let asking = RunnerRequest {
            event,
            shared: &shared,
            ..*asking
        };
        let mut prepared = prepare(action, &asking);
        if let Ok(RunnerReply::Process(job)) = &mut prepared {
            job.stdin = Arc::clone(&part.payload);
        }
        PreparedPart {
            prepared,
            event: part.event.clone(),
        }
    };
    let mut all: Vec<PreparedPart> = parts.iter().map(one).collect();
    let why = all.last().and_then(PreparedPart::why_not);
    all.retain(|part| part.why_not().is_none());
    why.filter(|_| all.is_empty()).map_or(Ok(all), Err)
}

/// Makes an asking ready to run, by the runner of its type.
pub fn prepare(action: &Action, asking: &RunnerRequest<'_>) -> Result<RunnerReply, Fault> {
    if !asking.condition()? {
        return Err(Fault::not_asked(SkipReason::Condition));
    }
    match action {
        Action::Command(call) if call.server.is_some() => mcp_tool::prepare(asking, call),
        Action::Command(command) => command::prepare(asking, command),
        Action::Prompt(prompt) => prompt::prepare(asking, prompt),
        Action::Http(http) => http::prepare(asking, http.clone(), remote::VERB, Vec::new()),
        Action::Rule(then) => rule::prepare(asking, then),
        Action::Builtin(builtin) => builtin::prepare(asking, builtin),
        Action::Broken(what) => Err(Fault::new(FaultKind::BadEntry, what.clone())),
    }
}
