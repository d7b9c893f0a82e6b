//! What a row of Windsurf says.

use std::time::Duration;

use anyhook_core::can::Can;
use anyhook_core::result::Kind;

use crate::hosts::Row;
use crate::{NativeEvent, tools};

/// One event: what every host tells, and what only this one has.
#[derive(Debug, Clone, Copy)]
pub(super) struct WindsurfRow {
    /// What every host tells.
    pub(super) native: NativeEvent,
    /// The tool that is called.
    pub(super) tool: Option<Called>,
    /// A field of `tool_info` with which it is this tool instead: a file that is written as a whole.
    pub(super) instead: Option<(&'static str, &'static str)>,
    /// Fields inside `tool_info` that hooks look for at the top: the host's name, and the canonical one.
    pub(super) fields: &'static [(&'static str, &'static str)],
    /// The texts inside `tool_info` without which a hook would decide about something that it cannot see.
    pub(super) needs: &'static [&'static str],
}

/// The tool that an event tells of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Called {
    /// One of the host's own; `tool_info` is its arguments. Then a tool of the global table that stands for the same ones.
    Own(&'static str, &'static str),
    /// A server's; `tool_info` names it.
    Served,
}

impl Called {
    /// Tells whether a tool, by its canonical name, is this one.
    pub(super) fn fits(self, tool: Option<&str>) -> bool {
        let Some(tool) = tool else {
            return false;
        };
        match self {
            Self::Own(name, like) => {
                name == tool || tools::canonical(name) == tool || tools::also(like).contains(&tool)
            }
            Self::Served => tool.starts_with("mcp__"),
        }
    }
}

impl Row for WindsurfRow {
    fn native(&self) -> &NativeEvent {
        &self.native
    }
}

impl WindsurfRow {
    pub(super) const fn new(name: &'static str, event: &'static str, can: Can) -> Self {
        Self {
            native: NativeEvent::new(name, event, can, COMMAND),
            tool: None,
            instead: None,
            fields: &[],
            needs: &[],
        }
    }

    pub(super) fn is_gate(&self) -> bool {
        self.native.can.says(Kind::Deny)
    }
}

const COMMAND: Duration = Duration::from_secs(30);

pub(super) const COMMANDS: Option<Called> = Some(Called::Own("run_command", "run_command"));
pub(super) const EDITS: Option<Called> = Some(Called::Own("Edit", "fs_write"));
