//! Behaviour that only one host of the family has: a function each, if no row and no word can express it.

use std::sync::Arc;

use anyhook_core::can::Capabilities;
use anyhook_core::event::{Event, Map};
use anyhook_core::handler::HandlerResult;
use anyhook_core::hook::HookInfo;
use anyhook_core::result::HookResult;
use serde_json::Value;

use super::decode::HookRun;
use super::encode::{self, AnswerEncoder};
use super::row::HostRow;
use super::{Host, answer, can, decode, read_payload, write_as, write_payload};
use crate::answer::ParsedAnswer;
use crate::bare::bare;
use crate::{DecodeError, Reply};

/// Reads the bytes of a payload; the text is the event's name as the command line has it.
type PayloadDecoder = fn(&Host, &[u8], Option<&str>) -> Result<Event, DecodeError>;

/// Reads what a process left behind.
type HookRunDecoder = fn(HookRun<'_>) -> HandlerResult;

bare! {
    /// The functions of a host; [`HostFunctions::BARE`] are those of the family.
    #[derive(Debug, Clone, Copy)]
    pub(in crate::hosts) struct HostFunctions {
        /// Reads a payload.
        pub(in crate::hosts) read: PayloadDecoder = read_payload,
        /// Changes the data of a payload, whose fields have their canonical names, before it is an event.
        pub(in crate::hosts) open: fn(&HostRow, &mut Map) -> Result<(), DecodeError> = |_, _| Ok(()),
        /// Changes the event that a payload became.
        pub(in crate::hosts) close:
            fn(&mut Event, Option<&HostRow>) -> Result<(), DecodeError> = |_, _| Ok(()),
        /// Changes the data of an event before its fields get the names that they have here.
        pub(in crate::hosts) lower: fn(&Event, &HostRow, &mut Map) = |_, _, _| {},
        /// Writes a payload.
        pub(in crate::hosts) write:
            fn(&Host, &Event, Option<&'static HostRow>) -> Value = write_payload,
        /// Writes a payload for a hook on an event by this name.
        pub(in crate::hosts) write_as: fn(&Host, &Event, &str) -> Value = write_as,
        /// Reads what a process left behind.
        pub(in crate::hosts) decode: HookRunDecoder = |run| run.read(),
        /// Reads an answer of ours as the host does.
        pub(in crate::hosts) read_back: HookRunDecoder = |run| (run.host.odd.decode)(run),
        /// Tells whether the host takes an answer for an approval, on an event that has one.
        pub(in crate::hosts) approves: fn(&Host, &HostRow, &Map) -> bool = decode::approves,
        /// Takes out of an answer what only this host has, and returns what it says; adds what is wrong with it.
        pub(in crate::hosts) before:
            fn(HookRun<'_>, &mut Map, &mut Vec<String>) -> HookResult = |_, _, _| HookResult::proceed(),
        /// Changes what was understood of an answer.
        pub(in crate::hosts) after: fn(&mut ParsedAnswer, Option<&HostRow>) = |_, _| {},
        /// Tells whether the host does not wait for a hook that prints this as its first line.
        pub(in crate::hosts) leaves: fn(&[u8]) -> bool = |_| false,
        /// Returns what a hook made of a field as the host takes it, or why the host would overlook it.
        pub(in crate::hosts) value:
            fn(&Host, &Event, &str, Value) -> Result<Value, String> = encode::value,
        /// Tells why the host would overlook a value all the same.
        pub(in crate::hosts) overlooks:
            fn(&Event, &str, &Value) -> Option<&'static str> = |_, _, _| None,
        /// Returns what this very event lets a hook say.
        pub(in crate::hosts) can: fn(&Host, &Event) -> Capabilities = can,
        /// Writes a fitted result of these hooks.
        pub(in crate::hosts) answer:
            fn(&Host, &Event, &HookResult, &[Arc<HookInfo>]) -> Reply = answer,
        /// Writes a fitted result to an event that the host has.
        pub(in crate::hosts) reply:
            fn(&Host, &HostRow, Option<&Event>, &HookResult) -> Reply = encode::reply,
        /// Returns the word for a question.
        pub(in crate::hosts) ask: fn(&HookResult) -> &'static str = |_| "ask",
        /// Tells whether the host hides the output of a hook that wants it so.
        pub(in crate::hosts) hides: fn(&HostRow, &Capabilities) -> bool = |_, _| false,
        /// Writes the answers that only this host has.
        pub(in crate::hosts) natives: fn(&mut AnswerEncoder<'_>) = |answer| answer.own_answers(),
        /// Refuses an event that could not be read.
        pub(in crate::hosts) refuse:
            fn(&Host, Option<&'static HostRow>, &str) -> Reply = encode::refuse,
    }
}
