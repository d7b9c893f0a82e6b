//! A stage: the point from which a test chooses hooks and watches the line. It decides nothing.

use std::borrow::Cow;
use std::ffi::OsString;
use std::sync::Arc;

use anyhook_core::event::Event;
use anyhook_core::handler::Said;
use anyhook_core::hook::Hook;
use anyhook_core::ports::Approver;
use anyhook_core::result::HookResult;
use anyhook_core::transcript::Transcript;

use super::Cache;
use crate::models::StandIn;

/// How the line reads what a hook's process left: what the hook says by it.
pub type Reading<'r> = dyn Fn(&Transcript) -> Said + 'r;

/// What a test may do to the line: choose its hooks, see what each one's process left, let the line read something else
/// instead (which is how a test of tests breaks a guard), and speak for the model and the person.
///
/// Everything else is the line's own: the same files, runners, order and folding as under a host.
pub trait Stage {
    /// Returns those of the loaded hooks that take part in this event, in their order.
    fn choose(&self, loaded: Vec<Hook>, event: &Event) -> Vec<Hook> {
        let _ = event;
        loaded
    }

    /// Hears what a hook's process left, and returns what is read as its answer: the same, unless a guard is to be broken.
    fn hear<'t>(
        &self,
        hook: &Hook,
        raw: &'t Transcript,
        read: &Reading<'_>,
    ) -> Cow<'t, Transcript> {
        let _ = (hook, read);
        Cow::Borrowed(raw)
    }

    /// Hears what a hook says that has no process, a rule or a module, and returns what it is taken to say: the same, unless
    /// it is to be broken.
    fn take(&self, hook: &Hook, said: HookResult) -> HookResult {
        let _ = hook;
        said
    }

    /// Returns the folder in which hooks find `anyhook` first: that of this program, unless a test has one of its own.
    fn own(&self) -> Option<OsString> {
        let own = std::env::current_exe().ok()?;
        own.parent().map(|folder| folder.as_os_str().to_owned())
    }

    /// Returns where it is kept what was found out: for one event, unless a test keeps it for many in the same world.
    fn cache(&self) -> Arc<Cache> {
        Arc::default()
    }

    /// Returns what says something in the place of every model, so that none is asked.
    fn model(&self) -> Option<&StandIn> {
        None
    }

    /// Returns who answers for the person, where the host cannot ask or there is none.
    fn person(&self) -> Option<&dyn Approver> {
        None
    }
}

/// The stage of every event that is no test: no test looks on.
#[derive(Debug, Clone, Copy)]
pub struct Real;

impl Stage for Real {}

/// The stage of the events of a program that lives long: what a text says is found out once, and everything else for each event.
///
/// ```
/// use anyhook_engine::line::{Lasting, Stage};
/// let lasting = Lasting::default();
/// assert!(!std::sync::Arc::ptr_eq(&lasting.cache(), &lasting.cache()), "each event looks at the disk itself");
/// ```
#[derive(Debug, Default)]
pub struct Lasting(Cache);

impl Stage for Lasting {
    fn cache(&self) -> Arc<Cache> {
        Arc::new(self.0.of_texts())
    }
}
