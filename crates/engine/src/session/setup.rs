//! The setup of a session: its parts, with defaults.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhook_core::ports::{Approver, Clock};

use super::ports::{ContextStore, Display};
use super::{InjectionLimits, StderrDisplay};
use crate::approvers::Terminal;
use crate::state::{MemoryState, State};
use crate::world::{SystemClock, World};

/// What a session is made of. The default asks no person, shows nothing and stores nothing: it leaves all of that in the
/// result. [`Setup::terminal`] works for a person at a terminal.
#[derive(Clone)]
pub struct Setup {
    /// The agent's own id, where its processes share sessions.
    pub host: Cow<'static, str>,
    /// The session that this one is a part of.
    pub parent: Option<Box<str>>,
    /// The limits.
    pub settings: InjectionLimits,
    /// The conversation; without one, texts stay in the result.
    pub context: Option<Arc<dyn ContextStore>>,
    /// The display; without one, messages stay in the result.
    pub display: Option<Arc<dyn Display>>,
    /// Who is asked, in this order; with none left to ask, a question is a refusal.
    pub approvers: Vec<Arc<dyn Approver>>,
    /// Where the session is remembered: its turn, its budget, its approvals.
    pub state: Arc<dyn State>,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// The folder for texts that are too long; without one they are refused.
    pub files: Option<PathBuf>,
    /// How long a handler without a deadline may take before it is given up with its thread
    /// ([`HookRegistry::isolating`](crate::HookRegistry::isolating)); nothing lets handlers run on the caller's thread.
    pub isolate: Option<Duration>,
    /// Becomes true when the program is to end: a question that waits for a person is refused then, and so is every later
    /// one.
    pub cancelled: Arc<AtomicBool>,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            host: Cow::Borrowed(""),
            parent: None,
            settings: InjectionLimits::default(),
            context: None,
            display: None,
            approvers: Vec::new(),
            state: Arc::new(MemoryState::default()),
            clock: Arc::new(SystemClock::default()),
            files: None,
            isolate: None,
            cancelled: Arc::default(),
        }
    }
}

impl Setup {
    /// Asks on the terminal, shows on standard error, and keeps long texts among the state of this user.
    ///
    /// ```
    /// use anyhook_engine::Session;
    /// use anyhook_engine::session::Setup;
    ///
    /// let setup = Setup { host: "my-agent".into(), ..Setup::terminal() };
    /// assert!(setup.display.is_some() && setup.context.is_none());
    /// let session = Session::with("s1", setup);
    /// assert_eq!(session.hooks().list_handlers(None).len(), 0);
    /// ```
    pub fn terminal() -> Self {
        Self {
            display: Some(Arc::new(StderrDisplay)),
            approvers: vec![Arc::new(Terminal::default())],
            files: World::real().places.map(|places| places.values()),
            ..Self::default()
        }
    }
}

impl fmt::Debug for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Setup")
            .field("host", &self.host)
            .field("settings", &self.settings)
            .field("approvers", &self.approvers.len())
            .finish_non_exhaustive()
    }
}
