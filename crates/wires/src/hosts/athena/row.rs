//! The nineteen events of `ex_athena`: which keys a payload has, and which returns its loop hears.
//!
//! A return that the loop drops is none: the loop hears a refusal before a tool and nowhere else, and a permission request,
//! which it never makes itself, is dispatched by a function that drops a refusal. What may be refused by a halt only is
//! halted.

use std::time::Duration;

use anyhook_core::can::{Can, Manner, Shown};
use anyhook_core::effects::{Lifetime, Placing, Role};

use crate::NativeEvent;
use crate::hosts::Row;
use crate::payload::Need;

/// One event.
#[derive(Debug, Clone, Copy)]
pub(super) struct AthenaRow {
    pub(super) native: NativeEvent,
    /// Where its keys stand.
    pub(super) form: Form,
    /// The keys of its payload: the original's, and the canonical one.
    pub(super) keys: &'static [(&'static str, &'static str)],
    /// What a hook must see.
    pub(super) needs: &'static [Need],
}

impl Row for AthenaRow {
    fn native(&self) -> &NativeEvent {
        &self.native
    }
}

impl AthenaRow {
    pub(super) const fn new(name: &'static str, event: &'static str, can: Can) -> Self {
        Self {
            native: NativeEvent::new(name, event, can, Duration::from_secs(30)),
            form: Form::Keys,
            keys: &[],
            needs: &[],
        }
    }
}

/// Where the keys of a payload stand in `input`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Beside the arguments of the tool.
    Call,
    /// Alone.
    Keys,
    /// The program decides.
    Open,
}

/// What stays in the conversation.
pub(super) const STORED: Manner = Manner {
    roles: &[Role::System, Role::User, Role::Assistant],
    lifetimes: &[Lifetime::Stored],
    places: &[Placing::Message],
    when_refused: Shown::No,
};

/// What stands behind the result of the tool.
pub(super) const WITH_RESULT: Manner = Manner {
    roles: &[Role::System],
    places: &[Placing::LastToolResult],
    ..STORED
};
