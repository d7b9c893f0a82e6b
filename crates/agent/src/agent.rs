//! The agent: its parts, and how it speaks with its hooks.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use anyhook::Session;
use anyhook::core::effects::Injection;
use anyhook::core::event::{Data, Event, EventName, Origin, OriginTool};
use anyhook::core::handler::HookHandler;
use anyhook::core::result::{Kind, Verdict};
use anyhook::registry::{Handle, wait};
use anyhook::session::{self, SessionEmission};
use anyhook::wires::tools::{also, canonical};
use serde_json::{Value, json};

use crate::cancel::CancelToken;
use crate::fields::with;
use crate::limits::RunLimits;
use crate::order::EventOrder;
use crate::outcome::{Finish, RunOutcome};
use crate::permissions::Permissions;
use crate::progress::Progress;
use crate::provider::{Provider, TokenUsage};
use crate::tools::{RootFolder, TOOLS};
use crate::transcript::Conversation;
use crate::worktree::Worktree;

/// What an agent is made of.
#[derive(Clone)]
pub struct AgentSetup {
    /// The session's id.
    pub id: String,
    /// Who answers.
    pub provider: Arc<dyn Provider>,
    /// Which model is asked for.
    pub model: String,
    /// What the model is told first.
    pub system: String,
    /// The folder that the agent works in.
    pub root: PathBuf,
    /// What it may do.
    pub permissions: Permissions,
    /// Where it ends by itself.
    pub limits: RunLimits,
    /// The order of its events.
    pub order: EventOrder,
    /// The agents that it may start by name; the first stands for a task that names none. With none defined it may start
    /// one like itself.
    pub agents: Vec<AgentDefinition>,
    /// The display, the approvers and the limits of its session. The conversation is the agent's own.
    pub session: session::Setup,
    /// Who looks on.
    pub watcher: Option<Watcher>,
    /// How it is cancelled.
    pub cancel: CancelToken,
}

/// A kind of agent that may be started by name.
///
/// ```
/// use anyhook_agent::agent::AgentDefinition;
/// use anyhook_agent::permissions::{Permissions, PermissionPhase};
///
/// let scout = AgentDefinition {
///     name: "scout".into(),
///     system: "You look, and change nothing.".into(),
///     permissions: Permissions { phase: PermissionPhase::Plan, ..Permissions::default() },
/// };
/// assert_eq!(scout.name, "scout");
/// ```
#[derive(Debug, Clone)]
pub struct AgentDefinition {
    /// Its name.
    pub name: String,
    /// What it is told first.
    pub system: String,
    /// What it may do, where its parent may do it too.
    pub permissions: Permissions,
}

/// Is shown every event with what became of it: a timeline.
pub type Watcher = Arc<dyn Fn(&SessionEmission) + Send + Sync>;

impl AgentSetup {
    /// Makes a setup for a provider and a folder; everything else as it is for a program that shows nothing and asks
    /// no person.
    pub fn new(id: &str, provider: Arc<dyn Provider>, root: impl Into<PathBuf>) -> Self {
        Self {
            id: id.to_owned(),
            provider,
            model: String::new(),
            system: String::new(),
            root: root.into(),
            permissions: Permissions::default(),
            limits: RunLimits::default(),
            order: EventOrder::Ours,
            agents: Vec::new(),
            session: session::Setup::default(),
            watcher: None,
            cancel: CancelToken::default(),
        }
    }
}

/// A conversation with a model that can do things, and its hooks.
///
/// ```
/// use std::sync::Arc;
///
/// use anyhook::core::event::Event;
/// use anyhook::core::result::HookResult;
/// use anyhook_agent::agent::{Agent, AgentSetup};
/// use anyhook_agent::outcome::Finish;
/// use anyhook_agent::permissions::{Permissions, PermissionPhase};
/// use anyhook_agent::provider::scripted::ScriptedProvider;
///
/// let script = r#"[{"calls": [{"name": "write", "input": {"file_path": ".env", "content": "x"}}]}, "I may not"]"#;
/// let provider = Arc::new(ScriptedProvider::read(script)?);
/// let place = tempfile::tempdir()?;
/// let free = Permissions { phase: PermissionPhase::Trusted, ..Permissions::default() };
/// let setup = AgentSetup { permissions: free, ..AgentSetup::new("s1", provider, place.path()) };
///
/// let mut agent = Agent::new(setup)?;
/// agent.on("tool:pre", |event: &Event| match event.get("tool_input").and_then(|i| Some(i["file_path"] == ".env")) {
///     Some(true) => HookResult::deny("`.env` holds secrets; write `.env.example`"),
///     _ => HookResult::proceed(),
/// });
/// let outcome = agent.run("set the password");
/// assert_eq!((outcome.finish, &*outcome.text), (Finish::Stop, "I may not"));
/// assert!(!agent.root.path().join(".env").exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Agent {
    pub(crate) setup: Arc<AgentSetup>,
    /// Its session.
    pub session: Session,
    /// The conversation.
    pub transcript: Arc<Conversation>,
    /// The folder that it works in.
    pub root: Arc<RootFolder>,
    /// How many agents this one is inside of.
    pub(crate) depth: u32,
    /// Texts that only the next request has.
    pub(crate) next: Vec<Injection>,
    /// What it has taken so far.
    pub spent: TokenUsage,
    pub(crate) turns: u32,
    pub(crate) progress: Progress,
    /// How often the agents that it started asked a model about this prompt.
    pub(crate) turns_below: u32,
    /// A conversation of no more tokens is not made shorter once more.
    pub(crate) compact_over: u64,
    /// How many agents it has started.
    pub(crate) started: u32,
    /// The tools of the last request: what was not offered cannot be called.
    pub(crate) offered: Vec<String>,
    /// The worktrees in which agents that it started left something.
    pub worktrees: Vec<Worktree>,
    /// The last call that was refused, and how often in a row.
    pub(crate) denied: Option<(String, u32)>,
    pub(crate) is_begun: bool,
    /// Whether the model was told who it is.
    pub(crate) is_instructed: bool,
}

/// What a step comes to: on with it, or the end of the run.
pub(crate) type Flow<T> = Result<T, Finish>;

/// What the hooks make of something that is about to happen.
pub(crate) enum GateOutcome {
    /// It happens, as the event says now; `approved` if a hook approved it.
    Open { event: Event, approved: bool },
    /// It does not, for this reason.
    Refused(String),
}

impl Agent {
    /// Opens the folder, and begins nothing yet.
    pub fn new(setup: AgentSetup) -> io::Result<Self> {
        let transcript = Arc::new(Conversation::default());
        let session = Session::with(
            &setup.id,
            session::Setup {
                context: Some(transcript.clone()),
                isolate: Some(setup.limits.hook),
                cancelled: setup.cancel.flag(),
                ..setup.session.clone()
            },
        );
        let root = RootFolder::open(&setup.root)?;
        // Hooks find a file of a call where its tool does: below this folder, and not where the program was started.
        let mut fields = json!({"session_id": setup.id, "cwd": root.path().to_string_lossy()});
        if let Some(parent) = &setup.session.parent {
            fields = with(fields, json!({"parent_id": parent}));
        }
        session.hooks().set_default_fields(fields);
        Ok(Self {
            root: Arc::new(root),
            setup: Arc::new(setup),
            session,
            transcript,
            depth: 0,
            next: Vec::new(),
            spent: TokenUsage::default(),
            turns: 0,
            progress: Progress::default(),
            turns_below: 0,
            compact_over: 0,
            started: 0,
            offered: Vec::new(),
            worktrees: Vec::new(),
            denied: None,
            is_begun: false,
            is_instructed: false,
        })
    }

    /// Registers a handler for an event; it can neither hang the loop nor take it down.
    #[track_caller]
    pub fn on(&self, event: &str, handler: impl HookHandler + 'static) -> Handle {
        self.session.hooks().on(event, handler)
    }

    /// Begins the session, works on one prompt, and ends the session.
    pub fn run(&mut self, prompt: &str) -> RunOutcome {
        wait(async {
            let outcome = self.turn_here(prompt).await;
            self.end_here(&outcome).await;
            outcome
        })
    }

    /// Offers an event to the hooks, acts on what they say, and keeps what only the next request has.
    pub(crate) async fn emit(&mut self, event: &str, data: impl Into<Data>) -> SessionEmission {
        let mut event = Event::named(EventName::new(event), data);
        name_tool(&mut event);
        let acted = self.session.offer(event).await;
        self.heard(acted)
    }

    /// Keeps what only the next request has, and shows the event to who looks on.
    pub(crate) fn heard(&mut self, acted: SessionEmission) -> SessionEmission {
        self.next
            .extend(acted.processed.result.effects.inject().iter().cloned());
        if let Some(watcher) = &self.setup.watcher {
            watcher(&acted);
        }
        acted
    }

    /// Emits an event about which nothing is left to decide. A refusal is told to the model; a halt ends the run.
    pub(crate) async fn tell(&mut self, event: &str, data: Value) -> Flow<Event> {
        let acted = self.emit(event, data).await;
        if acted.processed.result.verdict.kind() == Kind::Deny {
            let text = acted.processed.result.verdict.text();
            self.next.push(Injection::new(text).ephemeral());
        }
        self.goes_on(&acted)?;
        Ok(acted.event)
    }

    /// Emits an event that tells of the end: nothing can come of it any more.
    pub(crate) async fn tell_last(&mut self, event: &str, data: Value) {
        drop(self.emit(event, data).await);
    }

    /// Emits an event that may be refused.
    pub(crate) async fn gate(&mut self, event: &str, data: Value) -> Flow<GateOutcome> {
        let acted = self.emit(event, data).await;
        self.goes_on(&acted)?;
        let verdict = &acted.processed.result.verdict;
        let kind = verdict.kind();
        Ok(if matches!(kind, Kind::Deny | Kind::Ask) {
            GateOutcome::Refused(verdict.text())
        } else {
            let approved = kind == Kind::Allow;
            let event = acted.event;
            GateOutcome::Open { event, approved }
        })
    }

    /// Ends the run where the hooks halted it, and where it was cancelled while they were asked.
    pub(crate) fn goes_on(&self, acted: &SessionEmission) -> Flow<()> {
        let verdict = &acted.processed.result.verdict;
        match verdict {
            Verdict::Halt { reasons }
                if self.setup.order.halt_is_heard(acted.event.name.as_str()) =>
            {
                Err(Finish::halted(reasons, verdict.text()))
            }
            _ => self.still_wanted(),
        }
    }
}

/// Tells matchers what the tool of an event is called here: the data has the name that all hosts share.
fn name_tool(event: &mut Event) {
    let Some(shared) = event.text("tool_name").map(Cow::into_owned) else {
        return;
    };
    let here = TOOLS
        .iter()
        .map(|tool| tool.name)
        .find(|name| canonical(name) == shared);
    let Some(name) = here else {
        return;
    };
    event.subject = Some(name.into());
    event.also = also(name);
    event.origin = Some(Box::new(Origin {
        host: Cow::Borrowed("anyhook-agent"),
        tool: Some(Box::new(OriginTool {
            name: name.into(),
            is: shared.into(),
            arguments: [].into(),
        })),
        ..Origin::default()
    }));
}

impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agent")
            .field("session", &self.session.id())
            .field("turns", &self.turns)
            .field("spent", &self.spent)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for AgentSetup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentSetup")
            .field("id", &self.id)
            .field("provider", &self.provider.name())
            .field("root", &self.root)
            .field("permissions", &self.permissions)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
