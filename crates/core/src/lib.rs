//! Anyhook's kernel in one line: `Event -> Hook* -> HookResult`.
//!
//! An agent says what it is about to do, or has just done: an [`Event`]. Every [`Hook`] that is meant is asked, and each
//! answers with a [`HookResult`]. The answers are folded into one by [`HookResult::then`], which is associative and has
//! an identity. So what one hook says and what a thousand say together are the same type, and the whole engine is a fold.
//!
//! ```
//! use anyhook_core::result::{HookResult, Kind};
//! use serde_json::json;
//!
//! // Three hooks were asked about `npm install > .env`.
//! let pnpm = HookResult::proceed().modify("tool_input", json!({"command": "pnpm install"}));
//! let lint = HookResult::proceed().inject("two files do not parse yet");
//! let secrets = HookResult::deny("`.env` holds secrets; ask the user to change it");
//!
//! // The gravest verdict wins, and nothing else is lost.
//! let all = pnpm.then(lint).then(secrets);
//! assert_eq!(all.verdict.kind(), Kind::Deny);
//! assert_eq!(all.effects.patch().len(), 1);
//! assert_eq!(all.effects.inject().len(), 1);
//! ```
//!
//! # Seven nouns
//!
//! ```text
//! Host ──says──> Event ──is offered to──> Hook ──answers──> HookResult ──is fitted──> Host
//!                                           ^                   │
//!                  Dispatch ──asks──> Hooks ┘                   └─ is folded ──> Report ──> Store
//! ```
//!
//! 1. [`Event`]: a name and a JSON object. Its name has one canonical spelling and a row in the [`taxonomy`].
//! 2. [`Hook`]: when it is asked (a [`Matcher`]), what it does (a handler), and what its own failure means.
//! 3. [`HookHandler`]: a function from an event to a result. What a manifest declares is an [`Action`] instead, which a
//!    runner carries out.
//! 4. [`HookResult`]: a [`Verdict`], of which the gravest wins, and [`Effects`], which all accumulate.
//! 5. [`Hooks`]: the hooks in order. A [`Dispatch`] walks them without doing any I/O, and says whom to ask next.
//! 6. [`Capabilities`]: what the agent on the other side lets a hook say. [`HookResult::fit`] turns what was asked into what can
//!    be said: never something lighter where a gate can refuse, and each difference is a recorded [`Loss`].
//! 7. [`Report`]: everything that happened to one event. Whatever looks back reads this and nothing else.
//!
//! # Three laws
//!
//! - **Nothing is lost in silence.** A failure is a [`Fault`] in the report; what could not be said is a [`Loss`].
//! - **A decision holds only for the input it saw.** A guard is asked again when another hook rewrites, and an approval
//!   of another input is none.
//! - **Side by side is an optimisation, never a meaning.** Answers may arrive in any order; the outcome is that of a run
//!   in declaration order.
//!
//! The laws are property tests of this crate. It does no I/O, reads no clock and no environment, and needs no runtime:
//! the world enters through the [`ports`].
//!
//! # Chapters, in reading order
//!
//! - What happens: [`event`], the [`taxonomy`] of its names and fields, [`events`] as constants.
//! - What is said about it: [`result`] and its [`effects`], a [`question`] to a person.
//! - Who is asked: [`hook`], its [`matcher`] and [`handler`], a [`manifest`] of hooks, a hook's [`fault`].
//! - The asking: [`dispatch`].
//! - What a command may touch: [`sandbox`].
//! - Towards a host: [`can`] and [`fit`]. Out of a process: [`transcript`].
//! - Looking back: [`report`], its [`canonical`] JSON, and the [`ports`] to the world.
//!
//! A mark such as names a decision that was settled once for the whole project; the sentence before it says all that
//! a caller needs of it.
//!
//! [`Event`]: event::Event
//! [`Hook`]: hook::Hook
//! [`Hooks`]: hook::Hooks
//! [`Matcher`]: matcher::Matcher
//! [`HookHandler`]: handler::HookHandler
//! [`Action`]: manifest::Action
//! [`HookResult`]: result::HookResult
//! [`HookResult::then`]: result::HookResult::then
//! [`HookResult::fit`]: result::HookResult::fit
//! [`Verdict`]: result::Verdict
//! [`Effects`]: effects::Effects
//! [`Dispatch`]: dispatch::Dispatch
//! [`Capabilities`]: can::Capabilities
//! [`Loss`]: fit::Loss
//! [`Fault`]: fault::Fault
//! [`Report`]: report::Report

mod asking;
pub mod can;
pub mod canonical;
pub mod dispatch;
pub mod effects;
pub mod event;
pub mod events;
pub mod fault;
pub mod fit;
pub mod handler;
pub mod hook;
mod id;
pub mod manifest;
pub mod matcher;
pub mod ports;
pub mod question;
pub mod redact;
pub mod report;
pub mod result;
pub mod sandbox;
pub mod taxonomy;
pub mod transcript;
mod words;

#[cfg(test)]
mod tests;
