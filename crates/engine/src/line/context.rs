//! What goes with one event on its way to an answer.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use anyhook_core::can::Can;
use anyhook_core::fit::Loss;
use anyhook_core::hook::Hooks;

use super::{Cache, Stage};
use crate::load::Loaded;
use crate::rules::LastCall;

/// Who is asked about an event, and what an answer to it may be.
pub(super) struct Context<'a> {
    /// The hooks that are asked.
    pub(super) hooks: &'a Hooks,
    /// What else was loaded.
    pub(super) loaded: &'a Loaded,
    /// What the call does, which the guard of what guards has read.
    pub(super) last_call: &'a LastCall,
    /// The test that looks on.
    pub(super) stage: &'a dyn Stage,
    /// What was found out.
    pub(super) cache: Arc<Cache>,
    /// When the event began.
    pub(super) began: Duration,
    /// The id of its report.
    pub(super) id: Box<str>,
    /// What its host can hear. It is what the event said when it came: a hook that rewrites `permission_mode` moves nothing.
    pub(super) can: Can,
    /// What was said too late, or could not be kept.
    pub(super) late: RefCell<Vec<Loss>>,
}
