//! What a row of Cline says.

use std::time::Duration;

use anyhook_core::can::Can;
use anyhook_core::result::Kind;

use crate::NativeEvent;
use crate::hosts::Row;

/// One event: what every host tells, and what only this one has.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClineRow {
    /// What every host tells.
    pub(super) native: NativeEvent,
    /// What the kit lets a hook say about it.
    pub(super) kit: Can,
    /// What the kit calls it in a payload.
    pub(super) kit_names: &'static [&'static str],
    /// The event that it is instead where the payload tells of a failure.
    pub(super) failed: Option<&'static str>,
    /// The object of the payload that belongs to this event.
    pub(super) section: &'static str,
    /// The fields in it that hooks look for at the top: the host's name, and the canonical one.
    pub(super) fields: &'static [(&'static str, &'static str)],
    /// A text that hooks look at, and this host does not say because it is always the same.
    pub(super) adds: Option<(&'static str, &'static str)>,
}

impl Row for ClineRow {
    fn native(&self) -> &NativeEvent {
        &self.native
    }

    fn also(&self) -> &[&'static str] {
        self.kit_names
    }

    fn failed(&self) -> Option<&'static str> {
        self.failed
    }
}

impl ClineRow {
    pub(super) const fn new(
        name: &'static str,
        event: &'static str,
        section: &'static str,
        can: Can,
    ) -> Self {
        Self {
            native: NativeEvent::new(name, event, can, COMMAND),
            kit: Can::NOTHING,
            kit_names: &[],
            failed: None,
            section,
            fields: &[],
            adds: None,
        }
    }

    /// Tells whether it is about a tool.
    pub(super) fn calls(&self) -> bool {
        self.fields.iter().any(|(_, outer)| *outer == "tool_name")
    }

    pub(super) fn is_gate(&self) -> bool {
        self.native.can.says(Kind::Deny)
    }
}

const COMMAND: Duration = Duration::from_secs(30);
