//! Behaviour that only one host of the family has: a function each, if no row and no word can express it.

use std::sync::Arc;

use anyhook_core::can::Can;
use anyhook_core::event::{Event, Map};
use anyhook_core::handler::Said;
use anyhook_core::hook::HookInfo;
use anyhook_core::result::HookResult;
use serde_json::Value;

use super::decode::HookRun;
use super::encode::{self, Encoding};
use super::row::HostRow;
use super::{Host, answer, can, decode, read_payload, write_as, write_payload};
use crate::answer::Answer;
use crate::{DecodeError, Reply};

/// Reads the bytes of a payload; the text is the event's name as the command line has it.
type Read = fn(&Host, &[u8], Option<&str>) -> Result<Event, DecodeError>;

/// Reads what a process left behind.
type Decode = fn(HookRun<'_>) -> Said;

/// The functions of a host; [`Oddities::NONE`] are those of the family.
#[derive(Debug, Clone, Copy)]
pub(in crate::hosts) struct Oddities {
    /// Reads a payload.
    pub(in crate::hosts) read: Read,
    /// Changes the data of a payload, whose fields have their canonical names, before it is an event.
    pub(in crate::hosts) open: fn(&HostRow, &mut Map) -> Result<(), DecodeError>,
    /// Changes the event that a payload became.
    pub(in crate::hosts) close: fn(&mut Event, Option<&HostRow>) -> Result<(), DecodeError>,
    /// Changes the data of an event before its fields get the names that they have here.
    pub(in crate::hosts) lower: fn(&Event, &HostRow, &mut Map),
    /// Writes a payload.
    pub(in crate::hosts) write: fn(&Host, &Event, Option<&'static HostRow>) -> Value,
    /// Writes a payload for a hook on an event by this name.
    pub(in crate::hosts) write_as: fn(&Host, &Event, &str) -> Value,
    /// Reads what a process left behind.
    pub(in crate::hosts) decode: Decode,
    /// Reads an answer of ours as the host does.
    pub(in crate::hosts) read_back: Decode,
    /// Tells whether the host takes an answer for an approval, on an event that has one.
    pub(in crate::hosts) approves: fn(&HostRow, &Map) -> bool,
    /// Takes out of an answer what only this host has, and returns what it says; adds what is wrong with it.
    pub(in crate::hosts) before: fn(HookRun<'_>, &mut Map, &mut Vec<String>) -> HookResult,
    /// Changes what was understood of an answer.
    pub(in crate::hosts) after: fn(&mut Answer, Option<&HostRow>),
    /// Tells whether the host does not wait for a hook that prints this as its first line.
    pub(in crate::hosts) leaves: fn(&[u8]) -> bool,
    /// Returns what a hook made of a field as the host takes it, or why the host would overlook it.
    pub(in crate::hosts) value: fn(&Host, &Event, &str, Value) -> Result<Value, String>,
    /// Tells why the host would overlook a value all the same.
    pub(in crate::hosts) overlooks: fn(&Event, &str, &Value) -> Option<&'static str>,
    /// Returns what this very event lets a hook say.
    pub(in crate::hosts) can: fn(&Host, &Event) -> Can,
    /// Writes a fitted result of these hooks.
    pub(in crate::hosts) answer: fn(&Host, &Event, &HookResult, &[Arc<HookInfo>]) -> Reply,
    /// Writes a fitted result to an event that the host has.
    pub(in crate::hosts) reply: fn(&Host, &HostRow, Option<&Event>, &HookResult) -> Reply,
    /// Returns the word for a question.
    pub(in crate::hosts) ask: fn(&HookResult) -> &'static str,
    /// Tells whether the host hides the output of a hook that wants it so.
    pub(in crate::hosts) hides: fn(&HostRow, &Can) -> bool,
    /// Writes the answers that only this host has.
    pub(in crate::hosts) natives: fn(&mut Encoding<'_>),
    /// Refuses an event that could not be read.
    pub(in crate::hosts) refuse: fn(&Host, Option<&'static HostRow>, &str) -> Reply,
}

impl Oddities {
    /// None: the host does everything as its family does.
    pub(in crate::hosts) const NONE: Self = Self {
        read: read_payload,
        open: |_, _| Ok(()),
        close: |_, _| Ok(()),
        lower: |_, _, _| {},
        write: write_payload,
        write_as,
        decode: |run| run.read(),
        read_back: |run| (run.host.odd.decode)(run),
        approves: decode::approves,
        before: |_, _, _| HookResult::proceed(),
        after: |_, _| {},
        leaves: |_| false,
        value: encode::value,
        overlooks: |_, _, _| None,
        can,
        answer,
        reply: encode::reply,
        ask: |_| "ask",
        hides: |_, _| false,
        natives: |answer| answer.own_answers(),
        refuse: encode::refuse,
    };
}
