//! A session acts on what hooks say: it is for a program that is the agent.
//!
//! A [`HookRegistry`] asks hooks and returns what they said. A [`Session`] owns one, and does it: texts for the model are
//! cleaned, held to the limits and stored, texts for the person are shown, questions are put to the person, and an audit
//! event tells of each. What is left in the result is for the program: the verdict, the rewrites, and the texts that only
//! the next request to the model has.
//!
//! ```
//! use std::sync::{Arc, Mutex};
//!
//! use anyhook_engine::Session;
//! use anyhook_engine::core::event::Event;
//! use anyhook_engine::core::ports::Approver;
//! use anyhook_engine::core::question::{Answer, Question};
//! use anyhook_engine::core::result::{HookResult, Injection, Kind};
//! use anyhook_engine::session::{
//!     SessionEmission, AppendOutcome, ContextStore, Display, HookFailure, InjectedMessage, PortError, ProcessedResult,
//!     InjectionLimits, InjectionLimitsError, Setup, DisplayMessage, StderrDisplay, place, tokens,
//! };
//! use serde_json::json;
//!
//! /// The program's own conversation.
//! #[derive(Default)]
//! struct Conversation(Mutex<Vec<InjectedMessage>>);
//!
//! impl ContextStore for Conversation {
//!     fn add_message(&self, message: &InjectedMessage) -> Result<(), PortError> {
//!         let mut all = self.0.lock().map_err(|_| PortError::new("the conversation is lost"))?;
//!         all.push(message.clone());
//!         Ok(())
//!     }
//!     fn append_to_last_tool_result(&self, _: &InjectedMessage) -> Result<AppendOutcome, PortError> {
//!         Ok(AppendOutcome::NoToolResult)
//!     }
//! }
//!
//! /// Shows nothing, and says so.
//! struct Broken;
//! impl Display for Broken {
//!     fn show(&self, shown: &DisplayMessage<'_>) -> Result<(), PortError> {
//!         let line = StderrDisplay::lines(shown);
//!         Err(PortError::new("no screen").because(std::io::Error::other(line)))
//!     }
//! }
//!
//! struct Nods;
//! impl Approver for Nods {
//!     fn answer(&self, _: &Event, _: &Question) -> Answer {
//!         Answer::AllowOnce
//!     }
//! }
//!
//! let conversation = Arc::new(Conversation::default());
//! let setup = Setup {
//!     settings: InjectionLimits::read(&json!({"session": {"injection_size_limit": 4096}}))?,
//!     context: Some(conversation.clone()),
//!     display: Some(Arc::new(Broken)),
//!     approvers: vec![Arc::new(Nods)],
//!     ..Setup::default()
//! };
//! let session = Session::with("s1", setup);
//! assert_eq!(session.id(), "s1");
//!
//! session.hooks().on("tool:pre", |_: &Event| {
//!     HookResult::ask("publish?")
//!         .inject("this package has 12 users")
//!         .injecting(Injection::new("todo: 2").ephemeral())
//!         .notify("a release")
//! });
//! let SessionEmission { event, report, processed } =
//!     session.emit_blocking("tool:pre", json!({"tool_name": "Bash"}));
//! let ProcessedResult { result, faults, remarks, audit } = processed;
//! assert_eq!(audit[0].event.as_str(), "hook:context_injection");
//!
//! // The question was answered, and the text is in the conversation.
//! assert_eq!(result.verdict.kind(), Kind::Continue);
//! assert_eq!(&*conversation.0.lock().unwrap()[0].text, "this package has 12 users");
//! assert_eq!(session.injected_tokens()?, tokens("this package has 12 users") + 2);
//! // What could not be shown is not lost.
//! assert_eq!(&*result.effects.notify()[0].text, "a release");
//! assert!(remarks[0].contains("could not be shown"));
//! assert_eq!((faults, event.text("session_id").as_deref()), (Vec::<HookFailure>::new(), Some("s1")));
//! assert_eq!(report.said, Some(result.clone()));
//!
//! // The other text is for the next request, and for nothing that is kept.
//! let mut request = vec![json!({"role": "user", "content": "go"})];
//! place(result.effects.inject(), &mut request);
//! assert_eq!(request[1], json!({"role": "system", "content": "todo: 2"}));
//!
//! // A result that came from elsewhere.
//! let said = HookResult::proceed().inject("from a test");
//! let processed = session.process_blocking(said, &event, "my-hook");
//! assert_eq!((processed.result, &*conversation.0.lock().unwrap()[1].hook), (HookResult::proceed(), "my-hook"));
//!
//! let _ = session.reset_turn()?;
//! assert_eq!(session.injected_tokens()?, 0);
//! let wrong: Result<InjectionLimits, InjectionLimitsError> = InjectionLimits::read(&json!({"session": "fast"}));
//! assert!(wrong.is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Beginning, end, and what modules share
//!
//! ```
//! use std::sync::mpsc::channel;
//!
//! use anyhook_engine::Session;
//! use anyhook_engine::core::event::Event;
//! use anyhook_engine::session::{SessionOrigin, Contributions, SessionOutcome, OBSERVABLE, Setup};
//! use serde_json::json;
//!
//! # async fn example() {
//! let session = Session::with("s1", Setup::default());
//! let (tell, told) = channel();
//! let say = |text: &'static str| {
//!     let tell = tell.clone();
//!     move || {
//!         let _ = tell.send(text);
//!     }
//! };
//!
//! session.register_contributor(OBSERVABLE, "my-hook", || vec!["my-hook:approved"]);
//! session.register_contributor(OBSERVABLE, "other", || "other:done");
//! let given: Contributions = session.collect_contributions(OBSERVABLE).await;
//! assert_eq!(given.values().collect::<Vec<_>>(), [&json!(["my-hook:approved"]), &json!("other:done")]);
//!
//! let ready = say("ready");
//! session.on_session_ready("my-hook", move |_: &Session| ready());
//! session.register_cleanup("first", say("first"));
//! let second = say("second");
//! session.register_cleanup_async("second", move || async move { second() });
//! let ends = say("session:end");
//! session.hooks().on("session:end", move |_: &Event| ends());
//!
//! assert!(session.start(SessionOrigin::New).await.is_some());
//! let acted = session.emit("tool:pre", json!({"tool_name": "Read"})).await;
//! assert!(acted.processed.result.is_identity());
//! let SessionOutcome { acted, faults } = session.end("done").await;
//! assert!(acted.is_some() && faults.is_empty());
//! assert!(session.end("again").await.acted.is_none());
//! assert_eq!(told.try_iter().collect::<Vec<_>>(), ["ready", "session:end", "second", "first"]);
//! # }
//! # pollster::block_on(example());
//! ```
//!
//! Without an executor each of them has a form that waits:
//!
//! ```
//! use anyhook_engine::Session;
//! use anyhook_engine::session::{SessionOrigin, OBSERVABLE, Setup};
//!
//! let session = Session::with("s1", Setup::default());
//! session.start_blocking(SessionOrigin::Resumed);
//! assert_eq!(session.collect_contributions_blocking(OBSERVABLE).given, []);
//! assert_eq!(session.end_blocking("done").faults, []);
//! ```

use std::fmt;
use std::sync::{Arc, Mutex};

use anyhook_core::event::{Data, Event};
use anyhook_core::events;
use anyhook_core::fault::Fault;
use anyhook_core::hook::HookInfo;
use anyhook_core::report::{AuditEvent, Report};
use anyhook_core::result::{HookId, HookResult};

use crate::HookRegistry;
use crate::files;
use crate::limits::{TextLimits, clean, forgotten};
use crate::registry::wait;
use crate::state::{INJECTED, PriorState, SessionKey, SessionState, StateError};

mod asking;
mod channels;
mod life;
mod ports;
mod process;
mod scope;
mod setup;
mod surroundings;

pub use crate::limits::{InjectionLimits, InjectionLimitsError, tokens};
pub use channels::{Contributions, OBSERVABLE};
pub use life::{SessionOrigin, SessionOutcome};
pub use ports::{AppendOutcome, ContextStore, Display, DisplayMessage, InjectedMessage, PortError};
pub use setup::Setup;
pub use surroundings::{StderrDisplay, place};

use channels::{Channels, fields};
use life::Life;
use process::ResultSource;
use scope::{ModuleScope, MountedModule};

/// One session of an agent, and everything that hooks share in it. Clones are one session.
///
/// A handler that owns its session keeps it alive for ever: one that needs the registry is lent it
/// ([`HookRegistry::lending`]).
#[derive(Clone)]
pub struct Session {
    inner: Arc<SessionInner>,
    /// The module that this one was given to.
    scope: Option<Arc<ModuleScope>>,
}

struct SessionInner {
    key: SessionKey,
    hooks: HookRegistry,
    setup: Setup,
    channels: Channels,
    modules: Mutex<Vec<MountedModule>>,
    life: Life,
}

/// What became of one result.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProcessedResult {
    /// What is left for the caller: the verdict with every question answered, the rewrites, and the texts that were not
    /// delivered because they are ephemeral or no one takes them.
    pub result: HookResult,
    /// The hooks whose texts were refused.
    pub faults: Vec<HookFailure>,
    /// What else a reader should know.
    pub remarks: Vec<Box<str>>,
    /// The audit events that were emitted about texts and failures, in order; those about approvals hold the action, and
    /// are for who listens.
    pub audit: Vec<AuditEvent>,
}

/// A failure, and whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookFailure {
    /// The hook, contributor or cleanup.
    pub hook: Box<str>,
    /// What failed.
    pub fault: Fault,
}

/// What [`Session::emit`] came to.
#[derive(Debug)]
pub struct SessionEmission {
    /// The event as the hooks left it: its data holds every rewrite.
    pub event: Event,
    /// The whole story.
    pub report: Report,
    /// What was done about it.
    pub processed: ProcessedResult,
}

impl Session {
    /// Begins a session for a person at a terminal.
    ///
    /// ```
    /// use anyhook_engine::Session;
    /// let session = Session::new("s1");
    /// assert_eq!(session.id(), "s1");
    /// ```
    pub fn new(id: &str) -> Self {
        Self::with(id, Setup::terminal())
    }

    /// Makes a session of its parts.
    pub fn with(id: &str, setup: Setup) -> Self {
        let clock = Arc::clone(&setup.clock);
        let hooks = match setup.isolate {
            Some(within) => HookRegistry::isolating(clock, within),
            None => HookRegistry::with_clock(clock),
        };
        let parent = setup.parent.as_deref();
        hooks.set_default_fields(fields(&[("session_id", Some(id)), ("parent_id", parent)]));
        let inner = SessionInner {
            key: SessionKey::new(setup.host.as_ref(), id),
            hooks,
            setup,
            channels: Channels::default(),
            modules: Mutex::default(),
            life: Life::default(),
        };
        Self {
            inner: Arc::new(inner),
            scope: None,
        }
    }

    /// Returns the session's id.
    pub fn id(&self) -> &str {
        &self.inner.key.session
    }

    /// Returns the registry of its hooks.
    pub fn hooks(&self) -> &HookRegistry {
        let scope = self.scope.as_ref();
        scope.map_or(&self.inner.hooks, |scope| scope.hooks())
    }

    /// Offers an event to the hooks, and acts on what they say: everything in one call. A turn begins with
    /// `prompt:submit`.
    pub async fn emit(&self, event: &str, data: impl Into<Data>) -> SessionEmission {
        self.offer(Event::new(event, data)).await
    }

    /// Does what [`Session::emit`] does with an event of the caller's own making.
    ///
    /// ```
    /// # async fn example() {
    /// use anyhook_engine::Session;
    /// use anyhook_engine::core::event::Event;
    /// use anyhook_engine::core::hook::Hook;
    /// use anyhook_engine::core::matcher::Matcher;
    /// use anyhook_engine::core::result::{HookResult, Kind};
    /// use anyhook_engine::session::Setup;
    /// use serde_json::json;
    ///
    /// let session = Session::with("s1", Setup::default());
    /// let guard = Hook::on("tool:pre", |_: &Event| HookResult::deny("read-only"));
    /// session.hooks().register(guard.when(Matcher::parse("Write").unwrap()));
    ///
    /// // The agent's own tool has another name; what everybody calls it is for the event to say.
    /// let mut event = Event::new("tool:pre", json!({"tool_name": "put_file"}));
    /// event.also = &["Write"];
    /// let acted = session.offer(event).await;
    /// assert_eq!(acted.processed.result.verdict.kind(), Kind::Deny);
    /// # }
    /// # pollster::block_on(example());
    /// ```
    pub async fn offer(&self, mut event: Event) -> SessionEmission {
        let mut remarks: Vec<Box<str>> = Vec::new();
        if event.name.as_str() == events::PROMPT_SUBMIT {
            match self.reset_turn() {
                Ok(loaded) => remarks.extend(forgotten(&loaded)),
                Err(error) => {
                    let why = files::with_causes(&error);
                    remarks.push(format!("the turn could not begin anew: {why}").into());
                }
            }
        }
        self.inner.hooks.fill(&mut event);
        let original = event.clone();
        let mut report = self.inner.hooks.dispatch(&mut event).await;
        let failed = failures(&report);
        self.tell_faults(&failed, event.name.as_str()).await;
        let said = ResultSource {
            event: &event,
            roster: &report.hooks,
            original: Some(&original),
        };
        let mut processed = self.act(report.result.clone(), said).await;
        remarks.append(&mut processed.remarks);
        processed.remarks = remarks;
        report.remarks.extend(processed.remarks.iter().cloned());
        report.audit.clone_from(&processed.audit);
        report.said = Some(processed.result.clone());
        SessionEmission {
            event,
            report,
            processed,
        }
    }

    /// Begins a turn: all of its budget is there again. [`Session::emit`] does so at `prompt:submit`; a program that emits
    /// through the registry says it here.
    pub fn reset_turn(&self) -> Result<PriorState, StateError> {
        self.inner
            .setup
            .state
            .update(&self.inner.key, &mut SessionState::begin_turn)
    }

    /// Returns how many tokens hooks have said to the model in this turn.
    pub fn injected_tokens(&self) -> Result<u64, StateError> {
        let mut spent = 0;
        // Of what cannot be read nothing is known to be spent; the next spending tells of it.
        let _: PriorState = self
            .inner
            .setup
            .state
            .update(&self.inner.key, &mut |state| {
                spent = state.counters.get(INJECTED).copied().unwrap_or_default();
            })?;
        Ok(spent)
    }

    fn limits(&self) -> TextLimits<'_> {
        let inner = &self.inner;
        TextLimits {
            settings: &inner.setup.settings,
            kept: Some((&inner.key, &*inner.setup.state)),
            files: inner.setup.files.as_deref(),
        }
    }

    /// Does what [`Session::emit`] does, and waits for it on this thread.
    pub fn emit_blocking(&self, event: &str, data: impl Into<Data>) -> SessionEmission {
        wait(self.emit(event, data.into()))
    }

    /// Acts on a result of one hook, about an event as it was left.
    ///
    /// In this order: each text for the model is cleaned, held to the size limit and to the budget of the turn, and stored,
    /// or left in the result if it is ephemeral; the texts for the person are shown; questions are put. Whatever the result
    /// says of itself, everything in it counts as this hook's.
    ///
    /// ```
    /// # async fn example() {
    /// use anyhook_engine::Session;
    /// use anyhook_engine::core::event::Event;
    /// use anyhook_engine::core::result::{HookResult, Kind};
    /// use anyhook_engine::session::Setup;
    /// use serde_json::json;
    ///
    /// let session = Session::with("s1", Setup::default());
    /// let event = Event::new("tool:pre", json!({"tool_name": "Bash"}));
    /// let said = HookResult::ask("push to `main`?");
    /// let processed = session.process_hook_result(said, &event, "careful").await;
    /// assert_eq!(processed.result.verdict.kind(), Kind::Deny, "no person is there to answer");
    /// # }
    /// # pollster::block_on(example());
    /// ```
    pub async fn process_hook_result(
        &self,
        mut result: HookResult,
        event: &Event,
        hook: &str,
    ) -> ProcessedResult {
        result.stamp(HookId(0));
        let info = HookInfo {
            name: hook.into(),
            ..HookInfo::default()
        };
        let said = ResultSource {
            event,
            roster: &[Arc::new(info)],
            original: None,
        };
        self.act(result, said).await
    }

    /// Does what [`Session::process_hook_result`] does, and waits for it on this thread.
    pub fn process_blocking(
        &self,
        result: HookResult,
        event: &Event,
        hook: &str,
    ) -> ProcessedResult {
        wait(self.process_hook_result(result, event, hook))
    }

    /// Returns what the person is to see of a hook's own output: nothing of one that asked for silence. What a tool
    /// prints is no hook's to hide, and never goes this way.
    ///
    /// ```
    /// use anyhook_engine::Session;
    /// use anyhook_engine::core::result::HookResult;
    ///
    /// assert_eq!(Session::own_output("3 files\u{7}", &HookResult::proceed()), Some("3 files".into()));
    /// assert_eq!(Session::own_output("3 files", &HookResult::proceed().quiet()), None);
    /// ```
    pub fn own_output(output: &str, said: &HookResult) -> Option<String> {
        let is_quiet = said
            .effects
            .get()
            .is_some_and(|given| given.suppress_output);
        (!is_quiet).then(|| clean(output).into_owned())
    }
}

/// Returns the hooks that failed.
fn failures(report: &Report) -> Vec<HookFailure> {
    let one = |(id, fault): (HookId, &Fault)| HookFailure {
        hook: report
            .hook(id)
            .map(|hook| hook.name.clone())
            .unwrap_or_default(),
        fault: fault.clone(),
    };
    report.faults().map(one).collect()
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("key", &self.inner.key)
            .field("hooks", &self.inner.hooks)
            .finish_non_exhaustive()
    }
}
