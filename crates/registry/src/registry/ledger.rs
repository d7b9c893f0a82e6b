//! What is registered on behalf of one module, and the rules that its mount plan sets.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhook_core::effects::Level;
use anyhook_core::event::{Event, EventName};
use anyhook_core::fault::Fault;
use anyhook_core::handler::{BoxFuture, Handler, HandlerReply, HandlerResult, HookHandler};
use anyhook_core::hook::Hook;
use anyhook_core::report::{AskRound, SkipReason};
use anyhook_core::result::HookResult;
use serde::Deserialize;

use super::{Handle, HookRegistry};

/// How much of what a module says is shown to the person. A mount plan and a built-in module read it here.
///
/// ```
/// use anyhook_registry::registry::LogLevel;
///
/// let read = |name: &str| LogLevel::try_from(name.to_owned());
/// assert_eq!(read("warn"), Ok(LogLevel::Warning));
/// assert!(LogLevel::Debug < LogLevel::Info && read("loud").is_err());
/// assert!(["debug", "info", "warning", "error", "off"].iter().all(|name| read(name).is_ok()));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub enum LogLevel {
    /// Everything, and what it registered.
    Debug,
    /// Everything that its hooks say.
    #[default]
    Info,
    /// Warnings and errors.
    Warning,
    /// Errors.
    Error,
    /// Nothing.
    Off,
}

impl LogLevel {
    fn hides(self, level: Level) -> bool {
        match level {
            Level::Info => self > Self::Info,
            Level::Warning => self > Self::Warning,
            Level::Error => self > Self::Error,
        }
    }

    /// Leaves out the notices that this level hides.
    #[doc(hidden)]
    #[must_use]
    pub fn quieter(self, mut said: HookResult) -> HookResult {
        let notices = said.effects.notify();
        if notices.iter().any(|notice| self.hides(notice.level)) {
            let notices = &mut said.effects.edit().notify;
            notices.retain(|notice| !self.hides(notice.level));
        }
        said
    }
}

/// Reads a name, in any case; `warn` and `critical` are known too.
impl TryFrom<String> for LogLevel {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        match name.to_ascii_lowercase().as_str() {
            "debug" => Ok(Self::Debug),
            "info" => Ok(Self::Info),
            "warning" | "warn" => Ok(Self::Warning),
            "error" | "critical" => Ok(Self::Error),
            "off" => Ok(Self::Off),
            _ => Err(format!(
                "no log level is called `{name}`; levels are debug, info, warning, error, off"
            )),
        }
    }
}

/// The rules that hold for everything a module registers, read from its configuration.
///
/// ```
/// use anyhook_registry::registry::{LogLevel, Rules};
///
/// let rules = Rules { priority: Some(10), enabled: None, log: LogLevel::Warning };
/// assert!(rules.enables("tool:pre"), "without a list every event is enabled");
/// let rules = Rules { enabled: Some(vec!["PreToolUse".into()]), ..rules };
/// assert!(rules.enables("tool:pre") && !rules.enables("tool:post"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Rules {
    /// The priority of all its handlers, whatever it says itself.
    pub priority: Option<i32>,
    /// The events that it may hear, in any spelling and with `*`; nothing means all.
    #[serde(rename = "enabled_events")]
    pub enabled: Option<Vec<Box<str>>>,
    /// How much of what its hooks say is shown to the person.
    #[serde(rename = "log_level")]
    pub log: LogLevel,
}

impl Rules {
    /// Tells whether an event is enabled.
    pub fn enables(&self, event: &str) -> bool {
        let event = EventName::new(event);
        self.enabled.as_ref().is_none_or(|enabled| {
            let mut names = enabled.iter().map(|name| EventName::new(name));
            names.any(|name| name.covers(&event))
        })
    }
}

/// One handler that a module registered.
///
/// ```
/// use anyhook_registry::registry::Registration;
///
/// let registered = Registration {
///     event: "tool:pre".into(),
///     name: "guard".into(),
///     priority: 10,
///     is_named: true,
///     is_enabled: true,
/// };
/// assert_eq!(registered.to_string(), "`guard` for `tool:pre`, priority 10");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registration {
    /// The event, or a pattern of events, by its canonical name.
    pub event: Box<str>,
    /// The handler's name.
    pub name: Box<str>,
    /// The priority that it asked for itself.
    pub priority: i32,
    /// Whether it has a name of its own, instead of the place in the source where it was registered.
    pub is_named: bool,
    /// Whether the plan lets it hear anything.
    pub is_enabled: bool,
}

impl std::fmt::Display for Registration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let at = self.priority;
        write!(f, "`{}` for `{}`, priority {at}", self.name, self.event)
    }
}

/// The account of one module.
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct Ledger {
    rules: Rules,
    kept: Mutex<LedgerState>,
}

#[derive(Debug, Default)]
struct LedgerState {
    handles: Vec<Handle>,
    registered: Vec<Registration>,
}

impl Ledger {
    #[doc(hidden)]
    pub fn new(rules: Rules) -> Self {
        Self {
            rules,
            kept: Mutex::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, LedgerState> {
        // Nothing under this lock can panic halfway through a change.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Everything that was registered, in order.
    #[doc(hidden)]
    pub fn registered(&self) -> Vec<Registration> {
        self.lock().registered.clone()
    }

    /// Remembers something to take back.
    #[doc(hidden)]
    pub fn keep(&self, handle: Handle) {
        self.lock().handles.push(handle);
    }

    /// Takes everything back, the newest first.
    #[doc(hidden)]
    pub fn take_back(&self) {
        let handles = std::mem::take(&mut self.lock().handles);
        handles.iter().rev().for_each(Handle::unregister);
    }

    /// Notes a registration, and tells whether it may hear anything at all.
    fn note(&self, event: &EventName, name: &str, priority: i32, is_named: bool) -> bool {
        let is_pattern = event.as_str().contains('*');
        let is_enabled = is_pattern || self.rules.enables(event.as_str());
        self.lock().registered.push(Registration {
            event: event.as_str().into(),
            name: name.into(),
            priority,
            is_named,
            is_enabled,
        });
        is_enabled
    }

    /// Puts a hook under the rules; nothing comes back where no event of it is enabled.
    pub(super) fn admit(self: &Arc<Self>, mut hook: Hook) -> Option<Hook> {
        let info = &hook.info;
        let place = info.source.as_ref();
        let is_named =
            place.is_none_or(|place| *info.name != *format!("{}:{}", place.file, place.line));
        if !self.note(&hook.event, &info.name, info.priority, is_named) {
            return None;
        }
        if let Some(priority) = self.rules.priority {
            hook = hook.priority(priority);
        }
        let hides = self.rules.log > LogLevel::Info;
        if let Handler::InProcess(handler) = hook.handler {
            hook.handler = Handler::InProcess(if hides || self.rules.enabled.is_some() {
                Box::new(FilteredHandler {
                    handler,
                    ledger: Arc::clone(self),
                })
            } else {
                handler
            });
        }
        Some(hook)
    }
}

/// A handler under rules: it hears what is enabled, and what it tells the person is held to its level.
struct FilteredHandler {
    handler: Box<dyn HookHandler>,
    ledger: Arc<Ledger>,
}

impl HookHandler for FilteredHandler {
    fn handle<'a>(&'a self, event: &'a Event) -> HandlerReply<'a> {
        self.handle_as(event, AskRound::First)
    }

    fn handle_as<'a>(&'a self, event: &'a Event, asked: AskRound) -> HandlerReply<'a> {
        let rules = &self.ledger.rules;
        if !rules.enables(event.name.as_str()) {
            return HandlerReply::Ready(Err(Fault::not_asked(SkipReason::OtherEvent).into()));
        }
        match self.handler.handle_as(event, asked) {
            HandlerReply::Ready(said) => {
                HandlerReply::Ready(said.map(|said| rules.log.quieter(said)))
            }
            HandlerReply::Pending(future) => {
                let later: BoxFuture<'a, HandlerResult> =
                    Box::pin(async move { future.await.map(|said| rules.log.quieter(said)) });
                HandlerReply::Pending(later)
            }
        }
    }
}

impl HookRegistry {
    /// Returns this registry for one module: what is registered through it is kept in the account, under its rules.
    #[doc(hidden)]
    pub fn accounted(&self, ledger: Arc<Ledger>) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
            ledger: Some(ledger),
        }
    }
}
